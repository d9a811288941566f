//! What the time and bytes of workers went to: Dask's fine performance metrics, added up.

use std::collections::BTreeMap;

use crate::model::MetricKind;
use crate::query::types::{
    Activity, ActivityBy, ActivityLine, ActivityPart, ActivitySum, ActivityUnit, MetricRow,
};

/// Sums that are listed.
const SUMS: usize = 1_000;

/// `rows` are all that there are.
pub(crate) fn activity(rows: &[MetricRow], by: ActivityBy) -> Activity {
    let mut parted: BTreeMap<Option<&str>, Vec<&MetricRow>> = BTreeMap::new();
    for row in rows {
        let of = match by {
            ActivityBy::Prefix => row.prefix.as_deref(),
            ActivityBy::Span => row.span_id.as_deref(),
            ActivityBy::Context => Some(row.context.as_str()),
        };
        parted.entry(of).or_default().push(row);
    }
    let mut sums: Vec<ActivitySum> = parted
        .into_iter()
        .filter_map(|(of, rows)| sum(of, &rows))
        .collect();
    sums.sort_by(|a, b| {
        b.seconds
            .total_cmp(&a.seconds)
            .then(b.bytes.total_cmp(&a.bytes))
    });
    let total = sums.len();
    let mut seconds = 0.0;
    for sum in &sums {
        add(&mut seconds, sum.seconds);
    }
    sums.truncate(SUMS);
    Activity {
        truncated: sums.len() < total,
        sums,
        total: total as u64,
        seconds,
        lines: lines(rows),
    }
}

/// None where they tell of event loops alone: those run beside everything else.
fn sum(of: Option<&str>, rows: &[&MetricRow]) -> Option<ActivitySum> {
    let mut parts: Vec<ActivityPart> = Vec::new();
    let mut bytes = 0.0;
    let mut told = false;
    for row in rows.iter().filter(|row| row.kind != MetricKind::EventLoop) {
        told = true;
        match row.unit.as_str() {
            "bytes" => add(&mut bytes, row.value),
            "seconds" => match parts.iter_mut().find(|part| part.kind == row.kind) {
                Some(part) => add(&mut part.seconds, row.value),
                None => parts.push(ActivityPart {
                    kind: row.kind,
                    seconds: row.value,
                }),
            },
            _ => {}
        }
    }
    // A correction of Dask's can leave a small negative rest.
    parts.retain(|part| part.seconds > 0.0);
    let mut seconds = 0.0;
    for part in &parts {
        add(&mut seconds, part.seconds);
    }
    told.then(|| ActivitySum {
        of: of.map(Into::into),
        seconds,
        bytes,
        parts,
        lines: lines(rows.iter().copied()),
    })
}

/// The largest numbers stay numbers: JSON has no other.
fn add(sum: &mut f64, value: f64) {
    *sum = (*sum + value).clamp(f64::MIN, f64::MAX);
}

/// One for each context and activity, in all units.
fn lines<'a>(rows: impl IntoIterator<Item = &'a MetricRow>) -> Vec<ActivityLine> {
    let mut found: BTreeMap<(&str, &str), ActivityLine> = BTreeMap::new();
    for row in rows {
        let line = found
            .entry((row.context.as_str(), row.activity.as_str()))
            .or_insert_with(|| ActivityLine {
                context: row.context.clone(),
                activity: row.activity.clone(),
                seconds: None,
                bytes: None,
                count: None,
                others: Vec::new(),
            });
        let known = match row.unit.as_str() {
            "seconds" => &mut line.seconds,
            "bytes" => &mut line.bytes,
            "count" => &mut line.count,
            unit => {
                match line.others.iter_mut().find(|other| other.unit == unit) {
                    Some(other) => add(&mut other.value, row.value),
                    None => line.others.push(ActivityUnit {
                        unit: unit.into(),
                        value: row.value,
                    }),
                }
                continue;
            }
        };
        add(known.get_or_insert(0.0), row.value);
    }
    let mut lines: Vec<ActivityLine> = found.into_values().collect();
    let most = |value: Option<f64>| value.unwrap_or(f64::NEG_INFINITY);
    lines.sort_by(|a, b| {
        most(b.seconds)
            .total_cmp(&most(a.seconds))
            .then(most(b.bytes).total_cmp(&most(a.bytes)))
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One row a line: context, prefix, activity, unit, value, span.
    fn story(text: &str) -> Vec<MetricRow> {
        let known = |word: &str| (word != "-").then(|| word.to_owned());
        text.lines()
            .map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                MetricRow {
                    span_id: known(words[5]),
                    context: words[0].into(),
                    prefix: known(words[1]),
                    activity: words[2].into(),
                    kind: MetricKind::of(words[0], words[2]),
                    unit: words[3].into(),
                    value: words[4].parse().unwrap(),
                }
            })
            .collect()
    }

    /// Activity, seconds, bytes, count, and what else was counted.
    fn said(lines: &[ActivityLine]) -> Vec<String> {
        let known = |value: Option<f64>| value.map_or("-".to_owned(), |value| value.to_string());
        let mut said = Vec::new();
        for line in lines {
            let mut words = vec![line.activity.clone()];
            words.extend([line.seconds, line.bytes, line.count].map(known));
            for other in &line.others {
                words.push(format!("{} {}", other.unit, other.value));
            }
            said.push(words.join(" "));
        }
        said
    }

    const RUN: &str = "execute inc thread-cpu seconds 10 s1
        execute inc thread-noncpu seconds 2 s1
        execute sum thread-cpu seconds 30 s2
        execute sum disk-read bytes 4096 s2
        execute sum disk-read count 3 s2
        gather-dep - network seconds 5 -
        gather-dep - network widgets 7 -
        worker - tick-duration seconds 1 -";

    #[test]
    fn time_is_summed_by_prefix_span_or_context_without_that_of_event_loops() {
        let rows = story(RUN);
        let told = |by| {
            let found = activity(&rows, by);
            assert_eq!((found.seconds, found.truncated), (47.0, false));
            let mut told = Vec::new();
            for sum in &found.sums {
                let of = sum.of.as_deref().unwrap_or("-");
                told.push(format!("{of} {} {}", sum.seconds, sum.bytes));
            }
            told
        };
        assert_eq!(
            told(ActivityBy::Prefix),
            ["sum 30 4096", "inc 12 0", "- 5 0"]
        );
        assert_eq!(told(ActivityBy::Span), ["s2 30 4096", "s1 12 0", "- 5 0"]);
        assert_eq!(
            told(ActivityBy::Context),
            ["execute 42 4096", "gather-dep 5 0"]
        );
    }

    #[test]
    fn the_kinds_of_a_sum_add_up_to_it_and_none_is_less_than_nothing() {
        let rows = story(
            "execute inc thread-cpu seconds 10 -
            execute inc thread-noncpu seconds 2 -
            execute inc other seconds -0.5 -",
        );
        let found = activity(&rows, ActivityBy::Prefix);
        let [sum] = &found.sums[..] else { panic!() };
        let part = |kind, seconds| ActivityPart { kind, seconds };
        let (cpu, waiting) = (MetricKind::Cpu, MetricKind::Waiting);
        assert_eq!(sum.parts, [part(cpu, 10.0), part(waiting, 2.0)]);
        assert_eq!(sum.seconds, 12.0);
    }

    #[test]
    fn a_line_has_all_units_and_what_is_not_counted_is_not_zero() {
        let found = activity(&story(RUN), ActivityBy::Prefix);
        assert_eq!(
            said(&found.lines),
            [
                "thread-cpu 40 - -",
                "network 5 - - widgets 7",
                "thread-noncpu 2 - -",
                "tick-duration 1 - -",
                "disk-read - 4096 3",
            ]
        );
        assert_eq!(
            said(&found.sums[0].lines),
            ["thread-cpu 30 - -", "disk-read - 4096 3"]
        );
        assert_eq!(
            said(&found.sums[2].lines),
            ["network 5 - - widgets 7", "tick-duration 1 - -"]
        );
    }

    #[test]
    fn the_largest_numbers_have_a_sum() {
        let rows = story(
            "execute a thread-cpu seconds 1.7e308 s
            execute a thread-cpu seconds 1.7e308 t
            execute b network seconds 1.7e308 s
            execute b network bytes 1.7e308 s
            execute b network bytes 1.7e308 t",
        );
        let found = activity(&rows, ActivityBy::Prefix);
        assert_eq!(found.seconds, f64::MAX);
        assert_eq!(found.sums[0].seconds, f64::MAX);
        assert_eq!(found.sums[1].bytes, f64::MAX);
        assert_eq!(found.lines[0].seconds, Some(f64::MAX));
    }

    #[test]
    fn more_sums_than_are_listed_count_all_the_same() {
        let many: Vec<String> = (0..1_200)
            .map(|at| format!("execute p{at} thread-cpu seconds 1 -"))
            .collect();
        let found = activity(&story(&many.join("\n")), ActivityBy::Prefix);
        assert_eq!(
            (found.sums.len(), found.total, found.truncated),
            (SUMS, 1_200, true)
        );
        assert_eq!(found.seconds, 1_200.0);
        assert_eq!(found.lines[0].seconds, Some(1_200.0));
    }
}
