//! Filters that are drawn, against a list that is filtered by hand.

mod drawn;
mod known;
mod naive;

use std::collections::BTreeSet;

use chrono_tz::Tz;
use proptest::prelude::*;

use super::*;
use crate::api::{CompleteRequest, SearchKind, SearchRequest, complete_filter, search};
use drawn::{WORDS, any_filter};
use known::{known, listed};
use naive::holds;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_filter_is_read_as_it_was_written(filter in any_filter()) {
        let text = filter.to_string();
        prop_assert_eq!(parse(&text), Ok(filter), "{}", text);
    }

    #[test]
    fn a_filter_finds_what_a_naive_one_finds(filter in any_filter()) {
        let moment = Moment { now: known().0.app.now(), zone: Tz::Etc__GMTMinus1 };
        let mut naive: Vec<i64> =
            known().1.iter().filter(|known| holds(known, &filter, moment)).map(|known| known.row.id).collect();
        naive.sort_unstable();
        prop_assert_eq!(listed(&filter.to_string()).unwrap(), naive, "{}", filter);
    }

    #[test]
    fn no_text_breaks_a_question(text in "\\PC{0,40}|[a-z:=<>\"() *%_\\\\0-9-]{0,60}|.{0,20}", caret in 0..60_u32) {
        match parse(&text) {
            Ok(filter) => prop_assert_eq!(parse(&filter.to_string()), Ok(filter)),
            Err(fault) => prop_assert!(fault.at >= 1 && fault.at <= text.chars().count() + 1, "{fault:?}"),
        }
        match listed(&text) {
            Ok(_) => {}
            Err(Error::Invalid { what, .. }) => prop_assert_eq!(what, "filter"),
            Err(other) => prop_assert!(false, "{}", other),
        }
        let request = CompleteRequest { text, caret, time_zone: String::new() };
        complete_filter(&known().0.app, request).unwrap();
    }
}

#[test]
fn the_box_over_everything_finds_the_clusters_that_the_list_finds() {
    let (bench, _) = known();
    let whole = WORDS.iter().filter(|word| !word.contains(' '));
    let words = whole.map(|word| (*word).to_owned());
    for word in words.chain(('a'..='z').map(String::from)) {
        let request = SearchRequest {
            text: word.clone(),
            limit: 50,
            ..SearchRequest::default()
        };
        let mut found = BTreeSet::new();
        for group in search(&bench.app, request).unwrap().groups {
            if [SearchKind::Cluster, SearchKind::Tag, SearchKind::Note].contains(&group.kind) {
                let ids: Vec<i64> = group.hits.iter().map(|hit| hit.cluster_id).collect();
                assert!(ids.is_sorted_by(|one, next| one > next), "{word}");
                found.extend(ids);
            }
        }
        let filter = Filter::Term(Term::Word(word.clone()));
        let listed = BTreeSet::from_iter(listed(&filter.to_string()).unwrap());
        assert_eq!(found, listed, "{word}");
    }
}

#[test]
fn what_is_not_understood_is_named_with_its_place_and_the_nearest_right_word() {
    for (text, word, at, told) in [
        ("etl usr:ana", "usr:ana", 5, "did you mean `user`?"),
        ("state:runing", "state:runing", 1, "did you mean `running`?"),
        (
            "has:exceptions",
            "has:exceptions",
            1,
            "did you mean `exception`?",
        ),
        (
            "has:colour",
            "has:colour",
            1,
            "exception, note, pin, cost, code",
        ),
        (
            "memory>4Gib memory>4G",
            "memory>4G",
            13,
            "did you mean `GiB`?",
        ),
        ("workers>=many", "workers>=many", 1, "with a number"),
        ("workers>=-1", "workers>=-1", 1, "with a number"),
        ("cost>5EUR", "cost>5EUR", 1, "for example `cost>10`"),
        ("user>ana", "user>ana", 1, "cannot be compared"),
        ("since:yesteryear", "since:yesteryear", 1, "`2026-03-01`"),
        ("since:2026-02-30", "since:2026-02-30", 1, "`2026-03-01`"),
        ("a or", "or", 3, "nothing after it"),
        ("or a", "or", 1, "nothing before it"),
        ("(a", "(", 1, "not closed"),
        ("a)", ")", 2, "no matching opening"),
        ("()", "()", 1, "nothing between the parentheses"),
        ("é \"a", "\"a", 3, "not closed"),
        ("user:", "user:", 1, "nothing after"),
        ("\"\"", "\"\"", 1, "nothing between the quotes"),
    ] {
        let fault = parse(text).unwrap_err();
        assert_eq!((fault.word.as_str(), fault.at), (word, at), "{text}");
        assert!(fault.reason.contains(told), "{text}: {}", fault.reason);
    }
    assert!(parse(&"(".repeat(100)).is_err());
    assert!(parse(&"-(".repeat(100)).is_err());
    assert!(parse(&"a ".repeat(100)).is_err());
    assert!(parse(&"a".repeat(3_000)).is_err());
}

#[test]
fn or_binds_closer_than_terms_beside_each_other() {
    assert_eq!(parse("a or b c"), parse("(a or b) c"));
    assert_ne!(parse("a or b c"), parse("a or (b c)"));
    assert_eq!(parse("WORKERS>=10 User:ana"), parse("workers>=10 user:ana"));
    assert_eq!(parse("\"or\" x"), parse("\"or\" \"x\""));
    assert_eq!(parse("  "), Ok(Filter::All(Vec::new())));
}

fn completed(text: &str) -> Vec<(String, Option<u64>)> {
    let request = CompleteRequest {
        text: text.into(),
        caret: text.chars().count() as u32,
        time_zone: String::new(),
    };
    let completion = complete_filter(&known().0.app, request).unwrap();
    completion
        .options
        .into_iter()
        .map(|option| (option.text, option.clusters))
        .collect()
}

#[test]
fn completion_offers_values_that_exist_with_how_many_the_rest_leaves() {
    let count = |filter: &str| Some(listed(filter).unwrap().len() as u64);
    assert_eq!(completed("us"), [("user:".into(), None)]);
    let users = completed("user:");
    assert_eq!(
        users
            .iter()
            .map(|(_, clusters)| clusters.unwrap())
            .sum::<u64>(),
        28
    );
    for (text, clusters) in users {
        assert_eq!(clusters, count(&text), "{text}");
    }
    for (text, clusters) in completed("state:idle -user:an") {
        assert_eq!(
            clusters,
            count(&format!("state:idle {}", text.trim_start_matches('-'))),
            "{text}"
        );
        assert!(text.starts_with("-user:"), "{text}");
    }
    for begun in [
        "tag:",
        "has:",
        "state:",
        "function:",
        "exception:",
        "project:",
    ] {
        let options = completed(begun);
        assert!(
            options.len() > 1 || begun == "project:",
            "{begun}: {options:?}"
        );
        for (text, clusters) in options {
            assert_eq!(clusters, count(&text), "{text}");
        }
    }
    assert_eq!(completed("workers>"), []);
    assert_eq!(completed("since:7"), [("since:7d".into(), None)]);
}

#[test]
fn days_are_cut_by_the_rules_of_the_zone() {
    let begins = |zone: &str, day: &str| {
        let moment = Moment::new(Micros(0), zone).unwrap();
        let begins = moment.begins(day.parse().unwrap());
        chrono::DateTime::from_timestamp_micros(begins.0)
            .unwrap()
            .to_rfc3339()
    };
    for (zone, day, begun) in [
        ("", "2026-03-29", "2026-03-29T00:00:00+00:00"),
        // The clocks change at night: the next day begins an hour earlier, seen from UTC.
        ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00+00:00"),
        ("Europe/Berlin", "2026-03-30", "2026-03-29T22:00:00+00:00"),
        ("Europe/Berlin", "2026-10-26", "2026-10-25T23:00:00+00:00"),
        ("Asia/Kolkata", "2026-01-01", "2025-12-31T18:30:00+00:00"),
        // Midnight comes twice, and is left out, and a whole day is left out.
        ("America/Havana", "2025-11-02", "2025-11-02T04:00:00+00:00"),
        ("America/Havana", "2025-03-09", "2025-03-09T05:00:00+00:00"),
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00+00:00"),
    ] {
        assert_eq!(begins(zone, day), begun, "{zone} {day}");
    }
    let unknown = Moment::new(Micros(0), "Mars/Olympus").unwrap_err();
    assert!(unknown.to_string().contains("Mars/Olympus"), "{unknown}");
}
