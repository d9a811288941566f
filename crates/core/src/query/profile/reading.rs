//! Reading the stacks of profiles, and the names of the functions in them.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, named_params};

use super::dense::Dense;
use super::{Mixed, ProfileRecord};
use crate::Result;
use crate::store::{Frame, Stacks, Unpacker};

/// Functions by their numbers in the store.
pub(crate) type Functions = HashMap<u32, Frame, BuildHasherDefault<Mixed>>;

/// Numbers of functions that one of several readers has looked up.
pub(super) type LookedUp = Mutex<HashSet<u32, BuildHasherDefault<Mixed>>>;

/// Reads one profile after the other.
#[derive(Default)]
pub(crate) struct StackReader<'a> {
    unpacker: Unpacker,
    /// Functions of the profiles that it read.
    met: Dense,
    others: Option<&'a LookedUp>,
    /// Those that it looked up: all that it met and no other reader had looked up.
    pub(crate) functions: Functions,
    /// Room for what is read.
    pub(super) spare: Vec<Stacks>,
}

impl<'a> StackReader<'a> {
    /// One of several.
    pub(super) fn beside(others: &'a LookedUp) -> Self {
        Self {
            others: Some(others),
            ..Self::default()
        }
    }

    /// The stacks of some records; `None` for one that was taken away since.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`]; [`crate::Error::Invalid`] if they are not what this build writes.
    pub(crate) fn read(
        &mut self,
        db: &Connection,
        records: &[ProfileRecord],
    ) -> Result<Vec<Option<Stacks>>> {
        let mut packed = db.prepare_cached(include_str!("../profile_stack.sql"))?;
        let mut find = db.prepare_cached(include_str!("../profile_frame.sql"))?;
        let mut found = Vec::with_capacity(records.len());
        for record in records {
            let mut stacks = self.spare.pop().unwrap_or_default();
            let there = packed
                .query_row(
                    named_params! { ":instance_id": record.instance, ":seq": record.seq },
                    |row| {
                        let packed = row.get_ref(0)?.as_blob()?;
                        Ok(self.unpacker.unpack_to(packed, &mut stacks))
                    },
                )
                .optional()?
                .transpose()?;
            if there.is_none() {
                found.push(None);
                continue;
            }
            for &number in &stacks.frames {
                if self.is_new(number) {
                    let frame = find.query_one(named_params! { ":id": number }, |row| {
                        Ok(Frame {
                            name: row.get(0)?,
                            file: row.get(1)?,
                            line: row.get::<_, i64>(2)?.try_into().ok(),
                        })
                    })?;
                    self.functions.insert(number, frame);
                }
            }
            found.push(Some(stacks));
        }
        Ok(found)
    }

    /// Whether a function is still to be looked up.
    pub(super) fn is_new(&mut self, number: u32) -> bool {
        if self.met.get(number).is_some() {
            return false;
        }
        self.met.set(number, 0);
        self.others.is_none_or(|others| {
            let mut others = others.lock().unwrap_or_else(PoisonError::into_inner);
            others.insert(number)
        })
    }
}
