//! What a release means for the build that looks at it: newer or not, what changes, what becomes of the store.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::file::{self, Package, Release};
use super::key::{built_in, fingerprint};
use super::version::Version;
use crate::signature::is_public_key;
use crate::{Error, Result};

/// What this build is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ThisBuild {
    pub version: String,
    /// The schema of the store that it writes.
    pub store_schema: u32,
    /// The oldest schema that it upgrades.
    pub oldest_store_schema: u32,
    /// The version of the batch format that it reads and writes.
    pub batch_format: u32,
    /// The public key whose releases it trusts; null where none was named when it was built.
    pub release_key: Option<String>,
    /// A short form of that key.
    pub release_key_fingerprint: Option<String>,
}

/// Asks what a release file says, and whether to believe it.
#[derive(Clone, Debug, Default, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct CheckReleaseRequest {
    /// The whole file.
    pub file: String,
    /// The public key that must have signed it; the one of this build where none is named.
    pub key: Option<String>,
    /// The packages that lie beside it, of those that it names; null where nobody looked.
    pub beside: Option<Vec<BesidePackage>>,
    /// The folder of the file, for the commands that install; the present one where none is named.
    pub folder: Option<String>,
}

/// A package as it lies on the disk.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct BesidePackage {
    pub name: String,
    pub bytes: u64,
    /// In hexadecimal; null where the size alone says that it is another file.
    pub sha256: Option<String>,
}

/// Which of the two is newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReleaseAge {
    /// The release is newer than this build.
    Newer,
    Same,
    Older,
}

/// A release whose signature holds, and whose packages are the released ones as far as somebody looked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReleaseCheck {
    pub version: String,
    /// Its day in UTC, such as 2026-11-25.
    pub released: String,
    pub age: ReleaseAge,
    /// Which key signed it, in its short form.
    pub key_fingerprint: String,
    /// Its section of the changelog, in Markdown.
    pub changes: String,
    pub store_schema: u32,
    pub batch_format: u32,
    /// What becomes of the store, in sentences.
    pub data_format: String,
    pub packages: Vec<CheckedPackage>,
    /// What installs it, one way a line, of packages that were checked; none where there is no reason to.
    pub install: Vec<String>,
    pub build: ThisBuild,
}

/// A package of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CheckedPackage {
    pub name: String,
    pub bytes: u64,
    pub sha256: String,
    /// Whether it was compared, and is the one that was released. Where it was not, nobody looked, or it does not lie beside the file.
    pub checked: bool,
}

/// Reads a release file and compares the packages beside it. `quoted` makes a word of a command line.
///
/// # Errors
/// [`Error::Declined`] says what of it does not hold; [`Error::Invalid`] for a key that is none.
pub fn check(
    request: &CheckReleaseRequest,
    build: ThisBuild,
    quoted: &dyn Fn(&str) -> String,
) -> Result<ReleaseCheck> {
    let key = trusted(request.key.as_deref(), build.release_key.as_deref())?;
    let release = file::read(&request.file, &key)?;
    let packages = match &request.beside {
        Some(beside) => compared(&release, beside)?,
        None => release.packages.iter().map(unchecked).collect(),
    };
    let age = age(&release.version, &build.version);
    let opens = release.store_schema >= build.store_schema
        && release.oldest_store_schema <= build.store_schema;
    // Going back is rare, and works as long as the store can be opened.
    let install = if opens && age != ReleaseAge::Same {
        install(request, &packages, quoted)
    } else {
        Vec::new()
    };
    Ok(ReleaseCheck {
        age,
        key_fingerprint: fingerprint(&key),
        data_format: data_format(&release, &build),
        version: release.version,
        released: release.released,
        changes: release.changes,
        store_schema: release.store_schema,
        batch_format: release.batch_format,
        packages,
        install,
        build,
    })
}

impl ThisBuild {
    /// What this build is, by the formats that its parts know.
    pub fn of(store_schema: u32, oldest_store_schema: u32, batch_format: u32) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            store_schema,
            oldest_store_schema,
            batch_format,
            release_key: built_in().map(str::to_owned),
            release_key_fingerprint: built_in().map(fingerprint),
        }
    }
}

fn trusted(named: Option<&str>, built_in: Option<&str>) -> Result<String> {
    if let Some(named) = named.map(str::trim).filter(|named| !named.is_empty()) {
        let key = named.to_ascii_lowercase();
        return if is_public_key(&key) {
            Ok(key)
        } else {
            Err(Error::Invalid {
                what: "release key",
                value: named.into(),
                reason: "a public key has 64 digits in hexadecimal".into(),
            })
        };
    }
    built_in.map(str::to_owned).ok_or_else(|| Error::Declined {
        what: "this build trusts no release key, so the release file cannot be checked".into(),
        hint: "name the public key of whoever made the release: on the command line with --key"
            .into(),
    })
}

fn age(release: &str, build: &str) -> ReleaseAge {
    match Version::read(release).cmp(&Version::read(build)) {
        Ordering::Greater => ReleaseAge::Newer,
        Ordering::Equal => ReleaseAge::Same,
        Ordering::Less => ReleaseAge::Older,
    }
}

fn unchecked(package: &Package) -> CheckedPackage {
    CheckedPackage {
        name: package.name.clone(),
        bytes: package.bytes,
        sha256: package.sha256.clone(),
        checked: false,
    }
}

/// Nobody needs all packages of a release, and nobody can install one that is not there.
fn compared(release: &Release, beside: &[BesidePackage]) -> Result<Vec<CheckedPackage>> {
    let mut packages = Vec::new();
    for package in &release.packages {
        let found = beside.iter().find(|found| found.name == package.name);
        if let Some(found) = found {
            same(package, found)?;
        }
        packages.push(CheckedPackage {
            checked: found.is_some(),
            ..unchecked(package)
        });
    }
    if packages.iter().any(|package| package.checked) {
        return Ok(packages);
    }
    let names: Vec<&str> = packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    Err(Error::Declined {
        what: format!(
            "none of the packages of Bobbin {} is next to the release file: {}",
            release.version,
            names.join(", ")
        ),
        hint: "get the package that you want to install, put it next to the release file, and check again".into(),
    })
}

fn same(package: &Package, found: &BesidePackage) -> Result<()> {
    let another = |why: String| {
        Err(Error::Declined {
            what: format!(
                "{} is not the package that was released: {why}",
                package.name
            ),
            hint: "do not install it; download it again and check again".into(),
        })
    };
    if found.bytes != package.bytes {
        return another(format!(
            "it has {} bytes, and the release file says {}",
            found.bytes, package.bytes
        ));
    }
    match &found.sha256 {
        Some(sha256) if *sha256 == package.sha256 => Ok(()),
        sha256 => another(format!(
            "its SHA-256 is {}, and the release file says {}",
            sha256.as_deref().unwrap_or("unknown"),
            package.sha256
        )),
    }
}

/// What becomes of a store that this build wrote.
fn data_format(release: &Release, build: &ThisBuild) -> String {
    let (from, to) = (build.store_schema, release.store_schema);
    let store = if release.oldest_store_schema > from {
        format!(
            "Version {} upgrades stores from schema {} on, and this build writes schema {from}: install a version in between first.",
            release.version, release.oldest_store_schema
        )
    } else {
        match to.cmp(&from) {
            Ordering::Equal => format!("The data format does not change (schema {from})."),
            Ordering::Greater => format!(
                "The data format changes (schema {from} → {to}). The store is upgraded when it opens; a snapshot is taken first, \
                 if the disk has room for it. Older versions cannot open the store afterwards."
            ),
            Ordering::Less => format!(
                "The data format is older (schema {from} → {to}). Version {} cannot open the store that this build wrote.",
                release.version
            ),
        }
    };
    if release.batch_format == build.batch_format {
        return store;
    }
    format!(
        "{store} The batch format changes ({} → {}).",
        build.batch_format, release.batch_format
    )
}

/// Debian packages go in one command, since one needs the other; an archive is another way.
fn install(
    request: &CheckReleaseRequest,
    packages: &[CheckedPackage],
    quoted: &dyn Fn(&str) -> String,
) -> Vec<String> {
    let folder = match request.folder.as_deref() {
        None | Some("") => String::new(),
        // It would be an option.
        Some(folder) if folder.starts_with('-') => format!("./{}/", folder.trim_end_matches('/')),
        Some(folder) => format!("{}/", folder.trim_end_matches('/')),
    };
    let path = |package: &CheckedPackage| quoted(&format!("{folder}{}", package.name));
    let ending = |end: &'static str| {
        packages
            .iter()
            .filter(move |package| package.checked && package.name.ends_with(end))
            .map(path)
    };
    let debs: Vec<String> = ending(".deb").collect();
    let mut ways = Vec::new();
    if !debs.is_empty() {
        ways.push(format!("sudo dpkg -i {}", debs.join(" ")));
    }
    ways.extend(ending(".tar.gz").map(|archive| format!("tar -xzf {archive}")));
    ways
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::file::tests::{key, key as stranger, release};
    use crate::release::write;
    use crate::signature::SigningKey;

    fn build() -> ThisBuild {
        ThisBuild {
            version: "1.5.0".into(),
            release_key: None,
            release_key_fingerprint: None,
            ..ThisBuild::of(28, 1, 1)
        }
    }

    fn request(release: &Release, key: &SigningKey) -> CheckReleaseRequest {
        CheckReleaseRequest {
            file: write(release, key).unwrap(),
            key: Some(key.public()),
            ..CheckReleaseRequest::default()
        }
    }

    fn checked(request: &CheckReleaseRequest) -> Result<ReleaseCheck> {
        check(request, build(), &|word| format!("'{word}'"))
    }

    fn beside(release: &Release, at: usize) -> BesidePackage {
        let package = release.packages[at].clone();
        BesidePackage {
            name: package.name,
            bytes: package.bytes,
            sha256: Some(package.sha256),
        }
    }

    fn declined(request: &CheckReleaseRequest) -> String {
        let error = checked(request).unwrap_err();
        assert!(matches!(error, Error::Declined { .. }), "{error}");
        error.to_string()
    }

    #[test]
    fn newer_same_and_older_releases_are_told_apart() {
        let key = key();
        let said = |version| checked(&request(&release(version), &key)).unwrap();
        assert_eq!(said("1.5.1").age, ReleaseAge::Newer);
        assert_eq!(said("1.10.0").age, ReleaseAge::Newer);
        assert_eq!(said("1.5.0").age, ReleaseAge::Same);
        assert_eq!(said("1.5.0-rc.1").age, ReleaseAge::Older);
        assert_eq!(said("1.4.9").age, ReleaseAge::Older);
        // Nobody looked at the packages.
        assert_eq!(said("1.5.1").install, [""; 0]);
        assert_eq!(said("1.5.1").changes, release("1.5.1").changes);
        assert_eq!(said("1.5.1").key_fingerprint, fingerprint(&key.public()));
    }

    #[test]
    fn what_becomes_of_the_store_is_said_before_anything_is_installed() {
        let key = key();
        let said = |change: &dyn Fn(&mut Release)| {
            let mut release = release("2.0.0");
            change(&mut release);
            let looked = CheckReleaseRequest {
                beside: Some(vec![beside(&release, 0), beside(&release, 1)]),
                ..request(&release, &key)
            };
            let said = checked(&looked).unwrap();
            (said.data_format, said.install.len())
        };
        let (upgraded, ways) = said(&|_| {});
        assert!(upgraded.contains("schema 28 → 30") && upgraded.contains("snapshot"));
        assert_eq!(ways, 2);
        let (same, _) = said(&|release| release.store_schema = 28);
        assert_eq!(same, "The data format does not change (schema 28).");
        let (back, ways) = said(&|release| release.store_schema = 27);
        assert!(back.contains("cannot open the store that this build wrote"));
        // Nobody is told how to install what cannot open the store.
        assert_eq!(ways, 0);
        let (far, ways) = said(&|release| release.oldest_store_schema = 29);
        assert!(far.contains("from schema 29 on") && far.contains("in between"));
        assert_eq!(ways, 0);
        let (batches, _) = said(&|release| release.batch_format = 2);
        assert!(batches.ends_with("The batch format changes (1 → 2)."));
    }

    #[test]
    fn packages_beside_the_file_are_the_released_ones_or_refused() {
        let key = key();
        let release = release("2.0.0");
        let with = |beside: Vec<BesidePackage>| CheckReleaseRequest {
            beside: Some(beside),
            folder: Some("down loads/".into()),
            ..request(&release, &key)
        };
        // One of them is enough, and another file in the folder does not matter.
        let mut other = beside(&release, 0);
        other.name = "notes.txt".into();
        let one = checked(&with(vec![beside(&release, 1), other])).unwrap();
        let compared: Vec<bool> = one.packages.iter().map(|package| package.checked).collect();
        assert_eq!(compared, [false, true]);
        assert_eq!(
            one.install,
            ["tar -xzf 'down loads/bobbin-2.0.0-x86_64-linux.tar.gz'"]
        );
        let both = || with(vec![beside(&release, 0), beside(&release, 1)]);
        let again = ThisBuild {
            version: "2.0.0".into(),
            ..build()
        };
        let again = check(&both(), again, &str::to_owned).unwrap();
        assert_eq!((again.age, again.install), (ReleaseAge::Same, Vec::new()));
        let both = checked(&both()).unwrap();
        assert_eq!(
            both.install[0],
            "sudo dpkg -i 'down loads/bobbin_2.0.0_amd64.deb'"
        );

        let mut dashed = with(vec![beside(&release, 1)]);
        dashed.folder = Some("-f".into());
        let ways = checked(&dashed).unwrap().install;
        assert_eq!(ways, ["tar -xzf './-f/bobbin-2.0.0-x86_64-linux.tar.gz'"]);

        assert!(declined(&with(Vec::new())).contains("bobbin_2.0.0_amd64.deb"));
        let mut changed = beside(&release, 0);
        changed.sha256 = Some("c".repeat(64));
        assert!(declined(&with(vec![changed.clone()])).contains(&"c".repeat(64)));
        changed.sha256 = None;
        declined(&with(vec![changed]));
        let mut longer = beside(&release, 0);
        longer.bytes += 1;
        assert!(declined(&with(vec![longer])).contains("8 bytes"));
    }

    #[test]
    fn nothing_is_believed_without_a_key() {
        let key = key();
        let mut request = request(&release("2.0.0"), &key);
        let named = request.key.take();
        assert!(declined(&request).contains("trusts no release key"));
        // The one of the build, and a named one before it; capitals and spaces come from where it was copied.
        let trusting = |key: &str| ThisBuild {
            release_key: Some(key.into()),
            ..build()
        };
        let public = key.public();
        assert!(check(&request, trusting(&public), &str::to_owned).is_ok());
        let stranger = stranger().public();
        assert!(check(&request, trusting(&stranger), &str::to_owned).is_err());
        request.key = named.map(|key| format!(" {}\n", key.to_ascii_uppercase()));
        assert!(check(&request, trusting(&stranger), &str::to_owned).is_ok());
        request.key = Some("no key".into());
        assert!(matches!(checked(&request), Err(Error::Invalid { .. })));
    }
}
