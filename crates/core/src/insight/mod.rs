//! What follows from the answers, in words.

mod state;
mod words;

pub(crate) use state::with_evidence;
