use serde_json::json;

use super::*;
use crate::api::shelf::MOST;
use crate::api::{
    COMMANDS, ClustersRequest, TABLES, call, call_beside, clusters, csv, decide_stage, export,
    named_table, stage_clusters, stage_items, store_of_file,
};
use crate::share::stage::{Category, CategoryDecision, DecideRequest, Decision, StageItemsRequest};
use crate::testing::canaries::{canaries, told};
use crate::testing::*;

fn bundle() -> (Bench, Vec<u8>) {
    let bench = Bench::new();
    let code = computation(5, "c", Some("canary_code()"));
    bench.send(batch(
        1,
        &[
            facts(0),
            sample(1, 1.0),
            code,
            exception(6, "e", 2),
            stop(9),
        ],
    ));
    let path = bench.path().join("one.bobbin");
    export(&bench.app, &path, &[1], Choice::default()).unwrap();
    let bytes = std::fs::read(path).unwrap();
    (bench, bytes)
}

fn total(app: &App) -> u64 {
    clusters(app, ClustersRequest::default()).unwrap().total
}

fn folders(app: &App) -> usize {
    std::fs::read_dir(app.dir().join("beside")).map_or(0, Iterator::count)
}

#[test]
fn a_bundle_opens_beside_the_store_and_leaves_nothing_in_it() {
    let (_, bytes) = bundle();
    let other = Bench::new();
    let app = &other.app;
    let looked = app.offer_bundle("one.bobbin", &mut &bytes[..]).unwrap();
    assert_eq!(
        (looked.name.as_str(), looked.bytes),
        ("one.bobbin", bytes.len() as u64)
    );
    assert_eq!(looked.clusters[0].records["sample"], 1);
    assert_eq!(
        (looked.clusters[0].not_taken.as_deref(), looked.open),
        (None, false)
    );
    let code = looked.clusters[0]
        .classes
        .iter()
        .find(|one| one.class == FieldClass::Code);
    assert_eq!(code.map(|one| (one.told, one.withheld)), Some((0, 1)));
    assert!(app.beside(&looked.id).is_err());

    let request = BundleRequest {
        id: looked.id.clone(),
    };
    assert!(open_bundle(app, request.clone()).unwrap().open);
    assert!(call_beside(app, &looked.id, "clusters", "{}").is_ok());
    for name in OWN {
        let refused = call_beside(app, &looked.id, name, "{}").unwrap_err();
        assert!(matches!(refused, Error::Refused(_)), "{name}: {refused}");
    }
    // Nor is it saved as a file of the bundle's, which has none of it.
    let asked = [
        json!({"is": "table", "table": {"command": "ledger", "request": {}}}),
        json!({"is": "chain"}),
    ];
    for asked in asked {
        let asked = serde_json::from_value(asked).unwrap();
        let refused = store_of_file(app, Some(&looked.id), &asked);
        assert!(matches!(refused, Err(Error::Refused(_))), "{asked:?}");
        assert!(store_of_file(app, None, &asked).is_ok());
    }
    let beside = app.beside(&looked.id).unwrap();
    assert_eq!((total(&beside), total(app)), (1, 0));
    // Each view says what was left out instead of "nothing".
    let cluster = call(&beside, "cluster", r#"{"id":1}"#).unwrap();
    let cluster: serde_json::Value = serde_json::from_str(&cluster).unwrap();
    let from = &cluster["facts"]["from_bundle"];
    assert_eq!(
        (&from["left_out"]["code"], &from["left_out"]["exceptions"]),
        (&1.into(), &2.into())
    );
    assert_eq!(from["level"], "names");
    assert!(from["masked"].as_array().unwrap().contains(&"user".into()));
    // It only reads.
    assert!(matches!(
        call(&beside, "mark_clusters", r#"{"ids":[1],"pinned":true}"#),
        Err(Error::Refused(_))
    ));
    drop(beside);
    assert_eq!(folders(app), 1);
    close_bundle(app, request.clone()).unwrap();
    assert_eq!(folders(app), 0);
    assert!(matches!(
        bundle_contents(app, request),
        Err(Error::NotFound { .. })
    ));
}

#[test]
fn what_is_taken_is_said_before_and_after() {
    let (_, bytes) = bundle();
    let other = Bench::new();
    let offer = || {
        other
            .app
            .offer_bundle("one.bobbin", &mut &bytes[..])
            .unwrap()
    };
    let request = BundleRequest { id: offer().id };
    let taken = import_bundle(&other.app, request.clone()).unwrap();
    assert_eq!(taken.clusters[0].id, Some(1));
    assert_eq!(total(&other.app), 1);
    let again = offer();
    assert!(
        again.clusters[0]
            .not_taken
            .as_ref()
            .unwrap()
            .contains("number 1")
    );
    // The oldest make room.
    for _ in 0..MOST {
        offer();
    }
    assert_eq!(folders(&other.app), MOST);
    assert!(bundle_contents(&other.app, request).is_err());
}

#[test]
fn the_lens_shows_what_a_share_would_tell_and_leaves_the_store_alone() {
    let (bench, _) = bundle();
    let app = &bench.app;
    let seen = lens(app, LensRequest::default()).unwrap();
    let all = LensPage {
        destination: "file".into(),
        destinations: Vec::new(),
        offset: 0,
        next: None,
        total: 1,
    };
    assert!(seen.lens == Some(all) && seen.open);
    let beside = app.beside(&seen.id).unwrap();
    let user = |app: &App| {
        clusters(app, ClustersRequest::default()).unwrap().rows[0]
            .user
            .clone()
    };
    assert_eq!(user(app).as_deref(), Some("ada"));
    assert!(user(&beside).unwrap().starts_with("user-"));
    let choice = Choice {
        identities: share::Identities::Real,
        ..Choice::default()
    };
    let request = LensRequest {
        choice,
        ..LensRequest::default()
    };
    let real = lens(app, request).unwrap();
    let real = app.beside(&real.id).unwrap();
    assert_eq!(user(&real).as_deref(), Some("ada"));
    let code = call(&beside, "computations", r#"{"id":1}"#).unwrap();
    assert!(!code.contains("canary"), "{code}");
}

#[test]
fn whatever_is_asked_through_the_lens_tells_no_more_than_the_share_would() {
    let bench = told();
    let app = &bench.app;
    let choice = Choice {
        level: share::Level::Metrics,
        ..Choice::default()
    };
    let request = LensRequest {
        choice,
        ..LensRequest::default()
    };
    let seen = lens(app, request).unwrap();
    let mut heard = format!("{seen:?}");
    let mut ask = |name: &str, request: serde_json::Value| {
        let answer = call_beside(app, &seen.id, name, &request.to_string());
        heard += &answer
            .as_ref()
            .map_or_else(ToString::to_string, Clone::clone);
        answer
            .ok()
            .map(|answer| serde_json::from_str::<serde_json::Value>(&answer).unwrap())
    };
    let mut answered = 0;
    // That one makes the samples before it is refused.
    for name in COMMANDS.iter().filter(|name| **name != "load_demo") {
        for request in [
            json!({}),
            json!({"id": 1}),
            json!({"ids": [1]}),
            json!({"a": 1, "b": 1}),
        ] {
            answered += usize::from(ask(name, request).is_some());
        }
    }
    assert!(answered > COMMANDS.len() / 2, "{answered}");
    let tables = ask("sql_tables", json!({})).unwrap();
    for table in tables["tables"].as_array().unwrap() {
        let all = format!("select * from \"{}\"", table["name"].as_str().unwrap());
        ask("sql", json!({ "sql": all }));
    }
    for text in ["canary", "canary-user", "canary-message", "canary_code"] {
        for sealed in [false, true] {
            let found = ask("search", json!({"text": text, "sealed": sealed})).unwrap();
            assert_eq!(found["groups"], json!([]), "{text}");
        }
    }
    let beside = app.beside(&seen.id).unwrap();
    for name in TABLES {
        let table = named_table(&beside, name, Some("1")).unwrap().table;
        heard += &csv(&table);
    }
    assert!(heard.contains("user-") && heard.len() > 10_000);
    let found: Vec<&str> = canaries(&heard).into_iter().collect();
    assert_eq!(found, [""; 0]);
    // Without it, they are told.
    let here = call(app, "cluster", r#"{"id":1}"#).unwrap();
    assert!(canaries(&here).contains("canary-user"), "{here}");
}

#[test]
fn the_lens_shows_what_was_decided_for_the_destination_by_the_names_that_it_knows() {
    let (bench, _) = bundle();
    let stage = || {
        let request = StageClustersRequest {
            ids: vec![1],
            destination: "blue".into(),
            ..StageClustersRequest::default()
        };
        stage_clusters(&bench.app, request).unwrap()
    };
    let staged = stage();
    let keep = |category| CategoryDecision {
        category,
        decision: Some(Decision::Keep),
    };
    let decided = DecideRequest {
        id: staged.id,
        categories: vec![keep(Category::Hosts)],
        items: Vec::new(),
        findings: Vec::new(),
    };
    decide_stage(&bench.app, decided).unwrap();
    let look = |destination: Option<&str>| {
        let destination = destination.map(str::to_owned);
        let request = LensRequest {
            destination,
            ..LensRequest::default()
        };
        let seen = lens(&bench.app, request).unwrap();
        let beside = bench.app.beside(&seen.id).unwrap();
        let row = clusters(&beside, ClustersRequest::default()).unwrap();
        let row = row.rows[0].clone();
        (row.user.unwrap(), row.host.unwrap(), seen.lens.unwrap())
    };
    let (user, host, page) = look(Some("blue"));
    assert_eq!(host, "laptop", "it was kept for them");
    assert!(user.starts_with("user-A-"), "{user}");
    assert_eq!(
        (page.destination.as_str(), page.destinations),
        ("blue", vec!["file".to_owned()])
    );
    let (other, host, page) = look(None);
    assert!(
        host.starts_with("host-1-") && other != user,
        "{host} {other}"
    );
    assert_eq!(page.destinations, ["blue"]);
    // It is what the share itself tells.
    let again = stage();
    let values = stage_items(
        &bench.app,
        StageItemsRequest {
            id: again.id,
            category: Some(Category::Users),
            text: String::new(),
            order: Default::default(),
            offset: 0,
            limit: 10,
        },
    )
    .unwrap();
    assert_eq!(values.items[0].shown.as_deref(), Some(user.as_str()));
}

#[test]
fn the_lens_goes_on_behind_the_newest_clusters_and_masks_what_looks_like_a_secret() {
    let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let bench = Bench::new();
    for number in 0..i64::from(LENS) + 2 {
        let said = with(
            facts(number),
            json!({"name": format!("load-{number:03}-{token}")}),
        );
        let code = format!("connect(password='zX9kk2pQw7', token='{token}')");
        let records = [said, computation(number + 1, "c", Some(&code))];
        bench.send(batch_of(&format!("one-{number}"), "i", 1, &records));
    }
    let choice = Choice {
        level: share::Level::Everything,
        ..Choice::default()
    };
    let look = |offset| {
        let request = LensRequest {
            choice,
            offset,
            ..LensRequest::default()
        };
        let seen = lens(&bench.app, request).unwrap();
        let beside = bench.app.beside(&seen.id).unwrap();
        let listed = clusters(&beside, ClustersRequest::default()).unwrap();
        let code = call(&beside, "computations", r#"{"id":1}"#).unwrap();
        for told in [&code, &format!("{seen:?}"), &format!("{listed:?}")] {
            assert!(
                !told.contains(&token) && !told.contains("zX9kk2pQw7"),
                "{told}"
            );
        }
        assert!(code.contains("‹secret:"), "{code}");
        (seen, total(&beside))
    };
    let (first, drawn) = look(0);
    let total = u64::from(LENS) + 2;
    let page = first.lens.unwrap();
    assert_eq!(
        (drawn, page.total, page.next),
        (u64::from(LENS), total, Some(u64::from(LENS)))
    );
    assert!(
        first.clusters[0]
            .name
            .as_ref()
            .unwrap()
            .starts_with("load-201-")
    );
    let (last, drawn) = look(u64::from(LENS));
    assert_eq!((drawn, last.lens.unwrap().next), (2, None));
    assert!(
        last.clusters[0]
            .name
            .as_ref()
            .unwrap()
            .starts_with("load-001-")
    );
    // Behind the end there is nothing, and it says so.
    let none = lens(
        &bench.app,
        LensRequest {
            choice,
            offset: 999,
            ..LensRequest::default()
        },
    )
    .unwrap();
    assert_eq!((none.clusters.len(), none.lens.unwrap().next), (0, None));
}

#[test]
fn what_was_open_is_gone_when_bobbin_starts_again() {
    let (_, bytes) = bundle();
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("beside/left")).unwrap();
    std::fs::set_permissions(
        dir.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o700),
    )
    .unwrap();
    let clock = Bench::new().clock;
    let app = App::open(dir.path(), Role::Owner, clock).unwrap();
    assert_eq!(folders(&app), 0);
    let mut cut = &bytes[..bytes.len() - 9];
    assert!(app.offer_bundle("cut.bobbin", &mut cut).is_err());
    assert!(app.offer_file(Path::new("/dev/null")).is_err());
    // Nobody writes into it: it is not waited for.
    let pipe = dir.path().join("pipe");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert!(app.offer_file(&pipe).is_err());
    assert_eq!(folders(&app), 0);
}
