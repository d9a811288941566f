//! What looks like a secret in what comes in is known at once, without a key, and nowhere written down.

use std::fs;

use serde_json::{Value, json};

use super::open;
use crate::api::*;
use crate::scan::corpus::{CLEAN, planted};
use crate::share::stage::OwnWordsRequest;
use crate::store;
use crate::testing::*;

/// Drawn from the seed of the corpus.
const SEED: u64 = 0x00b0_bb14;

fn all_on() -> Value {
    with(
        facts(0),
        json!({"switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]}}),
    )
}

fn found(app: &App) -> Option<ClusterSecrets> {
    let asked = secrets(app, SecretsRequest { ids: vec![1, 99] }).unwrap();
    assert!(asked.clusters.len() <= 1);
    asked.clusters.into_iter().next()
}

/// Kinds, and how many different values of each.
fn kinds(app: &App) -> Vec<(SecretWithin, String, u64)> {
    let kinds = found(app).map(|found| found.kinds).unwrap_or_default();
    let told = kinds.into_iter();
    told.map(|kind| (kind.within, kind.what, kind.values))
        .collect()
}

fn password(text: &str) -> String {
    format!("engine = connect(password='{text}')")
}

fn raised(seconds: i64, id: &str, traceback: &str) -> Value {
    with(
        exception(seconds, id, 1),
        json!({"message": "no", "traceback": traceback}),
    )
}

#[test]
fn secrets_of_the_corpus_are_known_while_the_key_is_away_and_stand_nowhere() {
    let bench = Bench::new();
    let corpus = planted(SEED);
    let mut records = vec![all_on()];
    for (number, one) in corpus.iter().enumerate() {
        let id = format!("row-{number}");
        records.push(match number % 2 {
            0 => computation(5, &id, Some(&one.text)),
            _ => raised(5, &id, &one.text),
        });
    }
    bench.send(batch(1, &records));
    let found_now = found(&bench.app).unwrap();
    let rows: u64 = raw(bench.path())
        .query_row(
            "select count(distinct within || row_id) from secret",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert!(
        rows as usize * 10 >= corpus.len() * 9,
        "{rows} of {}",
        corpus.len()
    );
    for within in [SecretWithin::Code, SecretWithin::Exception] {
        assert!(found_now.kinds.iter().any(|kind| kind.within == within));
    }
    assert_eq!(found_now.unlooked, 0);

    // The same without any key.
    let before = found_now;
    bench.app.drain().unwrap();
    drop(bench.app);
    let away = tempfile::tempdir().unwrap();
    fs::copy(
        bench.dir.path().join(store::FILE),
        away.path().join(store::FILE),
    )
    .unwrap();
    let reader = open(away.path(), Role::Reader).unwrap();
    assert_eq!(found(&reader), Some(before));
    for entry in fs::read_dir(bench.dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        // Those that a person chose may be a word of something else.
        for one in corpus.iter().filter(|one| one.secret.len() >= 20) {
            let secret = one.secret.as_bytes();
            let open = bytes.windows(secret.len()).any(|window| window == secret);
            assert!(!open, "{} lies open in {}", one.secret, path.display());
        }
    }
}

#[test]
fn clean_code_is_hardly_ever_noted() {
    let bench = Bench::new();
    let mut records = vec![all_on()];
    let snippets = CLEAN.iter().enumerate();
    records.extend(
        snippets.map(|(number, text)| computation(5, &format!("row-{number}"), Some(text))),
    );
    bench.send(batch(1, &records));
    let values: u64 = kinds(&bench.app).iter().map(|(_, _, values)| values).sum();
    assert!(values as usize * 10 <= CLEAN.len(), "{values}");
}

#[test]
fn own_words_are_looked_for_in_what_comes_from_then_on() {
    let bench = Bench::new();
    let code = |seq, id: &str| {
        let text = "load('Projekt Nachtigall/in.csv')";
        batch(seq, &[all_on(), computation(5, id, Some(text))])
    };
    bench.send(code(1, "before"));
    assert_eq!(found(&bench.app), None);
    // As a shell says them, beside the window that writes.
    let shell = open(bench.path(), Role::Reader).unwrap();
    let word = || vec!["Projekt Nachtigall".to_owned()];
    let add = OwnWordsRequest {
        add: word(),
        remove: Vec::new(),
    };
    own_words(&shell, add).unwrap();
    bench.send(code(3, "with"));
    let one = vec![(SecretWithin::Code, "word of your own".to_owned(), 1)];
    assert_eq!(kinds(&bench.app), one);
    let forget = OwnWordsRequest {
        add: Vec::new(),
        remove: word(),
    };
    own_words(&shell, forget).unwrap();
    bench.send(code(5, "without"));
    assert_eq!(kinds(&bench.app), one);
    assert_eq!(found(&bench.app).unwrap().kinds[0].places, 1);
}

#[test]
fn the_latest_text_counts_in_whatever_order_it_comes() {
    let early = || {
        batch(
            1,
            &[all_on(), computation(5, "c", Some(&password("zX9kk2pQw7")))],
        )
    };
    let late = || batch(3, &[computation(6, "c", Some("engine = connect()"))]);
    let other = || {
        let code = format!("{}\n{}", password("zX9kk2pQw7"), password("tr0ub4dor&3"));
        batch(4, &[computation(4, "d", Some(&code))])
    };
    let one = |values| {
        let what = "value behind a word such as password".to_owned();
        vec![(SecretWithin::Code, what, values)]
    };
    let bench = Bench::new();
    bench.send(early());
    assert_eq!(kinds(&bench.app), one(1));
    // The same value at another place is no other value.
    bench.send(other()).send(early());
    assert_eq!(kinds(&bench.app), one(2));
    assert_eq!(found(&bench.app).unwrap().kinds[0].places, 2);
    bench.send(late());
    assert_eq!(found(&bench.app).unwrap().kinds[0].places, 1);
    let turned = Bench::new();
    turned.send(late()).send(other()).send(early());
    assert_eq!(found(&turned.app), found(&bench.app));
}

#[test]
fn what_was_noted_goes_with_its_text() {
    let told = || {
        let records = [
            all_on(),
            computation(5, "c", Some(&password("zX9kk2pQw7"))),
            raised(6, "e", &password("tr0ub4dor&3")),
            raised(6, "f", "ValueError: 3"),
        ];
        batch(1, &records)
    };
    let within = |app: &App| -> Vec<SecretWithin> {
        kinds(app).into_iter().map(|(within, ..)| within).collect()
    };
    let bench = Bench::new();
    bench.send(told());
    assert_eq!(
        within(&bench.app),
        [SecretWithin::Code, SecretWithin::Exception]
    );
    let off = |switch: &str| {
        let mut facts = with(all_on(), json!({"at_micros": at(30)}));
        facts["switches"][switch] = false.into();
        facts
    };
    bench.send(batch(5, &[off("exceptions")]));
    assert_eq!(within(&bench.app), [SecretWithin::Code]);
    bench.send(batch(6, &[off("code")]));
    assert_eq!(found(&bench.app), None);
    // Nor is it noted of what comes once that is known.
    bench.send(batch(
        7,
        &[
            computation(40, "d", Some(&password("zX9kk2pQw7"))),
            raised(41, "g", &password("zX9kk2pQw7")),
        ],
    ));
    assert_eq!(found(&bench.app), None);

    let bench = Bench::new();
    bench.send(told());
    let code = CodeRequest {
        cluster_id: 1,
        computation_id: "c".into(),
    };
    commands::forget_code(&bench.app, code).unwrap();
    assert_eq!(within(&bench.app), [SecretWithin::Exception]);
    raw(bench.path())
        .execute("delete from exception", [])
        .unwrap();
    assert_eq!(found(&bench.app), None);
}

#[test]
fn a_text_that_is_longer_than_there_is_time_for_says_so() {
    let bench = Bench::new();
    let line = "x = 1 + 1\n";
    let long = password("zX9kk2pQw7") + "\n" + &line.repeat(10_000) + &password("tr0ub4dor&3");
    // Cut within a letter of several bytes.
    let letters = "é".repeat(50_000);
    bench.send(batch(
        1,
        &[
            all_on(),
            computation(5, "c", Some(&long)),
            computation(6, "e", Some(&letters)),
        ],
    ));
    let found_now = found(&bench.app).unwrap();
    assert_eq!(found_now.unlooked, 2);
    assert_eq!(found_now.kinds[0].values, 1);
    // A batch of many has its end, too.
    let many: Vec<Value> = (0..20)
        .map(|number| computation(7, &format!("m{number}"), Some(&line.repeat(6_000))))
        .collect();
    bench.send(batch(4, &many));
    let unlooked = found(&bench.app).unwrap().unlooked;
    assert!((10..=22).contains(&unlooked), "{unlooked}");
}

#[test]
fn a_list_that_is_too_long_is_refused() {
    let bench = Bench::new();
    let ids = (0..1_001).collect();
    assert!(secrets(&bench.app, SecretsRequest { ids }).is_err());
}
