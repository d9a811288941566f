//! Users, and which of their names are one person.

use rusqlite::{Connection, named_params};

use super::page::Json;
use super::types::{UserList, UserRow};
use crate::Result;

/// Names and, of each, hosts that are told.
const USERS: usize = 1_000;
const HOSTS: usize = 3;

/// The names that clusters give their users, and whom each counts as.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn users(db: &Connection) -> Result<UserList> {
    let mut statement = db.prepare_cached(include_str!("people.sql"))?;
    let rows = statement.query_map(named_params! { ":limit": USERS as u64 + 1 }, |row| {
        let Json(mut hosts): Json<Vec<String>> = row.get("hosts")?;
        let hosts_total = hosts.len() as u64;
        hosts.sort();
        hosts.truncate(HOSTS);
        Ok(UserRow {
            user: row.get("user")?,
            person: row.get("person")?,
            clusters: row.get("clusters")?,
            seen_micros: row.get("seen_micros")?,
            hosts,
            hosts_total,
        })
    })?;
    let mut rows: Vec<UserRow> = rows.collect::<rusqlite::Result<_>>()?;
    let truncated = rows.len() > USERS;
    rows.truncate(USERS);
    Ok(UserList { rows, truncated })
}
