//! Reading the stacks of many profiles in pieces: merging them all takes longer than one read may.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard};
use std::thread;

use super::reading::LookedUp;
use super::{Functions, ProfileRecord, StackReader};
use crate::Result;
use crate::lock::lock;
use crate::store::Stacks;

/// Records whose stacks are read at once: a read is short, so that it never holds up the log.
const READ: usize = 64;
/// Pieces of each thread at least: few records may be large ones.
const TIMES: usize = 4;
/// Records that are read at once, however few there are.
const LEAST: usize = 4;
/// Threads that read: as many as there are connections that are kept.
const THREADS: usize = 4;

/// Hands on each record with its stacks, but for those that were taken away since, and gives their functions. `read` is
/// called by several threads, each with its own reader: reading and unpacking are most of the work. What they read comes in
/// the order of the records all the same, so that nothing depends on who was first.
///
/// # Errors
/// Those of `read`.
pub(crate) fn each_stacks(
    records: &[ProfileRecord],
    read: impl Fn(&mut StackReader<'_>, &[ProfileRecord]) -> Result<Vec<Option<Stacks>>> + Sync,
    mut add: impl FnMut(&ProfileRecord, &Stacks),
) -> Result<Functions> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let most = cores.min(THREADS);
    let pieces: Vec<_> = records.chunks(piece(records.len(), most)).collect();
    let threads = most.min(pieces.len());
    let work = Work {
        pieces,
        next: AtomicUsize::new(0),
        failed: AtomicBool::new(false),
        looked_up: LookedUp::default(),
        spare: Mutex::default(),
        read,
    };
    thread::scope(|scope| {
        let (tell, told) = sync_channel(threads);
        for _ in 0..threads {
            let (tell, work) = (tell.clone(), &work);
            scope.spawn(move || work.go_on(&tell));
        }
        drop(tell);
        let mut functions = Functions::default();
        let (mut early, mut due) = (BTreeMap::new(), 0);
        for (place, found) in told {
            let Found { stacks, new } = found?;
            functions.extend(new);
            early.insert(place, stacks);
            while let Some(mut stacks) = early.remove(&due) {
                for (record, stacks) in work.pieces[due].iter().zip(&stacks) {
                    if let Some(stacks) = stacks {
                        add(record, stacks);
                    }
                }
                work.spare().extend(stacks.drain(..).flatten());
                due += 1;
            }
        }
        Ok(functions)
    })
}

/// How many records of so many are read at once by so many threads.
fn piece(records: usize, threads: usize) -> usize {
    records.div_ceil(threads * TIMES).clamp(LEAST, READ)
}

/// What the threads share.
struct Work<'a, R> {
    pieces: Vec<&'a [ProfileRecord]>,
    next: AtomicUsize,
    failed: AtomicBool,
    looked_up: LookedUp,
    /// What was added, to be filled anew: to make room and free it takes as long as to fill it.
    spare: Mutex<Vec<Stacks>>,
    read: R,
}

/// A piece, with the functions that were looked up for it.
struct Found {
    stacks: Vec<Option<Stacks>>,
    new: Functions,
}

impl<R> Work<'_, R>
where
    R: Fn(&mut StackReader<'_>, &[ProfileRecord]) -> Result<Vec<Option<Stacks>>>,
{
    /// Takes one piece after the other, until there are no more or nobody wants them.
    fn go_on(&self, tell: &SyncSender<(usize, Result<Found>)>) {
        let mut reader = StackReader::beside(&self.looked_up);
        while !self.failed.load(Ordering::Relaxed) {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = self.pieces.get(place) else {
                return;
            };
            {
                let mut spare = self.spare();
                let left = spare.len().saturating_sub(piece.len());
                reader.spare.extend(spare.drain(left..));
            }
            let found = (self.read)(&mut reader, piece).map(|stacks| Found {
                stacks,
                new: std::mem::take(&mut reader.functions),
            });
            self.failed.fetch_or(found.is_err(), Ordering::Relaxed);
            if tell.send((place, found)).is_err() {
                return;
            }
        }
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Stacks>> {
        lock(&self.spare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::query::StackFrame;

    fn records(count: u64) -> Vec<ProfileRecord> {
        (0..count).map(ProfileRecord::of).collect()
    }

    /// One function each, some of them the same; every seventh record is gone.
    fn read(reader: &mut StackReader<'_>, piece: &[ProfileRecord]) -> Result<Vec<Option<Stacks>>> {
        // Pieces are ready in another order than that of the records.
        thread::sleep(std::time::Duration::from_micros(
            piece[0].seq * 7_919 % 2_000,
        ));
        Ok(piece
            .iter()
            .map(|record| {
                let id = (record.seq % 100) as u32;
                if reader.is_new(id) {
                    let frame = StackFrame {
                        name: id.to_string(),
                        ..StackFrame::default()
                    };
                    assert!(reader.functions.insert(id, frame).is_none());
                }
                (record.seq % 7 > 0).then(|| Stacks {
                    frames: vec![id],
                    stacks: vec![(None, 0)],
                    leaves: vec![(0, record.seq)],
                    lines: Vec::new(),
                })
            })
            .collect())
    }

    #[test]
    fn every_record_comes_once_in_order_and_with_its_functions() {
        for count in [0, 1, 64, 65, 5_000] {
            let mut came = Vec::new();
            let functions = each_stacks(&records(count), read, |record, stacks| {
                came.push((record.seq, stacks.leaves[0].1, stacks.frames[0]));
            })
            .unwrap();
            let came: Vec<_> = came
                .into_iter()
                .map(|(seq, count, id)| (seq, count, functions[&id].name.clone()))
                .collect();
            let there = (0..count).filter(|seq| seq % 7 > 0);
            let there: Vec<_> = there
                .map(|seq| (seq, seq, (seq % 100).to_string()))
                .collect();
            assert_eq!(came, there);
        }
    }

    #[test]
    fn few_records_are_shared_among_the_threads_and_many_are_read_in_short_pieces() {
        let pieces = [0, 1, 8, 60, 500, 60_000].map(|records| piece(records, 2));
        assert_eq!(pieces, [4, 4, 4, 8, 63, 64]);
    }

    #[test]
    fn what_cannot_be_read_ends_it() {
        let failing = |reader: &mut StackReader<'_>, piece: &[ProfileRecord]| match piece[0].seq {
            seq if seq < 640 => read(reader, piece),
            _ => Err(Error::Invalid {
                what: "profile",
                value: String::new(),
                reason: String::new(),
            }),
        };
        let mut came = 0;
        assert!(each_stacks(&records(100_000), failing, |_, _| came += 1).is_err());
        assert!(came <= 640);
    }
}
