//! Files of the inbox that were put aside, and why.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::arrivals::{REFUSED, WHY, inbox_dir};
use crate::model::Micros;
use crate::system::{modified, open_unfollowed};

/// A note is a sentence.
const WHY_BYTES: u64 = 2_000;

/// One file that was put aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedFile {
    /// As it was called when it came.
    pub name: String,
    /// What it is called now.
    pub aside: String,
    pub bytes: u64,
    pub modified: Micros,
    pub why: String,
}

/// The files that were put aside in the inbox, the latest first. What cannot be looked at is left out.
pub fn refused_files(dir: &Path) -> Vec<RefusedFile> {
    let inbox = inbox_dir(dir);
    let mut found: Vec<RefusedFile> = fs::read_dir(&inbox)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let stem = name.strip_suffix(REFUSED)?;
            let at = fs::symlink_metadata(entry.path()).ok()?;
            Some(RefusedFile {
                why: why(&inbox.join(format!("{stem}{WHY}"))),
                name: stem.to_owned(),
                aside: name.clone(),
                bytes: at.len(),
                modified: modified(&at),
            })
        })
        .collect();
    found.sort_by(|a, b| {
        let later = b.modified.cmp(&a.modified);
        later.then_with(|| a.name.cmp(&b.name))
    });
    found
}

fn why(path: &Path) -> String {
    let mut text = Vec::new();
    let read = |file: File| file.take(WHY_BYTES).read_to_end(&mut text);
    // Without its note the file is still told of.
    let _ = open_unfollowed(path).and_then(read);
    String::from_utf8_lossy(&text).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_aside_is_told_with_its_reason() {
        let dir = tempfile::tempdir().unwrap();
        assert!(refused_files(dir.path()).is_empty());
        let inbox = inbox_dir(dir.path());
        fs::create_dir_all(&inbox).unwrap();
        fs::write(inbox.join("a.bobbin.refused"), "12345").unwrap();
        fs::write(inbox.join("a.bobbin.why"), "at byte 0: no\n").unwrap();
        fs::write(inbox.join("b.bobbin"), "").unwrap();
        let found = refused_files(dir.path());
        let told: Vec<_> = found
            .iter()
            .map(|one| (one.name.as_str(), one.bytes, one.why.as_str()))
            .collect();
        assert_eq!(told, [("a.bobbin", 5, "at byte 0: no")]);
    }
}
