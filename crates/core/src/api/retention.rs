//! What the store takes, what is kept for how long, and what a reader deletes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::Connection;

use super::{
    App, ClusterRequest, DeleteRequest, Empty, PrunedList, Removal, RemovalPreview,
    RemovalPreviewRequest, Storage, UndoDeleteRequest,
};
use crate::model::{Micros, RetentionCategory, RetentionRules};
use crate::query::{self, Candidate};
use crate::retain::{Cutoffs, all_detail};
use crate::{Error, Result, retain, store};

/// Clusters of one request, and rows of a preview.
const CLUSTERS: usize = 1_000;
/// Clusters of one read: it is short, whatever they hold.
const AT_ONCE: u64 = 200;

pub(super) fn storage(app: &App, _: Empty) -> Result<Storage> {
    let now = app.now();
    let (facts, set, belief) = app.read(|db| {
        Ok((
            query::storage_facts(db)?,
            retain::rules(db)?,
            retain::belief(db, now)?,
        ))
    })?;
    let log = fs::metadata(app.dir().join(format!("{}-wal", store::FILE)));
    Ok(Storage {
        file_bytes: facts.pages * facts.page_bytes,
        used_bytes: (facts.pages - facts.free_pages) * facts.page_bytes,
        // Nobody writes where there is none.
        log_bytes: log.map_or(0, |log| log.len()),
        snapshots_bytes: store::snapshots(app.dir())
            .iter()
            .map(|snapshot| snapshot.bytes)
            .sum(),
        aside_bytes: store::aside_bytes(app.dir()),
        rules: set.rules,
        defaults: RetentionRules::default(),
        changed_micros: set.changed,
        clock_waits_seconds: belief.waits(now).map(|wait| wait.as_secs_f64()),
        clock_trusted_micros: belief.trusted,
        worked_micros: facts.worked,
        pinned: facts.pinned,
        deletions: facts.deletions,
        deleted_clusters: facts.deleted_clusters,
        deleted_batches: facts.deleted_batches,
    })
}

pub(super) fn set_retention(app: &App, rules: RetentionRules) -> Result<Storage> {
    retain::check_rules(&rules)?;
    let now = app.now();
    app.write(move |db| retain::set_rules(db, &rules, now))?;
    app.tell(Vec::new());
    storage(app, Empty {})
}

pub(super) fn trust_clock(app: &App, _: Empty) -> Result<Storage> {
    let now = app.now();
    app.write(move |db| retain::trust(db, now))?;
    storage(app, Empty {})
}

pub(super) fn delete_clusters(app: &App, request: DeleteRequest) -> Result<Storage> {
    let DeleteRequest { ids, at_once } = request;
    let now = app.now();
    change(app, ids, move |db, ids| retain::ask(db, ids, now, at_once))
}

pub(super) fn undo_delete(app: &App, request: UndoDeleteRequest) -> Result<Storage> {
    change(app, request.ids, retain::undo)
}

fn change(
    app: &App,
    ids: Vec<i64>,
    change: impl FnOnce(&Connection, &[i64]) -> Result<usize> + Send + 'static,
) -> Result<Storage> {
    check(&ids)?;
    let changed = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&changed);
    let meant = ids.clone();
    app.write(move |db| {
        counted.store(change(db, &meant)?, Ordering::Relaxed);
        Ok(())
    })?;
    if changed.load(Ordering::Relaxed) == 0 {
        return Err(Error::NotFound {
            kind: "cluster",
            id: ids
                .iter()
                .take(10)
                .map(i64::to_string)
                .collect::<Vec<_>>()
                .join(", "),
        });
    }
    app.tell(ids);
    storage(app, Empty {})
}

fn check(ids: &[i64]) -> Result<()> {
    if (1..=CLUSTERS).contains(&ids.len()) {
        return Ok(());
    }
    Err(Error::Invalid {
        what: "clusters",
        value: ids.len().to_string(),
        reason: format!("delete 1 to {CLUSTERS} clusters at once"),
    })
}

pub(super) fn cluster_pruned(app: &App, request: ClusterRequest) -> Result<PrunedList> {
    app.read(|db| query::pruned(db, request.id))
}

pub(super) fn removal_preview(app: &App, request: RemovalPreviewRequest) -> Result<RemovalPreview> {
    let mut plan = Plan::new(app.now());
    if !request.ids.is_empty() {
        check(&request.ids)?;
        let clusters = app.read(|db| query::named_candidates(db, plan.now, &request.ids))?;
        plan.whole(app, &clusters)?;
        return Ok(plan.answer(0));
    }
    let rules = match request.rules {
        Some(rules) => {
            retain::check_rules(&rules)?;
            rules
        }
        // They were looked at when they were set.
        None => app.read(retain::rules)?.rules,
    };
    plan.by_age(app, &rules)?;
    let beyond = plan.by_size(app, &rules)?;
    Ok(plan.answer(beyond))
}

/// By how many bytes the store stays larger than it may be, whatever goes: pinned clusters and those that report stay.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn beyond_bytes(app: &App) -> Result<u64> {
    let rules = app.read(retain::rules)?.rules;
    Plan::new(app.now()).by_size(app, &rules)
}

/// What would go, as the writer would do it.
struct Plan {
    now: Micros,
    gone: BTreeMap<i64, (Candidate, Going)>,
}

#[derive(Default)]
struct Going {
    bytes: BTreeMap<Option<RetentionCategory>, u64>,
    whole: bool,
}

impl Plan {
    fn new(now: Micros) -> Self {
        Self {
            now,
            gone: BTreeMap::new(),
        }
    }

    fn bytes(&self) -> u64 {
        let each = self
            .gone
            .values()
            .flat_map(|(_, going)| going.bytes.values());
        each.sum()
    }

    /// Adds what some clusters have from before these moments.
    fn add(
        &mut self,
        app: &App,
        clusters: &[Candidate],
        before: &Cutoffs,
        whole: bool,
    ) -> Result<()> {
        let ids: Vec<i64> = clusters.iter().map(|cluster| cluster.id).collect();
        let found = app.read(|db| retain::stored_bytes(db, &ids, before, whole))?;
        for cluster in clusters {
            let Some(bytes) = found.get(&cluster.id) else {
                continue;
            };
            let (_, going) = self
                .gone
                .entry(cluster.id)
                .or_insert_with(|| (cluster.clone(), Going::default()));
            going.whole |= whole;
            // What goes by age goes with all that is there, too.
            going
                .bytes
                .extend(bytes.iter().filter(|(_, bytes)| **bytes > 0));
        }
        Ok(())
    }

    fn whole(&mut self, app: &App, clusters: &[Candidate]) -> Result<()> {
        for some in clusters.chunks(AT_ONCE as usize) {
            self.add(app, some, &all_detail(), true)?;
        }
        Ok(())
    }

    fn by_age(&mut self, app: &App, rules: &RetentionRules) -> Result<()> {
        let believed = app
            .read(|db| retain::belief(db, self.now))?
            .believed(self.now);
        let before: Cutoffs = RetentionCategory::ALL
            .into_iter()
            .filter_map(|category| {
                Some((category, retain::before(rules.days(category)?, believed)))
            })
            .collect();
        let Some(latest) = before.values().max().copied() else {
            return Ok(());
        };
        let mut clusters = Walk::new(app, self.now);
        while let Some(some) = clusters.next()? {
            let old: Vec<Candidate> = some
                .into_iter()
                .filter(|cluster| cluster.started < latest)
                .collect();
            self.add(app, &old, &before, false)?;
        }
        self.gone.retain(|_, (_, going)| !going.bytes.is_empty());
        Ok(())
    }

    /// Gives by how much it would still be too much.
    fn by_size(&mut self, app: &App, rules: &RetentionRules) -> Result<u64> {
        let facts = app.read(query::storage_facts)?;
        let used = (facts.pages - facts.free_pages) * facts.page_bytes;
        let Some(cap) = rules.cap_bytes else {
            return Ok(0);
        };
        let goal = retain::goal(cap);
        if used.saturating_sub(self.bytes()) <= cap {
            return Ok(0);
        }
        let mut stays = 0;
        for id in app.read(retain::pinned)? {
            stays += app.read(|db| retain::whole_bytes(db, id))?;
        }
        if stays < goal {
            self.make_room(app, used - goal, None)?;
        }
        if used.saturating_sub(self.bytes()) > cap {
            let running: BTreeSet<i64> = app
                .read(|db| retain::running(db, self.now))?
                .into_iter()
                .collect();
            for id in &running {
                stays += app.read(|db| retain::left_bytes(db, *id))?;
            }
            if stays < goal {
                self.make_room(app, used - cap, Some(&running))?;
            }
        }
        self.gone.retain(|_, (_, going)| !going.bytes.is_empty());
        Ok((used - cap).saturating_sub(self.bytes()))
    }

    /// Adds clusters until so many bytes would go: their detail, or whole ones but for those that are `running`.
    fn make_room(&mut self, app: &App, need: u64, running: Option<&BTreeSet<i64>>) -> Result<()> {
        let stays = |id| running.is_some_and(|running| running.contains(&id));
        let mut clusters = Walk::new(app, self.now);
        while self.bytes() < need
            && let Some(some) = clusters.next()?
        {
            for cluster in some {
                if self.bytes() >= need {
                    break;
                }
                if !stays(cluster.id) {
                    self.add(app, &[cluster], &all_detail(), running.is_some())?;
                }
            }
        }
        Ok(())
    }

    fn answer(self, beyond_bytes: u64) -> RemovalPreview {
        let mut rows: Vec<Removal> = self
            .gone
            .into_values()
            .map(|(cluster, going)| Removal {
                id: cluster.id,
                name: cluster.name,
                started_micros: cluster.started,
                reports: cluster.reports,
                pinned: cluster.pinned,
                whole: going.whole,
                categories: going.bytes.keys().copied().flatten().collect(),
                bytes: going.bytes.values().sum(),
            })
            .collect();
        rows.sort_by_key(|row| (std::cmp::Reverse(row.bytes), row.id));
        let clusters = rows.len() as u64;
        let bytes = rows.iter().map(|row| row.bytes).sum();
        let whole = rows.iter().filter(|row| row.whole).count() as u64;
        rows.truncate(CLUSTERS);
        RemovalPreview {
            bytes,
            clusters,
            whole,
            truncated: (rows.len() as u64) < clusters,
            rows,
            beyond_bytes,
        }
    }
}

/// The clusters that are not pinned, some at a time.
struct Walk<'a> {
    app: &'a App,
    now: Micros,
    behind: (Micros, i64),
}

impl<'a> Walk<'a> {
    fn new(app: &'a App, now: Micros) -> Self {
        Self {
            app,
            now,
            behind: (Micros(i64::MIN), 0),
        }
    }

    fn next(&mut self) -> Result<Option<Vec<Candidate>>> {
        let some = self
            .app
            .read(|db| query::candidates(db, self.now, self.behind, AT_ONCE))?;
        if let Some(last) = some.last() {
            self.behind = (last.seen, last.id);
        }
        Ok((!some.is_empty()).then_some(some))
    }
}
