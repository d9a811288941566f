//! The stories of this build.

use super::Tape;
use crate::{Error, Result};

/// What is in `assets/demo`, by the names of its files.
const RECORDINGS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/demo.rs"));

/// A recorded run that says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Story {
    /// By which it is asked for.
    pub name: &'static str,
    pub title: &'static str,
    /// What there is to see, in a sentence.
    pub about: &'static str,
    /// Before the demo was opened.
    pub(crate) ended_micros_ago: i64,
}

const MINUTE: i64 = 60_000_000;

/// All of them, the one to begin with first.
pub const STORIES: [Story; 3] = [
    Story {
        name: "healthy",
        title: "Taxi trips, every night",
        about: "A dataframe job that keeps its workers busy from start to finish.",
        ended_micros_ago: 47 * MINUTE,
    },
    Story {
        name: "wasteful",
        title: "A climate field in tiny chunks",
        about: "Arrays in chunks that are far too small, memory that spills to disk, and workers that wait.",
        ended_micros_ago: 16 * MINUTE,
    },
    Story {
        name: "failing",
        title: "A churn model that breaks",
        about: "Futures with retries, exceptions, and a worker that was killed for its memory.",
        ended_micros_ago: 2_000_000,
    },
];

impl Story {
    /// The one of this name.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub fn find(name: &str) -> Result<Self> {
        STORIES
            .into_iter()
            .find(|story| story.name == name)
            .ok_or_else(|| Error::NotFound {
                kind: "story",
                id: name.into(),
            })
    }

    /// Its recording.
    ///
    /// # Errors
    /// As [`Tape::read`]; [`Error::NotFound`] if this build has no stories.
    pub fn tape(&self) -> Result<Tape> {
        let mut tapes = Tape::read(self.name, recording(self.name)?)?;
        match tapes.len() {
            1 => Ok(tapes.remove(0)),
            _ => Err(Error::NotFound {
                kind: "story",
                id: self.name.into(),
            }),
        }
    }
}

/// The bytes of a recording.
///
/// # Errors
/// [`Error::NotFound`].
pub(super) fn recording(name: &str) -> Result<&'static [u8]> {
    RECORDINGS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, bytes)| *bytes)
        .ok_or_else(|| Error::NotFound {
            kind: "recording",
            id: name.into(),
        })
}
