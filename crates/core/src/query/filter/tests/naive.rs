//! Filters by hand: which of the known clusters each finds.

use chrono_tz::Tz;

use super::known::Known;
use super::*;
use crate::api::ClusterRow;
use crate::testing::SECOND;

pub(super) fn holds(known: &Known, filter: &Filter, moment: Moment) -> bool {
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
        Term::Label(_) | Term::User(_) | Term::From(_) | Term::To(_) | Term::Ids(_) => {
            unreachable!("not typed")
        }
    }
}

/// The sample that each known cluster had, else its start.
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
