//! Profiles: each is kept, its functions by number, its stacks packed, its lines of source sealed.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use rusqlite::named_params;

use super::Context;
use super::frames::Frames;
use super::keys::DataKeys;
use super::names::Names;
use super::single::{dropped, natural_id};
use super::switches::Allowed;
use crate::Result;
use crate::seal::Place;
use crate::store::{Frame, LineCount, Stacks, deflate};
use crate::wire::{DroppedRecord, ProfileRecord};

/// Lines remembered; beyond, they are stored once more.
const KEPT: usize = 200_000;

/// Which lines of source were stored by this run of the writer: those of hot functions come with every profile.
#[derive(Default)]
pub(super) struct Lines {
    seen: HashSet<u64>,
    hash: RandomState,
}

impl Lines {
    /// Some of them may not have been stored.
    pub(super) fn forget(&mut self) {
        self.seen.clear();
    }

    fn is_new(&mut self, cluster: i64, frame: &Frame, line: Option<u32>, text: &str) -> bool {
        if self.seen.len() >= KEPT {
            self.seen.clear();
        }
        let known = (cluster, frame, line, text);
        self.seen.insert(self.hash.hash_one(known))
    }
}

/// File, name and first line of a function, what one of its lines says, and which: null for the first that was seen running.
type Told<'a> = (&'a str, &'a str, Option<u32>, &'a str, Option<u32>);

pub(super) fn profile(
    context: &Context<'_>,
    names: &mut Names,
    keys: &mut DataKeys,
    (frames, lines): (&mut Frames, &mut Lines),
    record: &ProfileRecord,
    seq: u64,
) -> Result<()> {
    let Context { db, instance, .. } = *context;
    let allowed = Allowed::find(context)?;
    if !allowed.profile() {
        let shed = DroppedRecord {
            at_micros: record.to_micros,
            what: "profile".into(),
            count: 1,
            reason: "switched_off".into(),
        };
        return dropped(context, &shed, seq);
    }
    let prefix = record.prefix.as_deref();
    let made = db
        .prepare_cached(include_str!("sql/profile.sql"))?
        .execute(named_params! {
            ":instance_id": instance,
            ":seq": seq,
            ":from_micros": record.from_micros,
            ":to_micros": record.to_micros,
            ":prefix_id": prefix.map(|prefix| names.id(db, prefix)).transpose()?,
            ":samples": record.samples,
            ":sample_micros": record.sample_micros,
            ":unattributed": record.unattributed,
        })?;
    if made == 0 {
        return Ok(());
    }
    let told = told_frames(record, &allowed);
    let ids = frames.ids(db, context.cluster, &told)?;
    let mut stacks = stacks(record, ids);
    if !allowed.code() {
        stacks.lines.clear();
    }
    let stacks = stacks.in_order();
    db.prepare_cached(include_str!("sql/profile_stack.sql"))?
        .execute(named_params! {
            ":instance_id": instance,
            ":seq": seq,
            ":packed": stacks.pack()?,
        })?;
    if !allowed.code() {
        return Ok(());
    }
    let first_seen = told.iter().zip(&record.frames.text);
    let at_lines = record.lines.frame.iter().zip(&record.lines.line);
    let told: Vec<Told<'_>> = first_seen
        .map(|(frame, text)| (frame, None, *text))
        .chain(
            at_lines
                .zip(&record.lines.text)
                .map(|((&frame, &line), &text)| (&told[frame as usize], line, text)),
        )
        .filter_map(|(frame, line, text)| {
            let text = record.strings[text? as usize].as_str();
            let is_new = lines.is_new(context.cluster, frame, line, text);
            is_new.then_some((
                frame.file.as_str(),
                frame.name.as_str(),
                frame.line,
                text,
                line,
            ))
        })
        .collect();
    if told.is_empty() {
        return Ok(());
    }
    let row = natural_id(context, seq);
    let place = Place {
        table: "profile_line",
        column: "lines_sealed",
        row: &row,
        cluster: &context.header.cluster_id,
    };
    let sealed = keys.seal(context, place, &deflate(&serde_json::to_vec(&told)?)?)?;
    db.prepare_cached(include_str!("sql/profile_line.sql"))?
        .execute(named_params! {
            ":instance_id": instance,
            ":seq": seq,
            ":lines_sealed": sealed,
        })?;
    Ok(())
}

/// The functions of a record. The reader of batches has seen to it that every place is inside.
fn told_frames(record: &ProfileRecord, allowed: &Allowed) -> Vec<Frame> {
    let text = |place: u32| record.strings[place as usize].as_str();
    let columns = &record.frames;
    columns
        .name
        .iter()
        .zip(&columns.file)
        .zip(&columns.line)
        .map(|((&name, &file), &line)| Frame {
            name: text(name).to_owned(),
            file: allowed.file(text(file)).to_owned(),
            line,
        })
        .collect()
}

/// The stacks of a record, whose functions have these numbers.
fn stacks(record: &ProfileRecord, frames: Vec<u32>) -> Stacks {
    let parents = record
        .stacks
        .parent
        .iter()
        .map(|&at| u32::try_from(at).ok());
    let mut leaves: Vec<(u32, u64)> = record
        .leaves
        .stack
        .iter()
        .copied()
        .zip(record.leaves.count.iter().copied())
        .collect();
    leaves.sort_unstable();
    let by_line = &record.lines;
    let counts = by_line.ended.iter().zip(&by_line.samples);
    let lines = by_line.frame.iter().zip(&by_line.line).zip(counts);
    Stacks {
        frames,
        stacks: parents.zip(record.stacks.frame.iter().copied()).collect(),
        leaves,
        lines: lines
            .map(|((&frame, &line), (&ended, &samples))| LineCount {
                frame,
                line,
                ended,
                samples,
            })
            .collect(),
    }
}
