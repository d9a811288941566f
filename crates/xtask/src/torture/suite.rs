//! What is tried, and the table of what came of it.

use std::{collections::BTreeMap, path::Path, time::Instant};

use bobbin_core::{
    api::safety,
    clock::{Clock as _, SystemClock},
};

use super::{
    cap, damage, exchange, first, full, kill, log, manual, migrated,
    power::{self, Commits},
    power_folder, quit, room, salvaged, share, sleep, spool, vfs,
    work::{Found, Sender, compare, records},
};
use crate::{
    ending,
    process::{Failure, Options, Result, say},
};

/// What came of one kind of fault: all but the faults in records.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    pub faults: u64,
    pub acknowledged: u64,
    pub lost: u64,
    pub doubled: u64,
    /// Rows that are not as they were, of which nobody was told.
    pub changed: u64,
}

impl Counted {
    pub fn add(&mut self, found: Found) {
        self.lost += found.lost;
        self.doubled += found.doubled;
    }

    /// Compares a store that nobody writes to with what was acknowledged: for each sender the numbers of its batches.
    ///
    /// # Errors
    /// It cannot be read, or was damaged.
    pub fn compare(&mut self, store: &Path, acknowledged: &BTreeMap<Sender, Vec<u64>>) -> Result {
        if !safety(store).damaged.is_empty() {
            return Err(Failure::new("the store was damaged"));
        }
        for numbers in acknowledged.values() {
            self.acknowledged += records(numbers.len() as u64);
        }
        self.add(compare(store, acknowledged)?);
        Ok(())
    }
}

const DAY_MICROS: u64 = 86_400_000_000;

pub const NAMES: [&str; 20] = [
    "power",
    "power-normal",
    "power-shared",
    "power-sector",
    "power-folder",
    "power-unsynced",
    "full",
    "room",
    "first",
    "share",
    "cap",
    "log",
    "damage",
    "kill",
    "quit",
    "sleep",
    "spool",
    "migrated",
    "exchange",
    "salvaged",
];

/// Those that show that what the power takes is found: without all syncs it must take something.
pub const CONTROLS: [&str; 2] = ["power-normal", "power-unsynced"];

/// Runs all, or those that are named.
///
/// # Errors
/// Something was lost or doubled; nothing was lost where it must be.
pub fn run(bobbin: &Path, options: &Options) -> Result {
    let quick = options.has("--quick");
    let only: Vec<&str> = options.values("--only").collect();
    if let Some(unknown) = only.iter().find(|name| !NAMES.contains(name)) {
        return Err(Failure::usage(format!("there is no torture {unknown}"))
            .hint(format!("they are {}", NAMES.join(", "))));
    }
    let seed = match options.values("--seed").last() {
        Some(text) => text
            .parse()
            .map_err(|_| Failure::usage(format!("--seed needs a whole number, not {text:?}")))?,
        None if quick => 1,
        // The long form tries others each day, and all day the same.
        None => SystemClock.now().0.unsigned_abs() / DAY_MICROS,
    };
    println!("seed {seed}");
    println!(
        "{:<14} {:>8} {:>20} {:>12} {:>15} {:>19} {:>8}",
        "fault",
        "tried",
        "acknowledged records",
        "records lost",
        "records doubled",
        "rows changed unseen",
        "seconds"
    );
    ending::watch()?;
    vfs::install();
    for name in NAMES {
        if !only.is_empty() && !only.contains(&name) {
            continue;
        }
        say(name, "…");
        let begun = Instant::now();
        let Some(counted) = one(name, bobbin, quick, seed)? else {
            continue;
        };
        // A row says that all is well: what is not is an error, with the same figures.
        judge(name, counted)?;
        println!(
            "{name:<14} {:>8} {:>20} {:>12} {:>15} {:>19} {:>8.0}",
            counted.faults,
            counted.acknowledged,
            counted.lost,
            counted.doubled,
            counted.changed,
            begun.elapsed().as_secs_f64()
        );
        if options.has("--write") {
            manual::write(name, counted)?;
        }
    }
    Ok(())
}

/// Runs one; nothing where it cannot be run here.
fn one(name: &str, bobbin: &Path, quick: bool, seed: u64) -> Result<Option<Counted>> {
    let pick = |short, long| if quick { short } else { long };
    let power = |commits| {
        let size = power::Size {
            batches: pick(60, 400),
            images: pick(80, 4_000) as usize,
        };
        power::run(size, commits, seed)
    };
    let folder = power::Size {
        batches: pick(2, 8),
        images: pick(12, 2_000) as usize,
    };
    Ok(Some(match name {
        "power" => power(Commits::Log)?,
        "power-normal" => power(Commits::UnsyncedLog)?,
        "power-shared" => power(Commits::Journal)?,
        "power-sector" => {
            let size = power::Size {
                batches: 2,
                images: pick(60, usize::MAX as u64) as usize,
            };
            power::by_sector(size, seed)?
        }
        "full" => full::run(quick.then_some(50), seed)?,
        "damage" => damage::run(pick(20, 1_000), seed)?,
        "kill" => kill::run(bobbin, pick(12, 1_000), seed)?,
        "quit" => quit::run(bobbin, pick(8, 200), seed)?,
        "sleep" => sleep::run(bobbin, pick(4, 50), seed)?,
        "spool" => spool::run(bobbin, pick(8, 500), seed)?,
        "migrated" => migrated::run(bobbin, pick(6, 300), seed)?,
        "exchange" => exchange::run(bobbin, pick(8, 500), seed)?,
        "salvaged" => salvaged::run(bobbin, pick(8, 500), seed)?,
        "power-folder" => return Ok(or_say(name, power_folder::run(bobbin, folder, seed)?)),
        "power-unsynced" => {
            return Ok(or_say(
                name,
                power_folder::unsynced(bobbin, folder.batches)?,
            ));
        }
        "cap" => return Ok(or_say(name, cap::run(bobbin)?)),
        "log" => return Ok(or_say(name, log::run(bobbin)?)),
        "share" => return Ok(or_say(name, share::run(bobbin)?)),
        "first" => return Ok(or_say(name, first::run(bobbin)?)),
        "room" => return Ok(or_say(name, room::run(bobbin)?)),
        other => return Err(Failure::new(format!("nothing tries {other}"))),
    }))
}

/// What came of it, or nothing, and why.
fn or_say(name: &str, ran: std::result::Result<Counted, String>) -> Option<Counted> {
    ran.inspect_err(|reason| println!("skipped: {name}: {reason}"))
        .ok()
}

fn judge(name: &str, counted: Counted) -> Result {
    // SQLite has no checksums: another value in a whole page is as good as the one that was there. Nothing else may change any.
    if counted.changed > 0 && name != "damage" {
        return Err(Failure::new(format!(
            "{name}: {} rows changed",
            counted.changed
        )));
    }
    if counted.faults == 0 || counted.acknowledged == 0 {
        return Err(Failure::new(format!("{name}: nothing was tried")));
    }
    if counted.doubled > 0 || (counted.lost > 0) != CONTROLS.contains(&name) {
        return Err(Failure::new(format!(
            "{name}: {} records lost and {} doubled of {} that were acknowledged",
            counted.lost, counted.doubled, counted.acknowledged
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str, faults: u64, acknowledged: u64, lost: u64, doubled: u64) -> String {
        let counted = Counted {
            faults,
            acknowledged,
            lost,
            doubled,
            changed: 0,
        };
        judge(name, counted).map_or_else(|failure| failure.to_string(), |()| String::new())
    }

    #[test]
    fn the_help_names_every_fault() {
        let (_, named) = crate::HELP.split_once("doubled; NAME is ").unwrap();
        let (named, _) = named.split_once(';').unwrap();
        let named = named.replace(" or ", ", ");
        let named: Vec<&str> = named.split(',').map(str::trim).collect();
        assert_eq!(named, NAMES);
    }

    #[test]
    fn one_record_that_is_lost_or_doubled_is_too_many() {
        assert_eq!(said("kill", 1, 9, 0, 0), "");
        assert_eq!(
            said("kill", 1, 9, 1, 0),
            "error: kill: 1 records lost and 0 doubled of 9 that were acknowledged"
        );
        assert_eq!(
            said("kill", 1, 9, 0, 1),
            "error: kill: 0 records lost and 1 doubled of 9 that were acknowledged"
        );
    }

    #[test]
    fn without_syncs_something_must_be_lost_and_nothing_doubled() {
        for control in CONTROLS {
            assert_eq!(said(control, 1, 9, 3, 0), "");
            assert!(said(control, 1, 9, 0, 0).contains("0 records lost"));
            assert!(said(control, 1, 9, 3, 1).contains("1 doubled"));
        }
    }

    #[test]
    fn only_damage_may_change_a_row_unseen() {
        let counted = Counted {
            faults: 1,
            acknowledged: 9,
            changed: 2,
            ..Counted::default()
        };
        assert!(judge("damage", counted).is_ok());
        let failure = judge("kill", counted).unwrap_err().to_string();
        assert_eq!(failure, "error: kill: 2 rows changed");
    }

    #[test]
    fn what_tried_nothing_says_nothing() {
        let nothing = "error: kill: nothing was tried";
        assert_eq!(said("kill", 0, 9, 0, 0), nothing);
        assert_eq!(said("kill", 1, 0, 0, 0), nothing);
    }
}
