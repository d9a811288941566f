//! Puts the built page (`ui/dist`) into the binary: writes a table of its files for `door/files.rs` to include. Where
//! the page was not built there is one that says how. The page of reports (`ui/dist/report`) is no file of the door's.

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
    let report: Vec<_> = ["report/report.js", "report/report.css"]
        .iter()
        .filter_map(|name| files.iter().find(|(built, _)| built == name))
        .map(|(_, path)| path.display().to_string())
        .collect();
    files.retain(|(name, _)| !name.starts_with("report/"));
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
    let out = PathBuf::from(variable("OUT_DIR")?);
    fs::write(out.join("files.rs"), table)?;
    let parts = match report.as_slice() {
        [script, style] => format!("Some((include_str!({script:?}), include_str!({style:?})))"),
        _ => "None".into(),
    };
    let page = format!("static REPORT: Option<(&str, &str)> = {parts};\n");
    fs::write(out.join("report.rs"), page)
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
