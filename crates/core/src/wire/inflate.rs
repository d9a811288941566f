//! The gzip gate: bytes from outside become plain text here, or are refused before they fill the memory.

use std::io::{self, Read};

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

/// Unpacks one gzip member. Never holds more than [`held_bytes`].
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
    let said = said_bytes(bytes);
    let mut decoder = GzDecoder::new(bytes);
    if said > limit {
        return Err(refused(decoder, limit));
    }
    // Room is made once for what it says and one byte too many: growing would copy it, and hold it twice.
    let mut plain = Vec::with_capacity(said as usize + PROBE_BYTES);
    (&mut decoder)
        .take(said + 1)
        .read_to_end(&mut plain)
        .map_err(|source| not_gzip(source.to_string()))?;
    if plain.len() as u64 > said || !decoder.into_inner().is_empty() {
        return Err(bytes_follow());
    }
    Ok(plain)
}

/// Why one is refused whose end says more than the limit: what it becomes is counted, and none of it is kept: what is freed
/// may stay with its heap, so that many bombs would take more than one after the other needs.
fn refused(decoder: GzDecoder<&[u8]>, limit: u64) -> Error {
    match io::copy(&mut decoder.take(limit + 1), &mut io::sink()) {
        Err(source) => not_gzip(source.to_string()),
        Ok(counted) if counted > limit => Error::TooLarge {
            what: "the inflated batch",
            limit,
        },
        Ok(_) => bytes_follow(),
    }
}

/// How much [`inflate`] holds of a gzip member at most: what that says at its end, and nothing where it says too much.
pub fn held_bytes(bytes: &[u8], limits: &Limits) -> u64 {
    let said = said_bytes(bytes);
    if said > limits.plain_bytes(bytes.len() as u64) {
        0
    } else {
        said
    }
}

/// How long a gzip member says at its end that it becomes. [`inflate`] refuses one that becomes more before it holds more.
pub fn said_bytes(bytes: &[u8]) -> u64 {
    let said = bytes.last_chunk().map_or(0, |end| u32::from_le_bytes(*end));
    u64::from(said)
}

fn bytes_follow() -> Error {
    not_gzip("bytes follow the first gzip member".into())
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
    fn room_is_needed_for_what_the_end_says_and_none_for_a_bomb() {
        let limits = Limits::default();
        let held = |bytes: &[u8]| held_bytes(bytes, &limits);
        assert_eq!(held(&gzip(b"one\n")), 4);
        assert_eq!(held(&gzip(&vec![b'a'; 1 << 20])), 1 << 20);
        assert_eq!(held(&gzip(&vec![b'a'; 12 << 20])), 0);
    }

    #[test]
    fn an_end_that_says_too_much_is_refused_by_what_comes_before_it() {
        let followed = [&gzip(b"one\n")[..], b"more"].concat();
        let mut cut = gzip(&vec![b'a'; 100_000]);
        let end = cut.len() - 12;
        cut[end..].fill(0xff);
        for bytes in [&followed[..], &cut[..], &b"not gzip at all"[..]] {
            assert!(said_bytes(bytes) > Limits::default().inflated_bytes);
            assert!(matches!(
                inflate(bytes, &Limits::default()),
                Err(Error::Invalid { .. })
            ));
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
