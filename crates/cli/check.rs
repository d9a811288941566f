//! `bobbin check`: fails where a run is worse than others of the same. For tests and continuous integration: it needs no store.

mod markdown;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use bobbin_core::api::{
    self, Apart, App, Check, CheckLimits, CheckRun, CheckVerdict, ClusterRequest, ClustersRequest,
    NewException,
};
use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::model::Micros;
use clap::Args;

use crate::failure::{Exit, Failure};
use crate::{compare, open, print, visible};

/// In the place of a baseline: the runs before in the store.
const HISTORY: &str = "history";
/// Runs that are enough to know what is usual, where there is a history of them.
const OF_HISTORY: u64 = 5;
/// Runs to compare with.
const MOST_RUNS: usize = 100;

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The run: a cluster specified as for `show`, or a file (a bundle, or written by a plugin with `destination: file`)
    pub run: String,
    /// What to compare it with, specified the same way (repeatable: the median counts); a file stands for all its clusters,
    /// and `history` for the earlier runs in the store
    #[arg(long, required = true, value_name = "RUN", num_args = 1..)]
    pub baseline: Vec<String>,
    /// How much longer it may work than the others, for example 15%
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub max_slowdown: Option<f64>,
    /// How much more it may cost, measured as thread time from start to end (prices do not matter)
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub max_cost: Option<f64>,
    /// How much more memory its workers may use at once
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub max_memory: Option<f64>,
    /// Fail if an exception type is new in its group
    #[arg(long)]
    pub no_new_exceptions: bool,
    /// Refuse if there are fewer runs to compare with [default: 5 for `history`, else 1]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..=100))]
    pub least_runs: Option<u64>,
    /// Compare times per thousand tasks, for runs of different sizes
    #[arg(long)]
    pub per_task: bool,
    /// Print Markdown, for a comment or a job summary
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
}

/// Runs the verb: 1 where the run is worse, 3 where nothing can be said.
pub fn run(data_dir: &Path, json: bool, args: &CheckArgs) -> Result<ExitCode, Failure> {
    let asked = args.max_slowdown.or(args.max_cost).or(args.max_memory);
    if asked.is_none() && !args.no_new_exceptions {
        return Err(Failure::usage("there is nothing to check").hint(
            "name at least one limit: --max-slowdown 15%, --max-cost, --max-memory, --no-new-exceptions",
        ));
    }
    let mut stores = Stores::new(data_dir);
    let run = stores.one(&args.run)?;
    let mut others = Vec::new();
    for text in &args.baseline {
        others.extend(stores.several(text, run)?);
    }
    let of_run = stores.identity(run)?;
    let mut identities = Vec::with_capacity(others.len());
    for other in &others {
        identities.push(stores.identity(*other)?);
    }
    let (others, copies) = without_copies(of_run, identities.into_iter().zip(others));
    if others.len() > MOST_RUNS {
        return Err(Failure::usage(format!(
            "{} runs to compare with; the maximum is {MOST_RUNS}",
            others.len()
        )));
    }
    let of_history = args.baseline.iter().any(|text| text == HISTORY);
    let limits = CheckLimits {
        slowdown: args.max_slowdown,
        cost: args.max_cost,
        memory: args.max_memory,
        no_new_exceptions: args.no_new_exceptions,
        per_task: args.per_task,
        least_runs: args
            .least_runs
            .unwrap_or(if of_history { OF_HISTORY } else { 1 }),
    };
    let others: Vec<CheckRun<'_>> = others.iter().map(|place| stores.run(*place)).collect();
    let mut told = api::check(stores.run(run), &others, &limits)?;
    if let Some(note) = copies_said(copies) {
        told.notes.insert(0, note);
    }
    if json {
        print::json(&told)?;
    } else if args.markdown {
        print::write(&markdown::of(&told))?;
    } else {
        print::write(&text(&told))?;
    }
    annotate(&told);
    Ok(match told.verdict {
        CheckVerdict::Passed => ExitCode::SUCCESS,
        CheckVerdict::Failed => ExitCode::from(Exit::Failed as u8),
        CheckVerdict::Refused => ExitCode::from(Exit::Refused as u8),
    })
}

/// A cluster of one of the stores.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    store: usize,
    id: i64,
}

/// The stores that are asked: the one of the folder, if it is needed, and one for each file.
struct Stores<'a> {
    data_dir: &'a Path,
    open: Vec<Store>,
}

struct Store {
    /// None is the folder's.
    file: Option<PathBuf>,
    app: App,
    // Behind the app, which it outlives.
    _apart: Option<Apart>,
}

impl<'a> Stores<'a> {
    fn new(data_dir: &'a Path) -> Self {
        Self {
            data_dir,
            open: Vec::new(),
        }
    }

    fn run(&self, place: Place) -> CheckRun<'_> {
        let store = &self.open[place.store];
        CheckRun {
            app: &store.app,
            id: place.id,
            in_file: store.file.is_some(),
        }
    }

    /// By what a run is known in every store and file.
    fn identity(&self, place: Place) -> Result<Identity, Failure> {
        let app = &self.open[place.store].app;
        let row = api::cluster(app, ClusterRequest { id: place.id })?.row;
        Ok((row.scheduler_id, row.started_micros))
    }

    /// The one run that is meant.
    fn one(&mut self, text: &str) -> Result<Place, Failure> {
        let Some(path) = file(text) else {
            return self.cluster(text);
        };
        let found = self.of_file(path)?;
        match &found[..] {
            [one] => Ok(*one),
            several => Err(Failure::usage(format!(
                "{text} holds {} clusters; `check` takes one",
                several.len()
            ))
            .hint("`bobbin export CLUSTER` writes a bundle with one cluster")),
        }
    }

    fn several(&mut self, text: &str, run: Place) -> Result<Vec<Place>, Failure> {
        if text != HISTORY {
            return match file(text) {
                Some(path) => self.of_file(path),
                None => Ok(vec![self.cluster(text)?]),
            };
        }
        let store = &self.open[run.store];
        if store.file.is_some() {
            return Err(Failure::usage("a file has no history")
                .hint("name a cluster in the store, or pass other files as --baseline"));
        }
        let ids = api::earlier_runs(&store.app, run.id)?;
        Ok(ids.into_iter().map(|id| Place { id, ..run }).collect())
    }

    fn cluster(&mut self, text: &str) -> Result<Place, Failure> {
        let store = match self.open.iter().position(|store| store.file.is_none()) {
            Some(at) => at,
            None => {
                self.open.push(Store {
                    file: None,
                    app: open::reader(self.data_dir)?,
                    _apart: None,
                });
                self.open.len() - 1
            }
        };
        let id = open::cluster(&self.open[store].app, text)?.id;
        Ok(Place { store, id })
    }

    /// All clusters of a file, each file opened once.
    fn of_file(&mut self, path: PathBuf) -> Result<Vec<Place>, Failure> {
        let known = self
            .open
            .iter()
            .position(|store| store.file.as_ref() == Some(&path));
        let store = match known {
            Some(at) => at,
            None => {
                let clock: Arc<dyn Clock> = Arc::new(SystemClock);
                let apart = Apart::of_file(&path, &clock)?;
                self.open.push(Store {
                    app: apart.app().clone(),
                    file: Some(path),
                    _apart: Some(apart),
                });
                self.open.len() - 1
            }
        };
        let request = ClustersRequest {
            limit: MOST_RUNS as u32 + 1,
            ..ClustersRequest::default()
        };
        let rows = api::clusters(&self.open[store].app, request)?.rows;
        Ok(rows.iter().map(|row| Place { store, id: row.id }).collect())
    }
}

/// The id of a scheduler and when it started.
type Identity = (String, Micros);

/// Each run once, and never the run itself; and how many copies went.
fn without_copies<T>(
    of_run: Identity,
    others: impl IntoIterator<Item = (Identity, T)>,
) -> (Vec<T>, usize) {
    let mut known = BTreeSet::from([of_run]);
    let mut copies = 0;
    let mut kept = Vec::new();
    for (identity, other) in others {
        match known.insert(identity) {
            true => kept.push(other),
            false => copies += 1,
        }
    }
    (kept, copies)
}

fn copies_said(copies: usize) -> Option<String> {
    match copies {
        0 => None,
        1 => {
            Some("1 copy of a run is left out: each run counts once, and not against itself".into())
        }
        some => Some(format!(
            "{some} copies of runs are left out: each run counts once, and not against itself"
        )),
    }
}

/// A file where there is one of this name; all else is a cluster of the store.
fn file(text: &str) -> Option<PathBuf> {
    let path = Path::new(text);
    let named = path.is_file() || text.ends_with(".bobbin");
    named.then(|| path.canonicalize().unwrap_or_else(|_| path.into()))
}

/// `15%`, `15` or `7.5 %`, as a share.
fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim();
    match number.parse::<f64>() {
        Ok(percent) if (0.0..=10_000.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err(format!("{text:?} is not a percentage; write one like 15%")),
    }
}

fn verdict(told: &Check) -> &'static str {
    match told.verdict {
        CheckVerdict::Passed => "passed",
        CheckVerdict::Failed => "failed",
        CheckVerdict::Refused => "refused",
    }
}

fn named(new: &NewException) -> String {
    let place = new.prefix.as_deref().unwrap_or("no group");
    format!(
        "{} in {}, {} times",
        visible::plain(&new.exception_type),
        visible::plain(place),
        new.count
    )
}

fn text(told: &Check) -> String {
    let mut text = format!("The check {}.\n", verdict(told));
    for reason in &told.reasons {
        text += &format!("  {}\n", visible::plain(reason));
    }
    if !told.measures.is_empty() {
        text += "\n";
    }
    for measure in &told.measures {
        text += &format!("{}\n", measure.words);
    }
    if !told.new_exceptions.is_empty() {
        text += "\nNew exceptions:\n";
        for new in &told.new_exceptions {
            text += &format!("  {}\n", named(new));
        }
    }
    for note in &told.notes {
        text += &format!("\nNote: {}\n", visible::plain(note));
    }
    if let Some(comparison) = &told.comparison {
        text += "\n";
        text += &compare::text(comparison, compare::Called::Start);
    }
    text
}

/// Where GitHub runs it: what is wrong stands beside the change, too.
fn annotate(told: &Check) {
    if std::env::var("GITHUB_ACTIONS").as_deref() != Ok("true") {
        return;
    }
    let kind = match told.verdict {
        CheckVerdict::Passed => return,
        CheckVerdict::Failed => "error",
        CheckVerdict::Refused => "warning",
    };
    for reason in &told.reasons {
        print::talk(&annotation(kind, reason));
    }
}

/// A command to the runner; what a cluster wrote cannot begin another one.
fn annotation(kind: &str, reason: &str) -> String {
    let reason = visible::plain(reason)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A");
    format!("::{kind} title=bobbin check::{reason}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_shares() {
        assert_eq!(parse_percent("15%"), Ok(0.15));
        assert_eq!(parse_percent("7.5 %"), Ok(0.075));
        assert_eq!(parse_percent("0"), Ok(0.0));
        for bad in ["", "%", "-1%", "NaN", "inf%", "fast", "20000%"] {
            assert!(parse_percent(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn copies_are_no_runs_of_their_own() {
        let run = |scheduler: &str, at: i64| (scheduler.to_owned(), Micros(at));
        let others = [
            (run("a", 1), "itself"),
            (run("b", 1), "b"),
            (run("b", 1), "its copy"),
            (run("b", 2), "b started anew"),
        ];
        let (kept, copies) = without_copies(run("a", 1), others);
        assert_eq!((kept, copies), (vec!["b", "b started anew"], 2));
        assert_eq!(copies_said(0), None);
        assert!(copies_said(copies).unwrap().starts_with("2 copies"));
        assert!(copies_said(1).unwrap().starts_with("1 copy"));
    }

    #[test]
    fn what_a_cluster_wrote_is_no_command_to_the_runner() {
        let line = annotation("error", "100% of\n::set-env name=A::b");
        assert_eq!(line.lines().count(), 1);
        assert!(line.starts_with("::error title=bobbin check::100%25 of"));
    }
}
