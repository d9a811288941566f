//! Lists the recordings in `assets/demo` by name, so that whatever is recorded there is in the binary.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    // Asked when it runs: the folder may have moved since it was compiled.
    let manifest = env::var_os("CARGO_MANIFEST_DIR")
        .ok_or_else(|| io::Error::other("CARGO_MANIFEST_DIR is not set"))?;
    let folder = Path::new(&manifest).join("../../assets/demo");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut stories = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "bobbin")
            {
                stories.push(path.canonicalize()?);
            }
        }
    }
    stories.sort();
    let mut text = String::from("&[");
    for story in stories {
        let name = story.file_stem().unwrap_or_default().to_string_lossy();
        let path = story.display().to_string();
        // Writing to a String cannot fail.
        let _ = write!(text, "({name:?}, include_bytes!({path:?})), ");
    }
    text.push(']');
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    fs::write(Path::new(&out).join("demo.rs"), text)
}
