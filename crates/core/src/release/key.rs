//! The key whose releases this build trusts.

use sha2::{Digest, Sha256};

use crate::signature::hexadecimal;

/// Bytes of a fingerprint: enough that nobody makes a second key with it, few enough to compare by eye.
const FINGERPRINT_BYTES: usize = 16;

const NAMED: &str = match option_env!("BOBBIN_RELEASE_KEY") {
    Some(key) => key,
    None => "",
};

// A build that trusts nobody by a slip of the pen would be found out at its first update.
const _: () = assert!(
    NAMED.is_empty() || is_key(NAMED.as_bytes()),
    "BOBBIN_RELEASE_KEY is no public key: `cargo xtask package --new-key FILE` prints one, 64 digits in hexadecimal, lower case"
);

const fn is_key(text: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        if !matches!(text[at], b'0'..=b'9' | b'a'..=b'f') {
            return false;
        }
        at += 1;
    }
    text.len() == 64
}

/// The public key that was named when this was built, in hexadecimal.
pub fn built_in() -> Option<&'static str> {
    (!NAMED.is_empty()).then_some(NAMED)
}

/// The beginning of the SHA-256 of a public key as it is written (`printf %s KEY | sha256sum`), in groups of four digits.
pub fn fingerprint(key: &str) -> String {
    let digest = hexadecimal(&Sha256::digest(key)[..FINGERPRINT_BYTES]);
    let mut groups = String::new();
    for (at, digit) in digest.chars().enumerate() {
        if at > 0 && at % 4 == 0 {
            groups.push(' ');
        }
        groups.push(digit);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::is_public_key;

    #[test]
    fn a_fingerprint_is_short_and_of_its_key_alone() {
        let one = fingerprint(&"ab".repeat(32));
        assert_eq!(one.len(), 39, "{one}");
        assert_ne!(one, fingerprint(&"ac".repeat(32)));
    }

    #[test]
    fn a_build_takes_the_keys_that_are_keys() {
        let key = "a9".repeat(32);
        assert!(is_key(key.as_bytes()) && is_public_key(&key));
        for bad in ["a9".repeat(31), "A9".repeat(32), "zz".repeat(32)] {
            assert!(!is_key(bad.as_bytes()) && !is_public_key(&bad), "{bad}");
        }
    }
}
