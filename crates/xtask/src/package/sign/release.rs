//! What the release file says: read from the packages, from the program in them, and from `CHANGELOG.md`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use bobbin_core::{
    api::ThisBuild,
    release::{self, Package as Packed, Release, fingerprint},
    signature::SigningKey,
};

use super::key::failure;
use crate::{
    files::root,
    package::{Package, VERSION},
    process::{Failure, Result, ask, say},
};

/// Writes the release file of these packages beside them.
///
/// # Errors
/// The program that was packed is of another version, or something cannot be read.
pub fn write(package: &Package, key: &SigningKey, files: &[PathBuf]) -> Result {
    let build = packed_build(&package.bobbin)?;
    if build.release_key.as_deref() != Some(&key.public()) {
        let trusted = build.release_key_fingerprint.as_deref();
        say(
            "note",
            &format!(
                "this build trusts {}, and another key signs it; BOBBIN_RELEASE_KEY says which key a build trusts",
                trusted.unwrap_or("no key")
            ),
        );
    }
    let changelog = fs::read_to_string(root().join("CHANGELOG.md"))?;
    let release = Release {
        version: VERSION.into(),
        released: day(package.epoch)?,
        store_schema: build.store_schema,
        oldest_store_schema: build.oldest_store_schema,
        batch_format: build.batch_format,
        changes: section(&changelog, VERSION)?,
        packages: files
            .iter()
            .map(|path| Packed::of(path).map_err(|error| failure(&error)))
            .collect::<Result<_>>()?,
    };
    let text = release::write(&release, key).map_err(|error| failure(&error))?;
    let file = package.out.join(format!("bobbin-{VERSION}.release"));
    fs::write(&file, text)?;
    say("release", &file.display().to_string());
    say("signed with", &fingerprint(&key.public()));
    Ok(())
}

/// What the program in the packages says of itself: it may have been built from other sources than this one.
fn packed_build(bobbin: &Path) -> Result<ThisBuild> {
    let said = ask(Command::new(bobbin).args(["update", "--json"]))
        .and_then(|said| serde_json::from_str::<ThisBuild>(&said).ok())
        .ok_or_else(|| {
            Failure::new("the program that is packed does not say what it is")
                .hint("leave --binaries out, and it is built")
        })?;
    if said.version == VERSION {
        Ok(said)
    } else {
        Err(Failure::new(format!(
            "the program that is packed has version {}, and the packages {VERSION}",
            said.version
        ))
        .hint("leave --binaries out, and it is built"))
    }
}

fn day(epoch: u64) -> Result<String> {
    let moment = format!("@{epoch}");
    ask(Command::new("date").args(["--utc", "--date", &moment, "+%Y-%m-%d"]))
        .ok_or_else(|| Failure::new(format!("there is no day for {epoch} s")))
}

/// The section of a version, or what was not released yet.
fn section(changelog: &str, version: &str) -> Result<String> {
    let is_of = |heading: &str, name: &str| heading.split([' ', '[', ']']).any(|word| word == name);
    let sections: Vec<(&str, &str)> = changelog
        .split("\n## ")
        .skip(1)
        .map(|section| section.split_once('\n').unwrap_or((section, "")))
        .collect();
    [version, "Unreleased"]
        .iter()
        .find_map(|name| sections.iter().find(|(heading, _)| is_of(heading, name)))
        .map(|(_, words)| words.trim().to_owned())
        .filter(|words| !words.is_empty())
        .ok_or_else(|| {
            Failure::new(format!("CHANGELOG.md has no words for {version}"))
                .hint(format!("add a section: ## {version}"))
        })
}

#[cfg(test)]
mod tests {
    use std::{env, os::unix::fs::PermissionsExt, process};

    use bobbin_core::api::{
        CheckReleaseRequest, ReleaseAge, build_facts, packages_beside, release_check,
    };

    use super::super::key;
    use super::*;

    const CHANGELOG: &str = "# Changes\n\n## Unreleased\n\n- Later.\n\n## 1.2.0 (2026-11-01)\n\n### Fixed\n\n- This.\n\n## 1.1.0\n\n- Before.\n";

    #[test]
    fn a_section_is_that_of_its_version_and_ends_with_it() {
        let of = |version| section(CHANGELOG, version).unwrap();
        assert_eq!(of("1.2.0"), "### Fixed\n\n- This.");
        assert_eq!(of("1.3.0"), "- Later.");
        assert!(section("# Changes\n\n## 1.2.0\n\n## 1.1.0\n", "1.2.0").is_err());
        assert!(section("# Changes\n", "1.2.0").is_err());
    }

    /// A folder of its own, removed when dropped.
    struct Folder(PathBuf);

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// As if a program had been packed that says this of itself.
    fn packed(folder: &Path, said: &str) -> Package {
        let bobbin = folder.join("bobbin");
        fs::write(&bobbin, format!("#!/bin/sh\ncat <<'END'\n{said}\nEND\n")).unwrap();
        fs::set_permissions(&bobbin, fs::Permissions::from_mode(0o755)).unwrap();
        Package {
            bobbin,
            desktop: PathBuf::new(),
            work: PathBuf::new(),
            out: folder.into(),
            epoch: 1_795_000_000,
        }
    }

    #[test]
    fn packages_are_signed_and_a_build_that_has_the_public_key_believes_it() {
        let folder = Folder(env::temp_dir().join(format!("bobbin-sign-{}", process::id())));
        let at = &folder.0;
        fs::create_dir_all(at).unwrap();
        let private = at.join("release.key");
        assert!(key::load(&private).is_err());
        key::make(&private).unwrap();
        assert!(key::make(&private).is_err(), "it was overwritten");
        let mode = fs::metadata(&private).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let signing = key::load(&private).unwrap();

        let archive = at.join(format!("bobbin-{VERSION}-x86_64-linux.tar.gz"));
        fs::write(&archive, "packed").unwrap();
        let said = serde_json::to_string(&build_facts()).unwrap();
        let files = [archive.clone()];
        write(&packed(at, &said), &signing, &files).unwrap();
        let file = at.join(format!("bobbin-{VERSION}.release"));
        let mut request = CheckReleaseRequest {
            file: fs::read_to_string(&file).unwrap(),
            key: Some(signing.public()),
            ..CheckReleaseRequest::default()
        };
        let checked = release_check(&request).unwrap();
        assert_eq!(
            (checked.age, checked.released.as_str()),
            (ReleaseAge::Same, "2026-11-18")
        );
        request.beside = Some(packages_beside(at, &checked.packages).unwrap());
        assert!(release_check(&request).unwrap().packages[0].checked);
        fs::write(&archive, "Packed").unwrap();
        request.beside = Some(packages_beside(at, &checked.packages).unwrap());
        assert!(release_check(&request).is_err());

        // What was packed is of another version, or says nothing.
        let other = said.replace(VERSION, "99.0.0");
        assert!(write(&packed(at, &other), &signing, &files).is_err());
        assert!(write(&packed(at, "usage"), &signing, &files).is_err());
    }
}
