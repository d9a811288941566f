//! Clusters on the way that every batch goes: written as lines, read, checked, stored.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use bobbin_core::{
    api::{App, Role},
    clock::{Clock, SystemClock},
    wire::{Batch, decode},
};
use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use super::{
    cluster::{self, Generated, Size},
    recorded::{self, Recorded},
    team::Team,
};
use crate::{
    generate::Order,
    process::{Failure, Result, say},
};

/// A cluster's number and its batches.
type Made = (u64, Result<Vec<Batch>>);

const DAY_MICROS: i64 = 86_400_000_000;

/// Records of one batch.
const RECORDS: usize = 500;

/// What can wait is given a tenth of the writer's time; what is left then is done while the store is used.
const PATIENCE: Duration = Duration::from_secs(300);

/// Fills the store of the install in `folder`, which is made if it is not there; then come clusters of the sizes in `more`.
///
/// # Errors
/// The recorded story cannot be read, or the store refuses.
pub fn fill(folder: &Path, order: Order, more: &[Size]) -> Result {
    let today = || SystemClock.now().0 / DAY_MICROS;
    let until_micros = order.until.unwrap_or_else(today) * DAY_MICROS;
    let app = App::open(folder, Role::Owner, Arc::new(SystemClock)).map_err(failed)?;
    let (team, stories) = (Team::new(order.seed, order.members), recorded::read()?);
    let next = AtomicU64::new(0);
    let makers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let (made, stored) = sync_channel(2 * makers);
        for _ in 0..makers {
            let (made, team, stories, next) = (made.clone(), &team, &stories, &next);
            scope.spawn(move || draw((order, more), until_micros, (team, stories), next, &made));
        }
        drop(made);
        store(&app, stored, order.clusters)
    })?;
    app.drain().map_err(failed)?;
    drop(app);
    settle(folder)
}

/// Waits until the days are summed and the profiles put together that a Bobbin of that age would have: it begins with that
/// soon after a start.
fn settle(folder: &Path) -> Result {
    let app = App::open(folder, Role::Owner, Arc::new(SystemClock)).map_err(failed)?;
    let db = Connection::open_with_flags(
        folder.join("bobbin.sqlite"),
        OpenFlags::SQLITE_OPEN_READ_ONLY,
    )
    .map_err(failed)?;
    let now = SystemClock.now().0;
    let due = "select (select count(*) from usage_day_stale where day < ?1 / ?2)
        + (select count(*) from profile_due where due_micros <= ?1)
        + (select count(*) from stalled_due where due_micros <= ?1)";
    let (begun, mut said) = (Instant::now(), 0);
    loop {
        let left: u64 = db
            .query_one(due, (now, DAY_MICROS), |row| row.get(0))
            .map_err(failed)?;
        if left == 0 || begun.elapsed() > PATIENCE {
            drop(db);
            return app.drain().map_err(failed);
        }
        if begun.elapsed().as_secs() >= said {
            say("put together", &format!("{left} days and profiles left"));
            said += 30;
        }
        thread::sleep(Duration::from_millis(200));
    }
}

fn failed(error: impl ToString) -> Failure {
    Failure::new(error.to_string())
}

/// Makes one cluster after the other, until there are enough or nobody takes them.
fn draw(
    (order, more): (Order, &[Size]),
    until_micros: i64,
    (team, stories): (&Team, &[Recorded]),
    next: &AtomicU64,
    made: &SyncSender<Made>,
) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let size = match number.checked_sub(order.clusters) {
            None => Size {
                groups: order.groups,
                stacks: order.stacks,
            },
            Some(place) => match more.get(place as usize) {
                Some(size) => *size,
                None => return,
            },
        };
        let period = (order.days, until_micros);
        let one = cluster::make(order.seed, number, size, (team, stories), period);
        if made.send((number, batches(&one))).is_err() {
            return;
        }
    }
}

/// In the order of their numbers, whoever was quicker: Bobbin numbers clusters as they come.
fn store(app: &App, made: Receiver<Made>, clusters: u64) -> Result {
    let (mut early, mut next) = (BTreeMap::new(), 0);
    for (number, batches) in made {
        early.insert(number, batches?);
        while let Some(batches) = early.remove(&next) {
            for batch in batches {
                let receipt = app.ingest(batch).map_err(failed)?;
                if let Some(refusal) = receipt.refused.first() {
                    return Err(Failure::new(format!("a record was refused: {refusal:?}")));
                }
            }
            next += 1;
            if next.is_multiple_of(1_000) {
                say("clusters", &format!("{next} of {clusters}"));
            }
        }
    }
    Ok(())
}

/// The batches of a cluster, as its plugin would send them.
fn batches(one: &Generated) -> Result<Vec<Batch>> {
    let parts = one.records.chunks(RECORDS).enumerate();
    parts
        .map(|(part, records)| {
            let sent = records.last().map_or(0, |record| record.at().0);
            let header = json!({
                "kind": "header", "protocol": 1, "cluster_id": one.cluster_id, "instance_id": one.instance_id,
                "first_seq": 1 + part * RECORDS, "records": records.len(), "sent_at_micros": sent,
                "monotonic_micros": sent, "plugin_version": "0.1.0",
            });
            let mut text = header.to_string();
            for record in records {
                text.push('\n');
                text.push_str(&serde_json::to_string(record).map_err(failed)?);
            }
            text.push('\n');
            decode(text.as_bytes()).map_err(failed)
        })
        .collect()
}
