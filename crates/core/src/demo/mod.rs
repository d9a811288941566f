//! Recordings: the stories that are shown before a cluster of one's own reports, and playing any recording once more.
//!
//! A [`Tape`] is what one cluster said, in the order of time. Told again at another time and under another id it is batches like
//! any other's, and goes in by the same ways. Ids of clusters that are told again begin with [`SAMPLE`]: by that the store knows
//! them for good, whatever way they came.

mod history;
mod player;
mod story;
mod tape;

pub use player::{Door, From, Player, PlayerState, SPEEDS};
pub use story::{STORIES, Story};
pub use tape::{Chapter, Tape};

use history::history;
use tape::sample_id;

use crate::Result;
use crate::model::Micros;

/// How the scheduler's id of a cluster begins that is told from a recording. Dask's own begin with `Scheduler-`.
pub const SAMPLE: &str = "Sample-";

/// The batches of the stories and of the weeks before, so that the last of them ended a moment before `now`;
/// the stories first.
///
/// # Errors
/// [`crate::Error::NotFound`] if this build has no stories.
pub(crate) fn batches(now: Micros) -> Result<Vec<Vec<u8>>> {
    let mut batches = Vec::new();
    for story in STORIES {
        let tape = story.tape()?.labelled("recorded run");
        let by_micros = now.0 - story.ended_micros_ago - tape.ended.0;
        batches.extend(tape.told(0..tape.len(), &sample_id(story.name)?, by_micros)?);
    }
    for (tape, by_micros) in history(now)? {
        batches.extend(tape.told(0..tape.len(), &sample_id("history")?, by_micros)?);
    }
    Ok(batches)
}

#[cfg(test)]
mod tests;
