//! Whole numbers as bytes, as long as they need: seven bits a byte, least first.

pub(super) fn write_number(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Takes one off; none of more than 63 bits, or where the bytes end.
#[inline]
pub(super) fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    // Nearly all take one byte.
    match *bytes {
        [byte @ 0..=0x7f, rest @ ..] => {
            *bytes = rest;
            Some(u64::from(*byte))
        }
        _ => read_longer(bytes),
    }
}

/// The high bit of each byte: that another follows.
const MORE: u64 = 0x8080_8080_8080_8080;

/// Eight bytes at once, if the number ends in them: byte by byte the processor guesses wrong where nearly each number ends.
fn read_longer(bytes: &mut &[u8]) -> Option<u64> {
    let Some(eight) = bytes.first_chunk::<8>() else {
        return read_each(bytes);
    };
    let word = u64::from_le_bytes(*eight);
    let ends = !word & MORE;
    if ends == 0 {
        return read_each(bytes);
    }
    // Up to the first end: seven bits of each byte, then fourteen of each pair, then all.
    let each = word & (ends ^ (ends - 1)) & !MORE;
    let pairs = (each & 0x007f_007f_007f_007f) | ((each & 0x7f00_7f00_7f00_7f00) >> 1);
    let fours = (pairs & 0x0000_3fff_0000_3fff) | ((pairs & 0x3fff_0000_3fff_0000) >> 2);
    let value = (fours & 0x0000_0000_0fff_ffff) | ((fours & 0x0fff_ffff_0000_0000) >> 4);
    *bytes = &bytes[ends.trailing_zeros() as usize / 8 + 1..];
    Some(value)
}

fn read_each(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..63).step_by(7) {
        let byte = *bytes.split_off_first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Of either sign; those near zero are short. At most 2^62 - 1 from zero.
pub(super) fn write_signed(bytes: &mut Vec<u8>, value: i64) {
    write_number(bytes, ((value << 1) ^ (value >> 63)) as u64);
}

pub(super) fn read_signed(bytes: &mut &[u8]) -> Option<i64> {
    let value = read_number(bytes)?;
    Some((value >> 1) as i64 ^ -((value & 1) as i64))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_of_any_length_come_back(numbers in vec((any::<u64>(), 1u32..64), 0..20)) {
            let numbers: Vec<u64> = numbers.into_iter().map(|(value, bits)| value >> bits).collect();
            let mut bytes = Vec::new();
            for value in &numbers {
                write_number(&mut bytes, *value);
            }
            let mut rest = &bytes[..];
            for value in numbers {
                prop_assert_eq!(read_number(&mut rest), Some(value));
            }
            prop_assert_eq!((read_number(&mut rest), rest.len()), (None, 0));
        }

        #[test]
        fn eight_bytes_at_once_are_what_each_by_itself_is(bytes in vec(any::<u8>(), 0..20)) {
            let (mut at_once, mut each) = (&bytes[..], &bytes[..]);
            prop_assert_eq!(read_number(&mut at_once), read_each(&mut each));
            prop_assert_eq!(at_once, each);
        }
    }
}
