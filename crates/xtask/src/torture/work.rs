//! Batches that can be told apart, and what a store must hold once they were acknowledged.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::LazyLock,
};

use bobbin_core::clock::{Clock, SystemClock};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use crate::process::{Failure, Result};

/// Who sends: one scheduler each.
pub type Sender = u64;
/// A batch: its sender, and how many of it came before.
pub type Batch = (Sender, u64);

/// Records of each batch: a sample, a group, an event, a computation with its code, an exception and a profile.
const RECORDS: u64 = 6;
/// Groups of each sender, and as many computations and exceptions: their records come again and again, and the latest stands.
const GROUPS: u64 = 16;
/// Profiles, and those that went into another.
const PROFILES: &str =
    "(select instance_id, seq from profile union all select instance_id, seq from profile_merged)";
/// When the first batch was made: days ago, so that its profiles are put together and its days summed once the writer has time.
static BEGUN: LazyLock<i64> = LazyLock::new(|| SystemClock.now().0 - 3 * 86_400_000_000);

/// The records of so many batches.
pub fn records(batches: u64) -> u64 {
    batches * RECORDS
}

/// The batch as it is posted: its event, code and exception are sealed.
pub fn body((sender, number): Batch) -> Vec<u8> {
    let at = *BEGUN + number as i64 * 10_000_000;
    let header = json!({
        "kind": "header", "protocol": 1, "cluster_id": scheduler(sender), "instance_id": format!("i{sender}"),
        "first_seq": 1 + records(number), "records": RECORDS, "sent_at_micros": at, "monotonic_micros": 1 + number,
        "plugin_version": "0.1.0",
    });
    let sample = json!({
        "kind": "sample", "at_micros": at, "workers": 1, "threads": 1, "tasks": {},
        "totals": {"compute": number as f64, "tasks_completed": number},
    });
    let (group, group_name) = (id('g', number), format!("inc-{number}"));
    let task_group = json!({
        "kind": "task_group", "at_micros": at, "group_id": group, "name": group_name,
        "prefix": format!("inc-{}", number % GROUPS), "states": {"memory": number}, "seconds": {"compute": 1.0},
        "result_bytes": 1, "types": ["int"], "start_micros": at, "stop_micros": at, "dependencies": [], "final": false,
    });
    let event = json!({
        "kind": "event", "at_micros": at, "topic": "all", "payload": {"text": text(number)},
    });
    let computation = json!({
        "kind": "computation", "at_micros": at, "computation_id": id('c', number), "start_micros": at, "stop_micros": at,
        "groups": [group], "states": {"memory": number},
        "code": [{"code": format!("x.inc({number})"), "filename": "work.py", "line_relative": 0, "line": 7}],
    });
    let exception = json!({
        "kind": "exception", "at_micros": at, "exception_id": id('e', number), "group_id": group, "group": group_name,
        "origin": "user", "exception_type": "ValueError", "message": format!("no {number}"), "traceback": "work.py, line 7",
        "worker": "tcp://w1", "first_seen_micros": at, "last_seen_micros": at, "count": 1, "dependents": 0,
    });
    let profile = json!({
        "kind": "profile", "at_micros": at, "from_micros": at - 10_000_000, "to_micros": at, "prefix": null, "samples": 1,
        "sample_micros": 10_000, "unattributed": 0, "strings": ["work.py", "inc", "return x + 1"],
        "frames": {"name": [1], "file": [0], "line": [1], "text": [2]}, "stacks": {"parent": [-1], "frame": [0]},
        "leaves": {"stack": [0], "count": [1]},
    });
    let told: [Value; RECORDS as usize] =
        [sample, task_group, event, computation, exception, profile];
    let mut body = String::new();
    for line in [header].into_iter().chain(told) {
        body.push_str(&line.to_string());
        body.push('\n');
    }
    body.into_bytes()
}

/// What a sender is called.
pub fn scheduler(sender: Sender) -> String {
    format!("Scheduler-{sender}")
}

/// What the event of a batch says: some kilobytes that do not become much smaller.
pub fn text(number: u64) -> String {
    (0..200)
        .map(|word| format!("{:x} ", (number + 1) * (word + 7) * 2_654_435_761))
        .collect()
}

/// What a batch tells of, of a kind whose names begin so.
fn id(begins: char, number: u64) -> String {
    format!("{begins}{}", number % GROUPS)
}

/// What was found wrong, in records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Acknowledged, and not there.
    pub lost: u64,
    /// There or counted more than once.
    pub doubled: u64,
}

impl Found {
    /// By how much something was counted too often, or not often enough.
    pub fn counted(counted: u64, is: u64) -> Self {
        Self {
            lost: is.saturating_sub(counted),
            doubled: counted.saturating_sub(is),
        }
    }

    /// Of one kind of record, by what tells them apart, such as the batches that they came with: those that must be
    /// there, and those that are.
    pub fn rows<T: Ord>(due: &BTreeSet<T>, there: &[T]) -> Self {
        let distinct: BTreeSet<&T> = there.iter().collect();
        let found = due.iter().filter(|one| distinct.contains(one)).count() as u64;
        Self {
            lost: due.len() as u64 - found,
            // Twice, or of a batch that will come again.
            doubled: there.len() as u64 - found,
        }
    }

    pub fn add(&mut self, other: Self) {
        self.lost += other.lost;
        self.doubled += other.doubled;
    }

    /// The same records, counted in two ways.
    pub fn or(self, other: Self) -> Self {
        Self {
            lost: self.lost.max(other.lost),
            doubled: self.doubled.max(other.doubled),
        }
    }
}

/// Compares a store that nobody writes to with what was acknowledged: for each sender the numbers of its batches.
///
/// # Errors
/// It cannot be read, or is damaged.
pub fn compare(folder: &Path, acknowledged: &BTreeMap<Sender, Vec<u64>>) -> Result<Found> {
    compare_file(&folder.join("bobbin.sqlite"), acknowledged)
}

/// The same for a file.
///
/// # Errors
/// As [`compare`].
pub fn compare_file(path: &Path, acknowledged: &BTreeMap<Sender, Vec<u64>>) -> Result<Found> {
    read(path, acknowledged).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

fn read(path: &Path, acknowledged: &BTreeMap<Sender, Vec<u64>>) -> rusqlite::Result<Found> {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let check: String = db.query_one("pragma quick_check(1)", [], |row| row.get(0))?;
    let mut found = Found::default();
    if check != "ok" {
        return Err(rusqlite::Error::InvalidParameterName(check));
    }
    let (mut samples, mut ever, mut by_hours) = (Found::default(), 0, 0);
    for (sender, numbers) in acknowledged {
        let scheduler = scheduler(*sender);
        let stored = batches(&db, &scheduler, "batch", "first_seq")?;
        // Of a batch that is stored all is, whether that was heard or not.
        let due: BTreeSet<u64> = numbers.iter().chain(&stored).copied().collect();
        let (rows, others) = rows(&db, &scheduler, &due)?;
        found.add(others);
        let added_up: u64 = db.query_one(
            "select coalesce(sum(t.samples), 0) from cluster_total as t join cluster as c on c.id = t.cluster_id
             where c.scheduler_id = ?1",
            [&scheduler],
            |row| row.get(0),
        )?;
        // What is added up over hours is what the last sample says: each adds a second and a task.
        let last = stored.last().copied().unwrap_or(0);
        let (seconds, tasks): (u64, u64) = db.query_one(
            "select coalesce(sum(h.compute_micros), 0) / 1000000, coalesce(sum(h.tasks_completed), 0)
             from cluster_hour as h join cluster as c on c.id = h.cluster_id where c.scheduler_id = ?1",
            [&scheduler],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        samples.add(
            rows.or(Found::counted(added_up, stored.len() as u64))
                .or(Found::counted(seconds, last))
                .or(Found::counted(tasks, last)),
        );
        ever += last;
        by_hours += tasks;
    }
    let (all, tasks): (u64, u64) = db.query_one(
        "select (select coalesce(sum(tasks_completed), 0) from cluster_hour), tasks_completed from usage_ever",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    // Of others that are there, what their hours say. Those that are gone completed none.
    let others = all - by_hours;
    found.add(samples.or(Found::counted(tasks, ever + others)));
    Ok(found)
}

/// Looks for the records of the only batch that a store has.
///
/// # Errors
/// It cannot be read.
pub fn alone(folder: &Path, (sender, number): Batch) -> Result<Found> {
    let path = folder.join("bobbin.sqlite");
    Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .and_then(|db| rows(&db, &scheduler(sender), &BTreeSet::from([number])))
        .map(|(mut found, others)| {
            found.add(others);
            found
        })
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

/// Of these batches of a scheduler what is wrong with the rows of samples, and with those of all else.
fn rows(db: &Connection, scheduler: &str, due: &BTreeSet<u64>) -> rusqlite::Result<(Found, Found)> {
    let each = |table| -> rusqlite::Result<Found> {
        Ok(Found::rows(due, &batches(db, scheduler, table, "seq")?))
    };
    let stands = |table, id_column, begins| -> rusqlite::Result<Found> {
        let there = latest(db, scheduler, (table, id_column, begins), due)?;
        Ok(Found::rows(due, &there))
    };
    let mut others = each("event")?;
    others.add(stands("task_group", "group_id", 'g')?);
    let computations = stands("computation", "computation_id", 'c')?;
    let code = stands("computation_code", "computation_id", 'c')?;
    others.add(computations.or(code));
    others.add(stands("exception", "exception_id", 'e')?);
    let samples: u64 = db.query_one(
        "select coalesce(sum(p.samples), 0) from profile as p join instance as i on i.id = p.instance_id
         join cluster as c on c.id = i.cluster_id where c.scheduler_id = ?1",
        [scheduler],
        |row| row.get(0),
    )?;
    // Put together or not, each has one.
    others.add(each(PROFILES)?.or(Found::counted(samples, due.len() as u64)));
    Ok((each("sample")?, others))
}

/// The batches that the rows of a table came with, in order.
fn batches(db: &Connection, scheduler: &str, table: &str, seq: &str) -> rusqlite::Result<Vec<u64>> {
    db.prepare(&format!(
        "select r.{seq} from {table} as r join instance as i on i.id = r.instance_id
         join cluster as c on c.id = i.cluster_id where c.scheduler_id = ?1 order by 1"
    ))?
    .query_map([scheduler], |row| row.get(0).map(batch))?
    .collect()
}

/// The batches whose record is there, or gave way to a later one of the same name, in a table in which the latest stands.
fn latest(
    db: &Connection,
    scheduler: &str,
    (table, id_column, begins): (&str, &str, char),
    due: &BTreeSet<u64>,
) -> rusqlite::Result<Vec<u64>> {
    let latest: BTreeMap<String, u64> = db
        .prepare(&format!(
            "select r.{id_column}, r.seq from {table} as r join cluster as c on c.id = r.cluster_id
             where c.scheduler_id = ?1"
        ))?
        .query_map([scheduler], |row| Ok((row.get(0)?, row.get(1).map(batch)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut there: Vec<u64> = latest.values().copied().collect();
    there.extend(due.iter().filter(|number| {
        latest
            .get(&id(begins, **number))
            .is_some_and(|latest| latest > *number)
    }));
    Ok(there)
}

/// The batch of a record with this sequence number.
fn batch(seq: u64) -> u64 {
    (seq - 1) / RECORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_follow_each_other() {
        let header = |number| -> Value {
            let body = String::from_utf8(body((1, number))).unwrap();
            assert_eq!(body.lines().count() as u64, RECORDS + 1);
            serde_json::from_str(body.lines().next().unwrap()).unwrap()
        };
        assert_eq!(header(0)["first_seq"], 1);
        assert_eq!(header(1)["first_seq"], 1 + RECORDS);
    }
    #[test]
    fn what_is_missing_and_what_is_there_twice_are_counted_record_by_record() {
        let due = BTreeSet::from([0, 1, 2, 3]);
        let wrong = |lost, doubled| Found { lost, doubled };
        assert_eq!(Found::rows(&due, &[0, 1, 2, 3]), wrong(0, 0));
        assert_eq!(Found::rows(&due, &[0, 3]), wrong(2, 0));
        assert_eq!(Found::rows(&due, &[0, 0, 1, 2, 3]), wrong(0, 1));
        // One is missing, another was never stored with its batch.
        assert_eq!(Found::rows(&due, &[0, 1, 2, 4]), wrong(1, 1));
    }

    #[test]
    fn a_record_that_is_in_no_row_and_in_no_sum_is_one() {
        let row = Found {
            lost: 1,
            doubled: 0,
        };
        assert_eq!(row.or(Found::counted(9, 10)), row);
    }
}
