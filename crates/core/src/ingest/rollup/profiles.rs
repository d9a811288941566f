//! Profiles that are older, put together: by the hour, then by the day, for each run of the plugin and prefix.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Instant;

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::Result;
use crate::model::Micros;
use crate::store::{LineCount, Stacks};
use crate::wire::{PROFILE_LINES, PROFILE_STACKS};

const DAY: i64 = 24 * Micros::HOUR;
/// How long after its end a day is put together; an hour is after a day, as the migration has it.
const MONTH: i64 = 30 * DAY;

/// The largest whole number that a record may hold.
const LARGEST: i64 = (1 << 53) - 1;

/// A stretch of time of one run of the plugin.
struct Due {
    at: i64,
    instance: i64,
    from: i64,
    to: i64,
}

/// A stretch of which something is put together already. Nothing is lost with it: then the stretch begins anew.
struct Begun {
    due: Due,
    /// Sequence numbers of profiles that can be one: those of a prefix, at the same interval.
    alike: Vec<VecDeque<u64>>,
    /// Profiles of the stretch, those that are put together counted once.
    left: usize,
}

/// What is remembered between two steps.
#[derive(Default)]
pub(super) struct Profiles {
    begun: Option<Begun>,
}

impl Profiles {
    /// Puts some profiles of one prefix together, if a stretch of time is due; whether one was. It ends soon after `until`.
    pub(super) fn step(&mut self, db: &Connection, now: Micros, until: Instant) -> Result<bool> {
        let begun = match self.begun.take() {
            Some(begun) => Some(begun),
            None => match next(db, now)? {
                Some(due) => Some(list(db, due)?),
                None => None,
            },
        };
        let Some(mut begun) = begun else {
            return Ok(false);
        };
        if let Some(alike) = begun.alike.last_mut() {
            begun.left -= put_together(db, begun.due.instance, alike, until)?;
            if alike.is_empty() {
                begun.alike.pop();
            }
            self.begun = Some(begun);
            return Ok(true);
        }
        let again = list(db, begun.due)?;
        if again.left > begun.left {
            // Something came meanwhile.
            self.begun = Some(again);
        } else {
            done(db, &again.due)?;
        }
        Ok(true)
    }
}

fn next(db: &Connection, now: Micros) -> Result<Option<Due>> {
    Ok(db
        .prepare_cached(include_str!("../sql/profile_due_next.sql"))?
        .query_row(named_params! { ":now": now }, |row| {
            Ok(Due {
                at: row.get(0)?,
                instance: row.get(1)?,
                from: row.get(2)?,
                to: row.get(3)?,
            })
        })
        .optional()?)
}

fn list(db: &Connection, due: Due) -> Result<Begun> {
    let mut statement = db.prepare_cached(include_str!("../sql/profile_rollup_list.sql"))?;
    let mut rows = statement.query(named_params! {
        ":instance_id": due.instance,
        ":from_micros": due.from,
        ":to_micros": due.to,
    })?;
    let mut kinds: BTreeMap<(Option<i64>, i64), VecDeque<u64>> = BTreeMap::new();
    let mut left = 0;
    while let Some(row) = rows.next()? {
        let kind = (row.get("prefix_id")?, row.get("sample_micros")?);
        kinds.entry(kind).or_default().push_back(row.get("seq")?);
        left += 1;
    }
    Ok(Begun {
        due,
        alike: kinds.into_values().filter(|seqs| seqs.len() > 1).collect(),
        left,
    })
}

/// Takes a stretch off the list; of an hour, its day comes onto it.
fn done(db: &Connection, due: &Due) -> Result<()> {
    let listed = db
        .prepare_cached(include_str!("../sql/profile_due_done.sql"))?
        .execute(named_params! {
            ":due_micros": due.at,
            ":instance_id": due.instance,
            ":from_micros": due.from,
        })?;
    // A cluster that was deleted meanwhile has no days.
    if listed > 0 && due.to - due.from < DAY {
        let day = due.from.div_euclid(DAY) * DAY;
        db.prepare_cached(include_str!("../sql/profile_due_again.sql"))?
            .execute(named_params! {
                ":due_micros": day + DAY + MONTH,
                ":instance_id": due.instance,
                ":from_micros": day,
                ":to_micros": day + DAY,
            })?;
    }
    Ok(())
}

/// One stored profile.
struct Profile {
    seq: u64,
    from: i64,
    to: i64,
    samples: i64,
    unattributed: i64,
    stacks: Stacks,
}

/// Reads a profile; none if it is gone, or nobody can read it, which does not keep the others from being put together.
fn read(db: &Connection, instance: i64, seq: u64) -> Result<Option<Profile>> {
    let mut statement = db.prepare_cached(include_str!("../sql/profile_rollup_find.sql"))?;
    let mut rows = statement.query(named_params! { ":instance_id": instance, ":seq": seq })?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let packed = row.get_ref("packed")?;
    match Stacks::unpack(packed.as_blob().map_err(rusqlite::Error::from)?) {
        Ok(stacks) => Ok(Some(Profile {
            seq,
            from: row.get("from_micros")?,
            to: row.get("to_micros")?,
            samples: row.get("samples")?,
            unattributed: row.get("unattributed")?,
            stacks,
        })),
        Err(error) => {
            tracing::warn!(%error, instance, seq, "Bobbin cannot read a profile, and leaves it unchanged");
            Ok(None)
        }
    }
}

/// Puts the first of these profiles together, as many as make one record that the reader of batches would let pass, and
/// takes them off the list. Gives how many went into another.
fn put_together(
    db: &Connection,
    instance: i64,
    seqs: &mut VecDeque<u64>,
    until: Instant,
) -> Result<usize> {
    let mut whole: Option<Whole> = None;
    while let Some(seq) = seqs.pop_front() {
        let Some(profile) = read(db, instance, seq)? else {
            continue;
        };
        let Some(whole) = &mut whole else {
            whole = Some(Whole::new(&profile));
            continue;
        };
        if !whole.takes(&profile) {
            // It begins another record.
            seqs.push_front(seq);
            break;
        }
        whole.add(&profile);
        if Instant::now() > until && !seqs.is_empty() {
            seqs.push_front(whole.seq);
            break;
        }
    }
    match whole {
        Some(whole) if !whole.others.is_empty() => write(db, instance, &whole),
        _ => Ok(0),
    }
}

/// Profiles in the first of them.
struct Whole {
    seq: u64,
    from: i64,
    to: i64,
    samples: i64,
    unattributed: i64,
    sum: Sum,
    others: Vec<u64>,
}

impl Whole {
    fn new(first: &Profile) -> Self {
        let mut sum = Sum::default();
        sum.add(&first.stacks);
        Self {
            seq: first.seq,
            from: first.from,
            to: first.to,
            samples: first.samples,
            unattributed: first.unattributed,
            sum,
            others: Vec::new(),
        }
    }

    /// Whether both are a record as any, which can be sent on. There are no more functions or leaves than stacks.
    fn takes(&self, more: &Profile) -> bool {
        let samples = self.samples.saturating_add(more.samples);
        samples <= LARGEST
            && self.sum.with(&more.stacks) <= PROFILE_STACKS
            && self.sum.lines.len() + more.stacks.lines.len() <= PROFILE_LINES
    }

    fn add(&mut self, more: &Profile) {
        self.sum.add(&more.stacks);
        self.from = self.from.min(more.from);
        self.to = self.to.max(more.to);
        self.samples += more.samples;
        self.unattributed = self.unattributed.saturating_add(more.unattributed);
        self.others.push(more.seq);
    }
}

fn write(db: &Connection, instance: i64, whole: &Whole) -> Result<usize> {
    let packed = match whole.sum.stacks().pack() {
        Ok(packed) => packed,
        Err(error) => {
            tracing::warn!(%error, instance, seq = whole.seq, "profiles are not put together");
            return Ok(0);
        }
    };
    db.prepare_cached(include_str!("../sql/profile_rollup_set.sql"))?
        .execute(named_params! {
            ":instance_id": instance,
            ":seq": whole.seq,
            ":from_micros": whole.from,
            ":to_micros": whole.to,
            ":samples": whole.samples,
            ":unattributed": whole.unattributed,
        })?;
    db.prepare_cached(include_str!("../sql/switch_stacks_set.sql"))?
        .execute(named_params! {
            ":instance_id": instance,
            ":seq": whole.seq,
            ":packed": packed,
        })?;
    for other in &whole.others {
        for sql in [
            include_str!("../sql/profile_rollup_gone_stack.sql"),
            include_str!("../sql/profile_rollup_gone.sql"),
            include_str!("../sql/profile_rollup_gone_note.sql"),
        ] {
            db.prepare_cached(sql)?
                .execute(named_params! { ":instance_id": instance, ":seq": other })?;
        }
    }
    Ok(whole.others.len())
}

/// Stacks summed: nodes by their parent and function, the parent's place plus one.
#[derive(Default)]
struct Sum {
    places: HashMap<(u32, u32), u32>,
    /// Parent and function of each, in the order in which they came.
    nodes: Vec<(u32, u32)>,
    counts: BTreeMap<u32, u64>,
    /// By function and line, both counts.
    lines: BTreeMap<(u32, Option<u32>), (u64, u64)>,
}

impl Sum {
    /// How many stacks there would be with these, at most.
    fn with(&self, stacks: &Stacks) -> usize {
        let mut places: Vec<Option<u32>> = Vec::with_capacity(stacks.stacks.len());
        for &(parent, frame) in &stacks.stacks {
            let below = match parent {
                None => Some(0),
                Some(parent) => places[parent as usize].map(|place| place + 1),
            };
            let node = below.map(|below| (below, stacks.frames[frame as usize]));
            places.push(node.and_then(|node| self.places.get(&node).copied()));
        }
        self.nodes.len() + places.iter().filter(|place| place.is_none()).count()
    }

    fn add(&mut self, stacks: &Stacks) {
        let mut places: Vec<u32> = Vec::with_capacity(stacks.stacks.len());
        for &(parent, frame) in &stacks.stacks {
            let parent = parent.map_or(0, |parent| places[parent as usize] + 1);
            let node = (parent, stacks.frames[frame as usize]);
            let nodes = &mut self.nodes;
            places.push(*self.places.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() as u32 - 1
            }));
        }
        for &(stack, count) in &stacks.leaves {
            let sum = self.counts.entry(places[stack as usize]).or_default();
            *sum = sum.saturating_add(count);
        }
        for line in &stacks.lines {
            let place = (stacks.frames[line.frame as usize], line.line);
            let (ended, samples) = self.lines.entry(place).or_default();
            *ended = ended.saturating_add(line.ended);
            *samples = samples.saturating_add(line.samples);
        }
    }

    fn stacks(&self) -> Stacks {
        let nodes = (0u32..).zip(&self.nodes);
        let places: HashMap<u32, u32> = nodes.map(|(place, &(_, frame))| (frame, place)).collect();
        let lines = self.lines.iter().filter_map(|(&(frame, line), &counts)| {
            let (ended, samples) = counts;
            Some(LineCount {
                frame: *places.get(&frame)?,
                line,
                ended,
                samples,
            })
        });
        Stacks {
            lines: lines.collect(),
            frames: self.nodes.iter().map(|&(_, frame)| frame).collect(),
            stacks: (0u32..)
                .zip(&self.nodes)
                .map(|(place, &(parent, _))| (parent.checked_sub(1), place))
                .collect(),
            leaves: self
                .counts
                .iter()
                .map(|(&stack, &count)| (stack, count))
                .collect(),
        }
        .in_order()
    }
}
