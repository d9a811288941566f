//! Who says what lies at a destination. An install signs what it says there with a key of its own. The first key that comes
//! with a member's name is theirs, until somebody here trusts another one, too.

use std::collections::BTreeSet;
use std::path::Path;

use bobbin_core::signature::{Signed, SigningKey};
use serde::{Deserialize, Serialize};

use crate::newest::who;
use crate::{Error, Known, KnownList, Recalled, Result, Shared};

/// Where an install keeps the private half.
const FILE: &str = "member.key";
/// How the texts that are signed begin, so that none of them passes for another.
const SHARE: &str = "bobbin share 1";
const RECALL: &str = "bobbin recall 1";

/// Whose words an object has: an Ed25519 signature, and the key that checks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The public half, in hexadecimal.
    pub key: String,
    /// In hexadecimal.
    pub signature: String,
}

/// What the signature of a bundle is worth here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Signed, and no other key is known of this member.
    Signed,
    /// Not signed, and nobody of this name is known to sign: earlier Bobbins did not.
    Unsigned,
    /// What it says is not what was signed.
    Changed,
    /// Not signed, though this member signs.
    Missing,
    /// Signed with a key that is not known of this member, of whom another one is.
    OtherKey,
}

impl Trust {
    /// Of a bundle, by what is known of the members of its destination.
    pub fn of(shared: &Shared, known: Option<&Known>) -> Self {
        // Who has no name can be anybody.
        let name = shared.by.as_ref().map(|_| who(shared));
        let keys = known
            .zip(name)
            .and_then(|(known, name)| known.members.get(&name));
        match (shared.signer(), keys) {
            (None, _) if shared.signed.is_some() => Self::Changed,
            (None, None) => Self::Unsigned,
            (None, Some(_)) => Self::Missing,
            (Some(key), Some(keys)) if !keys.contains(key) => Self::OtherKey,
            (Some(_), _) => Self::Signed,
        }
    }

    /// Why the bundle is set aside; none if it is taken.
    pub fn why_not(self) -> Option<&'static str> {
        match self {
            Self::Signed | Self::Unsigned => None,
            Self::Changed => Some(
                "the signature doesn't match what is said about the bundle; ask whoever shared it to share it again",
            ),
            Self::Missing => Some(
                "it isn't signed, but this member signs what they share; ask them to share it again",
            ),
            Self::OtherKey => Some(
                "it is signed with a key that this member hasn't used before; ask them if the key is theirs",
            ),
        }
    }
}

/// A bundle that is not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Aside {
    #[serde(flatten)]
    pub shared: Shared,
    pub trust: Trust,
}

/// The key with which the install in `dir` signs, made if it has none. One process at a time sends, and makes it.
///
/// # Errors
/// [`bobbin_core::Error::Invalid`] if the file holds no key; [`bobbin_core::Error::Io`].
pub fn member_key(dir: &Path) -> Result<SigningKey> {
    let path = dir.join(FILE);
    let key = if path.exists() {
        SigningKey::load(&path)
    } else {
        SigningKey::make(&path)
    };
    Ok(key?)
}

/// Trusts the key of a bundle for the member who shared it, beside those that are known of them.
///
/// # Errors
/// [`bobbin_core::Error::Refused`] if the bundle is not signed, or was changed, or names nobody; those of
/// [`KnownList::change`].
pub fn accept(dir: &Path, address: &str, shared: &Shared) -> Result<()> {
    KnownList::change(dir, |list| {
        let known = list.find(address)?;
        if shared.by.is_none() || shared.signer().is_none() {
            let why = Trust::of(shared, Some(known)).why_not();
            return Err(Error::refused(format!(
                "{} has no key of a member to trust: {}",
                shared.sha256,
                why.unwrap_or("it isn't signed, or whoever shared it gave no name")
            )));
        }
        known.trust_signer(shared);
        Ok(())
    })
    .map(drop)
}

impl Known {
    /// Remembers a bundle that was shared from here or brought here, and its key, if it is the first of its member.
    pub(crate) fn note(&mut self, shared: &Shared) {
        self.seen.insert(shared.sha256.clone());
        if shared.by.is_some() && !self.members.contains_key(&who(shared)) {
            self.trust_signer(shared);
        }
    }

    /// Remembers the key of a bundle as one of its member, if it has both.
    pub(crate) fn trust_signer(&mut self, shared: &Shared) {
        if let (Some(_), Some(key)) = (&shared.by, shared.signer()) {
            let keys: &mut BTreeSet<String> = self.members.entry(who(shared)).or_default();
            keys.insert(key.into());
        }
    }
}

impl Shared {
    pub(crate) fn signed_with(self, key: &SigningKey) -> Result<Self> {
        let signed = Some(sign(SHARE, &self, key)?);
        Ok(Self { signed, ..self })
    }

    /// The public key of whoever signed it, if it says what they signed.
    pub fn signer(&self) -> Option<&str> {
        let said = Self {
            signed: None,
            ..self.clone()
        };
        signer(SHARE, &said, self.signed.as_ref())
    }
}

impl Recalled {
    pub(crate) fn signed_with(self, key: &SigningKey) -> Result<Self> {
        let signed = Some(sign(RECALL, &self, key)?);
        Ok(Self { signed, ..self })
    }

    /// The public key of whoever signed it, if it says what they signed.
    pub fn signer(&self) -> Option<&str> {
        let said = Self {
            signed: None,
            ..self.clone()
        };
        signer(RECALL, &said, self.signed.as_ref())
    }
}

/// What is signed: what the words are, the key, and the words without a signature, as JSON without blanks in the order of
/// their type.
fn text(what: &str, key: &str, words: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(&(what, key, words))
}

fn sign(what: &str, words: &impl Serialize, key: &SigningKey) -> Result<Signature> {
    let public = key.public();
    let text = text(what, &public, words).map_err(bobbin_core::Error::from)?;
    Ok(Signature {
        key: public,
        signature: key.sign(text).signature,
    })
}

fn signer<'a>(
    what: &str,
    words: &impl Serialize,
    signed: Option<&'a Signature>,
) -> Option<&'a str> {
    let Signature { key, signature } = signed?;
    let whole = Signed {
        text: text(what, key, words).ok()?,
        signature: signature.clone(),
    };
    whole.verified(key)?;
    Some(key)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use bobbin_core::model::Micros;
    use bobbin_core::share::Level;

    use super::*;
    use crate::{KeysFrom, Member};

    fn said(by: Option<&str>) -> Shared {
        Shared {
            format: 1,
            sha256: "aa".repeat(32),
            bytes: 7,
            account: "data".into(),
            by: by.map(Into::into),
            shared_at_micros: Micros(5),
            clusters: 1,
            level: Level::Names,
            told: BTreeMap::from([("x".into(), Micros(3))]),
            signed: None,
        }
    }

    fn keys() -> (tempfile::TempDir, SigningKey, SigningKey) {
        let dir = tempfile::tempdir().unwrap();
        let key = member_key(dir.path()).unwrap();
        let other = SigningKey::make(&dir.path().join("other")).unwrap();
        (dir, key, other)
    }

    #[test]
    fn the_text_that_is_signed_stays_what_it_is() {
        assert_eq!(
            text(SHARE, "k", &said(Some("ana"))).unwrap(),
            format!(
                r#"["bobbin share 1","k",{{"format":1,"sha256":"{}","bytes":7,"account":"data","by":"ana","shared_at_micros":5,"clusters":1,"level":"names","told":{{"x":3}}}}]"#,
                "aa".repeat(32)
            )
        );
        let recalled = Recalled {
            format: 1,
            sha256: "aa".into(),
            by: None,
            recalled_at_micros: Micros(9),
            signed: None,
        };
        assert_eq!(
            text(RECALL, "k", &recalled).unwrap(),
            r#"["bobbin recall 1","k",{"format":1,"sha256":"aa","by":null,"recalled_at_micros":9}]"#
        );
    }

    #[test]
    fn what_is_changed_after_it_was_signed_is_nobody_s_word() {
        let (dir, key, other) = keys();
        // The same key the next time.
        assert_eq!(member_key(dir.path()).unwrap().public(), key.public());
        let signed = said(Some("ana")).signed_with(&key).unwrap();
        assert_eq!(signed.signer(), Some(key.public().as_str()));
        // What others read from an object.
        let read: Shared = serde_json::from_slice(&serde_json::to_vec(&signed).unwrap()).unwrap();
        assert_eq!((read.signer(), &read), (signed.signer(), &signed));

        let change = |change: fn(&mut Shared)| {
            let mut changed = signed.clone();
            change(&mut changed);
            assert_eq!(changed.signer(), None, "{changed:?}");
            assert_eq!(Trust::of(&changed, None), Trust::Changed);
        };
        change(|one| one.sha256 = "bb".repeat(32));
        change(|one| one.bytes += 1);
        change(|one| one.account = "lab".into());
        change(|one| one.by = Some("ben".into()));
        change(|one| one.by = None);
        change(|one| one.shared_at_micros = Micros(6));
        change(|one| one.level = Level::Metrics);
        change(|one| one.told.clear());
        change(|one| one.signed.as_mut().unwrap().signature.clear());
        change(|one| one.signed.as_mut().unwrap().key.clear());
        let mut taken = signed.clone();
        taken.signed.as_mut().unwrap().key = other.public();
        assert_eq!(taken.signer(), None);
        // That it is shared is not that it is recalled.
        let recalled = Recalled {
            format: 1,
            sha256: signed.sha256.clone(),
            by: None,
            recalled_at_micros: Micros(9),
            signed: signed.signed.clone(),
        };
        assert_eq!(recalled.signer(), None);
        let recalled = Recalled {
            signed: None,
            ..recalled
        };
        let recalled = recalled.signed_with(&key).unwrap();
        assert_eq!(recalled.signer(), Some(key.public().as_str()));
    }

    #[test]
    fn the_first_key_of_a_name_is_its_key_until_another_is_trusted_too() {
        let (dir, key, other) = keys();
        let address = dir.path().join("team").display().to_string();
        let member = Member::new("data", None).unwrap();
        let mut list = KnownList::change(dir.path(), |list| {
            list.add(&address, &member, false, KeysFrom::Environment)
                .map(drop)
        })
        .unwrap();
        let known = list.find(&address).unwrap();
        let (bare, signed) = (said(Some("ana")), said(Some("ana")));
        let signed = signed.signed_with(&key).unwrap();
        let stolen = bare.clone().signed_with(&other).unwrap();
        let trust = |known: &Known, one: &Shared| Trust::of(one, Some(known));

        // What an earlier Bobbin shared makes no key known.
        known.note(&bare);
        assert_eq!(trust(known, &bare), Trust::Unsigned);
        assert_eq!(trust(known, &stolen), Trust::Signed);
        known.note(&signed);
        known.note(&stolen);
        assert_eq!(trust(known, &signed), Trust::Signed);
        assert_eq!(trust(known, &bare), Trust::Missing);
        assert_eq!(trust(known, &stolen), Trust::OtherKey);
        // Another account's is another one, and who gives no name is nobody.
        let elsewhere = Shared {
            account: "lab".into(),
            ..bare.clone()
        };
        let elsewhere = elsewhere.signed_with(&other).unwrap();
        assert_eq!(trust(known, &elsewhere), Trust::Signed);
        for key in [&key, &other] {
            let nobody = said(None).signed_with(key).unwrap();
            known.note(&nobody);
            assert_eq!(trust(known, &nobody), Trust::Signed);
        }
        assert_eq!(known.members.len(), 1);

        accept(dir.path(), &address, &signed).unwrap();
        accept(dir.path(), &address, &stolen).unwrap();
        let nobody = said(None).signed_with(&key).unwrap();
        for one in [&bare, &nobody] {
            let refused = accept(dir.path(), &address, one).unwrap_err();
            assert!(
                refused.to_string().contains("no key of a member"),
                "{refused}"
            );
        }
        let mut list = KnownList::load(dir.path()).unwrap();
        let known = list.find(&address).unwrap();
        assert_eq!(trust(known, &stolen), Trust::Signed);
        assert_eq!(trust(known, &signed), Trust::Signed);
    }
}
