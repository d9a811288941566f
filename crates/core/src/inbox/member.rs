//! The batches of one file: gzip members, one behind the other.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use crate::wire::{Batch, Limits, decode};
use crate::{Error, Result};

/// What comes next in a file.
#[derive(Debug, PartialEq)]
pub enum Member {
    /// A batch, and how many bytes of the file it takes.
    Whole(Box<Batch>, u64),
    /// The beginning of one: its writer is at work, or was killed.
    Torn,
    End,
}

/// Reads one member. Never takes more than one batch may be, packed or unpacked.
///
/// # Errors
/// [`Error::TooLarge`] beyond a limit; [`Error::Invalid`] if this is no batch in gzip; [`Error::Io`].
pub fn next(reader: &mut impl BufRead, limits: &Limits) -> Result<Member> {
    if reader.fill_buf().map_err(unread)?.is_empty() {
        return Ok(Member::End);
    }
    let most = limits.wire_bytes + 1;
    let mut decoder = GzDecoder::new(reader.take(most));
    let mut plain = Vec::new();
    let read = (&mut decoder)
        .take(limits.inflated_bytes + 1)
        .read_to_end(&mut plain);
    let bytes = most - decoder.get_ref().limit();
    if bytes > limits.wire_bytes || plain.len() as u64 > limits.plain_bytes(bytes) {
        return Err(Error::TooLarge {
            what: "a batch",
            limit: limits.plain_bytes(bytes),
        });
    }
    match read {
        Ok(_) => Ok(Member::Whole(Box::new(decode(&plain)?), bytes)),
        Err(error) => match error.kind() {
            io::ErrorKind::UnexpectedEof => Ok(Member::Torn),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => Err(Error::Invalid {
                what: "file",
                value: "gzip".into(),
                reason: error.to_string(),
            }),
            _ => Err(unread(error)),
        },
    }
}

fn unread(source: io::Error) -> Error {
    Error::Io {
        path: "batches".into(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::testing::*;

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn first(bytes: &[u8]) -> Result<Member> {
        // A buffer smaller than a member, as there is one for large ones.
        next(
            &mut io::BufReader::with_capacity(64, bytes),
            &Limits::default(),
        )
    }

    #[test]
    fn members_are_read_one_by_one_and_a_torn_one_waits() {
        let member = gzip(&batch_text("Scheduler-1", "i", 1, &[sample(1, 1.0)]));
        let two = [&member[..], &member[..]].concat();
        let mut reader = io::BufReader::with_capacity(64, &two[..]);
        for _ in 0..2 {
            match next(&mut reader, &Limits::default()).unwrap() {
                Member::Whole(batch, bytes) => {
                    assert_eq!((batch.lines.len(), bytes), (1, member.len() as u64));
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(next(&mut reader, &Limits::default()).unwrap(), Member::End);
        for end in 1..member.len() {
            assert_eq!(first(&member[..end]).unwrap(), Member::Torn, "cut at {end}");
        }
    }

    #[test]
    fn bombs_and_what_is_no_batch_are_refused() {
        let bomb = gzip(&vec![b'0'; 12 << 20]);
        assert!(matches!(first(&bomb), Err(Error::TooLarge { .. })));
        let mut long = Limits::default().wire_bytes as usize + 100;
        // Stored, not packed: as long as it says.
        let mut endless = GzEncoder::new(Vec::new(), Compression::none());
        while long > 0 {
            let some = long.min(1 << 16);
            endless.write_all(&vec![b'0'; some]).unwrap();
            long -= some;
        }
        let endless = endless.finish().unwrap();
        assert!(matches!(first(&endless), Err(Error::TooLarge { .. })));
        for bytes in [
            &gzip(b"")[..],
            &gzip(b"{}\n"),
            b"not gzip at all",
            &[0; 100],
        ] {
            assert!(matches!(first(bytes), Err(Error::Invalid { .. })));
        }
        let mut changed = gzip(&batch_text("Scheduler-1", "i", 1, &[sample(1, 1.0)]));
        let checksum = changed.len() - 8;
        changed[checksum] ^= 1;
        assert!(matches!(first(&changed), Err(Error::Invalid { .. })));
    }
}
