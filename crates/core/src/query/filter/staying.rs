//! Clusters whose deletion was begun match nothing, though their rows, texts and functions go a little later.

use rusqlite::Connection;

use super::{Filter, Term};
use crate::Result;

/// The same filter, of the clusters that stay.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn staying(db: &Connection, filter: Filter) -> Result<Filter> {
    let any: bool = db
        .prepare_cached(include_str!("staying.sql"))?
        .query_one([], |row| row.get(0))?;
    if !any {
        return Ok(filter);
    }
    let going = Filter::Term(Term::Going);
    Ok(Filter::all(vec![filter, Filter::Not(Box::new(going))]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, batch, facts};

    #[test]
    fn which_clusters_go_is_asked_of_the_store_however_many_they_are() {
        let bench = Bench::new();
        bench.send(batch(1, &[facts(0)]));
        let check = |db: &Connection| {
            let all = || Filter::All(Vec::new());
            assert_eq!(staying(db, all())?, all());
            db.execute_batch(
                "insert into deletion (cluster_id, asked_micros, due_micros, begun) select id, 0, 0, 1 from cluster",
            )?;
            let going = Filter::Term(Term::Going);
            assert_eq!(staying(db, all())?, Filter::Not(Box::new(going)));
            Ok(())
        };
        bench.app.write(check).unwrap();
    }
}
