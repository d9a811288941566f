//! The rules that somebody set, or those of the program.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::model::{Micros, RetentionRules};
use crate::{Error, Result};

/// The rules, and when somebody set them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Changed {
    pub(crate) rules: RetentionRules,
    pub(crate) changed: Option<Micros>,
}

/// What is kept for how long.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn rules(db: &Connection) -> Result<Changed> {
    let found = db
        .prepare_cached(include_str!("sql/rules.sql"))?
        .query_row([], |row| {
            Ok(Changed {
                rules: RetentionRules {
                    cap_bytes: row.get("cap_bytes")?,
                    profiles_days: row.get("profiles_days")?,
                    code_days: row.get("code_days")?,
                    exceptions_days: row.get("exceptions_days")?,
                    events_days: row.get("events_days")?,
                    samples_days: row.get("samples_days")?,
                },
                changed: row.get("changed_micros")?,
            })
        })
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// Sets the rules.
///
/// # Errors
/// [`Error::Invalid`], [`Error::Sqlite`].
pub(crate) fn set(db: &Connection, rules: &RetentionRules, now: Micros) -> Result<()> {
    check(rules)?;
    db.prepare_cached(include_str!("sql/rules_set.sql"))?
        .execute(named_params! {
            ":now": now,
            ":cap_bytes": rules.cap_bytes,
            ":profiles_days": rules.profiles_days,
            ":code_days": rules.code_days,
            ":exceptions_days": rules.exceptions_days,
            ":events_days": rules.events_days,
            ":samples_days": rules.samples_days,
        })?;
    Ok(())
}

/// Whether these can be rules.
///
/// # Errors
/// [`Error::Invalid`].
pub(crate) fn check(rules: &RetentionRules) -> Result<()> {
    let wrong = |value: String, reason: String| {
        Err(Error::Invalid {
            what: "retention",
            value,
            reason,
        })
    };
    if let Some(cap) = rules.cap_bytes
        && !(RetentionRules::SMALLEST_CAP_BYTES..1 << 50).contains(&cap)
    {
        return wrong(
            cap.to_string(),
            format!(
                "the size limit must be {} bytes or more, or none",
                RetentionRules::SMALLEST_CAP_BYTES
            ),
        );
    }
    for category in crate::model::RetentionCategory::ALL {
        if let Some(days) = rules.days(category)
            && !(1..=RetentionRules::MOST_DAYS).contains(&days)
        {
            return wrong(
                format!("{days} days"),
                format!(
                    "keep {} for 1 to {} days, or forever",
                    category.word(),
                    RetentionRules::MOST_DAYS
                ),
            );
        }
    }
    Ok(())
}
