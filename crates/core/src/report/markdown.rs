//! A cluster or a comparison in a few lines of Markdown, with what the maintainers of a library ask for: versions, sizes, what
//! took the time, what failed. No text of a cluster is markup in it: each stands in a code span.

use std::collections::BTreeMap;

use crate::insight::cost::core_time;
use crate::insight::words::{bytes, count, duration, grouped, share};
use crate::model::visible::plain;
use crate::model::{ClusterState, Micros};
use crate::query::types::{
    Cluster, Comparison, ExceptionKindList, FindingList, PartKind, SealedText, TaskGroupList,
    Verdict,
};
use crate::share::{Choice, Identities, Level};

/// Packages that are told of, where they are installed.
const PACKAGES: [&str; 12] = [
    "dask",
    "distributed",
    "numpy",
    "pandas",
    "pyarrow",
    "xarray",
    "dask_expr",
    "tornado",
    "msgpack",
    "cloudpickle",
    "toolz",
    "lz4",
];
/// Rows of each list.
const PREFIXES: usize = 5;
const EXCEPTIONS: usize = 5;
const FINDINGS: usize = 4;
/// Letters of a name, and of a message.
const NAME: usize = 80;
const MESSAGE: usize = 200;

/// What is told of one cluster.
pub(crate) struct Run {
    pub(crate) cluster: Cluster,
    pub(crate) verdict: Verdict,
    pub(crate) findings: FindingList,
    pub(crate) groups: TaskGroupList,
    pub(crate) exceptions: ExceptionKindList,
    pub(crate) cost: Option<String>,
}

/// One cluster.
pub(crate) fn of_cluster(run: &Run, choice: Choice, bobbin: &str) -> String {
    let row = &run.cluster.row;
    let mut text = format!("### Dask cluster {}\n\n", code(&row.name, NAME));
    text += &facts(run);
    text += &verdict(run);
    text += &prefixes(&run.groups);
    text += &exceptions(&run.exceptions);
    text += &findings(run);
    text + &footer(choice, bobbin)
}

/// From A to B.
pub(crate) fn of_comparison(
    told: &Comparison,
    runs: &[Run],
    choice: Choice,
    bobbin: &str,
) -> String {
    let (a, b) = (told.waterfall.a_micros, told.waterfall.b_micros);
    let difference = match b - a {
        0 => "both took the same time".to_owned(),
        more if more > 0 => format!("B took {} more", duration(more)),
        less => format!("B took {} less", duration(-less)),
    };
    let mut text = format!(
        "### Two runs of Dask: {difference} ({} → {})\n\n",
        duration(a),
        duration(b)
    );
    for (side, run) in ["A", "B"].into_iter().zip(runs) {
        text += &format!("**{side}**: {}\n\n", code(&run.cluster.row.name, NAME));
        text += &facts(run);
    }
    let differs = told.environment.iter().filter(|row| row.differs).take(6);
    let environment: Vec<String> = differs
        .map(|row| {
            let side = |value: &Option<String>| match value {
                Some(value) => code(value, NAME),
                None => "none".into(),
            };
            format!(
                "- {}: {} → {}\n",
                code(&row.name, NAME),
                side(&row.a),
                side(&row.b)
            )
        })
        .collect();
    text += &list("Environment", &environment);
    let parts = told.waterfall.parts.iter().filter(|part| part.micros != 0);
    let mut parts: Vec<_> = parts.collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.micros.unsigned_abs()));
    let parts: Vec<String> = parts
        .into_iter()
        .take(PREFIXES)
        .map(|part| {
            let sign = if part.micros > 0 { "+" } else { "−" };
            let of = part
                .prefix
                .as_ref()
                .map(|prefix| format!(" of {}", code(prefix, NAME)));
            format!(
                "- {sign}{} {}{}: {}\n",
                duration(part.micros.abs()),
                reason(part.kind),
                of.unwrap_or_default(),
                words(&part.words)
            )
        })
        .collect();
    text += &list("Where the difference is", &parts);
    text + &footer(choice, bobbin)
}

fn facts(run: &Run) -> String {
    let Cluster {
        row,
        facts,
        seconds,
        losses,
        largest: _,
    } = &run.cluster;
    let mut versions: Vec<String> = PACKAGES
        .iter()
        .filter_map(|package| {
            let version = facts.versions.get(*package)?.as_ref()?;
            Some(format!("{package} {}", code(version, NAME)))
        })
        .collect();
    let others = [("Python", &facts.python_version), ("on", &facts.os)];
    for (name, value) in others {
        versions.extend(
            value
                .as_ref()
                .map(|value| format!("{name} {}", code(value, NAME))),
        );
    }
    let mut text = match versions.is_empty() {
        true => String::new(),
        false => format!("- Versions: {}\n", versions.join(", ")),
    };
    for mismatch in facts.mismatches.iter().take(3) {
        text += &format!(
            "- Differs from the scheduler: {} {} on {}\n",
            code(&mismatch.package, NAME),
            match &mismatch.version {
                Some(version) => code(version, NAME),
                None => "(not installed)".into(),
            },
            match mismatch.side {
                crate::query::types::VersionSide::Worker => {
                    count(mismatch.count, "worker", "workers")
                }
                crate::query::types::VersionSide::Client => {
                    count(mismatch.count, "client", "clients")
                }
            }
        );
    }
    text += &format!(
        "- Size: at most {}, {}{}{}\n",
        count(row.workers_peak, "worker", "workers"),
        count(row.threads_peak, "thread", "threads"),
        match (
            row.memory_peak_bytes,
            row.limit_at_peak(),
            row.memory_limit_bytes
        ) {
            (Some(peak), Some(limit), _) => {
                format!(", {} of {} of memory", bytes(peak), bytes(limit))
            }
            (Some(one), None, _) | (None, _, Some(one)) => format!(", {} of memory", bytes(one)),
            (None, _, None) => String::new(),
        },
        match &facts.cluster_class {
            Some(class) => format!(", {}", code(class, NAME)),
            None => String::new(),
        }
    );
    let until = row.stopped_micros.unwrap_or(row.last_heard_micros);
    let Micros(length) = Micros(until.0 - row.started_micros.0);
    let erred = match row.tasks_erred {
        0 => String::new(),
        erred => format!(", {} erred", count(erred, "task", "tasks")),
    };
    text += &format!(
        "- Run: {} after {}; {} finished{erred}, in {} and {}\n",
        state(row.state),
        duration(length),
        count(row.tasks_completed, "task", "tasks"),
        count(row.computations, "computation", "computations"),
        count(run.groups.total, "task group", "task groups"),
    );
    text += &format!(
        "- Thread time: {}{}; computing {}, moving data {}\n",
        core_time(micros(row.thread_seconds)),
        match row.efficiency {
            Some(part) => format!(", {} of it computing", share(part)),
            None => String::new(),
        },
        core_time(micros(seconds.compute)),
        core_time(micros(seconds.transfer)),
    );
    if let Some(cost) = &run.cost {
        text += &format!("- Cost: {}\n", words(cost));
    }
    let lost = losses.missing_records
        + losses.refused_records
        + losses.dropped_records.values().sum::<u64>();
    if lost > 0 {
        text += &format!(
            "- Incomplete record: {} missing\n",
            count(lost, "record is", "records are")
        );
    }
    text + "\n"
}

fn verdict(run: &Run) -> String {
    let Verdict { kind, evidence, .. } = &run.verdict;
    let reasons: Vec<String> = evidence
        .iter()
        .map(|line| format!("- {}\n", words(&line.words)))
        .collect();
    list(&format!("Verdict: {}", kind.word()), &reasons)
}

/// What is done in one prefix.
#[derive(Default)]
struct Sums {
    tasks: u64,
    compute: f64,
    transfer: f64,
    bytes: u64,
}

fn prefixes(groups: &TaskGroupList) -> String {
    let mut sums: BTreeMap<&str, Sums> = BTreeMap::new();
    for row in &groups.rows {
        let sum = sums.entry(&row.prefix).or_default();
        sum.tasks += row.states.values().sum::<u64>();
        sum.compute += row.seconds.compute;
        sum.transfer += row.seconds.transfer;
        sum.bytes = sum.bytes.saturating_add(row.result_bytes);
    }
    let mut rows: Vec<_> = sums.into_iter().collect();
    rows.sort_by(|a, b| (b.1.compute + b.1.transfer).total_cmp(&(a.1.compute + a.1.transfer)));
    if rows.is_empty() {
        return String::new();
    }
    let mut text =
        "| prefix | tasks | computing | moving data | results |\n|---|--:|--:|--:|--:|\n"
            .to_owned();
    for (prefix, sum) in rows.iter().take(PREFIXES) {
        text += &format!(
            "| {} | {} | {} | {} | {} |\n",
            // A bar parts cells even in a code span.
            code(prefix, NAME).replace('|', "\\|"),
            grouped(sum.tasks),
            core_time(micros(sum.compute)),
            core_time(micros(sum.transfer)),
            bytes(sum.bytes)
        );
    }
    let more = rows.len().saturating_sub(PREFIXES) as u64;
    if more > 0 {
        text += &format!(
            "\nand {} that took less time.\n",
            count(more, "other", "others")
        );
    }
    text + "\n"
}

fn exceptions(kinds: &ExceptionKindList) -> String {
    let mut rows: Vec<String> = kinds
        .rows
        .iter()
        .take(EXCEPTIONS)
        .map(|kind| {
            let group = kind.newest.group.as_ref();
            let message = match &kind.newest.message {
                SealedText::Text { text } if !text.is_empty() => {
                    format!(": {}", code(text, MESSAGE))
                }
                _ => String::new(),
            };
            format!(
                "- {} × {}{}{message}\n",
                code(&kind.newest.exception_type, NAME),
                grouped(kind.count),
                match group {
                    Some(group) => format!(" in {}", code(group, NAME)),
                    None => String::new(),
                }
            )
        })
        .collect();
    let more = kinds.total.saturating_sub(EXCEPTIONS as u64);
    if more > 0 {
        rows.push(format!(
            "- and {}\n",
            count(more, "other kind", "other kinds")
        ));
    }
    list("Exceptions", &rows)
}

/// What the verdict has not said already.
fn findings(run: &Run) -> String {
    let said: Vec<_> = run.verdict.evidence.iter().map(|line| line.about).collect();
    let others = run
        .findings
        .rows
        .iter()
        .filter(|finding| !said.contains(&finding.evidence.about));
    let rows: Vec<String> = others
        .take(FINDINGS)
        .map(|finding| format!("- {}. {}\n", words(&finding.evidence.words), finding.advice))
        .collect();
    list("What could go better", &rows)
}

fn footer(choice: Choice, bobbin: &str) -> String {
    let told = match choice.level {
        Level::Metrics => "numbers only",
        Level::Names => "numbers and names",
        Level::Errors => "numbers, names and messages",
        Level::Everything => "everything",
    };
    let people = match choice.identities {
        Identities::Aliases => "people, machines and folders have aliases",
        Identities::Real => "people, machines and folders under their real names",
    };
    format!("<sub>Written by Bobbin {bobbin}: {told}; {people}.</sub>\n")
}

fn list(title: &str, rows: &[String]) -> String {
    match rows.is_empty() {
        true => String::new(),
        false => format!("**{title}**\n\n{}\n", rows.concat()),
    }
}

fn state(state: ClusterState) -> &'static str {
    match state {
        ClusterState::Running => "still running",
        ClusterState::Stalled => "stalled",
        ClusterState::Idle => "idle",
        ClusterState::Finished => "finished",
        ClusterState::Lost => "lost",
    }
}

fn reason(kind: PartKind) -> &'static str {
    match kind {
        PartKind::Startup => "until the first task",
        PartKind::Tasks => "from the number of tasks",
        PartKind::Speed => "from the speed of tasks",
        PartKind::Transfer => "moving data",
        PartKind::Disk => "spilling and reading back",
        PartKind::Deserialize => "unpickling",
        PartKind::Other => "other",
        PartKind::Threads => "from the number of threads",
        PartKind::Stalled => "stalled threads",
        PartKind::Waiting => "waiting threads",
        PartKind::Working => "working",
        PartKind::Idle => "with nothing to do",
    }
}

fn micros(seconds: f64) -> i64 {
    (seconds * 1e6) as i64
}

/// A clause of Bobbin's own, in which names of a cluster may stand.
fn words(clause: &str) -> String {
    let harmless =
        |letter: char| letter.is_ascii_alphanumeric() || " ,.;:%()'’“”×≈–−…/€$£µ".contains(letter);
    let links = clause.contains("//") || clause.contains("www.");
    match clause.chars().all(harmless) && !links {
        true => clause.to_owned(),
        false => code(clause, MESSAGE),
    }
}

/// Text of a cluster in a code span: no markup, no mention of anybody, no link.
fn code(text: &str, most: usize) -> String {
    let shown = plain(text).replace('`', "'");
    let mut letters: String = shown.chars().take(most).collect();
    if letters.len() < shown.len() {
        letters.push('…');
    }
    match letters.trim() {
        "" => "(no name)".into(),
        some => format!("`{some}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_cluster_says_stays_text() {
        assert_eq!(code("a`b\n# c @ana", 80), "`a'b‹U+000A›# c @ana`");
        assert_eq!(code("abcdef", 3), "`abc…`");
        assert_eq!(code("  ", 3), "(no name)");
        assert_eq!(
            words("threads were idle for 62 % of it"),
            "threads were idle for 62 % of it"
        );
        assert_eq!(words("load_<b>: 3"), "`load_<b>: 3`");
        assert_eq!(words("see http://x.example"), "`see http://x.example`");
    }
}
