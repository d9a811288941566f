//! Makes the Tauri context; the commands of the page are declared here so that each needs a permission.

use std::{fs, io, path::Path};

fn main() -> io::Result<()> {
    placeholder_page(Path::new("../ui/dist"))?;
    let manifest = tauri_build::AppManifest::new().commands(&[
        "call",
        "handed",
        "decided",
        "choose_bundle",
        "choose_place",
        "save",
    ]);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))
        .map_err(io::Error::other)
}

/// The page is embedded at compile time, so its folder must exist. A clone that has not built the page yet gets one line.
fn placeholder_page(dist: &Path) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", dist.display());
    if dist.join("index.html").exists() {
        return Ok(());
    }
    fs::create_dir_all(dist)?;
    fs::write(
        dist.join("index.html"),
        "<!doctype html><title>Bobbin</title><p>The page is not built: run <code>cargo xtask app</code>.</p>\n",
    )
}
