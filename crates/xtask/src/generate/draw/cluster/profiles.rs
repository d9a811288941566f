//! The profiles of a cluster.

use bobbin_core::wire::Record;

use super::super::{
    dice::Dice,
    profile::{self, Code},
};
use super::Plan;

/// A plugin tells no more in one record; a larger profile is told in several, one after the other.
const STACKS_A_RECORD: usize = 18_000;

impl Plan<'_> {
    /// By prefix, all of them together of about so many stacks; without any, none was collected.
    pub(super) fn profiles(&self, dice: &mut Dice, busy: f64, stacks: usize) -> Vec<Record> {
        if stacks == 0 {
            return Vec::new();
        }
        let of: Vec<_> = self.recorded.profiles.iter().take(6).collect();
        let parts = (stacks / of.len()).div_ceil(STACKS_A_RECORD);
        let each = stacks / of.len() / parts;
        let samples = (busy * 100.0) as u64 / (of.len() * parts) as u64;
        let length = (self.done - self.start) / parts as i64;
        let mut records = Vec::new();
        for part in 0..parts {
            let from = self.start + length * part as i64;
            let code = Code {
                seed: self.seed,
                project: self.author.project,
                month: self.month(),
                part,
            };
            for one in &of {
                let time = (from, from + length);
                let grown = profile::grow(dice, one, &code, each, time, samples);
                records.push(Record::Profile(Box::new(grown)));
            }
        }
        records
    }
}
