//! What happens between a look at the bytes and their approval: the approval holds the stage while it makes sure of it.

use super::*;
use crate::ledger::digest;
use crate::lock::lock;
use crate::model::Micros;
use crate::share::bundle::member;
use crate::share::stage::approve::is_current;
use crate::share::stage::bytes::whole;
use crate::share::stage::kept::{keep, kept};

#[test]
fn bytes_that_no_longer_follow_what_was_decided_or_the_policy_are_not_approved() {
    let bench = bench();
    let policy = bench.path().join("bobbin-policy.toml");
    fs::write(&policy, "must_drop = ['projects']\n").unwrap();
    let id = staged(&bench.app, Level::Names).id;
    let desks = Desks::default();
    let place = Place {
        dir: bench.path(),
        keys: bench.app.keys(),
        now: Micros(0),
    };
    let file = whole(&place, &desks, id).unwrap();
    let said = kept(place.dir, id).unwrap();
    let open = desks.open(&place, id).unwrap();
    let mut model = lock(&open);
    let asked = |model: &_| is_current(place.dir, id, &said, &file, model);
    asked(&model).unwrap();

    // Looser, which `policy_holds` lets pass; the bytes follow the one before all the same.
    fs::write(&policy, "team = 'blue'\n").unwrap();
    let why = asked(&model).unwrap_err().to_string();
    assert!(why.contains("under another policy"), "{why}");
    fs::write(&policy, "must_drop = ['projects']\n").unwrap();
    asked(&model).unwrap();

    // Looked through before another own word was said.
    let say = |add: Vec<String>, remove: Vec<String>| {
        own_words(&bench.app, OwnWordsRequest { add, remove }).unwrap();
    };
    say(vec!["lothlorien".into()], Vec::new());
    let why = asked(&model).unwrap_err().to_string();
    assert!(why.contains("a change to your own words"), "{why}");
    say(Vec::new(), vec!["lothlorien".into()]);
    asked(&model).unwrap();

    // Decided, and the file not written yet.
    model.decide(Category::Users, "", Some(Decision::Drop));
    let why = asked(&model).unwrap_err().to_string();
    assert!(why.contains("just decided on"), "{why}");
    drop(model);
    let file = whole(&place, &desks, id).unwrap();
    is_current(place.dir, id, &said, &file, &lock(&open)).unwrap();

    // The file is that of another Bobbin.
    let other = whole(&place, &Desks::default(), id).unwrap();
    assert_ne!(other.sha256, file.sha256);
    let why = is_current(place.dir, id, &said, &other, &lock(&open))
        .unwrap_err()
        .to_string();
    assert!(why.contains("another Bobbin"), "{why}");
}

#[test]
fn bytes_are_approved_only_once_they_are_looked_at_as_if_nothing_were_known_of_them() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    let (desks, text) = (Desks::default(), plain(&stage));
    let place = Place {
        dir: bench.path(),
        keys: bench.app.keys(),
        now: Micros(0),
    };
    let open = desks.open(&place, stage.id).unwrap();
    // The file has a line of which the stage knows nothing, whatever wrote it.
    let with_topic = |topic: &str| {
        let line = json!({"kind": "event", "topic": topic});
        let packed = member(&format!("{text}{line}\n")).unwrap();
        fs::write(&stage.path, &packed).unwrap();
        let mut said = kept(place.dir, stage.id).unwrap();
        said.bytes = packed.len() as u64;
        said.sha256 = digest(&packed);
        keep(place.dir, stage.id, &said).unwrap();
        lock(&open).filed(said.sha256.clone());
        crate::share::stage::approve(&place, &desks, stage.id, &said.sha256, |_| Ok(()))
    };
    let why = with_topic(&format!("connect(password='{SECRET}')"));
    let why = why.unwrap_err().to_string();
    let line = text.lines().count() + 1;
    assert!(
        why.contains(&format!("line {line} of the staged bytes still contains")),
        "{why}"
    );
    assert!(with_topic("all").is_ok());
}

#[test]
fn of_many_decisions_while_the_file_is_written_the_last_one_is_in_it() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    let host = values(&bench.app, stage.id, Category::Hosts)[0]
        .item
        .clone();
    let kept = decided(&bench.app, stage.id, &host, Some(Decision::Keep)).unwrap();
    for round in 0..40 {
        let decision = (round % 2 == 1).then_some(Decision::Keep);
        decide_stage(
            &bench.app,
            DecideRequest {
                id: stage.id,
                categories: Vec::new(),
                items: vec![ItemDecision {
                    item: host.clone(),
                    decision,
                }],
                findings: Vec::new(),
            },
        )
        .unwrap();
        if round % 8 > 5 {
            // Now and then a file is whole before the next decision.
            let told = settled(&bench.app, stage.id);
            let last = if round % 2 == 1 { &kept } else { &stage };
            assert_eq!(told.sha256, last.sha256);
            assert_eq!(plain(&told).contains("mithlond"), round % 2 == 1);
        }
    }
    let folder = std::path::Path::new(&stage.path).parent().unwrap();
    let drafts = fs::read_dir(folder)
        .unwrap()
        .filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().ends_with(".partial")
        })
        .count();
    assert_eq!(drafts, 0);
}
