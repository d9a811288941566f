//! A bench that is stopped leaves neither processes nor folders behind.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{self, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};

/// The scripts end what they started first, and Dask takes its time.
const PATIENCE: Duration = Duration::from_secs(60);

static HELD: Mutex<Vec<Thing>> = Mutex::new(Vec::new());

#[derive(Clone, PartialEq)]
enum Thing {
    Child(u32),
    Folder(PathBuf),
}

/// Something that ends with the bench, for as long as this lives.
pub struct Held(Thing);

impl Held {
    /// A process.
    pub fn child(id: u32) -> Self {
        Self::hold(Thing::Child(id))
    }

    /// A folder.
    pub fn folder(path: &Path) -> Self {
        Self::hold(Thing::Folder(path.to_owned()))
    }

    fn hold(thing: Thing) -> Self {
        held().push(thing.clone());
        Self(thing)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        held().retain(|thing| *thing != self.0);
    }
}

fn held() -> MutexGuard<'static, Vec<Thing>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on SIGINT, SIGTERM and SIGHUP end what is held before they end this program.
///
/// # Errors
/// The signals cannot be watched.
pub fn watch() -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            // The last first: the programs that measure before what they measure.
            let things: Vec<Thing> = held().iter().rev().cloned().collect();
            end(&things);
            process::exit(128 + signal);
        }
    });
    Ok(())
}

fn end(things: &[Thing]) {
    for thing in things {
        if let Thing::Child(id) = thing {
            signal(*id, "-TERM");
            let until = Instant::now() + PATIENCE;
            // Whoever started it waits for it, so that it goes.
            while signal(*id, "-0") && Instant::now() < until {
                thread::sleep(Duration::from_millis(50));
            }
        }
    }
    for thing in things {
        if let Thing::Folder(path) = thing {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// Whether there was such a process to send it to.
fn signal(id: u32, name: &str) -> bool {
    Command::new("kill")
        .args([name, &id.to_string()])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_ended() {
        let folder = std::env::temp_dir().join(format!("bobbin-ending-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let guards = [Held::child(child.id()), Held::folder(&folder)];
        let things = guards.each_ref().map(|guard| guard.0.clone());
        assert!(things.iter().all(|thing| held().contains(thing)));
        let waiting = thread::spawn(move || child.wait().unwrap());
        end(&things);
        assert!(!waiting.join().unwrap().success());
        assert!(!folder.exists());
        drop(guards);
        assert!(!things.iter().any(|thing| held().contains(thing)));
    }
}
