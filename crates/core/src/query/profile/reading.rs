//! Reading the stacks of profiles, and the names of the functions in them.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::Mutex;

use rusqlite::{Connection, named_params};

use super::dense::Dense;
use super::{Mixed, ProfileRecord};
use crate::Result;
use crate::lock::lock;
use crate::store::{Frame, Stacks, Unpacker};

/// Functions by their numbers in the store.
pub(crate) type Functions = HashMap<u32, Frame, BuildHasherDefault<Mixed>>;

/// Numbers of functions that one of several readers has looked up.
pub(super) type LookedUp = Mutex<HashSet<u32, BuildHasherDefault<Mixed>>>;

/// No farther apart, what lies between two is passed by sooner than the second is looked up.
const NEAR: u64 = 16;

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
        self.read_by(db, records, Unpacker::unpack_to)
    }

    /// The same without samples by line.
    ///
    /// # Errors
    /// As [`StackReader::read`].
    pub(crate) fn read_without_lines(
        &mut self,
        db: &Connection,
        records: &[ProfileRecord],
    ) -> Result<Vec<Option<Stacks>>> {
        self.read_by(db, records, Unpacker::unpack_without_lines_to)
    }

    fn read_by(
        &mut self,
        db: &Connection,
        records: &[ProfileRecord],
        unpack: fn(&mut Unpacker, &[u8], &mut Stacks) -> Result<()>,
    ) -> Result<Vec<Option<Stacks>>> {
        let mut stored = db.prepare_cached(include_str!("../profile_stack.sql"))?;
        let mut find = db.prepare_cached(include_str!("../profile_frame.sql"))?;
        let mut found = Vec::with_capacity(records.len());
        for run in records.chunk_by(are_near) {
            let first = found.len();
            found.resize_with(first + run.len(), || None);
            let mut rows = stored.query(named_params! {
                ":instance_id": run[0].instance,
                ":from_seq": run[0].seq,
                ":to_seq": run[run.len() - 1].seq,
            })?;
            while let Some(row) = rows.next()? {
                let seq: u64 = row.get(0)?;
                let Ok(at) = run.binary_search_by_key(&seq, |record| record.seq) else {
                    continue;
                };
                let packed = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
                let mut stacks = self.spare.pop().unwrap_or_default();
                unpack(&mut self.unpacker, packed, &mut stacks)?;
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
                found[first + at] = Some(stacks);
            }
        }
        Ok(found)
    }

    /// Whether a function is still to be looked up.
    pub(super) fn is_new(&mut self, number: u32) -> bool {
        if self.met.get(number).is_some() {
            return false;
        }
        self.met.set(number, 0);
        self.others.is_none_or(|known| lock(known).insert(number))
    }
}

/// Whether two records are read in one go: the prefixes of an interval follow each other.
fn are_near(before: &ProfileRecord, after: &ProfileRecord) -> bool {
    let apart = after.seq.checked_sub(before.seq);
    before.instance == after.instance && apart.is_some_and(|apart| (1..=NEAR).contains(&apart))
}
