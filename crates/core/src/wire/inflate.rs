//! The gzip gate: bytes from outside become plain text here, or are refused before they fill the memory.

use std::io::Read;

use flate2::bufread::GzDecoder;

use crate::{Error, Result};

/// How much one batch may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes as they came, compressed or not.
    pub wire_bytes: u64,
    /// Bytes of plain text.
    pub inflated_bytes: u64,
    /// Plain bytes for each compressed byte, once there are more than [`Limits::RATIO_FREE_BYTES`].
    pub ratio: u64,
}

impl Limits {
    /// Up to here any ratio is accepted: short batches of equal lines compress very well.
    pub const RATIO_FREE_BYTES: u64 = 1 << 20;
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
    let by_ratio = (bytes.len() as u64)
        .saturating_mul(limits.ratio)
        .max(Limits::RATIO_FREE_BYTES);
    let limit = by_ratio.min(limits.inflated_bytes);
    let mut decoder = GzDecoder::new(bytes);
    // Once, for the most there may be: memory is only taken as it is written, and growing would copy it each time.
    let mut plain = Vec::with_capacity(usize::try_from(limit + 64).unwrap_or(0));
    (&mut decoder)
        .take(limit + 1)
        .read_to_end(&mut plain)
        .map_err(|source| not_gzip(source.to_string()))?;
    if plain.len() as u64 > limit {
        return Err(Error::TooLarge {
            what: "the inflated batch",
            limit,
        });
    }
    if !decoder.into_inner().is_empty() {
        return Err(not_gzip("bytes follow the first gzip member".into()));
    }
    Ok(plain)
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
