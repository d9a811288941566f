//! Texts that come again and again, stored once.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::Result;

/// Texts remembered.
const KEPT: usize = 10_000;

/// The numbers of texts, as far as they are remembered.
#[derive(Default)]
pub(super) struct Names(HashMap<String, i64>);

impl Names {
    /// The number of a text; a new one if it is new.
    pub(super) fn id(&mut self, db: &Connection, text: &str) -> Result<i64> {
        if let Some(id) = self.find(db, text)? {
            return Ok(id);
        }
        let id = db
            .prepare_cached(include_str!("sql/name_new.sql"))?
            .insert(named_params! { ":text": text })?;
        self.remember(text, id);
        Ok(id)
    }

    /// The number of a text that was met before.
    pub(super) fn find(&mut self, db: &Connection, text: &str) -> Result<Option<i64>> {
        if let Some(id) = self.0.get(text) {
            return Ok(Some(*id));
        }
        let found = db
            .prepare_cached(include_str!("sql/name_find.sql"))?
            .query_row(named_params! { ":text": text }, |row| row.get(0))
            .optional()?;
        if let Some(id) = found {
            self.remember(text, id);
        }
        Ok(found)
    }

    fn remember(&mut self, text: &str, id: i64) {
        if self.0.len() >= KEPT {
            self.0.clear();
        }
        self.0.insert(text.into(), id);
    }
}
