//! Each target for a bounded number of inputs, the same ones each time.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use bobbin_fuzz::{TARGETS, corpus, drive};

fn bounded(name: &str, inputs: u64, ways: usize) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let seeds = corpus(target.seeds).unwrap();
    assert!(!seeds.is_empty());
    let ran = drive(target, seeds, 7, |done| done >= inputs);
    if let Some(found) = ran.found {
        panic!("{}\n{}", found.panic, String::from_utf8_lossy(&found.input));
    }
    assert!(ran.ways >= ways, "{name} went only {} ways", ran.ways);
}

#[test]
fn batches() {
    bounded("batch", 4_000, 40);
}

#[test]
fn stored_batches() {
    bounded("ingest", 400, 15);
}

#[test]
fn gzip() {
    bounded("gzip", 3_000, 4);
}

#[test]
fn files() {
    bounded("file", 3_000, 20);
}

#[test]
fn bundles() {
    bounded("bundle", 2_000, 6);
}

#[test]
fn imported_bundles() {
    bounded("import", 300, 15);
}

#[test]
fn foreign_files() {
    bounded("foreign", 3_000, 15);
}

#[test]
fn uploads() {
    bounded("upload", 2_000, 10);
}

#[test]
fn hosts() {
    bounded("host", 20_000, 8);
}

#[test]
fn filters() {
    bounded("filter", 500, 10);
}

#[test]
fn every_target_is_run_here_and_named_by_the_command() {
    let (here, command) = (
        include_str!("bounded.rs"),
        include_str!("../../xtask/src/fuzz.rs"),
    );
    let named = command
        .lines()
        .find(|line| line.starts_with("const TARGETS"))
        .unwrap();
    for target in TARGETS {
        let name = target.name;
        let run = format!("    bounded(\"{name}\", ");
        assert!(here.contains(&run) && named.contains(name), "{name}");
    }
}
