//! Profiles, their tables as they travel.

use std::collections::HashMap;

use rusqlite::named_params;

use super::{Instance, Piece, Sink, Source};
use crate::query::{Functions, Lines, ProfileRecord as StoredProfile, StackReader, lines};
use crate::store::{Frame, Stacks};
use crate::wire::{
    ProfileFrames, ProfileLeaves, ProfileLines, ProfileRecord, ProfileStacks, Record,
};
use crate::{Error, Result};

pub(super) fn profiles(
    source: &mut Source<'_>,
    instance: &Instance,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let db = source.db;
    let told = match &mut source.unsealer {
        Some(unsealer) => lines(db, unsealer, source.cluster.id)?,
        None => {
            let unread = db
                .prepare_cached(include_str!("../sql/profile_lines.sql"))?
                .query_one(named_params! { ":instance_id": instance.id }, |row| {
                    row.get::<_, u64>(0)
                })?;
            if unread > 0 {
                *source.unread.entry("profile.frames.text").or_default() += unread;
            }
            Lines::Off
        }
    };
    if let Lines::Locked = told {
        return Err(Error::Locked);
    }
    let mut reader = StackReader::default();
    let mut statement = db.prepare_cached(include_str!("../sql/profiles.sql"))?;
    let mut rows = statement.query(named_params! { ":instance_id": instance.id })?;
    while let Some(row) = rows.next()? {
        let stored = StoredProfile {
            cluster: source.cluster.id,
            instance: instance.id,
            seq: row.get("seq")?,
            from: row.get("from_micros")?,
            to: row.get("to_micros")?,
            samples: row.get("samples")?,
            sample_micros: row.get("sample_micros")?,
            unattributed: row.get("unattributed")?,
        };
        let packed = reader
            .read(db, std::slice::from_ref(&stored))?
            .pop()
            .flatten();
        let Some(packed) = packed else {
            continue;
        };
        let base = ProfileRecord {
            at_micros: stored.to,
            from_micros: stored.from,
            to_micros: stored.to,
            prefix: row.get("prefix")?,
            samples: stored.samples,
            sample_micros: stored.sample_micros,
            unattributed: stored.unattributed,
            strings: Vec::new(),
            frames: ProfileFrames::default(),
            stacks: ProfileStacks::default(),
            leaves: ProfileLeaves::default(),
            lines: ProfileLines::default(),
        };
        let record = with(base, packed, &reader.functions, &told);
        sink(Piece::Record(Record::Profile(Box::new(record))))?;
    }
    Ok(())
}

/// The record with these tables.
fn with(
    mut record: ProfileRecord,
    stacks: Stacks,
    functions: &Functions,
    told: &Lines,
) -> ProfileRecord {
    let mut places: HashMap<String, u32> = HashMap::new();
    let strings = &mut record.strings;
    let mut place = |text: &str| {
        if let Some(&place) = places.get(text) {
            return place;
        }
        let place = strings.len() as u32;
        strings.push(text.to_owned());
        places.insert(text.to_owned(), place);
        place
    };
    let unknown = Frame::default();
    for id in &stacks.frames {
        let frame = functions.get(id).unwrap_or(&unknown);
        record.frames.name.push(place(&frame.name));
        record.frames.file.push(place(&frame.file));
        record.frames.line.push(frame.line);
        record.frames.text.push(told.text(frame).map(&mut place));
    }
    for count in &stacks.lines {
        let id = stacks.frames[count.frame as usize];
        let frame = functions.get(&id).unwrap_or(&unknown);
        let text = count.line.and_then(|line| told.text_at(frame, line));
        record.lines.frame.push(count.frame);
        record.lines.line.push(count.line);
        record.lines.text.push(text.map(&mut place));
        record.lines.ended.push(count.ended);
        record.lines.samples.push(count.samples);
    }
    for (parent, frame) in stacks.stacks {
        record
            .stacks
            .parent
            .push(parent.map_or(-1, |parent| parent as i32));
        record.stacks.frame.push(frame);
    }
    (record.leaves.stack, record.leaves.count) = stacks.leaves.into_iter().unzip();
    record
}
