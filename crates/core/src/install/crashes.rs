//! Where this program failed at what it never should: a file beside the store, which its owner may attach to a report. It says which
//! line, and no words: those of a failure may hold what a cluster said.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::{env, fs, panic, thread};

use chrono::{SecondsFormat, Utc};

use super::private::{at, open_private};
use crate::Result;

const FILE: &str = "crashes.txt";
/// Some hundred lines; then it begins anew.
const LONGEST: u64 = 64 << 10;

/// From now on each panic of this process is a line of the file in this folder, where there is one.
pub fn keep_crashes(dir: &Path) {
    let path = dir.join(FILE);
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        // Its words go to whoever started the program, as ever.
        before(panic);
        let place = panic.location().map(ToString::to_string);
        // Whoever fails already cannot do more than try.
        let _ = keep(&path, place.as_deref().unwrap_or("nowhere"));
    }));
}

/// The lines that were kept, oldest first, and the file that they are in.
pub fn crashes(dir: &Path) -> (PathBuf, Vec<String>) {
    let path = dir.join(FILE);
    let text = fs::read(&path).unwrap_or_default();
    let lines = String::from_utf8_lossy(&text)
        .lines()
        .map(str::to_owned)
        .collect();
    (path, lines)
}

fn keep(path: &Path, place: &str) -> Result<()> {
    let line = format!(
        "{} Bobbin {}, {} on {}, thread {}: {place}\n",
        Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true),
        env!("CARGO_PKG_VERSION"),
        env::consts::OS,
        env::consts::ARCH,
        thread::current().name().unwrap_or("without a name"),
    );
    let mut file = open_private(path)?;
    if file.metadata().map_err(at(path))?.len() > LONGEST {
        file.set_len(0).map_err(at(path))?;
    }
    file.seek(SeekFrom::End(0)).map_err(at(path))?;
    file.write_all(line.as_bytes()).map_err(at(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_line_without_its_words() {
        let dir = tempfile::tempdir().unwrap();
        let own = thread::Builder::new().name("of this test".into());
        keep_crashes(dir.path());
        let failed = own
            .spawn(|| panic!("the password is hunter2"))
            .unwrap()
            .join();
        drop(panic::take_hook());
        failed.unwrap_err();
        let (path, lines) = crashes(dir.path());
        // Other tests may fail meanwhile.
        let ours: Vec<_> = lines
            .iter()
            .filter(|line| line.contains("thread of this test"))
            .collect();
        assert_eq!(ours.len(), 1, "{lines:?}");
        assert!(ours[0].contains("crashes.rs:"), "{lines:?}");
        assert!(!fs::read_to_string(&path).unwrap().contains("hunter2"));
        fs::write(&path, vec![b'x'; LONGEST as usize + 1]).unwrap();
        keep(&path, "here").unwrap();
        assert_eq!(crashes(dir.path()).1.len(), 1, "it begins anew");
    }
}
