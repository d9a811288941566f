//! This crate stays free of network, async, shells and windows: a careless dependency fails here.

use std::process::Command;

#[test]
fn core_builds_without_tokio_axum_hyper_tauri_or_clap() {
    let tree = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--locked",
            "--package",
            "bobbin-core",
            "--edges",
            "normal,build",
            "--prefix",
            "none",
        ])
        .args(["--format", "{p}", "--target", "all"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        tree.status.success(),
        "{}",
        String::from_utf8_lossy(&tree.stderr)
    );
    let tree = String::from_utf8(tree.stdout).unwrap();
    let names: Vec<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(names.contains(&"rusqlite"), "{tree}");
    for banned in [
        "tokio",
        "axum",
        "hyper",
        "tauri",
        "clap",
        "reqwest",
        "async-std",
        "smol",
    ] {
        assert!(
            !names.contains(&banned),
            "{banned} is in the tree of bobbin-core"
        );
    }
}
