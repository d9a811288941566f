//! Batches that can be told apart, and what a store must hold once they were acknowledged.

use std::{collections::BTreeMap, path::Path};

use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use crate::process::{Failure, Result};

/// Who sends: one scheduler each.
pub type Sender = u64;
/// A batch: its sender, and how many of it came before.
pub type Batch = (Sender, u64);

/// Records of each batch.
const RECORDS: u64 = 3;

/// The batch as it is posted: a sample, a group, and an event with some kilobytes that are sealed.
pub fn body((sender, number): Batch) -> Vec<u8> {
    let at = 1_795_000_000_000_000_i64 + number as i64 * 10_000_000;
    let header = json!({
        "kind": "header", "protocol": 1, "cluster_id": format!("Scheduler-{sender}"), "instance_id": format!("i{sender}"),
        "first_seq": 1 + number * RECORDS, "records": RECORDS, "sent_at_micros": at, "monotonic_micros": 1 + number,
        "plugin_version": "0.1.0",
    });
    let sample = json!({
        "kind": "sample", "at_micros": at, "workers": 1, "threads": 1, "tasks": {},
        "totals": {"compute": number as f64, "tasks_completed": number},
    });
    let group = json!({
        "kind": "task_group", "at_micros": at, "group_id": format!("g{}", number % 16), "name": format!("inc-{number}"),
        "prefix": format!("inc-{}", number % 16), "states": {"memory": number}, "seconds": {"compute": 1.0},
        "result_bytes": 1, "types": ["int"], "start_micros": at, "stop_micros": at, "dependencies": [], "final": false,
    });
    let text: String = (0..200)
        .map(|word| format!("{:x} ", (number + 1) * (word + 7) * 2_654_435_761))
        .collect();
    let event =
        json!({"kind": "event", "at_micros": at, "topic": "all", "payload": {"text": text}});
    let mut body = String::new();
    for record in [header, sample, group, event] {
        body.push_str(&record.to_string());
        body.push('\n');
    }
    body.into_bytes()
}

/// What was found wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Acknowledged, and not there.
    pub lost: u64,
    /// There or counted more than once.
    pub doubled: u64,
}

impl Found {
    /// Counts by how much something was counted too often, or not often enough.
    fn differ(&mut self, counted: u64, is: u64) {
        self.doubled += counted.saturating_sub(is);
        self.lost += is.saturating_sub(counted);
    }
}

/// Compares a store that nobody writes to with what was acknowledged: for each sender the numbers of its batches.
///
/// # Errors
/// It cannot be read, or is damaged.
pub fn compare(folder: &Path, acknowledged: &BTreeMap<Sender, Vec<u64>>) -> Result<Found> {
    let path = folder.join("bobbin.sqlite");
    read(&path, acknowledged).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

fn read(path: &Path, acknowledged: &BTreeMap<Sender, Vec<u64>>) -> rusqlite::Result<Found> {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let check: String = db.query_one("pragma quick_check(1)", [], |row| row.get(0))?;
    let mut found = Found::default();
    if check != "ok" {
        return Err(rusqlite::Error::InvalidParameterName(check));
    }
    let mut ever = 0;
    for (sender, numbers) in acknowledged {
        let scheduler = format!("Scheduler-{sender}");
        let stored: Vec<u64> = db
            .prepare(
                "select b.first_seq from batch as b join instance as i on i.id = b.instance_id
                 join cluster as c on c.id = i.cluster_id where c.scheduler_id = ?1 order by 1",
            )?
            .query_map([&scheduler], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let stored_numbers: Vec<u64> = stored.iter().map(|seq| (seq - 1) / RECORDS).collect();
        found.lost += numbers
            .iter()
            .filter(|number| stored_numbers.binary_search(number).is_err())
            .count() as u64;
        // What is added up, and what is a row of its own, by batch.
        let counts = [
            "select coalesce(sum(t.samples), 0) from cluster_total as t join cluster as c on c.id = t.cluster_id
             where c.scheduler_id = ?1",
            "select count(*) from sample as s join instance as i on i.id = s.instance_id
             join cluster as c on c.id = i.cluster_id where c.scheduler_id = ?1",
            "select count(*) from event as e join instance as i on i.id = e.instance_id
             join cluster as c on c.id = i.cluster_id where c.scheduler_id = ?1",
        ];
        for sql in counts {
            let count: u64 = db.query_one(sql, [&scheduler], |row| row.get(0))?;
            found.differ(count, stored.len() as u64);
        }
        // What is added up over hours is what the last sample says.
        let last = stored_numbers.last().copied().unwrap_or(0);
        let (seconds, tasks) = db.query_one(
            "select coalesce(sum(h.compute_micros), 0) / 1000000, coalesce(sum(h.tasks_completed), 0)
             from cluster_hour as h join cluster as c on c.id = h.cluster_id where c.scheduler_id = ?1",
            [&scheduler],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        found.differ(seconds, last);
        found.differ(tasks, last);
        ever += last;
    }
    let (clusters, tasks): (usize, u64) = db.query_one(
        "select (select count(*) from cluster), tasks_completed from usage_ever",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    // Others may be about to be deleted.
    if clusters == acknowledged.len() {
        found.differ(tasks, ever);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_follow_each_other() {
        let header = |number| -> serde_json::Value {
            let body = String::from_utf8(body((1, number))).unwrap();
            assert_eq!(body.lines().count() as u64, RECORDS + 1);
            serde_json::from_str(body.lines().next().unwrap()).unwrap()
        };
        assert_eq!(header(0)["first_seq"], 1);
        assert_eq!(header(1)["first_seq"], 1 + RECORDS);
    }
}
