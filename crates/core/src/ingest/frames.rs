//! Functions in profiles, stored once: their numbers, and which clusters have them.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, named_params};

use super::again::Again;
use crate::store::Frame;
use crate::{Error, Result};

/// Functions remembered, and pairs of a function and a cluster.
const KEPT: usize = 50_000;

/// What is remembered of the tables. A deletion, whoever does it, may make it wrong: then all of it is forgotten.
#[derive(Default)]
pub(super) struct Frames {
    /// Rows that were deleted when this was right.
    forgotten: i64,
    ids: HashMap<Frame, u32>,
    of_clusters: HashSet<(u32, i64)>,
}

impl Frames {
    /// What was remembered may be wrong.
    pub(super) fn forget(&mut self) {
        self.ids.clear();
        self.of_clusters.clear();
    }

    /// The numbers of functions in a profile of a cluster; new ones for those that are new.
    pub(super) fn ids(
        &mut self,
        db: &Connection,
        cluster: i64,
        frames: &[Frame],
    ) -> Result<Vec<u32>> {
        let forgotten = db
            .prepare_cached(include_str!("sql/frame_forgotten.sql"))?
            .query_one([], |row| row.get(0))?;
        if forgotten != self.forgotten {
            self.forget();
            self.forgotten = forgotten;
        }
        let mut again = Again::default();
        frames
            .iter()
            .map(|frame| {
                let id = self.id(db, &mut again, frame)?;
                self.note(db, &mut again, id, cluster)?;
                Ok(id)
            })
            .collect()
    }

    fn id<'a>(&mut self, db: &'a Connection, again: &mut Again<'a>, frame: &Frame) -> Result<u32> {
        if let Some(id) = self.ids.get(frame) {
            return Ok(*id);
        }
        let line = frame.line.map_or(-1, i64::from);
        let row = named_params! { ":name": frame.name, ":file": frame.file, ":line": line };
        let found: Option<i64> = again
            .get(db, include_str!("sql/frame_find.sql"))?
            .query_row(row, |row| row.get(0))
            .optional()?;
        let id = match found {
            Some(id) => id,
            None => {
                let new = include_str!("sql/frame_new.sql");
                let made = again.get(db, new)?.insert(row);
                if matches!(made, Err(rusqlite::Error::StatementChangedRows(0))) {
                    // It is the first function of its file.
                    again
                        .get(db, include_str!("sql/frame_file_new.sql"))?
                        .execute(named_params! { ":file": frame.file })?;
                    again.get(db, new)?.insert(row)?
                } else {
                    made?
                }
            }
        };
        let id = u32::try_from(id)
            .map_err(|_| Error::NotStored("this store holds too many functions".into()))?;
        if self.ids.len() >= KEPT {
            self.ids.clear();
        }
        self.ids.insert(frame.clone(), id);
        Ok(id)
    }

    fn note<'a>(
        &mut self,
        db: &'a Connection,
        again: &mut Again<'a>,
        id: u32,
        cluster: i64,
    ) -> Result<()> {
        if self.of_clusters.contains(&(id, cluster)) {
            return Ok(());
        }
        again
            .get(db, include_str!("sql/cluster_frame.sql"))?
            .execute(named_params! { ":frame_id": id, ":cluster_id": cluster })?;
        if self.of_clusters.len() >= KEPT {
            self.of_clusters.clear();
        }
        self.of_clusters.insert((id, cluster));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::model::Micros;
    use crate::store::open_owner;
    use crate::testing::counted;

    #[test]
    fn a_file_is_stored_with_its_first_function_and_not_again_with_the_others() {
        let dir = tempfile::tempdir().unwrap();
        let mut opened = open_owner(dir.path(), Micros(0)).unwrap();
        let stored = counted(&mut opened.db, "into frame_file");
        let db = opened.db.unchecked_transaction().unwrap();
        db.execute_batch("insert into cluster (scheduler_id, first_at_micros) values ('one', 0)")
            .unwrap();
        let frames: Vec<Frame> = (0..20)
            .map(|number| Frame {
                name: format!("f{number}"),
                file: format!("{}.py", number % 2),
                line: Some(number),
            })
            .collect();
        let ids = Frames::default().ids(&db, 1, &frames).unwrap();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), frames.len());
        assert_eq!(stored.load(Ordering::Relaxed), 2);
        // Who remembers nothing finds them again.
        assert_eq!(Frames::default().ids(&db, 1, &frames).unwrap(), ids);
        assert_eq!(stored.load(Ordering::Relaxed), 2);
    }
}
