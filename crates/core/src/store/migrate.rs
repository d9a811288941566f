//! Numbered steps from one schema to the next, all or none in one transaction, counted in `user_version`.

use rusqlite::{Connection, TransactionBehavior};

use crate::{Error, Result};

/// The steps, in order. A released one is never edited.
const STEPS: &[&str] = &[include_str!("migrations/0001_start.sql")];

/// Marks the file as Bobbin's: "Bobb".
const APPLICATION: i32 = 0x426f_6262;

/// The schema that this build writes.
pub(super) fn known() -> u32 {
    STEPS.len() as u32
}

/// The schema of the file; 0 is an empty file.
///
/// # Errors
/// [`Error::StoreTooNew`]; [`Error::Invalid`] if the file is another program's.
pub(super) fn check(db: &Connection) -> Result<u32> {
    let application: i32 = db.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let found: u32 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = db.query_row("select count(*) from sqlite_schema", [], |row| row.get(0))?;
    if application != APPLICATION && (application != 0 || found != 0 || tables != 0) {
        return Err(Error::Invalid {
            what: "store",
            value: super::FILE.into(),
            reason: "it was written by another program".into(),
        });
    }
    if found > known() {
        return Err(Error::StoreTooNew {
            found,
            known: known(),
        });
    }
    Ok(found)
}

/// Brings the schema up to this build's.
///
/// # Errors
/// As [`check`]; [`Error::Sqlite`], after which the file is as it was.
pub(super) fn migrate(db: &mut Connection) -> Result<()> {
    if check(db)? == known() {
        return Ok(());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = check(&tx)?;
    for step in &STEPS[found as usize..] {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "application_id", APPLICATION)?;
    tx.pragma_update(None, "user_version", known())?;
    tx.commit()?;
    Ok(())
}
