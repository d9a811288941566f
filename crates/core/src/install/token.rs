//! The secret that a plugin shows to the receiver.

use std::fmt;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::new_file::put_new;
use super::private::{at, check_private, write_private};
use crate::system::sync_folder;
use crate::{Error, Result};

/// A secret of at least 256 bits. It is never printed by `{:?}`.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Every token begins with this: the published client reads some texts of digits alone as numbers, and a hyphen
    /// makes it choose another header.
    const PREFIX: &str = "bobbin";
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    const LETTERS: usize = 52;

    /// A new token from the system's random numbers: 52 letters and digits, 260 bits.
    ///
    /// # Errors
    /// [`Error::Io`] if the system has no random numbers.
    pub fn random() -> Result<Self> {
        let mut bytes = [0u8; Self::LETTERS];
        random(&mut bytes)?;
        let letters = bytes
            .iter()
            .map(|byte| char::from(Self::ALPHABET[usize::from(byte & 31)]));
        Ok(Self(Self::PREFIX.chars().chain(letters).collect()))
    }

    /// The text itself: for the header of a request and for a file, never for a log.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether `presented` is this token; takes the same time wherever they differ.
    pub fn matches(&self, presented: &str) -> bool {
        digest(&self.0).ct_eq(&digest(presented)).into()
    }

    /// SHA-256 of the text, which is all that is stored of a token handed out.
    pub fn digest(&self) -> [u8; 32] {
        digest(&self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// SHA-256 of a token's text.
pub(crate) fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// Fills `bytes` with random numbers of the system.
pub(crate) fn random(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|error| Error::Io {
        path: "/dev/urandom".into(),
        source: std::io::Error::other(error.to_string()),
    })
}

/// The token of the install in `dir`; made once, in `DIR/token`.
///
/// # Errors
/// [`Error::Loosened`] if others may read the file; [`Error::Invalid`] if it holds no token; [`Error::Io`],
/// [`Error::NoRoomFor`].
pub fn token(dir: &Path) -> Result<Token> {
    let path = dir.join("token");
    match check_private(&path) {
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => make(dir, &path)?,
        checked => checked?,
    }
    let text = fs::read_to_string(&path).map_err(at(&path))?;
    let text = text.trim();
    if text.len() < 32 || !text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(Error::Invalid {
            what: "token file",
            value: path.display().to_string(),
            reason: "it contains no token: delete it and start again".into(),
        });
    }
    Ok(Token(text.into()))
}

/// In one step: a part of a token, or none, would keep every later start from listening.
fn make(dir: &Path, path: &Path) -> Result<()> {
    let token = Token::random()?;
    match put_new(
        path,
        |file| file.write_all(token.expose().as_bytes()),
        || Ok(()),
    ) {
        Ok(()) => sync_folder(dir).map_err(at(dir)),
        // Another process was faster: its token stands.
        Err(Error::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Puts a new token in the place of the one of the install in `dir`.
///
/// # Errors
/// [`Error::Io`], [`Error::DiskFull`].
pub fn replace_token(dir: &Path) -> Result<Token> {
    let token = Token::random()?;
    write_private(&dir.join("token"), token.expose().as_bytes())?;
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::create_private;

    #[test]
    fn the_token_is_made_once_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let first = token(dir.path()).unwrap();
        let second = token(dir.path()).unwrap();
        assert_eq!(first.expose(), second.expose());
        assert_eq!(first.expose().len(), "bobbin".len() + 52);
        assert!(!first.expose().contains('-'));
        check_private(&dir.path().join("token")).unwrap();
    }

    #[test]
    fn those_who_make_it_at_once_have_the_same_one_and_nothing_else_stays() {
        let dir = tempfile::tempdir().unwrap();
        let made: Vec<Token> = std::thread::scope(|scope| {
            let makers: Vec<_> = (0..8).map(|_| scope.spawn(|| token(dir.path()))).collect();
            let made = makers.into_iter().map(|maker| maker.join().unwrap());
            made.collect::<Result<_>>().unwrap()
        });
        assert!(made.iter().all(|token| token.matches(made[0].expose())));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_token_that_was_replaced_is_another_and_as_private() {
        let dir = tempfile::tempdir().unwrap();
        let first = token(dir.path()).unwrap();
        let second = replace_token(dir.path()).unwrap();
        assert!(!second.matches(first.expose()));
        assert!(token(dir.path()).unwrap().matches(second.expose()));
        check_private(&dir.path().join("token")).unwrap();
    }

    #[test]
    fn only_the_same_text_matches_and_debug_shows_nothing() {
        let token = Token::random().unwrap();
        assert!(token.matches(token.expose()));
        assert!(!token.matches(""));
        assert!(!token.matches(Token::random().unwrap().expose()));
        assert_eq!(format!("{token:?}"), "Token(…)");
    }

    #[test]
    fn an_empty_token_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        create_private(&dir.path().join("token")).unwrap();
        assert!(matches!(token(dir.path()), Err(Error::Invalid { .. })));
    }
}
