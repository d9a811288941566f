use std::fs;
use std::io::Read;
use std::time::{Duration, Instant};

use flate2::read::MultiGzDecoder;
use serde_json::json;

use super::*;
use crate::api::{
    App, approve_stage, clusters, decide_stage, discard_stage, own_words, save_stage,
    stage_clusters, stage_findings, stage_items, stage_text, stages,
};
use crate::ledger::{Kind, Ledger};
use crate::share::{Choice, Identities, Level};
use crate::testing::*;
use crate::{Error, Result};

mod bound;
mod categories;
mod grown;
mod honest;
mod levels;
mod named;
mod secrets;
mod stale;
mod standing;
mod tightens;
mod unwritten;
mod whole;

const SCHEDULER: &str = "Scheduler-0d6a1f3e-0000-4000-8000-000000000001";
const INSTANCE: &str = "3c4afc94e62e45bf83b2e42810868ad6";
const GROUP: &str = "88350a4be06642189b5aa53f9acbd316";
const SECRET: &str = "zX9kk2pQw7";

/// A cluster with a password in its code, and one in what an event carries.
fn bench() -> Bench {
    let bench = Bench::new();
    let cluster = with(
        facts(0),
        json!({"name": "nightly", "user": "gandalf", "host": "mithlond", "project": "etl",
               "python_path": "/home/gandalf/env/bin/python",
               "switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]}}),
    );
    let code = format!("engine = connect(password='{SECRET}')\nengine.run('gandalf')");
    let records = [
        cluster,
        sample(1, 1.25),
        with(
            group(9, GROUP, 1.5),
            json!({"group_id": GROUP, "name": "patient-4711", "prefix": "patient-4711"}),
        ),
        computation(9, "9f230dd9-9b5b-4a88-a03f-f03d49a3b367", Some(&code)),
        with(
            exception(9, "e", 3),
            json!({"message": "no route to mithlond", "traceback": "File \"/home/gandalf/x.py\""}),
        ),
        with(
            event(9),
            json!({"payload": {"password": SECRET, "day": "monday"}}),
        ),
    ];
    bench
        .at(10)
        .send(batch_of(SCHEDULER, INSTANCE, 1, &records));
    bench
}

fn policy(bench: &Bench, text: &str) {
    fs::write(bench.path().join("bobbin-policy.toml"), text).unwrap();
}

fn wanted(level: Level) -> StageClustersRequest {
    StageClustersRequest {
        ids: vec![1],
        destination: "team".into(),
        choice: Choice {
            level,
            identities: Identities::Aliases,
        },
        ..StageClustersRequest::default()
    }
}

fn staged(app: &App, level: Level) -> Stage {
    stage_clusters(app, wanted(level)).unwrap()
}

/// The stage once its bytes follow what was decided.
fn settled(app: &App, id: i64) -> Stage {
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        let stage = crate::api::stage(app, StageRequest { id }).unwrap();
        if stage.sha256.is_some() {
            return stage;
        }
        assert!(
            Instant::now() < until,
            "the bytes are never written: {stage:?}"
        );
        std::thread::yield_now();
    }
}

fn plain(stage: &Stage) -> String {
    let mut text = String::new();
    MultiGzDecoder::new(fs::File::open(&stage.path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text
}

fn values(app: &App, id: i64, category: Category) -> Vec<StageItem> {
    let request = StageItemsRequest {
        id,
        category: Some(category),
        text: String::new(),
        order: ItemOrder::Often,
        offset: 0,
        limit: 500,
    };
    stage_items(app, request).unwrap().items
}

fn decided(app: &App, id: i64, item: &str, decision: Option<Decision>) -> Result<Stage> {
    let items = vec![ItemDecision {
        item: item.into(),
        decision,
    }];
    decide_stage(
        app,
        DecideRequest {
            id,
            categories: Vec::new(),
            items,
            findings: Vec::new(),
        },
    )?;
    Ok(settled(app, id))
}

fn settle(app: &App, id: i64, state: FindingState) -> Stage {
    let found = stage_findings(app, StageRequest { id }).unwrap().findings;
    let findings = found
        .into_iter()
        .map(|one| FindingDecision {
            finding: one.finding,
            state,
        })
        .collect();
    decide_stage(
        app,
        DecideRequest {
            id,
            categories: Vec::new(),
            items: Vec::new(),
            findings,
        },
    )
    .unwrap();
    settled(app, id)
}

fn approve(app: &App, stage: &Stage) -> Result<Stage> {
    approve_stage(
        app,
        ApproveRequest {
            id: stage.id,
            sha256: stage.sha256.clone().unwrap_or_default(),
            to_save: false,
        },
    )
}

#[test]
fn what_is_looked_at_is_what_the_file_holds() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    let text = plain(&stage);
    assert!(
        !text.contains("gandalf") && !text.contains("mithlond") && !text.contains(SECRET),
        "{text}"
    );
    assert!(
        text.contains("user-A") && text.contains("host-1") && text.contains("group-1"),
        "{text}"
    );
    assert_eq!(stage.bytes, Some(fs::metadata(&stage.path).unwrap().len()));
    // It is a bundle like any other.
    let opened = crate::share::open(std::path::Path::new(&stage.path)).unwrap();
    assert_eq!(opened.manifest.clusters[0].name.as_deref(), Some("nightly"));
    let host = &values(&bench.app, stage.id, Category::Hosts)[0];
    let key = crate::seal::FingerprintKey::load_or_make(bench.path()).unwrap();
    let told = |alias: &str| format!("{alias}-{}", crate::share::aliases::mark(&key, "team"));
    assert_eq!(
        (host.real.as_str(), host.shown.as_deref(), host.effect),
        ("mithlond", Some(told("host-1").as_str()), Decision::Mask)
    );
    assert!(
        stage
            .withheld
            .iter()
            .any(|one| one.field == "exception.message" && one.values == 1),
        "{:?}",
        stage.withheld
    );
    let lines = stage_text(
        &bench.app,
        StageTextRequest {
            id: stage.id,
            text: "HOST-1".into(),
            offset: 0,
            limit: 10,
        },
    )
    .unwrap();
    let whole: Vec<&str> = text.lines().collect();
    assert_eq!(lines.total, whole.len() as u64);
    assert!(lines.matches > 0);
    for line in lines.lines {
        assert_eq!(line.text, whole[line.line as usize]);
    }
}

#[test]
fn a_decision_changes_the_bytes_and_is_remembered_for_its_destination() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    let host = values(&bench.app, stage.id, Category::Hosts)[0]
        .item
        .clone();
    let told = decided(&bench.app, stage.id, &host, Some(Decision::Keep)).unwrap();
    assert!(plain(&told).contains("mithlond"));
    assert_ne!(told.sha256, stage.sha256);
    let again = staged(&bench.app, Level::Names);
    assert!(plain(&again).contains("mithlond"));
    let other = StageClustersRequest {
        destination: "another".into(),
        ..wanted(Level::Names)
    };
    assert!(!plain(&stage_clusters(&bench.app, other).unwrap()).contains("mithlond"));
    // Taken back it gives the same bytes as before.
    let back = decided(&bench.app, stage.id, &host, None).unwrap();
    assert_eq!(back.sha256, stage.sha256);
    let functions = [CategoryDecision {
        category: Category::Projects,
        decision: Some(Decision::Drop),
    }]
    .into();
    decide_stage(
        &bench.app,
        DecideRequest {
            id: stage.id,
            categories: functions,
            items: Vec::new(),
            findings: Vec::new(),
        },
    )
    .unwrap();
    assert!(!plain(&settled(&bench.app, stage.id)).contains("etl"));
    assert!(matches!(
        decided(&bench.app, stage.id, "0123456789abcdef", None),
        Err(Error::Invalid { .. })
    ));
    // The file can still be read as a bundle.
    crate::share::open(std::path::Path::new(&stage.path)).unwrap();
}

#[test]
fn an_open_finding_keeps_a_stage_from_being_approved() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Everything);
    let text = plain(&stage);
    assert!(
        !text.contains(SECRET) && text.contains("‹secret:keyword›"),
        "{text}"
    );
    let found = stage_findings(&bench.app, StageRequest { id: stage.id })
        .unwrap()
        .findings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].places, found[0].state), (2, FindingState::Open));
    assert!(
        found[0].before.ends_with("password='") || found[0].before.ends_with("\"password\":\""),
        "{found:?}"
    );
    assert_eq!(
        stage.blockers,
        [Blocker {
            kind: BlockerKind::OpenFindings,
            count: 1
        }]
    );
    let refused = approve(&bench.app, &stage).unwrap_err().to_string();
    assert!(refused.contains("1 possible secret "), "{refused}");

    let told = settle(&bench.app, stage.id, FindingState::NoSecret);
    assert!(plain(&told).contains(SECRET));
    let replaced = settle(&bench.app, stage.id, FindingState::Replaced);
    assert!(!plain(&replaced).contains(SECRET));
    assert_eq!(
        approve(&bench.app, &replaced).unwrap().approved_micros,
        Some(bench.app.now())
    );
}

#[test]
fn only_the_bytes_that_were_looked_at_are_approved_and_the_ledger_says_so() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    let wrong = approve_stage(
        &bench.app,
        ApproveRequest {
            id: stage.id,
            sha256: "00".into(),
            to_save: false,
        },
    );
    assert!(matches!(wrong, Err(Error::Refused(_))));
    // What came after it was staged is not in it.
    bench
        .at(30)
        .send(batch_of(SCHEDULER, INSTANCE, 7, &[sample(30, 5.0)]));
    let sha256 = stage.sha256.clone().unwrap();
    assert!(approved(bench.path(), &sha256).is_err());
    approve(&bench.app, &stage).unwrap();
    let sent = approved(bench.path(), &sha256).unwrap();
    assert_eq!(
        (sent.staged().sha256(), sent.staged().destination()),
        (sha256.as_str(), "team")
    );
    let rows = Ledger::of(bench.path()).rows().unwrap();
    assert_eq!(
        (rows[0].entry.kind, rows[0].entry.sha256.as_deref()),
        (Kind::Approved, Some(sha256.as_str()))
    );
    // It stays as it is.
    let host = values(&bench.app, stage.id, Category::Hosts)[0]
        .item
        .clone();
    assert!(matches!(
        decided(&bench.app, stage.id, &host, Some(Decision::Keep)),
        Err(Error::Refused(_))
    ));
    let mut bytes = fs::read(&stage.path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&stage.path, bytes).unwrap();
    assert!(matches!(
        approved(bench.path(), &sha256),
        Err(Error::Refused(_))
    ));
    assert_eq!(
        discard_stage(&bench.app, StageRequest { id: stage.id })
            .unwrap()
            .stages,
        []
    );
    assert_eq!(clusters(&bench.app, Default::default()).unwrap().total, 1);
}

#[test]
fn the_second_share_says_what_is_new() {
    let bench = bench();
    let first = staged(&bench.app, Level::Names);
    assert!(first.categories.iter().all(|one| one.new == one.items));
    approve(&bench.app, &first).unwrap();
    bench.at(40).send(batch_of(
        SCHEDULER,
        INSTANCE,
        7,
        &[with(group(40, "a", 1.0), json!({"group_id": "77350a4be06642189b5aa53f9acbd317", "name": "novel", "prefix": "novel"}))],
    ));
    let second = staged(&bench.app, Level::Names);
    assert_eq!(second.before, first.sha256);
    let new: Vec<_> = Category::ALL
        .into_iter()
        .flat_map(|category| values(&bench.app, second.id, category))
        .filter(|one| one.state == ItemState::New)
        .map(|one| one.real)
        .collect();
    assert!(
        !new.is_empty() && new.iter().all(|real| real == "novel"),
        "{new:?}"
    );
    let host = values(&bench.app, second.id, Category::Hosts)[0]
        .item
        .clone();
    decided(&bench.app, second.id, &host, Some(Decision::Keep)).unwrap();
    assert_eq!(
        values(&bench.app, second.id, Category::Hosts)[0].state,
        ItemState::Changed
    );
    // Same alias in every share with a destination.
    let user = values(&bench.app, second.id, Category::Users)[0]
        .shown
        .clone();
    assert!(user.as_deref().unwrap().starts_with("user-A-"), "{user:?}");
    assert!(plain(&first).contains(&user.unwrap()));
}

#[test]
fn a_policy_is_stronger_than_a_person() {
    let bench = bench();
    fs::write(
        bench.path().join("bobbin-policy.toml"),
        "level = 'errors'\nreal_identities = false\nmust_drop = ['projects']\nmust_mask = ['functions']\n",
    )
    .unwrap();
    let stage = staged(&bench.app, Level::Everything);
    assert_eq!(stage.choice.level, Level::Errors);
    let text = plain(&stage);
    assert!(
        !text.contains("\"etl\"") && !text.contains("engine.run"),
        "{text}"
    );
    let project = &values(&bench.app, stage.id, Category::Projects)[0];
    assert_eq!(
        (project.effect, project.rule.as_deref()),
        (Decision::Drop, Some("must_drop projects"))
    );
    let told = decided(
        &bench.app,
        stage.id,
        &project.item.clone(),
        Some(Decision::Keep),
    )
    .unwrap();
    assert!(!plain(&told).contains("\"etl\""));
    let host = values(&bench.app, stage.id, Category::Hosts)[0]
        .item
        .clone();
    assert!(
        !plain(&decided(&bench.app, stage.id, &host, Some(Decision::Keep)).unwrap())
            .contains("mithlond")
    );
    fs::write(bench.path().join("bobbin-policy.toml"), "must_dorp = []").unwrap();
    assert!(
        stage_clusters(&bench.app, wanted(Level::Names))
            .unwrap_err()
            .to_string()
            .contains("must_dorp")
    );
}

#[test]
fn an_own_word_is_found_and_a_saved_copy_is_what_would_be_sent() {
    let bench = bench();
    own_words(
        &bench.app,
        OwnWordsRequest {
            add: vec!["nightly".into()],
            remove: Vec::new(),
        },
    )
    .unwrap();
    let stage = staged(&bench.app, Level::Names);
    let found = stage_findings(&bench.app, StageRequest { id: stage.id })
        .unwrap()
        .findings;
    assert_eq!(
        (found.len(), found[0].rule),
        (1, crate::scan::Rule::OwnWord)
    );
    assert!(!plain(&stage).contains("nightly"));
    let copy = bench.path().join("copy.bobbin");
    let request = SaveStageRequest {
        id: stage.id,
        path: copy.display().to_string(),
    };
    save_stage(&bench.app, request.clone()).unwrap();
    assert_eq!(fs::read(&copy).unwrap(), fs::read(&stage.path).unwrap());
    assert!(save_stage(&bench.app, request).is_err());
    assert_eq!(
        stages(&bench.app, crate::api::Empty {})
            .unwrap()
            .stages
            .len(),
        1
    );
}
