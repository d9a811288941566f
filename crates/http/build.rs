//! Puts the built page (`ui/dist`) into the binary: writes a table of its files for `door/files.rs` to include. Where
//! the page was not built there is one that says how.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let dist = root.join("../../ui/dist");
    // A folder that is absent would count as changed each time.
    fs::create_dir_all(&dist)?;
    let dist = dist.canonicalize()?;
    println!("cargo:rerun-if-changed={}", dist.display());

    let mut files = Vec::new();
    collect(&dist, &dist, &mut files)?;
    if !files.iter().any(|(name, _)| name == "index.html") {
        let placeholder = root.join("src/door/placeholder.html");
        println!("cargo:rerun-if-changed={}", placeholder.display());
        files.push(("index.html".into(), placeholder));
    }
    files.sort();

    let mut table = String::from("static FILES: &[File] = &[\n");
    for (name, path) in &files {
        let path = path.display().to_string();
        writeln!(table, "    ({name:?}, include_bytes!({path:?})),").map_err(io::Error::other)?;
    }
    table.push_str("];\n");
    fs::write(Path::new(&variable("OUT_DIR")?).join("files.rs"), table)
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(io::Error::other)
}

fn collect(base: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(base, &path, files)?;
        } else if let Ok(name) = path.strip_prefix(base) {
            files.push((name.to_string_lossy().replace('\\', "/"), path));
        }
    }
    Ok(())
}
