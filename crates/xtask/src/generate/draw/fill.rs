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
    clock::{Clock, ManualClock, SystemClock},
    model::Micros,
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
/// Longer than the writer puts off what it counts of stalls, as long as samples may still come.
const PUT_OFF_MICROS: i64 = 120_000_000;

/// Records of one batch.
const RECORDS: usize = 500;

/// What can wait is given a tenth of the writer's time. Of a large store that is minutes; but where nothing gets done for so long,
/// nothing will.
const PATIENCE: Duration = Duration::from_secs(300);

/// Fills the store of the install in `folder`, which is made if it is not there; then come clusters of the sizes in `more`.
///
/// # Errors
/// The recorded story cannot be read, or the store refuses, or is never done with what can wait.
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
    settle(folder, PATIENCE)
}

/// Waits until the days are summed, the profiles put together and the stalled time counted that a Bobbin of that age would have:
/// it begins with that soon after a start.
///
/// # Errors
/// For so long none of it gets done, or the store refuses.
fn settle(folder: &Path, patience: Duration) -> Result {
    let now = Micros(SystemClock.now().0 + PUT_OFF_MICROS);
    let clock = Arc::new(ManualClock::at(now));
    let app = App::open(folder, Role::Owner, clock).map_err(failed)?;
    let db = Connection::open_with_flags(
        folder.join("bobbin.sqlite"),
        OpenFlags::SQLITE_OPEN_READ_ONLY,
    )
    .map_err(failed)?;
    let due = "select (select count(*) from usage_day_stale where day < ?1 / ?2)
        + (select count(*) from profile_due where due_micros <= ?1)
        + (select count(*) from stalled_due where due_micros <= ?1)";
    let (begun, mut said) = (Instant::now(), 0);
    let (mut least, mut since) = (u64::MAX, begun);
    loop {
        let left: u64 = db
            .query_one(due, (now.0, DAY_MICROS), |row| row.get(0))
            .map_err(failed)?;
        if left == 0 {
            drop(db);
            return app.drain().map_err(failed);
        }
        if left < least {
            (least, since) = (left, Instant::now());
        } else if since.elapsed() >= patience {
            let waited = patience.as_secs();
            let why =
                format!("{left} days and profiles still wait, and none got done in {waited} s");
            let hint = "the disk may be full; the same command goes on in the same folder";
            return Err(Failure::new(why).hint(hint));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        tables::{quoted, rows, tables},
        torture::folder::Folder,
    };

    /// So long ago that all its days are over, and all its profiles old.
    const UNTIL: i64 = 20_000;

    fn order(clusters: u64) -> Order {
        Order {
            clusters,
            members: 5,
            days: 30,
            seed: 7,
            until: Some(UNTIL),
            groups: None,
            stacks: None,
        }
    }

    fn open(folder: &Path, flags: OpenFlags) -> Connection {
        Connection::open_with_flags(folder.join("bobbin.sqlite"), flags).unwrap()
    }

    /// What of a column is the same in each store; nothing of what is drawn anew, or is this machine's clock.
    fn same(table: &str, column: &str) -> Option<String> {
        let is_own = matches!(table, "install_key" | "retention_clock")
            || table == "data_key" && matches!(column, "id" | "created_micros" | "wrapped");
        let is_when = matches!(
            column,
            "received_micros" | "last_heard_micros" | "silent_after_micros"
        );
        if is_own || is_when {
            return None;
        }
        // Each store has a key of its own: what is under it is only as long as in the other.
        let is_sealed = column.ends_with("_sealed") || column == "fingerprint";
        Some(match is_sealed {
            true => format!("length({})", quoted(column)),
            false => quoted(column),
        })
    }

    #[test]
    fn the_same_options_fill_two_stores_alike_but_for_keys_and_the_time_at_which_it_came() {
        let folder = Folder::make("fill").unwrap();
        let [one, other] = ["one", "other"].map(|name| {
            let store = folder.0.join(name);
            fill(&store, order(16), &[]).unwrap();
            open(&store, OpenFlags::SQLITE_OPEN_READ_ONLY)
        });
        let mut filled = Vec::new();
        for table in tables(&one).unwrap() {
            let columns = table.columns.iter();
            let columns: Vec<String> = columns
                .filter_map(|column| same(&table.name, column))
                .collect();
            if columns.is_empty() {
                continue;
            }
            let of = |db: &Connection| rows(db, &table.name, &columns).unwrap();
            let (one, other) = (of(&one), of(&other));
            assert!(one == other, "{} differs", table.name);
            if !one.is_empty() {
                filled.push(table.name);
            }
        }
        let expected = "batch cluster cluster_text computation_code data_key event frame metric \
                        profile_stack sample_worker span task_group usage_day worker_event";
        for table in expected.split(' ') {
            assert!(filled.iter().any(|name| name == table), "{table} is empty");
        }
    }

    #[test]
    fn what_is_never_put_together_is_a_failure() {
        let folder = Folder::make("settle").unwrap();
        let store = folder.0.join("store");
        let wait = |patience| settle(&store, patience);
        fill(&store, order(1), &[]).unwrap();
        wait(Duration::ZERO).unwrap();
        open(&store, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .execute_batch("insert into usage_day_stale (day) values (1), (2)")
            .unwrap();
        // It begins two seconds after a start.
        let failure = wait(Duration::ZERO).unwrap_err().to_string();
        assert!(
            failure.contains("2 days and profiles still wait"),
            "{failure}"
        );
        wait(PATIENCE).unwrap();
    }
}
