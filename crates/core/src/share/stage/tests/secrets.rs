//! The corpus of secrets on the desk: what the search promises of texts holds for the bytes.

use super::*;
use crate::scan::corpus::planted;

/// As it stands within a text of JSON.
fn written(secret: &str) -> String {
    let text = json!(secret).to_string();
    text.trim_matches('"').to_owned()
}

#[test]
fn of_a_corpus_of_secrets_hardly_one_is_in_the_bytes_and_each_that_is_found_waits() {
    let corpus = planted(0x00b0_bb14);
    let on = json!({"switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]}});
    let mut records = vec![with(facts(0), on), sample(1, 1.0)];
    for (number, one) in corpus.iter().enumerate() {
        let id = format!("row-{number}");
        records.push(match number % 2 {
            0 => computation(5, &id, Some(&one.text)),
            _ => with(
                exception(5, &id, 1),
                json!({"message": "no", "traceback": one.text}),
            ),
        });
    }
    let bench = Bench::new();
    bench
        .at(10)
        .send(batch_of(SCHEDULER, INSTANCE, 1, &records));
    let stage = staged(&bench.app, Level::Everything);
    let text = plain(&stage);
    // Those that a person chose may be a word of something else.
    let told: Vec<&str> = corpus
        .iter()
        .map(|one| one.secret.as_str())
        .filter(|secret| secret.len() >= 20 && text.contains(&written(secret)))
        .collect();
    assert!(told.len() <= 4, "{told:#?}");
    // Some were chosen more than once, and are one finding each.
    assert!(stage.open_findings > 120, "{}", stage.open_findings);
    assert!(approve(&bench.app, &stage).is_err());
    // Replaced, all of the bytes are looked at once more, and nothing is left of what was found.
    let replaced = settle(&bench.app, stage.id, FindingState::Replaced);
    assert_eq!(replaced.open_findings, 0);
    approve(&bench.app, &replaced).unwrap();
}
