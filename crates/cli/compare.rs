//! `bobbin compare A B`: what changed from one cluster to another, and what that did to the wall clock.

use std::path::Path;

use bobbin_core::api::{
    self, App, CodeComparison, CompareRequest, ComparedRun, Comparison, PartKind, Waterfall,
    WaterfallPart,
};

use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::{clusters, open, print, visible};

/// In the place of a cluster: the other one's usual run.
const BASELINE: &str = "baseline";
/// Characters of the longest bar.
const WIDTH: i64 = 24;
/// Changed lines of code.
const LINES: usize = 40;
/// Rows of each table.
const SHORT: usize = 20;

/// Runs the verb. That runs differ is no failure.
pub fn run(data_dir: &Path, json: bool, args: &CompareArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    let request = CompareRequest {
        a: side(&app, &args.a)?,
        b: side(&app, &args.b)?,
        per_task: args.per_task,
    };
    let told = api::compare(&app, request)?;
    if json {
        print::json(&told)
    } else {
        print::write(&text(&told, Called::Number))
    }
}

fn side(app: &App, text: &str) -> Result<Option<i64>, Failure> {
    match text {
        BASELINE => Ok(None),
        cluster => Ok(Some(open::cluster(app, cluster)?.id)),
    }
}

/// What a run is called beside its name.
#[derive(Clone, Copy)]
pub enum Called {
    /// Bobbin's number of it.
    Number,
    /// When it began: runs out of files have no number that anybody knows.
    Start,
}

/// As text for people.
pub fn text(told: &Comparison, called: Called) -> String {
    let mut text = head("A", &told.a, called) + &head("B", &told.b, called);
    if !told.unlike.is_empty() {
        text += "\nThe runs differ:\n";
        for words in &told.unlike {
            text += &format!("  {words}\n");
        }
        if told.better_per_task && told.waterfall.per_tasks.is_none() {
            text += "  --per-task compares times per thousand tasks\n";
        }
    }
    for words in &told.left_out {
        text += &format!("\n{words}\n");
    }
    text + &environment(told)
        + &code(&told.code)
        + &waterfall(&told.waterfall)
        + &groups(told)
        + &exceptions(told)
}

/// `A  3  nightly  finished  15.0 s: start-up 2.0 s, working 10.0 s, idle 3.0 s; 40 tasks, 4 threads`
fn head(side: &str, run: &ComparedRun, called: Called) -> String {
    let called = match called {
        Called::Number => run.id.to_string(),
        Called::Start => print::moment(run.started_micros),
    };
    let seconds = |micros: i64| print::seconds(micros as f64 / 1e6);
    let threads = print::or_dash(run.threads, |threads| format!("{threads:.1}"));
    let typical = run.typical_of.map_or(String::new(), median_of);
    format!(
        "{side}  {called}  {}{typical}  {}  {}: start-up {}, working {}, idle {}; {} tasks, {threads} threads\n",
        print::cut(&visible::plain(&run.name), 40),
        clusters::word(run.state),
        seconds(run.wall_micros),
        seconds(run.startup_micros),
        seconds(run.working_micros),
        seconds(run.idle_micros),
        run.tasks,
    )
}

/// How many runs it stands for: one alone is no median.
fn median_of(runs: u64) -> String {
    match runs {
        1 => " (the only earlier run like it)".into(),
        runs => format!(" (the median of {runs} runs)"),
    }
}

fn environment(told: &Comparison) -> String {
    let rows: Vec<Vec<String>> = told
        .environment
        .iter()
        .filter(|row| row.differs)
        .map(|row| {
            let value = |value: &Option<String>| {
                print::or_dash(value.as_deref(), |value| {
                    print::cut(&visible::plain(value), 50)
                })
            };
            vec![visible::plain(&row.name), value(&row.a), value(&row.b)]
        })
        .collect();
    if rows.is_empty() {
        return "\nSame environment.\n".into();
    }
    format!(
        "\n{}",
        print::table(&["environment", "A", "B"], &[false; 3], &rows)
    )
}

fn code(code: &CodeComparison) -> String {
    match code {
        CodeComparison::Same { .. } => "\nSame code.\n".into(),
        CodeComparison::Locked { same: true } => "\nSame code, but it is locked.\n".into(),
        CodeComparison::Locked { same: false } => {
            "\nDifferent code, but it is locked: its key is missing.\n".into()
        }
        CodeComparison::Missing { both, b } => {
            let who = match (both, b) {
                (true, _) => "both",
                (false, true) => "B",
                (false, false) => "A",
            };
            format!("\nThe code of {who} is unknown.\n")
        }
        CodeComparison::Different { snippets } => {
            let mut text = String::from("\nDifferent code:\n");
            let mut shown = 0;
            for snippet in snippets {
                let file = snippet.filename.as_deref().unwrap_or("unknown file");
                if shown < LINES {
                    let whole = match snippet.replaced_whole {
                        true => " (too much of it differs to compare line by line)",
                        false => "",
                    };
                    text += &format!("  {}{whole}\n", visible::plain(file));
                }
                for line in &snippet.lines {
                    let mark = match (line.a, line.b) {
                        (Some(_), Some(_)) => continue,
                        (Some(_), None) => '-',
                        _ => '+',
                    };
                    shown += 1;
                    if shown <= LINES {
                        text += &format!("  {mark} {}\n", visible::plain(&line.text));
                    }
                }
            }
            if shown > LINES {
                text += &format!("… and {} more lines; see --json\n", shown - LINES);
            }
            text
        }
    }
}

/// Each part with a bar that leaves the middle line to the right when B took longer for it.
fn waterfall(told: &Waterfall) -> String {
    let per = told
        .per_tasks
        .map_or(String::new(), |tasks| format!(" per {tasks} tasks"));
    let mut text = format!(
        "\nWall clock{per}: A {}, B {}, difference {}\n",
        print::seconds(told.a_micros as f64 / 1e6),
        print::seconds(told.b_micros as f64 / 1e6),
        signed(told.b_micros - told.a_micros),
    );
    let parts: Vec<&WaterfallPart> = told.parts.iter().filter(|part| part.micros != 0).collect();
    let most = parts
        .iter()
        .map(|part| part.micros.abs())
        .max()
        .unwrap_or(1)
        .max(1);
    let drawn: Vec<&&WaterfallPart> = parts.iter().filter(|part| !part.small).collect();
    let mut rows: Vec<Vec<String>> = drawn
        .iter()
        .map(|part| {
            vec![
                name(part),
                signed(part.micros),
                bar(part.micros, most),
                visible::plain(&part.words),
            ]
        })
        .collect();
    let small: Vec<i64> = parts
        .iter()
        .filter(|part| part.small)
        .map(|part| part.micros)
        .collect();
    if !small.is_empty() {
        let sum = small.iter().sum();
        rows.push(vec![
            format!("{} smaller ones", small.len()),
            signed(sum),
            bar(sum, most),
            "see --json".into(),
        ]);
    }
    if rows.is_empty() {
        return text + "No part differs.\n";
    }
    text += &print::table(
        &["part", "B − A", "", ""],
        &[false, true, false, false],
        &rows,
    );
    text
}

fn name(part: &WaterfallPart) -> String {
    let prefix = part.prefix.as_deref().map_or("", |prefix| prefix);
    let prefix = print::cut(&visible::plain(prefix), 30);
    match part.kind {
        PartKind::Startup => "start-up".into(),
        PartKind::Tasks => format!("number of tasks: {prefix}"),
        PartKind::Speed => format!("time per task: {prefix}"),
        PartKind::Transfer => "transfer".into(),
        PartKind::Disk => "disk".into(),
        PartKind::Deserialize => "deserializing".into(),
        PartKind::Other => "other".into(),
        PartKind::Threads => "threads".into(),
        PartKind::Stalled => "stalled".into(),
        PartKind::Waiting => "waiting".into(),
        PartKind::Working => "working".into(),
        PartKind::Idle => "idle".into(),
    }
}

/// `+1.2 s`, `−300 ms`.
fn signed(micros: i64) -> String {
    let sign = match micros {
        0 => "",
        1.. => "+",
        _ => "−",
    };
    format!(
        "{sign}{}",
        print::seconds(micros.unsigned_abs() as f64 / 1e6)
    )
}

fn bar(micros: i64, most: i64) -> String {
    let length = (micros.abs().saturating_mul(WIDTH) / most).max(1) as usize;
    let mark = if micros > 0 { "+" } else { "−" };
    mark.repeat(length)
}

fn groups(told: &Comparison) -> String {
    let differ: Vec<_> = told.groups.iter().filter(|row| row.differs).collect();
    if differ.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = differ
        .iter()
        .take(SHORT)
        .map(|row| {
            let (a, b) = (row.a.as_ref(), row.b.as_ref());
            let each = |seconds: Option<f64>| print::or_dash(seconds, print::seconds);
            vec![
                print::cut(&visible::plain(&row.prefix), 40),
                print::or_dash(a.map(|sums| sums.tasks), |tasks| tasks.to_string()),
                print::or_dash(b.map(|sums| sums.tasks), |tasks| tasks.to_string()),
                each(a.and_then(|sums| sums.task_seconds)),
                each(b.and_then(|sums| sums.task_seconds)),
                signed((row.more_seconds * 1e6) as i64),
            ]
        })
        .collect();
    let head = [
        "groups by prefix",
        "tasks A",
        "B",
        "per task A",
        "B",
        "thread time B − A",
    ];
    let mut text = format!(
        "\n{}",
        print::table(&head, &[false, true, true, true, true, true], &rows)
    );
    if differ.len() > SHORT {
        text += &format!("… and {} more; see --json\n", differ.len() - SHORT);
    }
    text
}

fn exceptions(told: &Comparison) -> String {
    let only = told
        .exceptions
        .iter()
        .filter(|row| row.a == 0 || row.b == 0);
    let rows: Vec<Vec<String>> = only
        .take(SHORT)
        .map(|row| {
            vec![
                if row.a == 0 { "B" } else { "A" }.into(),
                visible::plain(&row.exception_type),
                print::or_dash(row.prefix.as_deref(), visible::plain),
                (row.a + row.b).to_string(),
            ]
        })
        .collect();
    match rows.is_empty() {
        true => String::new(),
        false => format!(
            "\n{}",
            print::table(
                &["only in", "exception", "group", "times"],
                &[false, false, false, true],
                &rows
            )
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_earlier_run_is_no_median() {
        assert_eq!(median_of(1), " (the only earlier run like it)");
        assert_eq!(median_of(5), " (the median of 5 runs)");
    }

    #[test]
    fn bars_are_as_long_as_their_part_and_never_nothing() {
        assert_eq!(
            (bar(100, 100).len(), bar(50, 100).len(), bar(1, 100)),
            (24, 12, "+".into())
        );
        assert_eq!(bar(-100, 100), "−".repeat(24));
        assert_eq!(
            (signed(1_200_000), signed(-300_000), signed(0)),
            ("+1.2 s".into(), "−300 ms".into(), "0 ms".into())
        );
    }
}
