//! The stacks of a profile as they are stored: a few bytes each.
//!
//! Deflated: a version, then the lists of frames, stacks and leaves, each after its length, in numbers as
//! [`numbers`](super::numbers) has them. A frame is how far its number in the table `frame` lies behind the one before. A
//! stack is how far its parent lies before it (0: the bottom) and the place of its frame. A leaf is how far its stack lies
//! behind the one before, and its count.
//!
//! Lines of code follow, deflated by themselves, where there are any: they are as much as all the rest, and a tree does not ask
//! for them. They come column by column, in which numbers that are alike stand side by side: how far the place of each one's frame
//! lies behind the one before, its number (0: the other lines) beyond that of the one before in its frame, and both its counts.
//! Version 3 had them line by line, as the last of the lists before; version 2 had none.
//!
//! A small table is deflated by the fixed code: it takes an eighth more bytes, and a third of the time to inflate, most of which goes
//! into making the tables of a code of its own. Profiles by prefix are so small, and there are tens of thousands of them to merge.

use std::cell::RefCell;
use std::thread::LocalKey;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::numbers::{read_number, write_number};
use crate::{Error, Result};

const VERSION: u64 = 4;
const LINE_BY_LINE: u64 = 3;
const WITHOUT_LINES: u64 = 2;
/// Unpacked bytes, of a table that the reader of batches let pass: far below.
const LARGEST: u64 = 64 << 20;
/// Bytes of a table that is deflated by the fixed code, unpacked.
const SMALL: usize = 2 << 10;

/// A function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Frame {
    pub(crate) name: String,
    pub(crate) file: String,
    /// Its first line.
    pub(crate) line: Option<u32>,
}

/// Samples at one line of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LineCount {
    /// Place of the function.
    pub(crate) frame: u32,
    /// None: all other lines of the function.
    pub(crate) line: Option<u32>,
    /// Samples that ended at it.
    pub(crate) ended: u64,
    /// Samples at it, or in what it called.
    pub(crate) samples: u64,
}

/// The stacks of one profile.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Stacks {
    /// Numbers in the table `frame`, in order, each once.
    pub(crate) frames: Vec<u32>,
    /// Parent, which comes before, and place of the frame.
    pub(crate) stacks: Vec<(Option<u32>, u32)>,
    /// Stack and number of samples that ended there, in order.
    pub(crate) leaves: Vec<(u32, u64)>,
    /// By function, each line once.
    pub(crate) lines: Vec<LineCount>,
}

impl Stacks {
    /// Puts the frames in order, whatever order they and their repetitions had.
    pub(crate) fn in_order(self) -> Self {
        let mut frames = self.frames.clone();
        frames.sort_unstable();
        frames.dedup();
        // There are many more stacks than frames.
        let places: Vec<u32> = self
            .frames
            .iter()
            .map(|&frame| frames.partition_point(|&known| known < frame) as u32)
            .collect();
        let place = |old: u32| places[old as usize];
        let stacks = self.stacks.iter();
        let mut lines = self.lines;
        for line in &mut lines {
            line.frame = place(line.frame);
        }
        lines.sort_unstable();
        lines.dedup_by(|again, first| {
            let is_same = (again.frame, again.line) == (first.frame, first.line);
            if is_same {
                first.ended = first.ended.saturating_add(again.ended);
                first.samples = first.samples.saturating_add(again.samples);
            }
            is_same
        });
        Self {
            stacks: stacks
                .map(|&(parent, frame)| (parent, place(frame)))
                .collect(),
            leaves: self.leaves,
            frames,
            lines,
        }
    }

    /// # Errors
    /// [`Error::Io`]; [`Error::Invalid`] if it is more than could be unpacked.
    pub(crate) fn pack(&self) -> Result<Vec<u8>> {
        let mut packed = pack(&self.without_lines())?;
        if !self.lines.is_empty() {
            packed.extend(pack(&self.lines_alone())?);
        }
        Ok(packed)
    }

    fn without_lines(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut number = |value: u64| write_number(&mut bytes, value);
        number(VERSION);
        number(self.frames.len() as u64);
        let mut before = 0;
        for &frame in &self.frames {
            number(u64::from(frame - before));
            before = frame;
        }
        number(self.stacks.len() as u64);
        for (at, &(parent, frame)) in self.stacks.iter().enumerate() {
            number(parent.map_or(0, |parent| at as u64 - u64::from(parent)));
            number(u64::from(frame));
        }
        number(self.leaves.len() as u64);
        let mut before = 0;
        for &(stack, count) in &self.leaves {
            number(u64::from(stack - before));
            number(count);
            before = stack;
        }
        bytes
    }

    fn lines_alone(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut number = |value: u64| write_number(&mut bytes, value);
        number(self.lines.len() as u64);
        let mut before = 0;
        for line in &self.lines {
            number(u64::from(line.frame - before));
            before = line.frame;
        }
        let mut before = InFrame::default();
        for line in &self.lines {
            number(u64::from(before.steps_to(line)));
        }
        for line in &self.lines {
            number(line.ended);
        }
        for line in &self.lines {
            number(line.samples);
        }
        bytes
    }

    /// # Errors
    /// [`Error::Invalid`] if it is not what [`Stacks::pack`] wrote.
    pub(crate) fn unpack(packed: &[u8]) -> Result<Self> {
        let mut stacks = Self::default();
        Unpacker::default().unpack_to(packed, &mut stacks)?;
        Ok(stacks)
    }

    /// Fills it anew with what the bytes tell, lines within them if they are wanted; what it holds if they do not is of no use.
    fn read(&mut self, mut bytes: &[u8], with_lines: bool) -> Option<()> {
        let Self {
            frames,
            stacks,
            leaves,
            lines,
        } = self;
        let bytes = &mut bytes;
        let version = read_number(bytes)?;
        if !(WITHOUT_LINES..=VERSION).contains(&version) {
            return None;
        }
        let mut frame = 0u64;
        let count = read_number(bytes)?;
        frames.clear();
        frames.reserve(room(count, bytes));
        for _ in 0..count {
            frame = frame.checked_add(read_number(bytes)?)?;
            frames.push(u32::try_from(frame).ok()?);
        }
        let count = read_number(bytes)?;
        stacks.clear();
        stacks.reserve(room(count, bytes));
        for at in 0..count {
            let parent = match read_number(bytes)? {
                0 => None,
                back => Some(u32::try_from(at.checked_sub(back)?).ok()?),
            };
            let frame = read_number(bytes).filter(|&frame| frame < frames.len() as u64)?;
            stacks.push((parent, u32::try_from(frame).ok()?));
        }
        let mut stack = 0u64;
        let count = read_number(bytes)?;
        leaves.clear();
        leaves.reserve(room(count, bytes));
        for _ in 0..count {
            stack = stack.checked_add(read_number(bytes)?)?;
            let count = read_number(bytes)?;
            if stack >= stacks.len() as u64 {
                return None;
            }
            leaves.push((u32::try_from(stack).ok()?, count));
        }
        lines.clear();
        if with_lines && version == LINE_BY_LINE {
            read_line_by_line(bytes, frames.len() as u64, lines)?;
        }
        Some(())
    }
}

/// The line before, of which the next one of its frame counts.
#[derive(Default)]
struct InFrame {
    frame: u32,
    line: u32,
}

impl InFrame {
    fn start(&self, frame: u32) -> u32 {
        if self.frame == frame { self.line } else { 0 }
    }

    /// How far a line lies behind it. In whatever order they come, none is lost.
    fn steps_to(&mut self, next: &LineCount) -> u32 {
        let line = next.line.unwrap_or(0);
        let steps = line.wrapping_sub(self.start(next.frame));
        (self.frame, self.line) = (next.frame, line);
        steps
    }

    /// The line that lies so far behind it.
    fn step(&mut self, frame: u32, steps: u32) -> Option<u32> {
        let line = self.start(frame).wrapping_add(steps);
        (self.frame, self.line) = (frame, line);
        (line > 0).then_some(line)
    }
}

/// Deflates what is read in one piece.
fn pack(bytes: &[u8]) -> Result<Vec<u8>> {
    if bytes.len() as u64 >= LARGEST {
        return Err(Error::Invalid {
            what: "profile",
            value: format!("{} bytes", bytes.len()),
            reason: format!("the maximum is {LARGEST}"),
        });
    }
    let deflate = match bytes.len() <= SMALL {
        true => &QUICK,
        false => &USUAL,
    };
    deflate_with(deflate, bytes)
}

fn read_lines(bytes: &mut &[u8], frames: u64, lines: &mut Vec<LineCount>) -> Option<()> {
    let count = read_number(bytes)?;
    lines.reserve(room(count, bytes));
    let mut frame = 0u64;
    for _ in 0..count {
        frame = next_frame(bytes, frame, frames)?;
        lines.push(LineCount {
            frame: u32::try_from(frame).ok()?,
            line: None,
            ended: 0,
            samples: 0,
        });
    }
    let mut before = InFrame::default();
    for line in lines.iter_mut() {
        let steps = u32::try_from(read_number(bytes)?).ok()?;
        line.line = before.step(line.frame, steps);
    }
    for line in lines.iter_mut() {
        line.ended = read_number(bytes)?;
    }
    for line in lines {
        line.samples = read_number(bytes)?;
    }
    Some(())
}

/// The place of a line's frame, from that of the line before.
fn next_frame(bytes: &mut &[u8], before: u64, frames: u64) -> Option<u64> {
    let frame = before.checked_add(read_number(bytes)?)?;
    (frame < frames).then_some(frame)
}

/// As version 3 had them.
fn read_line_by_line(bytes: &mut &[u8], frames: u64, lines: &mut Vec<LineCount>) -> Option<()> {
    let count = read_number(bytes)?;
    lines.reserve(room(count, bytes));
    let mut frame = 0u64;
    for _ in 0..count {
        frame = next_frame(bytes, frame, frames)?;
        let line = u32::try_from(read_number(bytes)?).ok()?;
        lines.push(LineCount {
            frame: u32::try_from(frame).ok()?,
            line: (line > 0).then_some(line),
            ended: read_number(bytes)?,
            samples: read_number(bytes)?,
        });
    }
    Some(())
}

/// Unpacks one after the other: what inflates takes longer to set up than for a small profile.
pub(crate) struct Unpacker {
    inflate: Decompress,
    /// Room for what was inflated, which stays initialised.
    bytes: Vec<u8>,
}

impl Default for Unpacker {
    fn default() -> Self {
        Self {
            inflate: Decompress::new(false),
            bytes: Vec::new(),
        }
    }
}

impl Unpacker {
    /// Fills `stacks` anew.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it is not what [`Stacks::pack`] wrote.
    pub(crate) fn unpack_to(&mut self, packed: &[u8], stacks: &mut Stacks) -> Result<()> {
        let bytes = self.inflate(packed)?;
        stacks.read(bytes, true).ok_or_else(wrong)?;
        let rest = &packed[self.inflate.total_in() as usize..];
        if !rest.is_empty() {
            let frames = stacks.frames.len() as u64;
            let mut bytes = self.inflate(rest)?;
            read_lines(&mut bytes, frames, &mut stacks.lines).ok_or_else(wrong)?;
        }
        Ok(())
    }

    /// The same without the lines.
    ///
    /// # Errors
    /// As [`Unpacker::unpack_to`].
    pub(crate) fn unpack_without_lines_to(
        &mut self,
        packed: &[u8],
        stacks: &mut Stacks,
    ) -> Result<()> {
        let bytes = self.inflate(packed)?;
        stacks.read(bytes, false).ok_or_else(wrong)
    }

    fn inflate(&mut self, packed: &[u8]) -> Result<&[u8]> {
        self.inflate.reset(false);
        let mut written = 0;
        loop {
            // Most become four times as long.
            let room = written + 4 * packed.len() + 1_024;
            if self.bytes.len() < room {
                self.bytes.resize(room, 0);
            }
            let read = self.inflate.total_in();
            let rest = &packed[read as usize..];
            let status = self
                .inflate
                .decompress(rest, &mut self.bytes[written..], FlushDecompress::None)
                .map_err(|_| wrong())?;
            let so_far = self.inflate.total_out() as usize;
            let went_on = self.inflate.total_in() > read || so_far > written;
            written = so_far;
            match status {
                Status::StreamEnd => return Ok(&self.bytes[..written]),
                Status::Ok | Status::BufError if went_on && (written as u64) < LARGEST => {}
                Status::Ok | Status::BufError => return Err(wrong()),
            }
        }
    }
}

thread_local! {
    /// What deflates: to set it up takes longer than to deflate a small profile.
    static USUAL: RefCell<Compress> = RefCell::new(Compress::new(Compression::default(), false));
    /// The quickest level has no code but the fixed one.
    static QUICK: RefCell<Compress> = RefCell::new(Compress::new(Compression::fast(), false));
}

/// Deflates what is about to be stored.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn deflate(bytes: &[u8]) -> Result<Vec<u8>> {
    deflate_with(&USUAL, bytes)
}

fn deflate_with(deflate: &'static LocalKey<RefCell<Compress>>, bytes: &[u8]) -> Result<Vec<u8>> {
    deflate.with_borrow_mut(|deflate| {
        deflate.reset();
        let mut deflated = Vec::new();
        loop {
            // Most become a quarter as long.
            deflated.reserve(bytes.len() / 4 + 256);
            let rest = &bytes[deflate.total_in() as usize..];
            let status = deflate
                .compress_vec(rest, &mut deflated, FlushCompress::Finish)
                .map_err(|error| Error::Io {
                    path: "profile".into(),
                    source: error.into(),
                })?;
            if status == Status::StreamEnd {
                return Ok(deflated);
            }
        }
    })
}

/// Inflates what [`deflate`] made.
///
/// # Errors
/// [`Error::Invalid`] if it is something else.
pub(crate) fn inflate(bytes: &[u8]) -> Result<Vec<u8>> {
    Ok(Unpacker::default().inflate(bytes)?.to_vec())
}

/// Each takes a byte at least: no number that was tampered with makes room for more.
fn room(count: u64, bytes: &[u8]) -> usize {
    usize::try_from(count)
        .unwrap_or(usize::MAX)
        .min(bytes.len())
}

fn wrong() -> Error {
    Error::Invalid {
        what: "profile",
        value: "a stored table".into(),
        reason: "it is not what this build writes".into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn stacks() -> impl Strategy<Value = Stacks> {
        (
            vec(any::<u32>(), 1..9),
            vec((any::<u32>(), any::<u32>(), 0u64..1 << 53), 0..40),
        )
            .prop_map(|(frames, drawn)| {
                let mut made = Stacks {
                    frames,
                    ..Stacks::default()
                };
                for (at, (parent, frame, count)) in drawn.into_iter().enumerate() {
                    let parent = (parent as usize % (at + 1)).checked_sub(1);
                    let frame = frame % made.frames.len() as u32;
                    made.stacks
                        .push((parent.map(|parent| parent as u32), frame));
                    made.leaves.push((at as u32, count));
                    made.lines.push(LineCount {
                        frame,
                        line: Some((count % 5) as u32).filter(|&line| line > 0),
                        ended: count / 2,
                        samples: count,
                    });
                }
                made
            })
    }

    /// What version 3 deflated.
    fn line_by_line(stacks: &Stacks) -> Vec<u8> {
        let mut bytes = stacks.without_lines();
        // The version is the first byte.
        bytes[0] = LINE_BY_LINE as u8;
        let mut number = |value: u64| write_number(&mut bytes, value);
        number(stacks.lines.len() as u64);
        let mut before = 0;
        for line in &stacks.lines {
            number(u64::from(line.frame - before));
            number(u64::from(line.line.unwrap_or(0)));
            number(line.ended);
            number(line.samples);
            before = line.frame;
        }
        bytes
    }

    #[test]
    fn lines_take_less_by_columns_than_one_by_one() {
        let stacks = Stacks {
            frames: (0..60).collect(),
            lines: (0..180)
                .map(|at| LineCount {
                    frame: at / 3,
                    line: Some(40 + at * 7 % 60 + at % 3 * 60),
                    ended: u64::from(at % 3 == 0) * u64::from(at * 31 % 400),
                    samples: u64::from(400 + at * 53 % 500),
                })
                .collect(),
            ..Stacks::default()
        };
        let before = deflate_with(&QUICK, &line_by_line(&stacks)).unwrap();
        let packed = stacks.pack().unwrap();
        assert!(
            packed.len() * 10 < before.len() * 9,
            "{} of {}",
            packed.len(),
            before.len()
        );
    }

    #[test]
    fn a_small_table_has_no_code_of_its_own() {
        let of = |stacks: u32| Stacks {
            frames: (0..100).collect(),
            stacks: (0..stacks)
                .map(|at| (at.checked_sub(1 + at % 7), at * 31 % 100))
                .collect(),
            leaves: (0..stacks).map(|at| (at, u64::from(at % 5))).collect(),
            lines: Vec::new(),
        };
        // The two bits after the first: 1 is the fixed code, 2 one of its own.
        let code = |stacks: &Stacks| (stacks.pack().unwrap()[0] >> 1) & 3;
        assert_eq!((code(&of(100)), code(&of(2_000))), (1, 2));
    }

    #[test]
    fn each_is_deflated_by_itself_and_grows_where_it_cannot_shrink() {
        let mut state = 1u64;
        let noise = std::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        });
        let noise: Vec<u8> = noise.take(100_000).collect();
        let even = vec![7; 100_000];
        let first = deflate(&even).unwrap();
        assert!(first.len() < 1_000);
        for bytes in [&noise, &even, &Vec::new(), &noise] {
            assert_eq!(&inflate(&deflate(bytes).unwrap()).unwrap(), bytes);
        }
        assert_eq!(deflate(&even).unwrap(), first);
    }

    proptest! {
        #[test]
        fn what_was_packed_comes_back(stacks in stacks()) {
            let ordered = stacks.clone().in_order();
            for (drawn, ordered_one) in stacks.stacks.iter().zip(&ordered.stacks) {
                prop_assert_eq!(stacks.frames[drawn.1 as usize], ordered.frames[ordered_one.1 as usize]);
            }
            let sum = |lines: &[LineCount]| lines.iter().map(|line| line.samples).sum::<u64>();
            prop_assert_eq!(sum(&stacks.lines), sum(&ordered.lines));
            let once = |pair: &[LineCount]| (pair[0].frame, pair[0].line) < (pair[1].frame, pair[1].line);
            prop_assert!(ordered.lines.windows(2).all(once));
            let packed = ordered.pack().unwrap();
            prop_assert_eq!(&Stacks::unpack(&packed).unwrap(), &ordered);
            // What it held before is gone, its lines, too.
            let mut held = stacks;
            Unpacker::default().unpack_without_lines_to(&packed, &mut held).unwrap();
            prop_assert_eq!(held, Stacks { lines: Vec::new(), ..ordered });
        }

        #[test]
        fn what_was_packed_line_by_line_is_read(stacks in stacks()) {
            let stacks = stacks.in_order();
            let packed = deflate(&line_by_line(&stacks)).unwrap();
            prop_assert_eq!(&Stacks::unpack(&packed).unwrap(), &stacks);
            let mut without = Stacks::default();
            Unpacker::default().unpack_without_lines_to(&packed, &mut without).unwrap();
            prop_assert_eq!(without, Stacks { lines: Vec::new(), ..stacks });
        }

        #[test]
        fn what_was_packed_before_there_were_lines_is_read(stacks in stacks()) {
            let stacks = Stacks { lines: Vec::new(), ..stacks.in_order() };
            let mut older = stacks.without_lines();
            older[0] = WITHOUT_LINES as u8;
            prop_assert_eq!(Stacks::unpack(&deflate(&older).unwrap()).unwrap(), stacks);
        }

        #[test]
        fn lines_in_no_order_come_back(stacks in stacks()) {
            let mut stacks = stacks.in_order();
            // Of one function, since functions are in order.
            for line in &mut stacks.lines {
                line.frame = 0;
            }
            stacks.lines.reverse();
            prop_assert_eq!(Stacks::unpack(&stacks.pack().unwrap()).unwrap(), stacks);
        }

        #[test]
        fn nothing_else_brings_the_reader_down(bytes in vec(any::<u8>(), 0..200)) {
            let _ = Stacks::unpack(&bytes);
            let _ = Stacks::default().read(&bytes, true);
        }
    }
}
