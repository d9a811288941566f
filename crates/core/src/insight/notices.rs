//! What the desktop should say, once, of what nobody was looking at.
//!
//! A look holds what is so now against what was told before. What happened has a **mark**, the moment or the step by which it is
//! known again: a stall lasts until the next task ends, so its mark is when the last one did.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::words::{count, duration};
use crate::model::visible::plain;
use crate::model::{ClusterState, Micros};
use crate::query::Found;
use crate::query::types::{BudgetList, Covers, NoticeChoices, ViewCount};

const MINUTE: i64 = 60_000_000;
/// What a cluster said reaches the store this late where it comes by a file.
const LATE: i64 = 15 * MINUTE;
/// Nobody looked for so long: the machine slept, or Bobbin was closed.
const GAP: i64 = 3 * MINUTE;
/// A plugin that could not reach Bobbin meanwhile reports again within this time.
const REUNITED: i64 = 2 * MINUTE;
/// A cluster that is idle or stalls again and again is told of as often.
const AGAIN: i64 = 60 * MINUTE;
/// As far back as clusters are looked at, so what was told of others need not be remembered longer.
const REMEMBERED: i64 = 24 * 60 * MINUTE;
/// A month and some days: a budget's steps are told once a month.
const BUDGET_REMEMBERED: i64 = 40 * REMEMBERED;
/// What is said of a cluster that is lost.
const SILENT: &str = "stopped reporting";
/// A locked screen shows a line.
const NAME: usize = 40;
/// Of a notice that stands for many.
const NAMED: usize = 3;

/// What the desktop is to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Plain text, without anything that a desktop could take for markup.
    pub summary: String,
    pub body: String,
    /// Where the proof is: a place of the page, such as `cluster/7?tab=workers`.
    pub place: String,
    /// The cluster of which it says that it is idle, and nothing else: a reader may answer to that.
    pub idle: Option<i64>,
}

/// What is so now.
pub(crate) struct Look<'a> {
    pub(crate) now: Micros,
    pub(crate) choices: &'a NoticeChoices,
    /// Those that are alive, and those seen in the last day.
    pub(crate) clusters: &'a [Found],
    /// Null: they were not looked at this time.
    pub(crate) budgets: Option<&'a BudgetList>,
    /// What kept views list. Null: they were not looked at this time.
    pub(crate) views: Option<&'a [ViewCount]>,
    /// What an hour of the idle ones costs, in words: `≈ 0.02 to 0.15 EUR an hour`.
    pub(crate) burning: &'a HashMap<i64, String>,
    /// The cluster that somebody has before them.
    pub(crate) watched: Option<i64>,
    /// Until when a reader wanted which idle cluster all the same; also where that is over.
    pub(crate) kept: &'a BTreeMap<i64, Micros>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Failed,
    Stalled,
    Finished,
    Idle,
    Budget,
    View,
}

/// What was told, and when somebody looked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Memory {
    looked: Option<Micros>,
    /// Since when somebody looks without a gap, and the last look before.
    awake: Micros,
    dozed: Micros,
    told: Vec<Told>,
    /// What a view listed at the last look: how many clusters, and the newest.
    #[serde(default)]
    views: BTreeMap<String, (u64, Option<i64>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Told {
    kind: Kind,
    /// The cluster, or the budget.
    of: i64,
    mark: i64,
    at: Micros,
}

/// Something that happened.
struct Happened {
    kind: Kind,
    of: i64,
    mark: i64,
    /// Whether it is as new as the last look, so that nobody could have been told.
    new: bool,
    name: Option<String>,
    what: String,
    body: String,
    place: String,
}

/// What is due now, as one notice; what is due is told by this, and remembered.
pub(crate) fn due(memory: &mut Memory, look: &Look<'_>) -> Option<Notice> {
    let first = memory.looked.is_none();
    let looked = memory.looked.unwrap_or(look.now);
    if first || look.now.0 - looked.0 > GAP {
        (memory.awake, memory.dozed) = (look.now, looked);
    }
    let since = Micros(looked.0 - LATE);
    let mut happened: Vec<Happened> = look
        .clusters
        .iter()
        .flat_map(|found| of_cluster(found, look, since, memory))
        .collect();
    happened.extend(of_budgets(look));
    happened.extend(memory.of_views(look));
    memory.looked = Some(look.now);
    memory.forget(&happened, look);

    let mut due = Vec::new();
    for one in happened {
        if !memory.tell(&one, look.now) {
            continue;
        }
        let is_cluster = !matches!(one.kind, Kind::Budget | Kind::View);
        let seen = is_cluster && look.watched == Some(one.of);
        if !first && one.new && !seen && on(one.kind, look.choices) {
            due.push(one);
        }
    }
    // Its end is not told beside its failure.
    let failed: Vec<i64> = due
        .iter()
        .filter(|one| one.kind == Kind::Failed)
        .map(|one| one.of)
        .collect();
    due.retain(|one| one.kind != Kind::Finished || !failed.contains(&one.of));
    due.sort_by_key(|one| (one.kind, one.of));
    due.dedup_by_key(|one| (one.kind, one.of));
    match due.len() {
        0 => None,
        1 => due.pop().map(|one| alone(one, look.choices)),
        _ => Some(together(&due, look.choices)),
    }
}

impl Memory {
    /// Whether nothing was told that the other does not know.
    pub(crate) fn told_the_same(&self, other: &Memory) -> bool {
        self.told == other.told && self.views == other.views
    }

    /// Views that list more clusters than at the last look, or a newer one. What left a list and comes again is told again.
    fn of_views(&mut self, look: &Look<'_>) -> Vec<Happened> {
        let Some(listed) = look.views else {
            return Vec::new();
        };
        let wanted = &look.choices.views;
        self.views.retain(|name, _| wanted.contains(name));
        let mut happened = Vec::new();
        for (of, view) in (0..).zip(listed) {
            if !wanted.contains(&view.name) {
                continue;
            }
            let now = (view.clusters, view.newest_id);
            let Some(before) = self.views.insert(view.name.clone(), now) else {
                continue;
            };
            if now.0 > before.0 || now.1 > before.1 {
                happened.push(Happened {
                    kind: Kind::View,
                    of,
                    mark: look.now.0,
                    new: true,
                    name: name(&view.name),
                    what: count(view.clusters, "cluster", "clusters"),
                    body: "A cluster entered this view.".into(),
                    place: format!("clusters?text={}", encoded(&view.filter)),
                });
            }
        }
        happened
    }

    /// Whether it was not told before; it is now.
    fn tell(&mut self, one: &Happened, now: Micros) -> bool {
        let same = |told: &&Told| (told.kind, told.of) == (one.kind, one.of);
        let mut before = self.told.iter().filter(same);
        if before.clone().any(|told| told.mark == one.mark) {
            return false;
        }
        let repeats = matches!(one.kind, Kind::Idle | Kind::Stalled);
        if repeats && before.any(|told| now.0 - told.at.0 < AGAIN) {
            return false;
        }
        self.told.push(Told {
            kind: one.kind,
            of: one.of,
            mark: one.mark,
            at: now,
        });
        true
    }

    /// Forgets what cannot happen again.
    fn forget(&mut self, happened: &[Happened], look: &Look<'_>) {
        self.told.retain(|told| {
            let age = look.now.0 - told.at.0;
            match told.kind {
                Kind::Budget => age < BUDGET_REMEMBERED,
                _ => {
                    let holds = |one: &Happened| {
                        (one.kind, one.of, one.mark) == (told.kind, told.of, told.mark)
                    };
                    age < REMEMBERED || happened.iter().any(holds)
                }
            }
        });
    }
}

fn on(kind: Kind, choices: &NoticeChoices) -> bool {
    match kind {
        Kind::Failed => choices.failed,
        Kind::Stalled => choices.stalled,
        Kind::Finished => choices.finished,
        Kind::Idle => choices.idle,
        Kind::Budget => choices.budget,
        Kind::View => true,
    }
}

fn of_cluster(found: &Found, look: &Look<'_>, since: Micros, memory: &Memory) -> Vec<Happened> {
    let row = &found.row;
    let stopped = row.stopped_micros;
    let about = |kind, mark, what: String, body: String, query: &str| Happened {
        kind,
        of: row.id,
        mark,
        new: stopped.is_none_or(|stopped| stopped > since),
        name: name(&row.name),
        what,
        body,
        place: format!("cluster/{}{query}", row.id),
    };
    let lasted = stopped.unwrap_or(look.now).0 - row.started_micros.0;
    let silent = look.now.0 - row.last_heard_micros.0;
    let mut all = Vec::new();

    let erred = erred(found);
    if let Some(erred) = &erred {
        let when = match row.state {
            ClusterState::Finished => format!("It ran for {}.", duration(lasted)),
            _ => format!("It started {} ago.", duration(lasted)),
        };
        all.push(about(
            Kind::Failed,
            0,
            erred.clone(),
            when,
            "?tab=exceptions",
        ));
    }
    match row.state {
        ClusterState::Finished if lasted >= minutes(look.choices.finished_minutes) => {
            let mut body = format!("It ran for {}", duration(lasted));
            if row.tasks_completed > 0 {
                body += &format!(": {}", count(row.tasks_completed, "task", "tasks"));
            }
            let erred = erred.map(|erred| format!("; {erred}"));
            body += &format!("{}.", erred.unwrap_or_default());
            let mark = stopped.map_or(0, |at| at.0);
            all.push(about(Kind::Finished, mark, "finished".into(), body, ""));
        }
        // After a gap everybody is silent for a moment.
        ClusterState::Lost if look.now.0 - memory.awake.0 >= REUNITED => {
            let body = format!("No report for {}, and no shutdown.", duration(silent));
            let mark = row.last_heard_micros.0;
            let lost = about(Kind::Failed, mark, SILENT.into(), body, "");
            let new = mark > memory.dozed.0 - LATE;
            // It says more than what erred before.
            all.insert(0, Happened { new, ..lost });
        }
        ClusterState::Stalled => {
            let quiet = found.stall.as_ref().map_or(0, |stall| stall.quiet_micros);
            let body = format!("No task finished for {}.", duration(quiet));
            let mark = row.last_completed_micros.map_or(0, |at| at.0);
            all.push(about(
                Kind::Stalled,
                mark,
                "stalled".into(),
                body,
                "?tab=workers",
            ));
        }
        ClusterState::Idle => {
            let began = row.idle_since_micros.unwrap_or(look.now);
            let wanted = look.kept.get(&row.id).copied().unwrap_or_default();
            // Both by the scheduler's clock, and then what has passed since by this machine's.
            let at_sample = found.sample_at.map_or(0, |at| (at.0 - began.0).max(0));
            let idle = at_sample + silent.max(0);
            if idle >= minutes(look.choices.idle_minutes) && wanted <= look.now {
                let kept = count(row.workers, "worker is", "workers are");
                let burning = look.burning.get(&row.id);
                let body = format!(
                    "Nothing to do for {}; {kept} still up{}.",
                    duration(idle),
                    burning.map_or(String::new(), |words| format!(", at {words}"))
                );
                all.push(about(
                    Kind::Idle,
                    // Once the time is over for which it was kept, it is news again.
                    began.max(wanted).0,
                    "is idle".into(),
                    body,
                    "?tab=activity",
                ));
            }
        }
        ClusterState::Finished | ClusterState::Lost | ClusterState::Running => {}
    }
    all
}

/// `3 tasks erred`: counts, and nothing of what they said.
fn erred(found: &Found) -> Option<String> {
    match (found.row.tasks_erred, found.row.exceptions) {
        (0, 0) => None,
        (0, exceptions) => Some(count(exceptions, "exception", "exceptions")),
        (tasks, _) => Some(format!("{} erred", count(tasks, "task", "tasks"))),
    }
}

fn of_budgets(look: &Look<'_>) -> Vec<Happened> {
    let Some(list) = look.budgets else {
        return Vec::new();
    };
    let reached = list.rows.iter().filter(|row| row.reached_percent > 0);
    reached
        .map(|row| Happened {
            kind: Kind::Budget,
            of: row.id,
            // The step of this month: months begin in whole seconds.
            mark: list.from_micros.0 + i64::from(row.reached_percent),
            new: true,
            name: match &row.covers {
                Covers::Everything => Some("all clusters".into()),
                Covers::User { user } => name(user),
                Covers::Project { project } => name(project),
                Covers::Tag { name: tag, value } => name(&format!("{tag}={value}")),
            },
            what: format!("{} % of the budget is used", row.reached_percent),
            body: "For this month. Bobbin does not stop anything.".into(),
            place: "costs".into(),
        })
        .collect()
}

/// A name as a screen may show it to anybody; one that looks like a path, or like markup, is not shown.
fn name(text: &str) -> Option<String> {
    let text = plain(text);
    let text = text.trim();
    if text.is_empty() || text.contains(['/', '\\', '<', '>', '&']) {
        return None;
    }
    let mut short: String = text.chars().take(NAME).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    Some(short)
}

/// A cluster by its name, where a screen may show that.
pub(crate) fn called(named: Option<&str>, choices: &NoticeChoices) -> String {
    let name = named.and_then(name).filter(|_| choices.names);
    name.unwrap_or_else(|| "A cluster".into())
}

fn alone(one: Happened, choices: &NoticeChoices) -> Notice {
    let name = one.name.filter(|_| choices.names);
    let counted = one.what.starts_with(|c: char| c.is_ascii_digit());
    let summary = match (name, one.kind) {
        (Some(name), _) if counted => format!("{name}: {}", one.what),
        (Some(name), _) => format!("{name} {}", one.what),
        (None, Kind::Budget) => one.what,
        (None, Kind::View) => format!("A saved view: {}", one.what),
        (None, _) if counted => format!("A cluster: {}", one.what),
        (None, _) => format!("A cluster {}", one.what),
    };
    Notice {
        summary,
        body: one.body,
        place: one.place,
        idle: (one.kind == Kind::Idle).then_some(one.of),
    }
}

/// `2 finished, 1 stalled`, and whose.
fn together(due: &[Happened], choices: &NoticeChoices) -> Notice {
    let mut kinds: Vec<Kind> = due.iter().map(|one| one.kind).collect();
    kinds.dedup();
    let of = |kind| due.iter().filter(|one| one.kind == kind).count();
    let parts: Vec<String> = kinds
        .iter()
        .map(|kind| match (kind, of(*kind)) {
            (Kind::Failed, n) => format!("{n} failed"),
            (Kind::Stalled, n) => format!("{n} stalled"),
            (Kind::Finished, n) => format!("{n} finished"),
            (Kind::Idle, n) => format!("{n} idle"),
            (Kind::Budget, 1) => "1 budget".into(),
            (Kind::Budget, n) => format!("{n} budgets"),
            (Kind::View, 1) => "1 view".into(),
            (Kind::View, n) => format!("{n} views"),
        })
        .collect();
    let named = due.iter().filter(|_| choices.names);
    let mut names: Vec<&str> = named.filter_map(|one| one.name.as_deref()).collect();
    names.dedup();
    names.truncate(NAMED);
    let rest = due.len() - names.len();
    let body = match (names.is_empty(), rest) {
        (true, _) => "While you were away.".into(),
        (false, 0) => names.join(", "),
        (false, rest) => format!("{}, and {rest} more", names.join(", ")),
    };
    let place = match kinds[..] {
        [Kind::Failed] => {
            // One that is lost told of no exception.
            let lost = due.iter().filter(|one| one.what == SILENT).count();
            match lost {
                0 => "exceptions",
                lost if lost == due.len() => "clusters?states=lost",
                _ => "overview",
            }
        }
        [Kind::Stalled] => "clusters?states=stalled",
        [Kind::Finished] => "clusters?states=finished",
        [Kind::Idle] => "clusters?states=idle",
        [Kind::Budget] => "costs",
        [Kind::View] => "clusters",
        _ => "overview",
    };
    Notice {
        summary: format!("Bobbin: {}", parts.join(", ")),
        body,
        place: place.into(),
        idle: None,
    }
}

/// As a value in an address of the page.
fn encoded(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'-' | b'_' | b'.' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                safe.push(char::from(byte));
            }
            other => safe += &format!("%{other:02X}"),
        }
    }
    safe
}

fn minutes(n: u32) -> i64 {
    i64::from(n) * MINUTE
}

#[cfg(test)]
mod tests;
