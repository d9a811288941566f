use serde_json::json;

use super::*;
use crate::api::marks::mark_clusters;
use crate::api::people::merge_users;
use crate::api::{MarkRequest, MergeUsersRequest};
use crate::share::Level;
use crate::testing::*;

fn asked(bench: &Bench, text: &str, choice: Choice) -> Result<ClusterList> {
    let request = ClustersRequest {
        text: Some(text.into()),
        ..ClustersRequest::default()
    };
    told_clusters(&bench.app, request, choice).map(|told| told.list)
}

#[test]
fn a_secret_in_a_name_or_a_tag_is_neither_told_nor_found() {
    let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let bench = Bench::new();
    let said = with(
        facts(0),
        json!({"name": format!("load-{token}"), "tags": {"password": "zX9kk2pQw7", "env": "prod"}}),
    );
    bench.send(batch(1, &[said, sample(1, 1.0)]));
    let told = asked(&bench, "", Choice::default()).unwrap();
    let row = serde_json::to_string(&told.rows[0]).unwrap();
    assert!(
        !row.contains(&token) && !row.contains("zX9kk2pQw7"),
        "{row}"
    );
    assert!(told.rows[0].name.starts_with("load-‹secret:"), "{row}");
    assert_eq!(told.rows[0].tags["env"], "prod");
    // A guess finds nothing, right or wrong.
    for guess in [&token[..12], "tag:password=zX9kk2pQw7"] {
        assert_eq!(
            asked(&bench, guess, Choice::default()).unwrap().total,
            0,
            "{guess}"
        );
    }
    assert_eq!(
        asked(&bench, "tag:env=prod", Choice::default())
            .unwrap()
            .total,
        1
    );
}

#[test]
fn whoever_is_named_in_a_name_or_a_tag_has_an_alias_unless_identities_are_real() {
    let who = "ana@corp.example";
    let bench = Bench::new();
    let said = with(
        facts(0),
        json!({"name": format!("load for {who}"), "tags": {"owner": who}}),
    );
    bench.send(batch(1, &[said, sample(1, 1.0)]));
    let row = |choice| asked(&bench, "", choice).unwrap().rows.remove(0);
    let told = row(Choice::default());
    let alias = &told.tags["owner"];
    assert!(alias.starts_with("‹email-"), "{alias}");
    assert_eq!(told.name, format!("load for {alias}"));
    // A guess finds nothing.
    let guessed = asked(&bench, "name:corp", Choice::default()).unwrap();
    assert_eq!(guessed.total, 0);
    let real = Choice {
        identities: Identities::Real,
        ..Choice::default()
    };
    assert_eq!(row(real).tags["owner"], who);
}

#[test]
fn a_secret_in_a_function_or_a_type_of_exception_is_not_found_where_names_are_told() {
    let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let bench = Bench::new();
    let name = format!("load-{token}");
    let records = [
        facts(0),
        with(group(3, "g1", 2.0), json!({"name": name, "prefix": name})),
        with(
            exception(4, "e", 1),
            json!({"exception_type": format!("Denied.{token}")}),
        ),
        with(group(3, "g2", 2.0), json!({"name": "inc", "prefix": "inc"})),
        stop(9),
    ];
    bench.send(batch(1, &records));
    let as_they_are = Choice {
        identities: Identities::Real,
        ..Choice::default()
    };
    let total = |text: &str| asked(&bench, text, as_they_are).unwrap().total;
    let begun = &token[..10];
    // A guess finds nothing, right or wrong, and nothing else either way.
    for (right, wrong) in [
        (format!("function:{name}"), "function:load-other".into()),
        (
            format!("function:load-{begun}*"),
            "function:load-ghq_*".into(),
        ),
        (
            format!("function:*{}", &token[30..]),
            "function:*zzzz".to_owned(),
        ),
        (
            format!("exception:Denied.{token}"),
            "exception:Denied.x".into(),
        ),
        (format!("exception:*{begun}*"), "exception:*ghq_*".into()),
    ] {
        assert_eq!((total(&right), total(&wrong)), (0, 0), "{right}");
        let (right, wrong) = (format!("-{right}"), format!("-{wrong}"));
        assert_eq!((total(&right), total(&wrong)), (1, 1), "{right}");
    }
    // What is told is found.
    for found in [
        "function:inc",
        "function:i*",
        "function:load-*",
        "exception:Denied.*",
        "function:inc state:finished",
    ] {
        assert_eq!(total(found), 1, "{found}");
    }
    assert_eq!(total("function:dec"), 0);
}

#[test]
fn a_list_tells_aliases_and_is_filtered_by_them_alone() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0), sample(1, 1.0), stop(9)]));
    let real = clusters(&bench.app, ClustersRequest::default()).unwrap();
    let (user, host) = (
        real.rows[0].user.clone().unwrap(),
        real.rows[0].host.clone().unwrap(),
    );
    let told = asked(&bench, "", Choice::default()).unwrap();
    let row = &told.rows[0];
    let text = serde_json::to_string(row).unwrap();
    assert!(
        !text.contains(&format!("\"{user}\"")) && !text.contains(&host),
        "{text}"
    );
    assert_eq!(
        (row.id, row.tasks_completed),
        (1, real.rows[0].tasks_completed)
    );
    let alias = row.user.clone().unwrap();
    let by = |text: &str| asked(&bench, text, Choice::default());
    assert_eq!(by(&format!("user:{alias}")).unwrap().total, 1);
    assert_eq!(by(&format!("-user:{alias}")).unwrap().total, 0);
    assert_eq!(
        by(&format!("host:{}", row.host.as_deref().unwrap()))
            .unwrap()
            .total,
        1
    );
    // A guess is refused whether it is right or wrong, in the same words but for itself.
    for guess in [
        format!("user:{user}"),
        "user:*".into(),
        format!("host:{host}"),
        "host:nobody".into(),
    ] {
        assert!(matches!(by(&guess), Err(Error::Refused(_))), "{guess}");
    }
    // Nor does a word find users and hosts.
    assert_eq!(by(&user).unwrap().total, 0);
    assert_eq!(by("state:finished").unwrap().total, 1);
    assert!(by("state:nonsense").is_err());
    let metrics = Choice {
        level: Level::Metrics,
        ..Choice::default()
    };
    assert!(matches!(
        asked(&bench, "project:x", metrics),
        Err(Error::Refused(_))
    ));
    let told = asked(&bench, "workers>=0", metrics).unwrap();
    assert_ne!(told.rows[0].name, real.rows[0].name);
}

#[test]
fn the_page_finds_all_that_a_filter_by_aliases_does() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0), sample(1, 1.0), stop(9)]));
    let told = |text: &str, choice: Choice| {
        let request = ClustersRequest {
            text: Some(text.into()),
            ..ClustersRequest::default()
        };
        told_clusters(&bench.app, request, choice).unwrap()
    };
    let alias = told("", Choice::default()).list.rows[0].user.clone();
    let alias = alias.unwrap();
    let as_they_are = Choice {
        identities: Identities::Real,
        ..Choice::default()
    };
    for (text, choice, on_page) in [
        ("", Choice::default(), ""),
        (
            "story state:finished",
            Choice::default(),
            "state:finished story",
        ),
        (&*format!("user:{alias}"), Choice::default(), ""),
        (
            &*format!("state:finished user:{alias} story"),
            Choice::default(),
            "state:finished story",
        ),
        (&*format!("user:{alias} or zzz"), Choice::default(), ""),
        ("-ada state:finished", Choice::default(), "state:finished"),
        ("user:ada", as_they_are, "user:ada"),
    ] {
        let told = told(text, choice);
        assert_eq!(told.on_page, on_page, "{text}");
        let request = ClustersRequest {
            text: Some(told.on_page.clone()),
            ..ClustersRequest::default()
        };
        let found = clusters(&bench.app, request).unwrap();
        assert_eq!((told.list.total, found.total), (1, 1), "{text}");
    }
}

#[test]
fn no_guess_at_what_stands_behind_an_alias_finds_out() {
    let bench = Bench::new();
    let said = json!({ "name": "dask-ana-7", "user": "ana", "tags": {"team": "blue"} });
    let key = json!({ "name": "patient-smith", "prefix": "patient-smith" });
    let records = [
        with(facts(0), said),
        with(group(3, "g1", 2.0), key),
        exception(4, "e", 1),
        stop(9),
    ];
    bench.send(batch(1, &records));
    let marks = MarkRequest {
        ids: vec![1],
        tags: [("mine".to_owned(), "secret".to_owned())].into(),
        note: Some("a secret".into()),
        name: Some("secret".into()),
        ..MarkRequest::default()
    };
    mark_clusters(&bench.app, marks).unwrap();
    let real = clusters(&bench.app, ClustersRequest::default()).unwrap();
    assert_eq!(real.rows[0].own_tags["mine"], "secret");
    let total = |text: &str| match asked(&bench, text, Choice::default()) {
        Ok(list) => Some(list.total),
        Err(Error::Refused(_)) => None,
        Err(error) => panic!("{error}"),
    };
    for (right, wrong) in [
        ("function:patient-s*", "function:patient-t*"),
        ("function:patient-smith", "function:patient-jones"),
        ("name:dask-a*", "name:dask-b*"),
        ("dask-ana", "dask-bob"),
        ("name:ana", "name:bob"),
        ("-name:ana", "-name:bob"),
        ("tag:mine", "tag:yours"),
        ("tag:mine=secret", "tag:mine=other"),
        ("name:secret", "name:zebra"),
        ("secret", "zebra"),
        ("has:note", "-has:note"),
        ("user:a*", "user:b*"),
        ("exception:Value*", "exception:Type*"),
        (
            "state:finished or name:dask-ana",
            "state:lost or name:dask-bob",
        ),
    ] {
        assert_eq!(total(right), total(wrong), "{right}");
    }
    // What is told is found.
    let told = asked(&bench, "", Choice::default()).unwrap();
    let (name, alias) = (&told.rows[0].name, told.rows[0].user.as_deref().unwrap());
    assert!(!name.contains("ana"), "{name}");
    assert_eq!(total(&format!("name:{name}")), Some(1));
    assert_eq!(
        total(&format!("dask-* tag:team=blue user:{alias}")),
        Some(0)
    );
    assert_eq!(total("name:dask-*-7 tag:team=blue state:finished"), Some(1));
    assert_eq!(total("tag:team=red"), Some(0));
    let as_they_are = Choice {
        identities: Identities::Real,
        ..Choice::default()
    };
    let by = |text: &str| asked(&bench, text, as_they_are);
    assert_eq!(by("function:patient-s*").unwrap().total, 1);
    // A policy binds what a choice tells.
    std::fs::write(bench.path().join(POLICY), "must_mask = ['keys']").unwrap();
    assert!(matches!(by("function:patient-s*"), Err(Error::Refused(_))));
}

/// A clock that goes on by a second at each look.
struct Slow(std::sync::atomic::AtomicI64);

impl crate::clock::Clock for Slow {
    fn now(&self) -> crate::model::Micros {
        let at = self
            .0
            .fetch_add(SECOND, std::sync::atomic::Ordering::SeqCst);
        crate::model::Micros(at)
    }

    fn passed(&self) -> std::time::Duration {
        let at = self.0.load(std::sync::atomic::Ordering::SeqCst);
        std::time::Duration::from_micros(at as u64)
    }
}

#[test]
fn words_are_looked_for_within_a_time_the_newest_first_and_the_rest_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let clock = std::sync::Arc::new(Slow(at(1_000).into()));
    let app = App::open(folder.path(), crate::api::Role::Owner, clock).unwrap();
    for n in 0..250 {
        let records = [
            with(facts(n), json!({ "name": format!("run-{n}") })),
            stop(n + 1),
        ];
        let text = batch_text(&format!("Scheduler-{n}"), "i", 1, &records);
        app.ingest(crate::wire::decode(&text).unwrap()).unwrap();
    }
    let asked = |text: &str| {
        let request = ClustersRequest {
            text: Some(text.into()),
            ..ClustersRequest::default()
        };
        told_clusters(&app, request, Choice::default()).unwrap()
    };
    let newest = asked("name:run-249");
    assert_eq!(newest.list.total, 1);
    // Every look at the clock is a second: three are over before the second page is.
    assert!((50..250).contains(&newest.not_looked_at), "{newest:?}");
    assert_eq!(asked("name:run-0").list.total, 0);
    // Where there are no words there is nothing to look through.
    assert_eq!(asked("state:finished").not_looked_at, 0);
    app.drain().unwrap();
}

#[test]
fn a_merged_user_is_found_by_the_alias_that_is_told_and_a_star_is_a_name() {
    let bench = Bench::new();
    for (cluster, user) in [("one", "ana"), ("two", "*"), ("three", "bob")] {
        let records = [with(facts(0), json!({ "user": user })), stop(9)];
        bench.send(batch_of(cluster, "i", 1, &records));
    }
    let merge = MergeUsersRequest {
        users: vec!["ana".into()],
        person: "bob".into(),
    };
    merge_users(&bench.app, merge).unwrap();
    let told = asked(&bench, "", Choice::default()).unwrap();
    for row in &told.rows {
        let text = format!("user:{}", row.user.as_deref().unwrap());
        let found = asked(&bench, &text, Choice::default()).unwrap();
        let ids: Vec<i64> = found.rows.iter().map(|row| row.id).collect();
        assert_eq!(ids, [row.id], "{text}");
    }
}

#[test]
fn patterns_are_of_any_case() {
    assert!(looks_like("Nightly-etl-7", "nightly-*-7") && looks_like("ab", "a*b"));
    assert!(!looks_like("aba", "ab*ba") && !looks_like("ab", "a"));
    assert!(looks_like("", "*") && looks_like("xyz", "*y*"));
}
