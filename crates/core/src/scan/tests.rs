use std::collections::BTreeMap;

use proptest::prelude::*;

use super::corpus::{CLEAN, Kind, Planted, named, planted};
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

/// So many corpora are drawn: none of them may be worse than is promised.
const SEEDS: u64 = 20;

/// Of each kind, how many of a corpus lie whole within what is found, how many there are, and those that do not.
fn told(scanner: &Scanner, seed: u64) -> (BTreeMap<Kind, (usize, usize)>, Vec<Planted>) {
    let mut sums = BTreeMap::<Kind, (usize, usize)>::new();
    let mut missed = Vec::new();
    for one in planted(seed) {
        let found = scanner.scan(&one.text).unwrap();
        let places: Vec<_> = found.into_iter().map(|found| found.at).collect();
        let sum = sums.entry(one.kind).or_default();
        sum.1 += 1;
        match one.is_covered(&places) {
            true => sum.0 += 1,
            false => missed.push(one),
        }
    }
    (sums, missed)
}

/// What is found in texts that hold no secret.
fn false_findings(scanner: &Scanner, clean: &[&str]) -> Vec<String> {
    let found = clean.iter().flat_map(|text| {
        let found = scanner.scan(text).unwrap().into_iter();
        found.map(move |one| format!("{:?}: {}", one.rule, &text[one.at]))
    });
    found.collect()
}

#[test]
fn secrets_in_code_keys_and_tracebacks_are_found_whole_as_the_docs_say() {
    let scanner = scanner();
    let mut worst = BTreeMap::<Kind, (usize, usize)>::new();
    for seed in 0..SEEDS {
        let (sums, missed) = told(&scanner, 0x00b0_bb14 + seed * 7_919);
        assert_eq!(sums.values().map(|(_, all)| all).sum::<usize>(), 200);
        let texts: Vec<_> = missed.iter().map(|one| (one.kind, &one.text)).collect();
        let said = format!("seed {seed}: {sums:?}; missed: {texts:#?}");
        for (kind, (found, all)) in sums {
            let least = match kind {
                Kind::Vendor => 98,
                Kind::Url | Kind::Keyword => 90,
            };
            assert!(found * 100 >= all * least, "{said}");
            let before = worst.entry(kind).or_insert((found, all));
            before.0 = before.0.min(found);
        }
    }
    let wrong = false_findings(&scanner, CLEAN);
    assert!(wrong.len() * 10 <= CLEAN.len(), "{wrong:#?}");
    let of = |kind| {
        let (found, all) = worst[&kind];
        format!("{found} of {all}")
    };
    let said = format!(
        "At worst, over {SEEDS} such corpora, Bobbin found {} vendor tokens, {} addresses, and {} keyword values whole. \
         {} snippets without a secret had {} false finding",
        of(Kind::Vendor),
        of(Kind::Url),
        of(Kind::Keyword),
        CLEAN.len(),
        wrong.len(),
    );
    let docs = include_str!("../../../../docs/privacy.md");
    let docs: Vec<&str> = docs.split_whitespace().collect();
    assert!(docs.join(" ").contains(&said), "docs/privacy.md: {said}");
}

/// Code that nobody wrote for this test: pieces of the plugin, which speaks of tokens and keys all the time.
#[test]
fn code_that_holds_no_secret_is_left_alone() {
    let lines: Vec<&str> = include_str!("../../../../assets/plugin/bobbin.py")
        .lines()
        .collect();
    let pieces: Vec<String> = lines.chunks(40).map(|piece| piece.join("\n")).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    assert!(pieces.len() > 100);
    let wrong = false_findings(&scanner(), &pieces);
    assert!(wrong.len() * 10 <= pieces.len(), "{wrong:#?}");
}

#[test]
fn addresses_of_people_and_machines_are_found_whole_as_the_docs_say() {
    let mut worst = usize::MAX;
    for seed in 0..SEEDS {
        let all = named(0x00b0_bb14 + seed * 7_919);
        let is_whole = |(named, text): &&(String, String)| {
            let found = identities(text, Vec::new());
            text.match_indices(named.as_str()).all(|(from, named)| {
                let at = from..from + named.len();
                found.iter().any(|one| one.at == at)
            })
        };
        let missed: Vec<_> = all.iter().filter(|one| !is_whole(one)).collect();
        assert!(missed.len() * 20 <= all.len(), "seed {seed}: {missed:#?}");
        worst = worst.min(all.len() - missed.len());
    }
    let said = format!("At worst, it found {worst} of 60 e-mail and IP addresses");
    let docs = include_str!("../../../../docs/privacy.md");
    let docs: Vec<&str> = docs.split_whitespace().collect();
    assert!(docs.join(" ").contains(&said), "docs/privacy.md: {said}");
    // Those of the snippets without a secret, and none in code that speaks of both.
    let of = |text: &str| -> Vec<String> {
        let found = identities(text, Vec::new()).into_iter();
        found.map(|one| text[one.at].to_owned()).collect()
    };
    let found: Vec<String> = CLEAN.iter().flat_map(|text| of(text)).collect();
    assert_eq!(found, ["10.0.0.7", "ana@proxy.corp.example"]);
    assert_eq!(
        of(include_str!("../../../../assets/plugin/bobbin.py")),
        [""; 0]
    );
}

/// What the first test finds lenient, it would say.
#[test]
fn half_a_secret_is_none_that_was_found() {
    let one = &planted(1)[0];
    let from = one.text.find(&one.secret).unwrap();
    let whole = from..from + one.secret.len();
    let half = from..from + one.secret.len() / 2;
    let all = |at: &Range<usize>| -> Vec<Range<usize>> {
        let places = one.text.match_indices(&one.secret);
        let moved = places.map(|(place, _)| place + at.start - from..place + at.end - from);
        moved.collect()
    };
    assert!(one.is_covered(&all(&whole)) && !one.is_covered(&all(&half)));
    assert!(!one.is_covered(&[]));
}

#[test]
fn a_token_ends_where_its_letters_do_and_a_password_where_its_text_does() {
    let scanner = scanner();
    let google = ["AI", "za", &"aB3-".repeat(8), "xY9"].concat();
    let brick = ["da", "pi", &"0a1b2c3d".repeat(4), "-2"].concat();
    for (text, secret) in [
        (format!("load-{google}-17"), google.as_str()),
        (format!("x = '{brick}'"), &brick),
        ("Pwd=tr0ub4dor&3;Database=lake".into(), "tr0ub4dor&3"),
        ("https://x/y?token=ab12cd34&page=2".into(), "ab12cd34"),
        ("host=db password=letmein99 dbname=lake".into(), "letmein99"),
        ("redis://:%2Fa1B2c3D4@cache:6379".into(), "%2Fa1B2c3D4"),
    ] {
        let found = scanner.scan(&text).unwrap();
        let seen: Vec<&str> = found.iter().map(|one| &text[one.at.clone()]).collect();
        assert_eq!(seen, [secret], "{text}");
    }
    for text in ["password=%s&x=1", "postgresql://etl:%(password)s@db/lake"] {
        assert_eq!(scanner.scan(text).unwrap(), [], "{text}");
    }
}

#[test]
fn each_kind_of_secret_is_known_by_its_value() {
    let drawn = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z";
    let texts = [
        (
            Rule::UrlCredentials,
            "tr0ub4dor3",
            "postgresql://etl:tr0ub4dor3@db/lake".to_owned(),
        ),
        (
            Rule::SignedUrl,
            drawn,
            format!("https://x.example/y?sig={drawn}"),
        ),
        (
            Rule::Keyword,
            "tr0ub4dor&3",
            "password='tr0ub4dor&3'".to_owned(),
        ),
        // No word says what it is.
        (Rule::Entropy, drawn, format!("frobnicate('{drawn}')")),
    ];
    let corpus = planted(1);
    let begins = [
        (Rule::PrivateKey, "-----BEGIN"),
        (Rule::Jwt, "eyJ"),
        (Rule::Vendor, "ghp_"),
    ];
    let of_corpus = begins.into_iter().map(|(rule, start)| {
        let mut all = corpus.iter();
        let one = all.find(|one| one.secret.starts_with(start)).unwrap();
        (rule, one.secret.as_str(), one.text.clone())
    });
    for (rule, secret, text) in texts.into_iter().chain(of_corpus) {
        let found = scanner().scan(&text).unwrap();
        let is_it = |one: &Found| one.rule == rule && text[one.at.clone()].contains(secret);
        assert!(found.iter().any(is_it), "{rule:?} in {text}: {found:?}");
    }
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
