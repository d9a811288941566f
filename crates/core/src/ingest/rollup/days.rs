//! Days that are over, packed from their hours.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::Result;
use crate::model::Micros;
use crate::store::{DayHour, DayHours, Named};

/// Packs one day, if one is due, which takes some milliseconds; whether one was.
pub(super) fn step(db: &Connection, now: Micros) -> Result<bool> {
    let today = now.0.div_euclid(24 * Micros::HOUR);
    let next: Option<i64> = db
        .prepare_cached(include_str!("../sql/usage_day_next.sql"))?
        .query_row(named_params! { ":today": today }, |row| row.get(0))
        .optional()?;
    if let Some(day) = next {
        pack(db, day)?;
    }
    Ok(next.is_some())
}

/// Packs a day that has no pack: whatever changed it took it away.
fn pack(db: &Connection, day: i64) -> Result<()> {
    let mut hours = hours(db, day)?;
    db.prepare_cached(include_str!("../sql/usage_day_fresh.sql"))?
        .execute(named_params! { ":day": day })?;
    if !hours.hours.is_empty() {
        db.prepare_cached(include_str!("../sql/usage_day.sql"))?
            .execute(named_params! { ":day": day, ":packed": hours.pack() })?;
    }
    Ok(())
}

fn hours(db: &Connection, day: i64) -> Result<DayHours> {
    let mut read = DayHours::default();
    let mut places: HashMap<Named, u32> = HashMap::new();
    let mut statement = db.prepare_cached(include_str!("../sql/usage_day_hours.sql"))?;
    let mut rows = statement.query(named_params! { ":day": day })?;
    while let Some(row) = rows.next()? {
        let named = Named {
            user: row.get("user")?,
            host: row.get("host")?,
            project: row.get("project")?,
        };
        let place = match places.get(&named) {
            Some(place) => *place,
            None => {
                let place = read.named.len() as u32;
                read.named.push(named.clone());
                places.insert(named, place);
                place
            }
        };
        let mut one = DayHour {
            cluster: row.get("cluster_id")?,
            hour: row.get("hour")?,
            named: place,
            workers_peak: row.get("workers_peak")?,
            memory_peak_bytes: row.get("memory_peak_bytes")?,
            ..DayHour::default()
        };
        // The first columns, in the order of the table.
        for (at, sum) in one.sums.iter_mut().enumerate() {
            *sum = row.get(at)?;
        }
        read.hours.push(one);
    }
    Ok(read)
}
