//! The recovery form of a private key, on paper or in a password manager: an age identity.
//!
//! `AGE-SECRET-KEY-1…` is Bech32 (BIP 173) of the 32 bytes of the X25519 private key, in capitals, and carries a checksum.
//! Any tool that knows age reads it: `age-keygen -y` prints the public half, which is the `age1…` by which Bobbin calls
//! a key.

use bech32::{Bech32, Hrp};
use zeroize::Zeroizing;

use super::{PrivateKey, PublicKey};
use crate::{Error, Result};

const SECRET: Hrp = Hrp::parse_unchecked("age-secret-key-");
const PUBLIC: Hrp = Hrp::parse_unchecked("age");

/// The recovery form. Whoever has it reads what is sealed.
///
/// # Errors
/// None that can be met: a key has the right length.
pub fn recovery_text(key: &PrivateKey) -> Result<Zeroizing<String>> {
    bech32::encode_upper::<Bech32>(SECRET, &key.to_bytes())
        .map(Zeroizing::new)
        .map_err(|_| Error::Sealed("the key has no recovery form"))
}

/// Reads a recovery form, as it was printed or typed: lines that begin with `#`, spaces and line breaks do not count, and
/// all small letters are as good as all capitals.
///
/// # Errors
/// [`Error::Invalid`], which never repeats the text.
pub fn read_recovery_text(text: &str) -> Result<PrivateKey> {
    let mut letters = Zeroizing::new(String::with_capacity(text.len()));
    for line in text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
    {
        letters.extend(line.chars().filter(|letter| !letter.is_whitespace()));
    }
    let wrong = |reason: &str| Error::Invalid {
        what: "recovery key",
        value: format!("{} letters", letters.chars().count()),
        reason: reason.into(),
    };
    if !letters.to_ascii_lowercase().starts_with("age-secret-key-1") {
        return Err(wrong("it does not start with AGE-SECRET-KEY-1"));
    }
    let checked = bech32::primitives::decode::CheckedHrpstring::new::<Bech32>(&letters)
        .map_err(|_| wrong("its checksum is wrong: a character is missing or different"))?;
    let bytes = Zeroizing::new(checked.byte_iter().collect::<Vec<u8>>());
    (checked.hrp() == SECRET)
        .then(|| PrivateKey::from_bytes(&bytes))
        .flatten()
        .ok_or_else(|| wrong("it holds no key"))
}

/// What a key is called: its public half as an age recipient.
pub fn key_name(public: &PublicKey) -> String {
    // A key has the right length.
    bech32::encode_lower::<Bech32>(PUBLIC, &public.to_bytes()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made by `age-keygen` 1.1.1.
    const MADE: [&str; 2] = [
        "AGE-SECRET-KEY-1UD7JYJVQREQCTXM8FSZYR0Y5YH00CF2S06FVCETFE6RM8EK7FMRSCWGLMC",
        "age1f34dczmuwteva5wf08c65p5t0457kwr0ay0j4egx2wn6jj0zdekqwswagp",
    ];

    #[test]
    fn what_age_made_is_read() {
        let key = read_recovery_text(MADE[0]).unwrap();
        assert_eq!(key_name(&key.public()), MADE[1]);
        // X25519 ignores five bits, which hold other values in what is written: it is the same key all the same.
        let written = recovery_text(&key).unwrap();
        assert_eq!(read_recovery_text(&written).unwrap().public(), key.public());
    }

    #[test]
    fn it_may_be_typed_by_hand_but_not_wrongly() {
        let key = PrivateKey::random().unwrap();
        let text = recovery_text(&key).unwrap();
        let (one, two) = text.split_at(30);
        let typed = format!("# Bobbin's recovery key\n  {one}\n {two}\n");
        for good in [typed.to_lowercase(), typed] {
            assert_eq!(read_recovery_text(&good).unwrap().public(), key.public());
        }
        for at in 16..text.len() {
            let mut letters: Vec<char> = text.chars().collect();
            letters[at] = if letters[at] == 'Q' { 'P' } else { 'Q' };
            let wrong: String = letters.iter().collect();
            let error = read_recovery_text(&wrong).unwrap_err().to_string();
            assert!(!error.contains(&wrong[16..40]), "{error}");
            assert!(read_recovery_text(&text[..at]).is_err(), "cut at {at}");
        }
        assert!(read_recovery_text("").is_err());
    }
}
