//! The trees of selections: kept, grown from one that is kept, or merged anew.

use std::cmp::Reverse;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};

use super::name_of;
use crate::Result;
use crate::api::trees::{Held, Made, Whole};
use crate::api::{App, FlameAbout, FlameCluster, ProfileLines, ProfileSelection};
use crate::insight::flame::{Merged, Merging};
use crate::query::{self, CountedLines, Functions, LineCounts, ProfileRecord, Profiles, Selected};

/// Clusters that are told one by one.
const CLUSTERS: usize = 1_000;
/// So many stacks a node it takes until it is quicker to go on from a tree, each of whose nodes is put in its place again.
const SHARED: usize = 4;

/// The tree of a selection: the one that is named as long as it is kept and nothing of it was switched off since, else the
/// newest.
pub(in crate::api) fn merged(
    app: &App,
    selection: &ProfileSelection,
    name: Option<&str>,
) -> Result<(String, Arc<Held>)> {
    if let Some(name) = name
        && let Some(held) = app.trees().kept.find(name)
        && let Some(made) = &held.made
    {
        if app.read(|db| query::switched_off(db, &made.selected.ids))? == made.off {
            return Ok((name.to_owned(), held));
        }
        // What must not be stored is not kept in memory either, nor what was made of it.
        app.trees().kept.clear();
    }
    newest(app, selection, false)
}

/// The newest tree of a selection, with its samples by line. These are as many as the stacks, and only prices of lines ask for them.
pub(in crate::api) fn merged_with_lines(
    app: &App,
    selection: &ProfileSelection,
) -> Result<Arc<Held>> {
    let (_, held) = newest(app, selection, true)?;
    Ok(held)
}

fn newest(
    app: &App,
    selection: &ProfileSelection,
    with_lines: bool,
) -> Result<(String, Arc<Held>)> {
    let now = app.now();
    let (selected, profiles, off) = app.read(|db| {
        let selected = query::select(db, now, selection)?;
        let profiles = query::profiles(db, &selected)?;
        let off = query::switched_off(db, &selected.ids)?;
        Ok((selected, profiles, off))
    })?;
    let name = name_of(&[
        &serde_json::to_string(&selected)?,
        &profiles.stamp,
        &off,
        if with_lines { "lines" } else { "" },
    ]);
    let held = app.trees().find_or_make(&name, || {
        make(app, selected, profiles, off, with_lines, &name)
    })?;
    Ok((name, held))
}

fn make(
    app: &App,
    selected: Selected,
    profiles: Profiles,
    off: String,
    with_lines: bool,
    name: &str,
) -> Result<Held> {
    let again = Grown::again(app, &selected, &off, with_lines, &profiles.records);
    let again = again
        .map(|(grown, new)| grown.with(app, &new))
        .transpose()?;
    // What is told less finely depends on the order of the records.
    let grown = match again.filter(|grown| !grown.merging.is_full()) {
        Some(grown) => grown,
        None => Grown::new(with_lines).with(app, &profiles.records)?,
    };
    let truncated = profiles.truncated || selected.truncated;
    let is_whole = !grown.is_short && !grown.merging.is_full();
    let Grown {
        merging,
        lines,
        functions,
        stacks,
        ..
    } = grown;
    // Of a part of the time nobody knows how many tasks ended in it.
    let whole_time = selected.from_micros.is_none() && selected.to_micros.is_none();
    // Read while the tree is laid out, which is the work of one thread.
    let (merged, tasks) = thread::scope(|scope| {
        let read = || app.read(|db| query::tasks(db, &selected));
        let tasks = whole_time.then(|| scope.spawn(read));
        let merged = merging.finish(functions, truncated);
        (merged, tasks.map(ScopedJoinHandle::join))
    });
    let tasks = tasks
        .map(|told| told.unwrap_or_else(|panic| resume_unwind(panic)))
        .transpose()?;
    let Merged {
        tree,
        samples,
        unattributed,
        seconds,
        from,
        to,
        records,
        truncated,
        of_clusters,
    } = merged;
    let mut clusters: Vec<(i64, u64)> = of_clusters.into_iter().collect();
    clusters.sort_by_key(|&(id, samples)| (Reverse(samples), id));
    clusters.truncate(CLUSTERS);
    // Names, users and lines are told anew with each answer: they may come and go.
    let clusters = clusters.into_iter().map(|(id, of)| FlameCluster {
        id,
        name: String::new(),
        user: None,
        samples: of,
        share: of as f64 / samples.max(1) as f64,
    });
    let about = FlameAbout {
        tree: name.to_owned(),
        samples,
        unattributed,
        seconds,
        from_micros: from,
        to_micros: to,
        records,
        nodes: tree.len() as u64 - 1,
        functions: tree.frames.len() as u64,
        truncated,
        prefixes: profiles.prefixes,
        chosen_prefixes: selected.prefixes.clone().unwrap_or_default(),
        clusters: clusters.collect(),
        clusters_total: selected.ids.len() as u64,
        tasks,
        lines: ProfileLines::Off,
    };
    let made = Made {
        about,
        selected,
        off,
        with_lines,
        whole: is_whole.then_some(Whole {
            records: profiles.records,
            stacks,
        }),
    };
    Ok(Held {
        lines,
        ..Held::new(tree, Some(made))
    })
}

/// A tree that is about to be laid out.
#[derive(Default)]
struct Grown {
    merging: Merging,
    with_lines: bool,
    lines: CountedLines,
    /// Of the stacks that were read.
    functions: Functions,
    /// Those of each record.
    stacks: usize,
    /// Whether a record was taken away before it was read.
    is_short: bool,
}

impl Grown {
    fn new(with_lines: bool) -> Self {
        Self {
            with_lines,
            ..Self::default()
        }
    }

    /// What goes on from a kept tree of the same selection, and the records that are not in it yet: while clusters report, these
    /// are few. None where something that is in that tree is not stored as it was.
    fn again(
        app: &App,
        selected: &Selected,
        off: &str,
        with_lines: bool,
        records: &[ProfileRecord],
    ) -> Option<(Self, Vec<ProfileRecord>)> {
        let kept = app.trees().kept.all();
        kept.iter().find_map(|held| {
            let made = held.made.as_ref()?;
            let whole = made.whole.as_ref()?;
            let is_shared = whole.stacks >= SHARED * held.tree.len();
            let is_same =
                made.selected == *selected && made.off == off && made.with_lines == with_lines;
            if !is_same || !is_shared {
                return None;
            }
            let new = rest(records, &whole.records)?;
            let grown = Self {
                merging: Merging::again(&held.tree, &whole.records),
                lines: held.lines.clone(),
                stacks: whole.stacks,
                ..Self::new(with_lines)
            };
            Some((grown, new))
        })
    }

    /// The same with these records.
    fn with(mut self, app: &App, records: &[ProfileRecord]) -> Result<Self> {
        let mut counts = LineCounts::default();
        let mut came = 0;
        let with_lines = self.with_lines;
        self.functions = query::each_stacks(
            records,
            |reader, some| {
                app.read(|db| match with_lines {
                    true => reader.read(db, some),
                    false => reader.read_without_lines(db, some),
                })
            },
            |record, stacks| {
                self.merging
                    .add(record, |growing| growing.add_stacks(stacks));
                counts.add(stacks);
                self.stacks += stacks.stacks.len();
                came += 1;
            },
        )?;
        self.lines.add(counts.named(&self.functions));
        self.is_short = came < records.len();
        Ok(self)
    }
}

/// The records that are not among the known ones; none where a known one is not among the records. Both are in one order.
fn rest(records: &[ProfileRecord], known: &[ProfileRecord]) -> Option<Vec<ProfileRecord>> {
    let mut known = known.iter().peekable();
    let new = records
        .iter()
        .filter(|record| known.next_if_eq(record).is_none());
    let new = new.copied().collect();
    known.peek().is_none().then_some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_is_told_only_where_all_that_was_known_is_there() {
        let records = |seqs: &[u64]| -> Vec<ProfileRecord> {
            seqs.iter().copied().map(ProfileRecord::of).collect()
        };
        let new = |all: &[u64], known: &[u64]| -> Option<Vec<u64>> {
            let new = rest(&records(all), &records(known))?;
            Some(new.iter().map(|record| record.seq).collect())
        };
        assert_eq!(new(&[1, 2, 3, 4], &[2, 4]), Some(vec![1, 3]));
        assert_eq!(new(&[1, 2], &[1, 2]), Some(vec![]));
        assert_eq!(new(&[1, 2], &[]), Some(vec![1, 2]));
        assert_eq!(new(&[1, 3], &[1, 2]), None);
        assert_eq!(new(&[], &[1]), None);
        let mut put_together = records(&[1, 2]);
        put_together[0].samples = 2;
        assert_eq!(rest(&put_together, &records(&[1])), None);
    }
}
