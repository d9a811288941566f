//! The release file: one signed text that names the packages of a version by their SHA-256.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::key::fingerprint;
use super::version::Version;
use crate::signature::{Signed, SigningKey};
use crate::{Error, Result};

/// No release file is larger: it is read whole before anything in it is believed.
pub const MOST_BYTES: u64 = 1 << 20;
/// What the text is, so that nothing else that the same key ever signs is taken for a release.
const FORMAT: &str = "bobbin-release";
/// Of the text. It rises when an older build would misread it; fields that may be overlooked are simply added.
const FORMAT_VERSION: u32 = 1;
const MOST_PACKAGES: usize = 64;
const MOST_NAME: usize = 200;

const GET_AGAIN: &str = "get the release file again from where you get Bobbin";

/// What a release file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    pub version: String,
    /// Its day in UTC, such as 2026-11-25.
    pub released: String,
    /// The schema of the stores that this version writes.
    pub store_schema: u32,
    /// The oldest schema that it upgrades.
    pub oldest_store_schema: u32,
    pub batch_format: u32,
    /// Its section of `CHANGELOG.md`, in Markdown.
    pub changes: String,
    pub packages: Vec<Package>,
}

/// A file that people install.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    pub name: String,
    pub bytes: u64,
    /// In hexadecimal, lower case.
    pub sha256: String,
}

/// What every version of the text begins with.
#[derive(Serialize, Deserialize)]
struct Head {
    format: String,
    format_version: u32,
}

#[derive(Serialize)]
struct Text<'a> {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    release: &'a Release,
}

/// The bytes of a release file.
///
/// # Errors
/// [`Error::Declined`] for what no build would read again; [`Error::Json`].
pub fn write(release: &Release, key: &SigningKey) -> Result<String> {
    release.check()?;
    let text = serde_json::to_string(&Text {
        head: Head {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
        },
        release,
    })?;
    let file = exact(&key.sign(text))?;
    read(&file, &key.public())?;
    Ok(file)
}

/// What a release file says, if the private half of `key` (hexadecimal) signed it.
///
/// # Errors
/// [`Error::Declined`] says which of it does not hold.
pub fn read(file: &str, key: &str) -> Result<Release> {
    let bytes = file.len() as u64;
    if bytes > MOST_BYTES {
        return Err(refused(
            &format!("it has {bytes} bytes, and none has more than {MOST_BYTES}"),
            GET_AGAIN,
        ));
    }
    let signed: Signed = serde_json::from_str(file).map_err(|error| {
        refused(
            &format!("it is none, or was cut short ({error})"),
            "choose the file whose name ends in .release",
        )
    })?;
    // JSON can be written in many ways, and this one was not the signer's.
    if exact(&signed)? != file {
        return Err(refused("it was changed after it was written", GET_AGAIN));
    }
    let text = signed.verified(key).ok_or_else(|| Error::Declined {
        what: format!(
            "the release file is not signed with the key {}",
            fingerprint(key)
        ),
        hint: "it was changed, or another key signed it: install nothing, and get both the file and the key again from where you get Bobbin"
            .into(),
    })?;
    let release: Release = parse(text)?;
    release.check()?;
    Ok(release)
}

/// The one way in which a release file is written.
fn exact(signed: &Signed) -> Result<String> {
    Ok(serde_json::to_string(signed)? + "\n")
}

fn parse(text: &str) -> Result<Release> {
    let unreadable = |error: serde_json::Error| {
        refused(
            &format!("what it says cannot be read ({error})"),
            "report it to whoever made the release",
        )
    };
    let head: Head = serde_json::from_str(text).map_err(unreadable)?;
    if head.format != FORMAT {
        return Err(refused(
            &format!("it says that it is {:?}, not {FORMAT:?}", head.format),
            "choose the file whose name ends in .release",
        ));
    }
    if head.format_version != FORMAT_VERSION {
        return Err(refused(
            &format!(
                "it has version {} of the format, and this build reads version {FORMAT_VERSION}",
                head.format_version
            ),
            "install a version between this one and that one first",
        ));
    }
    serde_json::from_str(text).map_err(unreadable)
}

impl Release {
    /// Whether what it says can be shown and acted on: names of packages become words of a command line.
    fn check(&self) -> Result<()> {
        let wrong = |what: &str, value: &str| {
            Err(refused(
                &format!("{what} {value:?} cannot be used"),
                "report it to whoever made the release",
            ))
        };
        if Version::read(&self.version).is_none() {
            return wrong("its version", &self.version);
        }
        if NaiveDate::parse_from_str(&self.released, "%Y-%m-%d").is_err() {
            return wrong("its date", &self.released);
        }
        if self.oldest_store_schema > self.store_schema {
            return wrong("its oldest schema", &self.oldest_store_schema.to_string());
        }
        if self.packages.is_empty() || self.packages.len() > MOST_PACKAGES {
            return wrong("its number of packages", &self.packages.len().to_string());
        }
        let mut names = BTreeSet::new();
        for package in &self.packages {
            if !is_name(&package.name) || !names.insert(&package.name) {
                return wrong("the name of a package,", &package.name);
            }
            let digits = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            if package.sha256.len() != 64 || !package.sha256.bytes().all(digits) {
                return wrong("the SHA-256 of a package,", &package.sha256);
            }
        }
        Ok(())
    }
}

/// A plain name: no path, no option, nothing that a shell reads.
fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._+~-".contains(&byte);
    name.len() <= MOST_NAME
        && name.bytes().all(plain)
        && name
            .bytes()
            .next()
            .is_some_and(|first| first.is_ascii_alphanumeric())
}

fn refused(why: &str, hint: &str) -> Error {
    Error::Declined {
        what: format!("the release file cannot be used: {why}"),
        hint: hint.into(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::release) fn key() -> SigningKey {
        let dir = tempfile::tempdir().unwrap();
        SigningKey::make(&dir.path().join("key")).unwrap()
    }

    pub(in crate::release) fn release(version: &str) -> Release {
        let package = |name: &str, bytes, digit: &str| Package {
            name: name.into(),
            bytes,
            sha256: digit.repeat(64),
        };
        Release {
            version: version.into(),
            released: "2026-11-25".into(),
            store_schema: 30,
            oldest_store_schema: 1,
            batch_format: 1,
            changes: "### Added\n\n- \"Quotes\", ünïcode, a \\.".into(),
            packages: vec![
                package("bobbin_2.0.0_amd64.deb", 7, "a"),
                package("bobbin-2.0.0-x86_64-linux.tar.gz", 9, "b"),
            ],
        }
    }

    fn why(found: Result<Release>) -> String {
        let error = found.unwrap_err();
        assert!(matches!(error, Error::Declined { .. }), "{error}");
        assert!(error.hint().is_some(), "{error}");
        error.to_string()
    }

    #[test]
    fn what_was_written_is_read_and_the_same_sources_give_the_same_bytes() {
        let key = key();
        let file = write(&release("2.0.0"), &key).unwrap();
        assert_eq!(read(&file, &key.public()).unwrap(), release("2.0.0"));
        assert_eq!(write(&release("2.0.0"), &key).unwrap(), file);
    }

    #[test]
    fn no_byte_can_be_another_and_none_can_go_or_come() {
        let key = key();
        let public = key.public();
        let file = write(&release("2.0.0"), &key).unwrap();
        let is_refused = |changed: &[u8]| match std::str::from_utf8(changed) {
            Ok(text) => read(text, &public).is_err(),
            // No door hands it on.
            Err(_) => true,
        };
        for at in 0..file.len() {
            let whole = file.as_bytes();
            // Another letter, a capital, a digit.
            for bit in [0x01, 0x20, 0x10] {
                let mut changed = whole.to_vec();
                changed[at] ^= bit;
                assert!(is_refused(&changed), "byte {at} ^ {bit}");
            }
            let (before, behind) = whole.split_at(at);
            assert!(is_refused(&[before, &behind[1..]].concat()), "without {at}");
            for byte in [b" ", b"\n", b"0"] {
                assert!(
                    is_refused(&[before, byte, behind].concat()),
                    "with one at {at}"
                );
            }
        }
        assert!(is_refused(format!("{file}\n").as_bytes()));
    }

    #[test]
    fn another_key_and_another_text_are_refused() {
        let other = key().public();
        let key = key();
        let file = write(&release("2.0.0"), &key).unwrap();
        assert!(why(read(&file, &other)).contains(&fingerprint(&other)));
        let signed = |text: String| exact(&key.sign(text)).unwrap();
        let said = |text: &str| why(read(&signed(text.into()), &key.public()));
        // A receipt of a hub, a later format, and nothing.
        assert!(said(r#"{"kind":"receipt"}"#).contains("cannot be read"));
        assert!(
            said(r#"{"format":"bobbin-receipt","format_version":1}"#).contains("bobbin-receipt")
        );
        let later = r#"{"format":"bobbin-release","format_version":2}"#;
        assert!(said(later).contains("version 2 of the format"));
        assert!(said("").contains("cannot be read"));
        assert!(why(read("", &key.public())).contains("none"));
    }

    #[test]
    fn fields_of_later_versions_are_overlooked() {
        let key = key();
        let file = write(&release("2.0.0"), &key).unwrap();
        let signed: Signed = serde_json::from_str(&file).unwrap();
        let text = signed.text.replacen('{', r#"{"later":[1],"#, 1);
        let file = exact(&key.sign(text)).unwrap();
        assert_eq!(read(&file, &key.public()).unwrap(), release("2.0.0"));
    }

    #[test]
    fn more_than_a_mebibyte_is_not_looked_at() {
        let key = key();
        let mut large = release("2.0.0");
        large.changes = "x".repeat(MOST_BYTES as usize);
        assert!(why(write(&large, &key).map(|_| large.clone())).contains("bytes"));
        let deep = "[".repeat(MOST_BYTES as usize);
        assert!(read(&deep, &key.public()).is_err());
    }

    #[test]
    fn what_could_mislead_a_shell_or_a_reader_is_refused_even_if_it_is_signed() {
        let key = key();
        let with = |change: &dyn Fn(&mut Release)| {
            let mut changed = release("2.0.0");
            change(&mut changed);
            why(write(&changed, &key).map(|_| changed.clone()))
        };
        for name in [
            "",
            "../bobbin.deb",
            "/etc/passwd",
            "-rf.deb",
            ".hidden",
            "a b.deb",
            "a;reboot.deb",
            "$(reboot).deb",
            "a\n.deb",
            "ä.deb",
            "bobbin-2.0.0-x86_64-linux.tar.gz",
        ] {
            with(&|release| release.packages[0].name = name.into());
        }
        with(&|release| release.version = "2".into());
        with(&|release| release.released = "yesterday".into());
        with(&|release| release.packages.clear());
        with(&|release| release.packages[0].sha256 = "AA".repeat(32));
        with(&|release| release.oldest_store_schema = 31);
        with(&|release| {
            for number in 0..MOST_PACKAGES {
                let mut more = release.packages[0].clone();
                more.name = format!("more{number}.deb");
                release.packages.push(more);
            }
        });
    }
}
