//! What binds a share beside what a person decides: the policy as it is now, the account that is meant, and what the desk may keep.

use super::*;
use crate::api::{aliases, stage_bytes};
use crate::model::Micros;
use crate::share::stage::kept::{keep, kept};

fn refused(asked: Result<impl Sized>) -> String {
    match asked {
        Err(Error::Refused(why)) => why,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was not refused"),
    }
}

#[test]
fn a_policy_that_is_stricter_than_when_the_bytes_were_written_is_named_and_binds_the_next_look() {
    let bench = bench();
    policy(&bench, "must_drop = ['projects']\n");
    let stage = staged(&bench.app, Level::Names);
    assert!(plain(&stage).contains("nightly"));
    policy(
        &bench,
        "must_drop = ['projects', 'clusters']\nmust_mask = ['spans']\n",
    );
    let why = refused(approve(&bench.app, &stage));
    assert!(
        why.contains("must_drop has clusters") && why.contains("must_mask has spans"),
        "{why}"
    );
    // Looked at again, the bytes follow it.
    let again = settled(&bench.app, stage.id);
    assert!(!plain(&again).contains("nightly"));
    assert_ne!(again.sha256, stage.sha256);
    approve(&bench.app, &again).unwrap();
    let sha256 = again.sha256.unwrap();
    assert!(approved(bench.path(), &sha256).is_ok());
    // What sends takes it as long as the policy lets it.
    policy(&bench, "must_drop = ['clusters']\n");
    assert!(approved(bench.path(), &sha256).is_ok());
    policy(
        &bench,
        "must_drop = ['clusters', 'projects']\nmust_mask = ['spans']\nlevel = 'metrics'\n",
    );
    let why = refused(approved(bench.path(), &sha256));
    assert!(why.contains("the highest level is now metrics"), "{why}");
}

#[test]
fn an_approval_says_who_what_is_told_and_under_which_policy() {
    let bench = bench();
    let text = "team = 'data'\nmust_mask = ['functions']\nmust_drop = ['projects']\n";
    policy(&bench, text);
    let stage = staged(&bench.app, Level::Names);
    approve(&bench.app, &stage).unwrap();
    let row = Ledger::of(bench.path()).rows().unwrap().pop().unwrap();
    assert_eq!(row.entry.kind, Kind::Approved);
    assert!(row.entry.by.is_some_and(|by| !by.is_empty()));
    assert_eq!(row.entry.level.as_deref(), Some("names"));
    let policy = row.entry.policy.unwrap();
    assert_eq!(
        (policy.team.as_deref(), policy.sha256),
        (Some("data"), crate::ledger::digest(text.as_bytes()))
    );
    let told = row.entry.categories.unwrap();
    let has = |word: &str| told.iter().any(|one| one == word);
    // As they are, by an alias, and not at all.
    assert!(has("clusters") && has("users (masked)"), "{told:?}");
    assert!(
        !told
            .iter()
            .any(|one| one.starts_with("projects") || one.starts_with("code")),
        "{told:?}"
    );
}

#[test]
fn a_stage_of_a_level_that_the_policy_took_away_has_to_be_staged_again() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    policy(&bench, "level = 'metrics'\n");
    for _ in 0..2 {
        let looked = settled(&bench.app, stage.id);
        let why = refused(approve(&bench.app, &looked));
        assert!(why.contains("stage its clusters again"), "{why}");
    }
    approve(&bench.app, &staged(&bench.app, Level::Names)).unwrap();
}

#[test]
fn what_is_masked_of_code_and_messages_is_not_written_down_again() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Everything);
    let mut masked = Vec::new();
    for category in [
        Category::Code,
        Category::Messages,
        Category::Tracebacks,
        Category::Payloads,
    ] {
        for value in values(&bench.app, stage.id, category) {
            decided(&bench.app, stage.id, &value.item, Some(Decision::Mask)).unwrap();
            masked.push(value.real);
        }
    }
    assert!(masked.len() >= 4, "{masked:?}");
    let desk: Vec<u8> = ["desk.sqlite", "desk.sqlite-wal", "desk.sqlite-journal"]
        .iter()
        .filter_map(|name| fs::read(bench.path().join(name)).ok())
        .flatten()
        .collect();
    let desk = String::from_utf8_lossy(&desk).into_owned();
    assert!(desk.contains("mithlond"), "the private map of hosts");
    for text in ["engine", "no route", "monday", "x.py", SECRET] {
        assert!(!desk.contains(text), "{text}");
    }
    let map = aliases(
        &bench.app,
        AliasesRequest {
            destination: "team".into(),
            ..AliasesRequest::default()
        },
    )
    .unwrap()
    .aliases;
    let code = map
        .iter()
        .find(|one| one.alias.starts_with("code-1-"))
        .unwrap();
    assert_eq!(code.real, None);
    let host = map
        .iter()
        .find(|one| one.alias.starts_with("host-1-"))
        .unwrap();
    assert_eq!(host.real.as_deref(), Some("mithlond"));
    // The same code has the same alias in the next share.
    let told = settled(&bench.app, staged(&bench.app, Level::Everything).id);
    assert!(plain(&told).contains(&code.alias));
}

#[test]
fn an_approval_is_for_the_account_and_hub_that_were_meant_when_it_was_given() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    let team = |account: &str, pin: &str| {
        let text = json!({"account": account, "account_name": "team", "address": "hub.example:1", "pin": pin, "token": "x"});
        fs::write(bench.path().join("team.json"), text.to_string()).unwrap();
    };
    let last = || {
        let rows = Ledger::of(bench.path()).rows().unwrap();
        rows.last().unwrap().entry.clone()
    };
    approve(&bench.app, &stage).unwrap();
    assert_eq!(last().to.as_deref(), Some("team"));
    team("0a1b", "ff");
    approve(&bench.app, &stage).unwrap();
    let first = "0a1b@hub.example:1#sha256=ff";
    assert_eq!(
        (last().kind, last().to.as_deref()),
        (Kind::Approved, Some(first))
    );
    // Another account that is called the same.
    team("2c3d", "ee");
    let second = "2c3d@hub.example:1#sha256=ee";
    let sha256 = stage.sha256.unwrap();
    let why = refused(Ledger::of(bench.path()).mint(Micros(1), &sha256, second));
    assert!(why.contains(first) && why.contains(second), "{why}");
}

#[test]
fn a_page_that_saves_a_stage_leaves_a_row() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    let request = StageBytesRequest {
        id: stage.id,
        offset: 0,
    };
    stage_bytes(&bench.app, request).unwrap();
    let rows = Ledger::of(bench.path()).rows().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].entry.kind, Kind::Export);
    assert_eq!(rows[0].entry.sha256, stage.sha256);
}

#[test]
fn a_saved_copy_has_its_row_first_and_is_whole_or_not_there() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.bobbin");
    let request = SaveStageRequest {
        id: stage.id,
        path: copy.display().to_string(),
    };
    let there = || fs::read_dir(folder.path()).unwrap().count();
    // A ledger that somebody wrote into takes no rows.
    let ledger = bench.path().join("ledger.ndjson");
    fs::write(&ledger, "broken\n").unwrap();
    assert!(save_stage(&bench.app, request.clone()).is_err());
    assert_eq!(there(), 0);
    fs::remove_file(&ledger).unwrap();
    save_stage(&bench.app, request.clone()).unwrap();
    assert_eq!(fs::read(&copy).unwrap(), fs::read(&stage.path).unwrap());
    // What is there stays, and has one row.
    assert!(refused(save_stage(&bench.app, request)).contains("exists"));
    assert_eq!(there(), 1);
    let rows = Ledger::of(bench.path()).rows().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].entry.to.as_deref(), copy.to_str());
}

#[test]
fn an_own_word_that_is_said_while_a_stage_is_open_is_found_in_it() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    assert!(plain(&stage).contains("nightly"));
    let said = OwnWordsRequest {
        add: vec!["nightly".into()],
        remove: Vec::new(),
    };
    own_words(&bench.app, said).unwrap();
    let why = refused(approve(&bench.app, &stage));
    assert!(why.contains("different bytes"), "{why}");
    let again = settled(&bench.app, stage.id);
    assert!(!plain(&again).contains("nightly"));
    assert_eq!(again.open_findings, 1);
    let why = refused(approve(&bench.app, &again));
    assert!(why.contains("1 possible secret "), "{why}");
}

#[test]
fn an_own_word_that_is_said_after_an_approval_keeps_here_what_tells_it() {
    let bench = bench();
    let say = |word: &str| {
        let said = OwnWordsRequest {
            add: vec![word.into()],
            remove: Vec::new(),
        };
        own_words(&bench.app, said).unwrap();
    };
    let folder = tempfile::tempdir().unwrap();
    let save = |id: i64| {
        let path = folder.path().join("copy.bobbin").display().to_string();
        save_stage(&bench.app, SaveStageRequest { id, path })
    };
    let stage = staged(&bench.app, Level::Names);
    approve(&bench.app, &stage).unwrap();
    let sha256 = stage.sha256.clone().unwrap();
    say("lothlorien");
    assert!(approved(bench.path(), &sha256).is_ok());
    say("nightly");
    for why in [
        refused(approved(bench.path(), &sha256)),
        refused(approve(&bench.app, &stage)),
        refused(save(stage.id)),
    ] {
        assert!(why.contains("one of your own words"), "{why}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // Looked at again, and left in: these are the same bytes, approved by somebody who knows of it.
    let id = staged(&bench.app, Level::Names).id;
    let again = settle(&bench.app, id, FindingState::NoSecret);
    assert_eq!(again.sha256.as_ref(), Some(&sha256));
    approve(&bench.app, &again).unwrap();
    assert_eq!(approved(bench.path(), &sha256).unwrap().staged().id(), id);
    save(id).unwrap();
}

#[test]
fn a_secret_that_was_said_to_be_none_is_asked_about_again_once_it_is_an_own_word() {
    let bench = bench();
    let open = || staged(&bench.app, Level::Everything).open_findings;
    let id = staged(&bench.app, Level::Everything).id;
    settle(&bench.app, id, FindingState::NoSecret);
    assert_eq!(open(), 0);
    let say = || {
        let said = OwnWordsRequest {
            add: vec![SECRET.into()],
            remove: Vec::new(),
        };
        own_words(&bench.app, said).unwrap();
    };
    say();
    assert_eq!(open(), 1);
    // That it may stand there all the same is said knowing of the word.
    let id = staged(&bench.app, Level::Everything).id;
    settle(&bench.app, id, FindingState::NoSecret);
    say();
    assert_eq!(open(), 0);
}

#[test]
fn what_was_approved_is_shown_as_it_left_whatever_is_looked_for_since() {
    let bench = bench();
    let say = |add: &[&str], remove: &[&str]| {
        let words = |all: &[&str]| all.iter().map(|&word| word.to_owned()).collect();
        let said = OwnWordsRequest {
            add: words(add),
            remove: words(remove),
        };
        own_words(&bench.app, said).unwrap();
    };
    // In its pane and in its file, as whoever opens it anew sees them.
    let is_told = |stage: &Stage| {
        let place = Place {
            dir: bench.path(),
            keys: bench.app.keys(),
            now: Micros(0),
        };
        let request = StageTextRequest {
            id: stage.id,
            text: "nightly".into(),
            offset: 0,
            limit: 10,
        };
        let found = text(&place, &Desks::default(), &request).unwrap();
        let again = settled(&bench.app, stage.id);
        assert_eq!((&again.sha256, again.open_findings), (&stage.sha256, 0));
        (found.matches > 0, plain(stage).contains("nightly"))
    };
    let told = staged(&bench.app, Level::Names);
    approve(&bench.app, &told).unwrap();
    say(&["nightly"], &[]);
    assert_eq!(is_told(&told), (true, true));
    // One of a version that did not note what it looked for.
    let mut said = kept(bench.path(), told.id).unwrap();
    said.frozen.as_mut().unwrap().words = None;
    keep(bench.path(), told.id, &said).unwrap();
    assert_eq!(is_told(&told), (true, true));
    let id = staged(&bench.app, Level::Names).id;
    let replaced = settle(&bench.app, id, FindingState::Replaced);
    approve(&bench.app, &replaced).unwrap();
    assert_eq!(is_told(&replaced), (false, false));
    say(&[], &["nightly"]);
    assert_eq!(is_told(&replaced), (false, false));
}

#[test]
fn two_open_stages_for_one_destination_give_no_alias_twice() {
    let bench = bench();
    let first = staged(&bench.app, Level::Names);
    let weekly = with(facts(0), json!({"name": "weekly", "user": "gandalf"}));
    bench.send(batch_of(
        "Scheduler-2",
        "second",
        1,
        &[weekly, sample(1, 1.0)],
    ));
    let second = stage_clusters(
        &bench.app,
        StageClustersRequest {
            ids: vec![2],
            ..wanted(Level::Names)
        },
    )
    .unwrap();
    let mask = |stage: &Stage, name: &str| {
        let values = values(&bench.app, stage.id, Category::Clusters);
        let value = values.iter().find(|value| value.real == name).unwrap();
        decided(&bench.app, stage.id, &value.item, Some(Decision::Mask)).unwrap();
    };
    mask(&second, "weekly");
    mask(&first, "nightly");
    let request = AliasesRequest {
        destination: "team".into(),
        ..AliasesRequest::default()
    };
    let map = aliases(&bench.app, request).unwrap().aliases;
    let of = |name: &str| {
        let found = map.iter().find(|one| one.real.as_deref() == Some(name));
        found.unwrap().alias.clone()
    };
    assert_ne!(of("weekly"), of("nightly"));
}

#[test]
fn bytes_that_were_approved_to_be_saved_are_sent_nowhere() {
    let bench = bench();
    knows(bench.path(), "/team");
    let stage = staged(&bench.app, Level::Names);
    let sha256 = stage.sha256.clone().unwrap();
    let save = ApproveRequest {
        id: stage.id,
        sha256: sha256.clone(),
        to_save: true,
    };
    let saved = approve_stage(&bench.app, save).unwrap();
    assert!(saved.approved_micros.is_some());
    let ledger = Ledger::of(bench.path());
    let why = refused(ledger.mint(Micros(1), &sha256, "team"));
    assert!(why.contains("approved for file"), "{why}");
    let queue = crate::ledger::Queue::load(bench.path()).unwrap();
    assert_eq!(queue.list(&ledger.rows().unwrap()), []);
    // For its destination it is approved by a row of its own.
    approve(&bench.app, &stage).unwrap();
    assert!(ledger.mint(Micros(2), &sha256, "team").is_ok());
}

#[test]
fn nothing_counts_as_approved_without_a_row_of_the_ledger() {
    let bench = bench();
    let first = staged(&bench.app, Level::Names);
    let second = staged(&bench.app, Level::Metrics);
    approve(&bench.app, &first).unwrap();
    let ledger = bench.path().join("ledger.ndjson");
    let whole = fs::read_to_string(&ledger).unwrap();
    // One that somebody wrote into takes no more rows.
    fs::write(&ledger, whole.replace("stage 1", "stage 7")).unwrap();
    assert!(approve(&bench.app, &second).is_err());
    let now = settled(&bench.app, second.id);
    assert_eq!((now.approved_micros, &now.before), (None, &first.sha256));
    fs::write(&ledger, whole).unwrap();
    approve(&bench.app, &second).unwrap();
}

#[test]
fn a_policy_that_came_or_changed_is_a_row_before_what_it_binds() {
    let bench = bench();
    policy(&bench, "team = 'data'\n");
    let stage = staged(&bench.app, Level::Names);
    policy(&bench, "");
    approve(&bench.app, &stage).unwrap();
    let rows = Ledger::of(bench.path()).rows().unwrap();
    let said: Vec<_> = rows
        .iter()
        .map(|row| (row.entry.kind, row.entry.policy.as_ref()))
        .collect();
    assert_eq!(
        said.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
        [Kind::Policy, Kind::Policy, Kind::Approved]
    );
    assert_ne!(said[0].1, said[1].1);
    assert_eq!(said[1].1, said[2].1);
}
