//! What is tried, and the table of what came of it.

use std::{collections::BTreeMap, path::Path, time::Instant};

use bobbin_core::{
    api::safety,
    clock::{Clock as _, SystemClock},
};

use super::{
    cap, damage, exchange, full, kill, migrated, power, quit, room, share, sleep, vfs,
    work::{Found, Sender, compare, records},
};
use crate::process::{Failure, Options, Result, say};

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

const NAMES: [&str; 12] = [
    "power",
    "power-normal",
    "full",
    "room",
    "share",
    "cap",
    "damage",
    "kill",
    "quit",
    "sleep",
    "migrated",
    "exchange",
];

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
        // Each day tries others, and all day the same.
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
        println!(
            "{name:<14} {:>8} {:>20} {:>12} {:>15} {:>19} {:>8.0}",
            counted.faults,
            counted.acknowledged,
            counted.lost,
            counted.doubled,
            counted.changed,
            begun.elapsed().as_secs_f64()
        );
        judge(name, counted)?;
    }
    Ok(())
}

/// Runs one; nothing where it cannot be run here.
fn one(name: &str, bobbin: &Path, quick: bool, seed: u64) -> Result<Option<Counted>> {
    let pick = |short, long| if quick { short } else { long };
    let power = |normal| {
        let size = power::Size {
            batches: pick(60, 400),
            images: pick(80, 4_000) as usize,
        };
        power::run(size, normal, seed)
    };
    Ok(Some(match name {
        "power" => power(false)?,
        "power-normal" => power(true)?,
        "full" => full::run(quick.then_some(50), seed)?,
        "damage" => damage::run(pick(20, 1_000), seed)?,
        "kill" => kill::run(bobbin, pick(12, 1_000), seed)?,
        "quit" => quit::run(bobbin, pick(8, 200), seed)?,
        "sleep" => sleep::run(bobbin, pick(4, 50), seed)?,
        "migrated" => migrated::run(bobbin, pick(6, 300), seed)?,
        "exchange" => exchange::run(bobbin, pick(8, 500), seed)?,
        "cap" => return Ok(or_say(name, cap::run(bobbin)?)),
        "share" => return Ok(or_say(name, share::run(bobbin)?)),
        _ => return Ok(or_say(name, room::run(bobbin)?)),
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
    // Without a sync at each commit the power must take something: else this could not find that it does.
    let must_lose = name == "power-normal";
    if counted.doubled > 0 || (counted.lost > 0) != must_lose {
        return Err(Failure::new(format!(
            "{name}: {} records lost and {} doubled of {} that were acknowledged",
            counted.lost, counted.doubled, counted.acknowledged
        )));
    }
    Ok(())
}
