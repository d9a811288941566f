//! Updates: a release file is checked with its packages, without a store and without a network, and refused where anything of it does
//! not hold.

use std::fs;
use std::path::{Path, PathBuf};

use bobbin_core::api::{ThisBuild, build_facts};
use bobbin_core::release::{Package, Release, write};
use bobbin_core::signature::SigningKey;
use serde_json::json;

use super::shell::fails;
use crate::support::{Outcome, Sandbox};

/// A folder of downloads with a release of this version, and the key that signed it.
fn downloads(sandbox: &Sandbox, version: &str) -> (PathBuf, String) {
    let folder = sandbox.path("down loads");
    fs::create_dir_all(&folder).unwrap();
    let key = SigningKey::make(&sandbox.path(&format!("{version}.key"))).unwrap();
    let names = [
        "bobbin_VERSION_amd64.deb",
        "bobbin-VERSION-x86_64-linux.tar.gz",
    ];
    let packages = names.map(|name| {
        let path = folder.join(name.replace("VERSION", version));
        fs::write(&path, format!("{name}, packed")).unwrap();
        Package::of(&path).unwrap()
    });
    let ThisBuild {
        store_schema,
        oldest_store_schema,
        batch_format,
        ..
    } = build_facts();
    let release = Release {
        version: version.into(),
        released: "2026-11-25".into(),
        store_schema: store_schema + 1,
        oldest_store_schema,
        batch_format,
        changes: "### Added\n\n- A \u{1b}[31mred\u{1b}[0m thing.".into(),
        packages: packages.into(),
    };
    let file = folder.join(format!("bobbin-{version}.release"));
    fs::write(&file, write(&release, &key).unwrap()).unwrap();
    (file, key.public())
}

fn update(sandbox: &Sandbox, file: &Path, key: &str, json: bool) -> Outcome {
    let file = file.to_str().unwrap();
    let words = ["update", file, "--key", key, "--json"];
    sandbox.bobbin(&words[..if json { 5 } else { 4 }])
}

#[test]
fn a_release_file_says_what_it_brings_and_how_it_is_installed() {
    let sandbox = Sandbox::new();
    let (file, key) = downloads(&sandbox, "99.0.0");
    let said = update(&sandbox, &file, &key, true).done().unwrap();
    assert_eq!(said["age"], "newer");
    let schema = build_facts().store_schema;
    let note = said["data_format"].as_str().unwrap();
    assert!(
        note.contains(&format!("{schema} → {}", schema + 1)),
        "{note}"
    );
    let folder = file.parent().unwrap().display().to_string();
    assert_eq!(
        said["install"],
        json!([
            format!("sudo dpkg -i '{folder}/bobbin_99.0.0_amd64.deb'"),
            format!("tar -xzf '{folder}/bobbin-99.0.0-x86_64-linux.tar.gz'"),
        ])
    );
    let spoken = update(&sandbox, &file, &key, false);
    assert_eq!(spoken.code, 0, "{spoken:?}");
    assert!(spoken.out.contains("newer than this build"), "{spoken:?}");
    assert!(spoken.out.contains("sudo dpkg -i"), "{spoken:?}");
    assert!(!spoken.out.contains('\u{1b}'), "{spoken:?}");
    assert!(spoken.talk.contains("Nothing was installed"), "{spoken:?}");
    // Neither a store nor a folder for one was made.
    assert!(!sandbox.data_dir().exists());

    let (older, key) = downloads(&sandbox, "0.0.1");
    let said = update(&sandbox, &older, &key, true).done().unwrap();
    assert_eq!(said["age"], "older");
}

#[test]
fn whatever_does_not_hold_is_refused_with_its_value() {
    let sandbox = Sandbox::new();
    let (file, key) = downloads(&sandbox, "99.0.0");
    let stranger = SigningKey::make(&sandbox.path("stranger")).unwrap();
    let refused = |key: &str, about: &str| fails(&update(&sandbox, &file, key, true), 3, about);
    refused(&stranger.public(), "is not signed with the key");
    fails(&update(&sandbox, &file, "no key", true), 2, "no key");
    if build_facts().release_key.is_none() {
        let unnamed = sandbox.bobbin(&["update", file.to_str().unwrap(), "--json"]);
        fails(&unnamed, 3, "trusts no release key");
        assert!(unnamed.talk.contains("--key"), "{unnamed:?}");
    }

    let archive = file.with_file_name("bobbin-99.0.0-x86_64-linux.tar.gz");
    let deb = file.with_file_name("bobbin_99.0.0_amd64.deb");
    let packed = fs::read(&deb).unwrap();
    fs::write(&deb, "Bobbin_VERSION_amd64.deb, packed").unwrap();
    refused(&key, "bobbin_99.0.0_amd64.deb is not the package");
    fs::write(&deb, "short").unwrap();
    refused(&key, "it has 5 bytes");
    // One package is enough, and none is not.
    fs::remove_file(&deb).unwrap();
    let one = update(&sandbox, &file, &key, true).done().unwrap();
    assert_eq!(one["install"].as_array().unwrap().len(), 1);
    fs::remove_file(&archive).unwrap();
    refused(&key, "none of the packages of Bobbin 99.0.0");
    fs::write(&deb, packed).unwrap();

    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    refused(&key, "cut short");
    fs::write(&file, [&whole[..], b" "].concat()).unwrap();
    refused(&key, "changed after it was written");
    fs::write(&file, vec![b'['; (1 << 20) + 9]).unwrap();
    refused(&key, "bytes");
    fs::write(&file, b"\xff\xfe").unwrap();
    refused(&key, "it is not text");
    fs::remove_file(&file).unwrap();
    fails(&update(&sandbox, &file, &key, true), 1, "99.0.0.release");
}

#[test]
fn without_a_file_it_says_what_this_build_is() {
    let sandbox = Sandbox::new();
    let said = sandbox.bobbin(&["update", "--json"]).done().unwrap();
    assert_eq!(said["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(said["store_schema"], build_facts().store_schema);
    let spoken = sandbox.bobbin(&["update"]);
    assert!(
        spoken.out.contains("never checks for updates"),
        "{spoken:?}"
    );
}
