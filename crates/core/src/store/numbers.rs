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

fn read_longer(bytes: &mut &[u8]) -> Option<u64> {
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
