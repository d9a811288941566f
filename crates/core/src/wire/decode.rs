//! Bytes into batches.

use std::io::BufRead;

use super::Batch;
use crate::{Error, Result};

/// Reads one batch of plain newline-delimited JSON.
///
/// # Errors
/// [`Error::Invalid`] if the header cannot be used or the number of lines is not what it says.
pub fn decode(_bytes: &[u8]) -> Result<Batch> {
    Err(Error::Stopping)
}

/// Reads batches that follow each other, such as those of a spool file. Ends after the first error.
pub fn decode_stream(_reader: impl BufRead) -> impl Iterator<Item = Result<Batch>> {
    std::iter::empty()
}
