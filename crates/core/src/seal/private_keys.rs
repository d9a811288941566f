//! The private halves that an install holds. There is one, and more while data keys of an older one are still in use:
//! until a rotation has ended, or after an old key was restored beside a new one.
//!
//! As text it is a first line and then 64 hexadecimal digits a line. The order means nothing: the store says which one
//! seals.

use zeroize::Zeroizing;

use super::install_key::unhexadecimal;
use super::{PrivateKey, PublicKey};
use crate::hex::hexadecimal;
use crate::{Error, Result};

const FIRST_LINE: &str = "bobbin private key 1";
/// A rotation adds one, and so does a restored key.
const MOST: usize = 64;

/// Private halves, none of them twice.
#[derive(Clone, Debug, Default)]
pub struct PrivateKeys(Vec<PrivateKey>);

impl PrivateKeys {
    pub(super) fn of(key: PrivateKey) -> Self {
        Self(vec![key])
    }

    /// The private half of a public one.
    pub fn of_public(&self, public: &PublicKey) -> Option<&PrivateKey> {
        self.0.iter().find(|key| key.public() == *public)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All public halves.
    pub fn publics(&self) -> Vec<PublicKey> {
        self.0.iter().map(PrivateKey::public).collect()
    }

    /// The same with one more.
    pub(crate) fn with(&self, key: PrivateKey) -> Self {
        let mut keys = self.clone();
        if keys.of_public(&key.public()).is_none() {
            keys.0.push(key);
        }
        keys
    }

    /// The same without those whose public half is not among `wanted`.
    pub(crate) fn only(&self, wanted: &[PublicKey]) -> Self {
        let kept = self.0.iter().filter(|key| wanted.contains(&key.public()));
        Self(kept.cloned().collect())
    }

    /// What was sealed to any of them.
    ///
    /// # Errors
    /// [`Error::Sealed`] if none opens it.
    pub(super) fn open(&self, info: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
        let mut last = Error::Sealed("there is no key");
        for key in &self.0 {
            match key.open(info, sealed, b"") {
                Ok(opened) => return Ok(opened),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Refuses more than can be read again.
    ///
    /// # Errors
    /// [`Error::Refused`].
    pub(super) fn fit(&self) -> Result<()> {
        if self.0.len() <= MOST {
            return Ok(());
        }
        Err(Error::Refused(format!(
            "this install holds {MOST} keys, the maximum: Bobbin removes older ones a day after a rotation, once no snapshot \
             and no folder damaged-* or replaced-* may need them"
        )))
    }

    pub(super) fn to_text(&self) -> Zeroizing<String> {
        // With room for all of it, so that no shorter copy is left behind by growing.
        let mut text = Zeroizing::new(String::with_capacity(
            FIRST_LINE.len() + 1 + 65 * self.0.len(),
        ));
        text.push_str(FIRST_LINE);
        text.push('\n');
        for key in &self.0 {
            text.push_str(&Zeroizing::new(hexadecimal(&key.to_bytes())));
            text.push('\n');
        }
        text
    }

    /// None if the text holds no key, or anything that is none.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next() != Some(FIRST_LINE) {
            return None;
        }
        let mut keys = Self::default();
        for line in lines.map(str::trim).filter(|line| !line.is_empty()) {
            let key = PrivateKey::from_bytes(&*unhexadecimal(line)?)?;
            keys = keys.with(key);
        }
        (!keys.is_empty() && keys.0.len() <= MOST).then_some(keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_back_and_what_is_no_key_is_none() {
        let (one, two) = (PrivateKey::random().unwrap(), PrivateKey::random().unwrap());
        let keys = PrivateKeys::of(one.clone())
            .with(two.clone())
            .with(one.clone());
        let text = keys.to_text();
        assert_eq!(text.lines().count(), 3);
        let read = PrivateKeys::from_text(&text).unwrap();
        assert_eq!(read.publics(), [one.public(), two.public()]);
        assert_eq!(read.only(&[two.public()]).publics(), [two.public()]);
        read.fit().unwrap();
        let more = (0..=MOST).map(|_| one.clone()).collect();
        assert!(matches!(PrivateKeys(more).fit(), Err(Error::Refused(_))));
        for text in [
            "",
            "bobbin private key 1\n",
            "bobbin private key 1\nzz\n",
            "bobbin private key 2\n",
        ] {
            assert!(PrivateKeys::from_text(text).is_none(), "{text:?}");
        }
        assert!(!format!("{keys:?}").contains(text.lines().nth(1).unwrap()));
    }
}
