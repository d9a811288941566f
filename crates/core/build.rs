//! Lists the demo stories in `assets/demo`, so that whatever is recorded there is in the binary.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/demo");
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
        // Writing to a String cannot fail.
        let _ = write!(text, "include_bytes!({:?}), ", story.display().to_string());
    }
    text.push(']');
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    fs::write(Path::new(&out).join("demo.rs"), text)
}
