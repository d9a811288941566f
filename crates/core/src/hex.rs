//! Bytes as text.

use std::fmt::Write as _;

/// In hexadecimal, lower case. It never grows, so that no copy of a secret is left behind in memory.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hexadecimal(&[0, 9, 0xab, 0xff]), "0009abff");
        assert_eq!(hexadecimal(&[]), "");
    }
}
