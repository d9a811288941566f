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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;

    /// Of three users, on a host or on none; every other one is over, and some never had a sample.
    const CLUSTERS: &str = "
        insert into cluster (scheduler_id, first_at_micros, user, said_user, host)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 60)
        select 'Scheduler-' || i, i, 'u' || (i % 3), 'u' || (i % 3), iif(i % 4, 'h' || (i % 7), null) from n;
        insert into cluster_total (
            cluster_id, last_heard_micros, silent_after_micros, interval_micros, stop_at_micros, sample_at_micros
        )
        select id, 0, 0, 0, iif(id % 2, 900, null), iif(id % 5, 500 + id * 7 % 100, null) from cluster;
        insert into user_merge (user, person) values ('u1', 'u2'), ('nobody', 'u2')";

    /// The plain way: every row of both tables.
    fn plainly(db: &Connection) -> Result<Vec<(String, u64, i64, u64)>> {
        let mut statement = db.prepare(
            "select c.said_user, count(*), max(t.seen_micros), count(distinct c.host)
             from cluster as c
             join cluster_total as t on t.cluster_id = c.id
             where c.said_user is not null
             group by c.said_user
             order by 2 desc, 1",
        )?;
        let rows = statement.query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    #[test]
    fn users_are_counted_whatever_becomes_of_their_clusters() {
        let bench = Bench::new();
        let check = |db: &Connection| {
            for step in [
                CLUSTERS,
                "update cluster_total set stop_at_micros = 901 where cluster_id % 6 = 0",
                "update cluster_total set sample_at_micros = 1000 + cluster_id where cluster_id in (7, 8, 9)",
                "update cluster set said_user = 'late', host = 'h9' where id % 11 = 0",
                "update cluster set user = null, said_user = null where id % 13 = 0",
                "update cluster set host = null where id in (7, 8)",
                "delete from cluster_total where cluster_id = 9",
                "delete from cluster where id between 40 and 45",
            ] {
                db.execute_batch(step)?;
                let list = users(db)?;
                assert!(!list.truncated);
                let (gone, named): (Vec<_>, Vec<_>) =
                    list.rows.into_iter().partition(|row| row.clusters == 0);
                assert_eq!((gone.len(), gone[0].user.as_str()), (1, "nobody"));
                let told = |row: UserRow| {
                    assert_eq!(row.person.is_some(), row.user == "u1", "{row:?}");
                    assert_eq!(row.hosts.len() as u64, row.hosts_total.min(HOSTS as u64));
                    let seen = row.seen_micros.map_or(0, |at| at.0);
                    (row.user, row.clusters, seen, row.hosts_total)
                };
                let told: Vec<_> = named.into_iter().map(told).collect();
                assert!(told.len() >= 3, "{told:?}");
                assert_eq!(told, plainly(db)?, "{step}");
            }
            Ok(())
        };
        bench.app.write(check).unwrap();
    }
}
