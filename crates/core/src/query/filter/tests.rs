//! Filters that are drawn, against a list that is filtered by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use chrono::NaiveDate;
use chrono_tz::Tz;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rusqlite::named_params;
use serde_json::json;

use super::*;
use crate::api::{
    ClusterRow, ClustersRequest, CompleteRequest, CopySqlRequest, SearchKind, SearchRequest,
    clusters, complete_filter, copy_sql, search,
};
use crate::testing::{Bench, Ran, SECOND, at as at_second, raw, run_raw};

/// What is known of a cluster besides its row.
struct Known {
    row: ClusterRow,
    said_name: Option<String>,
    function: &'static str,
    exception: Option<&'static str>,
    code: bool,
}

const USERS: &[&str] = &["ana", "Ana B", "mariana", "ben", ""];
const NAMES: &[&str] = &[
    "etl nightly",
    "ETL",
    "100%",
    "un_der",
    "quo\"te",
    "back\\slash",
    "or",
    "-",
    "(x)",
    "name:it",
];
const TAGS: &[&str] = &["ci", "env", "a=b", "deep tag"];
const FUNCTIONS: &[&str] = &["read_csv", "inc", "sum-tree"];
const EXCEPTIONS: &[&str] = &["ValueError", "KeyError"];
/// Words that are looked for: whole texts, parts of them, and what SQL and the index would read as more than text.
const WORDS: &[&str] = &[
    "ana",
    "an",
    "A",
    "etl",
    "nightly",
    "%",
    "100%",
    "_",
    "un_d",
    "\"",
    "o\"t",
    "\\",
    "or",
    "-",
    "(x)",
    "name:it",
    "ci",
    "env=prod",
    "prod",
    "note",
    "Scheduler-1",
    "*",
    "AND",
    "NEAR(",
    "'",
    "--",
    "; drop table cluster",
    "ana b",
    "^",
    "nothing",
];

/// Some clusters of every kind, made once: rows as the store would have them after their batches.
fn known() -> &'static (Bench, Vec<Known>) {
    static BENCH: OnceLock<(Bench, Vec<Known>)> = OnceLock::new();
    BENCH.get_or_init(|| {
        let bench = Bench::new();
        bench.at(1_000_000);
        let told: Vec<_> = (0..40_usize).map(story).collect();
        bench
            .app
            .write(|db| {
                for name in FUNCTIONS.iter().chain(EXCEPTIONS) {
                    db.execute("insert into name (text) values (?)", [name])?;
                }
                for at in 0..40 {
                    put(db, at)?;
                }
                Ok(())
            })
            .unwrap();
        let request = ClustersRequest {
            limit: 1000,
            ..Default::default()
        };
        let rows = clusters(&bench.app, request).unwrap().rows;
        assert_eq!(rows.len(), 40);
        let known = rows.into_iter().map(|row| {
            let at = row.id as usize - 1;
            let (name, exception, code) = told[at];
            Known {
                row,
                said_name: name.map(Into::into),
                function: FUNCTIONS[at % FUNCTIONS.len()],
                exception,
                code,
            }
        });
        let known = known.collect();
        (bench, known)
    })
}

type Story = (Option<&'static str>, Option<&'static str>, bool);

fn story(at: usize) -> Story {
    (
        (at % 7 != 6).then(|| NAMES[at % NAMES.len()]),
        (at.is_multiple_of(4)).then(|| EXCEPTIONS[at / 4 % 2]),
        at.is_multiple_of(5),
    )
}

fn put(db: &rusqlite::Connection, at: usize) -> Result<()> {
    let (name, exception, code) = story(at);
    let mut tags = BTreeMap::new();
    if at.is_multiple_of(2) {
        tags.insert(TAGS[at / 2 % TAGS.len()], ["", "prod", "x=y"][at / 2 % 3]);
    }
    let own = if at.is_multiple_of(3) {
        r#"{"ci":""}"#
    } else {
        "{}"
    };
    let started = start(at);
    db.execute(
        "insert into cluster (scheduler_id, first_at_micros, said_started_micros, name, user, host, project, tags, own_tags, \
         given_name, note, pinned_micros) values (:id, :started, :started, :name, :user, :host, :project, :tags, :own, \
         :given, :note, :pinned)",
        named_params! {
            ":id": format!("{}-{at}", if at % 7 == 6 { "Sample" } else { "Scheduler" }),
            ":started": started,
            ":name": name,
            ":user": USERS.get(at % 6).filter(|_| at % 6 < 5),
            ":host": ["laptop", "node-1"][at % 2],
            ":project": (at % 4 == 1).then_some("etl"),
            ":tags": serde_json::to_string(&tags)?,
            ":own": own,
            ":given": (at % 9 == 4).then_some("Called by hand"),
            ":note": (at % 8 == 3).then_some("a note\nof two lines"),
            ":pinned": (at % 10 == 5).then_some(1),
        },
    )?;
    let id = at as i64 + 1;
    let now = at_second(1_000_000);
    // Finished, lost, idle, running, stalled.
    let kind = at % 5;
    let sample = started + 100_000_000;
    db.execute(
        "insert into cluster_total (cluster_id, last_heard_micros, silent_after_micros, interval_micros, stop_at_micros, \
         sample_at_micros, idle_since_micros, stall_limit_micros, workers_peak, threads_peak, memory_peak_bytes, \
         compute_micros, thread_micros, stalled_micros, tasks_completed, tasks_erred, computations, exceptions) \
         values (:id, :heard, :silent, 10000000, :stop, :sample, :idle, :stall, :n, :n * 4, :memory, :n * 1000000, :time, \
         :stalled, :n * 100, :n % 3, 1, :exceptions)",
        named_params! {
            ":id": id,
            ":heard": if kind == 1 { sample } else { now },
            ":silent": if kind == 1 { sample + 30_000_000 } else { now + 30_000_000 },
            ":stop": (kind == 0).then_some(sample + 1_000_000),
            ":sample": (!at.is_multiple_of(11)).then_some(sample),
            ":idle": (kind == 2).then_some(sample),
            ":stall": (kind == 4).then_some(1_000_000),
            ":n": at as i64,
            ":memory": (!at.is_multiple_of(3)).then_some((at as i64) << 28),
            ":time": if at.is_multiple_of(6) { 0 } else { at as i64 * 3_000_000 },
            ":stalled": if at % 6 == 1 { 2 * at as i64 * SECOND } else { 0 },
            ":exceptions": i64::from(exception.is_some()),
        },
    )?;
    db.execute(
        "insert into cluster_prefix select id, ? from name where text = ?",
        rusqlite::params![id, FUNCTIONS[at % FUNCTIONS.len()]],
    )?;
    if let Some(exception) = exception {
        db.execute(
            "insert into exception (cluster_id, exception_id, at_micros, seq, rank, origin, type_id, first_seen_micros, \
             last_seen_micros, count, dependents) select ?, 'e', 1, 1, 1, 'user', id, 1, 1, 1, 0 from name where text = ?",
            rusqlite::params![id, exception],
        )?;
    }
    if code {
        db.execute(
            "insert into computation_code (cluster_id, computation_id, at_micros, seq, rank, frames_sealed) \
             values (?, 'c', 1, 1, 1, x'00')",
            [id],
        )?;
    }
    Ok(())
}

fn start(number: usize) -> i64 {
    at_second(number as i64 * 20_000)
}

fn holds(known: &Known, filter: &Filter, moment: Moment) -> bool {
    match filter {
        Filter::All(parts) => parts.iter().all(|part| holds(known, part, moment)),
        Filter::Any(parts) => parts.iter().any(|part| holds(known, part, moment)),
        Filter::Not(inner) => !holds(known, inner, moment),
        Filter::Term(term) => term_holds(known, term, moment),
    }
}

fn same(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

fn contains(text: &str, part: &str) -> bool {
    text.to_ascii_lowercase()
        .contains(&part.to_ascii_lowercase())
}

/// `*` is anything.
fn like(text: &str, pattern: &str) -> bool {
    fn rest(text: &str, pattern: &str) -> bool {
        match pattern.split_once('*') {
            None => text == pattern,
            Some((head, tail)) => text.strip_prefix(head).is_some_and(|after| {
                let mut ends = after.char_indices().map(|(at, _)| at).chain([after.len()]);
                ends.any(|at| rest(&after[at..], tail))
            }),
        }
    }
    rest(&text.to_ascii_lowercase(), &pattern.to_ascii_lowercase())
}

fn term_holds(known: &Known, term: &Term, moment: Moment) -> bool {
    let row = &known.row;
    let tags = || row.tags.iter().chain(&row.own_tags);
    match term {
        Term::Word(word) => {
            let texts = [
                row.given_name.as_deref(),
                known.said_name.as_deref(),
                Some(row.scheduler_id.as_str()),
                row.user.as_deref(),
                row.host.as_deref(),
                row.project.as_deref(),
                row.note.as_deref(),
            ];
            let tag = |(name, value): (&String, &String)| match value.as_str() {
                "" => name.clone(),
                value => format!("{name}={value}"),
            };
            texts.into_iter().flatten().any(|text| contains(text, word))
                || tags().map(tag).any(|tag| contains(&tag, word))
        }
        Term::Field(field, text) => match field {
            Field::User => row.user.as_deref().is_some_and(|user| like(user, text)),
            Field::Host => row.host.as_deref().is_some_and(|host| like(host, text)),
            Field::Project => row
                .project
                .as_deref()
                .is_some_and(|project| like(project, text)),
            Field::Name => like(&row.name, &format!("*{text}*")),
            Field::Function => like(known.function, text),
            Field::Exception => known
                .exception
                .is_some_and(|exception| like(exception, text)),
        },
        Term::Tag(name, value) => {
            tags().any(|(n, v)| same(n, name) && value.as_ref().is_none_or(|value| same(v, value)))
        }
        Term::State(state) => row.state == *state,
        Term::Has(thing) => match thing {
            Thing::Exception => row.exceptions > 0,
            Thing::Note => row.note.is_some(),
            Thing::Pin => row.pinned,
            Thing::Sample => row.sample,
            Thing::Cost => row.cost.is_some(),
            Thing::Code => known.code,
        },
        Term::Measure(measure, comparison, quantity) => {
            let end = row.stopped_micros.unwrap_or(moment.now);
            let figure = match measure {
                Measure::Workers => Some(row.workers_peak as f64),
                Measure::Threads => Some(row.threads_peak as f64),
                Measure::Memory => row.memory_peak_bytes.map(|bytes| bytes as f64),
                Measure::Tasks => Some(row.tasks_completed as f64),
                Measure::Erred => Some(row.tasks_erred as f64),
                Measure::Duration => Some((end.0 - row.started_micros.0) as f64 / 1e6),
                Measure::Compute => Some(row.compute_seconds),
                Measure::ClusterTime => Some(row.thread_seconds),
                Measure::Stalled => Some(row.stalled_seconds),
                Measure::Efficiency => row.efficiency,
                Measure::Exceptions => Some(row.exceptions as f64),
                Measure::Computations => Some(row.computations as f64),
                Measure::Cost => row
                    .cost
                    .map(|cost| (cost.low_nanos + cost.high_nanos) as f64 / 2e9),
            };
            let wanted = quantity.value();
            figure.is_some_and(|figure| match comparison {
                Comparison::AtLeast => figure >= wanted,
                Comparison::AtMost => figure <= wanted,
                Comparison::More => figure > wanted,
                Comparison::Less => figure < wanted,
                Comparison::Equal => figure == wanted,
            })
        }
        Term::Since(when) => seen(row) >= began(*when, moment, 0),
        Term::Until(when) => row.started_micros.0 < began(*when, moment, 86_400),
        Term::Label(_)
        | Term::User(_)
        | Term::From(_)
        | Term::To(_)
        | Term::Ids(_)
        | Term::Going => unreachable!("not typed"),
    }
}

/// The sample that each cluster of [`put`] had, else its start.
fn seen(row: &ClusterRow) -> i64 {
    let number = row.id - 1;
    let sample = if number % 11 == 0 { 0 } else { 100_000_000 };
    row.started_micros.0 + sample
}

fn began(when: When, moment: Moment, day: i64) -> i64 {
    match when {
        When::Ago(count, unit) => moment.now.0 - i64::from(count) * unit.size() as i64 * SECOND,
        When::Day(date) => {
            let midnight = date.and_hms_opt(0, 0, 0).unwrap().and_utc().timestamp();
            assert_eq!(moment.zone, Tz::Etc__GMTMinus1);
            (midnight + day - 3_600) * SECOND
        }
    }
}

fn any_word() -> impl Strategy<Value = String> {
    prop_oneof![
        select(WORDS).prop_map(str::to_owned),
        "[a-zA-Z0-9 _%*\"'\\\\()=:<>-]{1,8}"
            .prop_filter("not only blanks", |word| !word.trim().is_empty()),
    ]
}

fn any_value() -> impl Strategy<Value = String> {
    prop_oneof![
        select(USERS)
            .prop_filter("a value", |value| !value.is_empty())
            .prop_map(str::to_owned),
        select(
            &[
                "an*",
                "*",
                "*ana",
                "laptop",
                "node*",
                "etl",
                "read_csv",
                "valueerror",
                "inc",
                "%",
                "x\"y",
                "a b"
            ][..]
        )
        .prop_map(str::to_owned),
    ]
}

fn any_term() -> impl Strategy<Value = Term> {
    let states = parse::states().map(|word| match parse(&format!("state:{word}")) {
        Ok(Filter::Term(term)) => term,
        other => panic!("{other:?}"),
    });
    let when = prop_oneof![
        (
            0..2_000_u32,
            select(&[Unit::Minutes, Unit::Hours, Unit::Days, Unit::Weeks][..])
        )
            .prop_map(|(count, unit)| When::Ago(count, unit)),
        (10..30_u32).prop_map(|day| When::Day(NaiveDate::from_ymd_opt(2023, 11, day).unwrap())),
    ];
    let measure = (
        select(Measure::ALL),
        select(Comparison::ALL),
        0..50_u32,
        any::<prop::sample::Index>(),
    )
        .prop_map(|(measure, comparison, number, unit)| {
            let units = measure.units();
            let unit =
                (!units.is_empty() && number % 3 > 0).then(|| units[unit.index(units.len())]);
            let number = f64::from(number) / if number.is_multiple_of(7) { 4.0 } else { 1.0 };
            Term::Measure(measure, comparison, Quantity { number, unit })
        });
    prop_oneof![
        any_word().prop_map(Term::Word),
        (select(Field::ALL), any_value()).prop_map(|(field, value)| Term::Field(field, value)),
        (
            select(TAGS),
            proptest::option::of(select(&["", "prod", "x=y", "PROD", "a b"][..]))
        )
            .prop_map(|(name, value)| Term::Tag(name.into(), value.map(Into::into))),
        select(states.collect::<Vec<_>>()),
        select(Thing::ALL).prop_map(Term::Has),
        measure,
        when.clone().prop_map(Term::Since),
        when.prop_map(Term::Until),
    ]
}

fn any_filter() -> impl Strategy<Value = Filter> {
    any_term()
        .prop_map(Filter::Term)
        .prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                vec(inner.clone(), 1..4).prop_map(Filter::all),
                vec(inner.clone(), 1..4).prop_map(Filter::any),
                inner.prop_map(|filter| Filter::Not(Box::new(filter))),
            ]
        })
}

fn listed(text: &str) -> Result<Vec<i64>> {
    let request = ClustersRequest {
        text: Some(text.into()),
        time_zone: "Etc/GMT-1".into(),
        limit: 1000,
        ..Default::default()
    };
    let list = clusters(&known().0.app, request)?;
    assert_eq!(list.total as usize, list.rows.len());
    let mut ids: Vec<i64> = list.rows.iter().map(|row| row.id).collect();
    ids.sort_unstable();
    Ok(ids)
}

/// The clusters that a statement found; none where it looked for something else, or put in order what was found before.
fn found(ran: &Ran) -> Option<Vec<i64>> {
    let finds = ["id", "cluster_id", "rowid"].contains(&&*ran.columns[0]);
    if !finds || ran.sql.contains(" as wanted") {
        return None;
    }
    let ids = ran.rows.iter().map(|row| row[0].as_i64());
    let mut ids = ids.collect::<Option<Vec<_>>>()?;
    ids.sort_unstable();
    Some(ids)
}

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
    fn a_copied_filter_finds_the_same_in_any_sqlite(filter in any_filter()) {
        let (text, dir) = (filter.to_string(), known().0.path());
        let request = json!({"text": text, "time_zone": "Etc/GMT-1", "limit": 1000});
        let asked = CopySqlRequest { command: "clusters".into(), request: request.to_string() };
        let copied = copy_sql(&known().0.app, asked).unwrap();
        let wanted = Some(listed(&text).unwrap());
        let ran = run_raw(&raw(dir), &copied.sql);
        prop_assert!(ran.iter().any(|one| found(one) == wanted), "{}\n{}", filter, copied.sql);
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
fn clusters_that_never_stalled_did_so_for_no_time() {
    let stalled = |filter: &str| listed(filter).unwrap();
    assert_eq!(stalled("stalled>0"), [2, 8, 14, 20, 26, 32, 38]);
    assert_eq!(stalled("stalled>=1m"), [32, 38]);
    assert_eq!(stalled("stalled=14s"), [8]);
    assert_eq!(stalled("stalled=0").len(), 33);
    assert_eq!(stalled("stalled<1m").len(), 38);
    assert_eq!(stalled("-stalled<1m"), stalled("stalled>=1m"));
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

#[test]
fn the_manual_s_examples_are_terms_and_no_words() {
    let manual = include_str!("../../../../../docs/command-line.md");
    let (_, from) = manual.split_once("```text\n").unwrap();
    let (examples, _) = from.split_once("```").unwrap();
    assert_eq!(examples.lines().count(), 2);
    for line in examples.lines() {
        let Filter::All(terms) = parse(line).unwrap() else {
            panic!("{line}");
        };
        let word = terms
            .iter()
            .find(|term| matches!(term, Filter::Term(Term::Word(_))));
        assert_eq!(word, None, "{line}");
    }
}
