use std::collections::BTreeMap;

use proptest::prelude::*;

use super::corpus::{CLEAN, Kind, planted};
use super::*;
use crate::seal::FingerprintKey;

fn scanner() -> Scanner {
    Scanner::new(OwnWords::default()).unwrap()
}

/// Whether a secret is gone once what was found is replaced.
fn gone(scanner: &Scanner, text: &str, secret: &str) -> bool {
    let found = scanner.scan(text).unwrap();
    !replaced(text, &found, |_| "‹›".into()).contains(secret)
}

#[test]
fn secrets_in_code_keys_and_tracebacks_are_found() {
    let scanner = scanner();
    let mut sums = BTreeMap::<Kind, (usize, usize)>::new();
    let mut missed = Vec::new();
    let corpus = planted(0x00b0_bb14);
    assert_eq!(corpus.len(), 200);
    for one in &corpus {
        let sum = sums.entry(one.kind).or_default();
        sum.1 += 1;
        match gone(&scanner, &one.text, &one.secret) {
            true => sum.0 += 1,
            false => missed.push((one.kind, &one.text)),
        }
    }
    let share = |kind| {
        let (found, all) = sums[&kind];
        found as f64 / all as f64
    };
    let said = format!("{sums:?}; missed: {missed:#?}");
    assert!(share(Kind::Vendor) >= 0.98, "{said}");
    assert!(share(Kind::Url) >= 0.9, "{said}");
    assert!(share(Kind::Keyword) >= 0.9, "{said}");
}

#[test]
fn clean_code_is_left_alone() {
    let scanner = scanner();
    let found: Vec<_> = CLEAN
        .iter()
        .flat_map(|text| {
            let found = scanner.scan(text).unwrap();
            found.into_iter().map(move |one| (one.rule, &text[one.at]))
        })
        .collect();
    assert!(found.len() * 10 <= CLEAN.len(), "{found:#?}");
}

#[test]
fn a_secret_in_two_literals_is_one() {
    let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0", "k1L2m3N4o5P6q7R8"].concat();
    let text = format!("t = '{}' + '{}'\nu = 1", &token[..20], &token[20..]);
    let found = scanner().scan(&text).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(!replaced(&text, &found, |_| String::new()).contains(&token[4..12]));
}

#[test]
fn bobbins_own_tokens_are_found_whole_and_are_fatal() {
    let drawn = "abcdefghijklmnopqrstuvwxyz234567".repeat(2);
    let own = ["bob", "bin", &drawn[..52]].concat();
    let hub = |word: &str| format!("bobbin_{word}_0a1b2c3d4e5f_{own}0a1b2c");
    let pin = "9f86d081884c7d65".repeat(4);
    let join = format!("bobbin-join:[::1]:8789:{pin}:{}", hub("invite"));
    for token in [own.clone(), hub("token"), hub("invite"), join] {
        for around in [
            "os.environ[\"X\"]=\"{}\"",
            "curl -H 'Authorization: Bearer {}'",
            "TOKEN_{}",
            "{}",
        ] {
            let text = around.replace("{}", &token);
            let found = scanner().scan(&text).unwrap();
            assert!(
                found.len() == 1 && found[0].rule.is_fatal() && text[found[0].at.clone()] == token,
                "{text}: {found:?}"
            );
        }
    }
}

#[test]
fn own_words_are_found_wherever_they_stand_and_are_not_stored() {
    let dir = tempfile::tempdir().unwrap();
    let key = FingerprintKey::load_or_make(dir.path()).unwrap();
    let words = ["Projekt Nachtigall", "übermut"].map(|word| OwnWords::stored(&key, word).unwrap());
    assert!(OwnWords::stored(&key, "abc").is_none());
    assert!(!format!("{words:?}").contains("Nachtigall"));
    let scanner = Scanner::new(OwnWords::new(key, words.to_vec())).unwrap();
    let text = "x = load('Projekt Nachtigall/übermut.csv')";
    let found = scanner.scan(text).unwrap();
    let seen: Vec<&str> = found.iter().map(|one| &text[one.at.clone()]).collect();
    assert_eq!(seen, ["Projekt Nachtigall", "übermut"]);
    assert!(found.iter().all(|one| one.rule == Rule::OwnWord));
    assert_eq!(scanner.scan("Projekt Lerche").unwrap(), []);
}

#[test]
fn what_is_too_long_to_be_looked_at_is_an_error() {
    let text = "x".repeat(LONGEST + 1);
    assert!(matches!(scanner().scan(&text), Err(Error::TooLarge { .. })));
}

#[test]
fn what_replaced_a_secret_is_no_secret() {
    let scanner = scanner();
    for one in planted(7) {
        let found = scanner.scan(&one.text).unwrap();
        let shown = replaced(&one.text, &found, |found| {
            format!("‹secret:{}›", found.rule.word())
        });
        assert_eq!(scanner.scan(&shown).unwrap(), [], "{shown}");
    }
}

proptest! {
    #[test]
    fn any_text_is_looked_at_to_its_end(text in "(?s)(.|password|://|'|\"|=|@|eyJ|-----BEGIN){0,60}") {
        let found = scanner().scan(&text).unwrap();
        for pair in found.windows(2) {
            prop_assert!(pair[0].at.end <= pair[1].at.start);
        }
        replaced(&text, &found, |_| "x".into());
    }
}

/// A text of nothing but beginnings is looked at in time that grows with it: where it did not, each of these would take hours.
#[test]
fn a_text_that_is_all_beginnings_takes_no_longer_than_another() {
    let scanner = scanner();
    for again in [
        "pwd",
        "pwd=ab12 ",
        "password-",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "-eyJ",
        "-eyJa.",
        "sk-",
        "ghp_-",
        "https://",
        "a:b@",
        "'x' ",
    ] {
        let text = again.repeat((1 << 20) / again.len());
        scanner.scan(&text).unwrap();
    }
    // And what is in the midst of beginnings is found.
    let token = format!(
        "{}{}",
        "-eyJ".repeat(8),
        "-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlb2ZpdA"
    );
    assert!(!scanner.scan(&token).unwrap().is_empty());
    let key = format!(
        "{}-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBg\n-----END PRIVATE KEY-----",
        "-----BEGIN ".repeat(100)
    );
    assert!(gone(&scanner, &key, "MIIBVgIBADANBg"));
}
