//! Where this program failed at what it never should: a line on stderr, and one of a file beside the store, which its owner
//! may attach to a report. They say which line of the source, and no words: those of a failure may hold what a cluster said,
//! as of a text that is cut in the middle of a sign. Nor does the system keep the memory, which holds all of that, and keys.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::RefCell;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::{env, fs, panic, thread};

use chrono::{SecondsFormat, Utc};

use super::private::{at, open_private};
use crate::Result;
use crate::system::leave_no_core;

const FILE: &str = "crashes.txt";
/// Some hundred lines; then it begins anew.
const LONGEST: u64 = 64 << 10;

thread_local! {
    static FAILED_AT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// From now on each panic of this process is a line on stderr, and one of the file in this folder, where there is one.
pub fn keep_crashes(dir: &Path) {
    say_places(Some(dir.join(FILE)));
}

/// The same without a file, for a process that knows of none yet.
pub(crate) fn crash_without_words() {
    say_places(None);
}

fn say_places(file: Option<PathBuf>) {
    leave_no_core();
    panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string);
        let place = place.unwrap_or_else(|| "nowhere".into());
        let line = line(&place);
        // Whoever fails already cannot do more than try.
        let kept = file.as_deref().filter(|file| keep(file, &line).is_ok());
        let _ = say(&line, kept);
        let _ = FAILED_AT.try_with(|last| last.replace(Some(place)));
    }));
}

/// The place at which this thread failed last, for whoever goes on after it. It is told once.
pub(crate) fn failed_at() -> Option<String> {
    FAILED_AT.take()
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

fn line(place: &str) -> String {
    format!(
        "{} Bobbin {}, {} on {}, thread {}: {place}\n",
        Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true),
        env!("CARGO_PKG_VERSION"),
        env::consts::OS,
        env::consts::ARCH,
        thread::current().name().unwrap_or("without a name"),
    )
}

fn keep(path: &Path, line: &str) -> Result<()> {
    let mut file = open_private(path)?;
    if file.metadata().map_err(at(path))?.len() > LONGEST {
        file.set_len(0).map_err(at(path))?;
    }
    file.seek(SeekFrom::End(0)).map_err(at(path))?;
    file.write_all(line.as_bytes()).map_err(at(path))
}

/// Written at once, so that nothing comes between. Who asks for it gets the functions that led there: they have no words either.
fn say(line: &str, kept: Option<&Path>) -> io::Result<()> {
    let mut text = format!("Bobbin failed: {line}");
    if let Some(path) = kept {
        text += &format!(
            "For a bug report, this line is also in {}\n",
            path.display()
        );
    }
    let trace = Backtrace::capture();
    if trace.status() == BacktraceStatus::Captured {
        text += &format!("{trace}\n");
    }
    io::stderr().write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::own_process::{folder_apart, run_apart};

    /// Not a test of its own: what fails, in a process of its own.
    #[test]
    fn child() {
        let Some(dir) = folder_apart() else {
            return;
        };
        keep_crashes(&dir);
        #[cfg(unix)]
        {
            use rustix::process::{Resource, getrlimit};
            assert_eq!(getrlimit(Resource::Core).current, Some(0));
        }
        let own = thread::Builder::new().name("of this test".into());
        let failed = own.spawn(|| {
            let text = String::from("canary ü password");
            assert!(panic::catch_unwind(|| text[..8].len()).is_err());
            (failed_at(), failed_at())
        });
        let (first, again) = failed.unwrap().join().unwrap();
        assert!(first.unwrap().contains("crashes.rs:"));
        assert_eq!(again, None);
        assert_eq!(failed_at(), None, "it is another thread's");
    }

    #[test]
    fn a_panic_is_told_by_its_place_and_without_its_words() {
        let dir = tempfile::tempdir().unwrap();
        let [out, said] = run_apart("install::crashes::tests::child", dir.path());
        let (path, lines) = crashes(dir.path());
        assert_eq!(lines.len(), 1, "{lines:?}");
        for told in [&said, &lines[0]] {
            assert!(told.contains("thread of this test: "), "{told}");
            assert!(told.contains("crashes.rs:"), "{told}");
        }
        assert!(said.contains(&path.display().to_string()), "{said}");
        // The functions that led there were asked for.
        assert!(said.contains("tests::child"), "{said}");
        for told in [&said, &out, &lines[0]] {
            assert!(!told.contains("canary"), "{told}");
        }
    }

    #[test]
    fn a_file_of_many_lines_begins_anew() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        fs::write(&path, vec![b'x'; LONGEST as usize + 1]).unwrap();
        keep(&path, "one\n").unwrap();
        keep(&path, "two\n").unwrap();
        assert_eq!(crashes(dir.path()).1, ["one", "two"]);
    }
}
