//! Statements that are run for many records of one batch. They are looked for once: to find one again among all that are prepared
//! takes about as long as to run it.

use rusqlite::{CachedStatement, Connection};

use crate::Result;

/// The statements of a batch, by their text.
#[derive(Default)]
pub(super) struct Again<'a>(Vec<(&'static str, CachedStatement<'a>)>);

impl<'a> Again<'a> {
    /// The statement with this text, which was run already or is prepared now.
    pub(super) fn get(
        &mut self,
        db: &'a Connection,
        sql: &'static str,
    ) -> Result<&mut CachedStatement<'a>> {
        // The same text is at the same place, so that it need not be read.
        let known = self.0.iter().position(|(text, _)| std::ptr::eq(*text, sql));
        let place = match known {
            Some(place) => place,
            None => {
                self.0.push((sql, db.prepare_cached(sql)?));
                self.0.len() - 1
            }
        };
        Ok(&mut self.0[place].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Micros;
    use crate::store::open_owner;

    #[test]
    fn a_statement_is_looked_for_once_and_can_be_run_again() {
        let dir = tempfile::tempdir().unwrap();
        let opened = open_owner(dir.path(), Micros(0)).unwrap();
        let db = &opened.db;
        let [one, two] = ["select 1", "select 2"];
        let mut again = Again::default();
        for (sql, kept) in [(one, 1), (two, 2), (one, 2)] {
            let number = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
            let found = again.get(db, sql).unwrap().query_one([], number).unwrap();
            assert!(sql.ends_with(&found.to_string()));
            assert_eq!(again.0.len(), kept, "{sql}");
        }
    }
}
