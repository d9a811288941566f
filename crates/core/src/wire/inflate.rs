//! The gzip gate: bytes from outside become plain text here, or are refused before they fill the memory.

use std::io::Read;

use flate2::bufread::GzDecoder;

use crate::{Error, Result};

/// `read_to_end` wants as much room before it sees that there is no more.
const PROBE_BYTES: usize = 64;

/// How much one batch may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes as they came, compressed or not.
    pub wire_bytes: u64,
    /// Bytes of plain text.
    pub inflated_bytes: u64,
    /// Plain bytes for each compressed byte, once there are more than `RATIO_FREE_BYTES`.
    pub ratio: u64,
}

impl Limits {
    /// Up to here any ratio is accepted: short batches of equal lines compress very well.
    const RATIO_FREE_BYTES: u64 = 1 << 20;

    /// The most that so many packed bytes may become.
    pub fn plain_bytes(&self, wire_bytes: u64) -> u64 {
        wire_bytes
            .saturating_mul(self.ratio)
            .max(Self::RATIO_FREE_BYTES)
            .min(self.inflated_bytes)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wire_bytes: 4 << 20,
            inflated_bytes: 16 << 20,
            ratio: 100,
        }
    }
}

/// Unpacks one gzip member. Never holds more than the limits allow.
///
/// # Errors
/// [`Error::TooLarge`] beyond a limit; [`Error::Invalid`] if it is not gzip, is cut short, fails its checksum or has
/// bytes behind the member (another member would slip past the limits).
pub fn inflate(bytes: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    if bytes.len() as u64 > limits.wire_bytes {
        return Err(Error::TooLarge {
            what: "the batch",
            limit: limits.wire_bytes,
        });
    }
    let limit = limits.plain_bytes(bytes.len() as u64);
    let mut decoder = GzDecoder::new(bytes);
    // Room is made once for what it says and one byte too many, within the limit: growing would copy it, and hold it twice.
    let most = said_bytes(bytes).min(limit);
    let mut plain = Vec::with_capacity(most as usize + PROBE_BYTES);
    (&mut decoder)
        .take(most + 1)
        .read_to_end(&mut plain)
        .map_err(|source| not_gzip(source.to_string()))?;
    if plain.len() as u64 > limit {
        return Err(Error::TooLarge {
            what: "the inflated batch",
            limit,
        });
    }
    if plain.len() as u64 > most || !decoder.into_inner().is_empty() {
        return Err(not_gzip("bytes follow the first gzip member".into()));
    }
    Ok(plain)
}

/// How long a gzip member says at its end that it becomes. [`inflate`] refuses one that becomes more before it holds more.
pub fn said_bytes(bytes: &[u8]) -> u64 {
    let said = bytes.last_chunk().map_or(0, |end| u32::from_le_bytes(*end));
    u64::from(said)
}

fn not_gzip(reason: String) -> Error {
    Error::Invalid {
        what: "body",
        value: "gzip".into(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn one_member_is_unpacked() {
        assert_eq!(
            inflate(&gzip(b"a line\n"), &Limits::default()).unwrap(),
            b"a line\n"
        );
    }

    #[test]
    fn a_bomb_is_refused_by_its_ratio() {
        let bomb = gzip(&vec![b'0'; 12 << 20]);
        assert!(matches!(
            inflate(&bomb, &Limits::default()),
            Err(Error::TooLarge { .. })
        ));
    }

    #[test]
    fn a_small_batch_may_compress_very_well() {
        let plain = vec![b'0'; 1 << 20];
        assert_eq!(
            inflate(&gzip(&plain), &Limits::default()).unwrap().len(),
            plain.len()
        );
    }

    #[test]
    fn a_second_member_trailing_bytes_and_a_cut_are_refused() {
        let mut two = gzip(b"one\n");
        two.extend(gzip(b"two\n"));
        assert!(matches!(
            inflate(&two, &Limits::default()),
            Err(Error::Invalid { .. })
        ));
        let mut trailing = gzip(b"one\n");
        trailing.push(0);
        assert!(matches!(
            inflate(&trailing, &Limits::default()),
            Err(Error::Invalid { .. })
        ));
        let whole = gzip(b"one\n");
        for end in 0..whole.len() {
            assert!(
                inflate(&whole[..end], &Limits::default()).is_err(),
                "cut at {end}"
            );
        }
    }

    #[test]
    fn more_than_its_end_says_is_refused() {
        let mut packed = gzip(&vec![b'a'; 100_000]);
        assert_eq!(said_bytes(&packed), 100_000);
        let end = packed.len() - 4;
        packed[end..].copy_from_slice(&9u32.to_le_bytes());
        assert_eq!(said_bytes(&packed), 9);
        assert!(matches!(
            inflate(&packed, &Limits::default()),
            Err(Error::Invalid { .. })
        ));
        assert_eq!(said_bytes(b"gz"), 0);
    }

    #[test]
    fn more_than_the_wire_allows_is_refused_unread() {
        let limits = Limits {
            wire_bytes: 8,
            ..Limits::default()
        };
        assert!(matches!(
            inflate(&[0; 9], &limits),
            Err(Error::TooLarge { limit: 8, .. })
        ));
    }
}
