//! A bench or the torture that is stopped leaves neither processes nor disks nor folders behind.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
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
/// How often a folder is removed, and the time between: who writes into it may not be quite gone.
const REMOVALS: u32 = 20;
const BREATH: Duration = Duration::from_millis(50);

static HELD: Mutex<Vec<Thing>> = Mutex::new(Vec::new());

/// Whoever makes something has it until that is held, and whoever ends all keeps it.
static MAKING: Mutex<()> = Mutex::new(());

#[derive(Clone, PartialEq)]
enum Thing {
    Child(u32),
    Victim(u32),
    Disk(PathBuf),
    Folder(PathBuf),
}

/// Something that ends with this program, for as long as this lives.
pub struct Held(Thing);

impl Held {
    /// A process. It is told to end, and waited for: it ends what it started.
    ///
    /// # Errors
    /// It does not start.
    pub fn child(command: &mut Command) -> io::Result<(Child, Self)> {
        Self::make(|| command.spawn(), |child| Thing::Child(child.id()))
    }

    /// A process that is killed, also where it stands still.
    ///
    /// # Errors
    /// It does not start.
    pub fn victim(command: &mut Command) -> io::Result<(Child, Self)> {
        Self::make(|| command.spawn(), |child| Thing::Victim(child.id()))
    }

    /// A disk that `mount` puts there.
    ///
    /// # Errors
    /// As `mount`.
    pub fn disk<T>(at: &Path, mount: impl FnOnce() -> io::Result<T>) -> io::Result<(T, Self)> {
        Self::make(mount, |_| Thing::Disk(at.to_owned()))
    }

    /// A folder, made unless it is there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn folder(path: &Path) -> io::Result<Self> {
        let make = || fs::create_dir_all(path);
        Self::make(make, |()| Thing::Folder(path.to_owned())).map(|((), held)| held)
    }

    fn make<T>(
        make: impl FnOnce() -> io::Result<T>,
        thing: impl FnOnce(&T) -> Thing,
    ) -> io::Result<(T, Self)> {
        let _making = lock(&MAKING);
        let made = make()?;
        let thing = thing(&made);
        lock(&HELD).push(thing.clone());
        Ok((made, Self(thing)))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        lock(&HELD).retain(|thing| *thing != self.0);
    }
}

fn lock<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on SIGINT, SIGTERM and SIGHUP end what is held before they end this program.
///
/// # Errors
/// The signals cannot be watched.
pub fn watch() -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let _making = lock(&MAKING);
            // The last first: the programs that measure before what they measure.
            let things: Vec<Thing> = lock(&HELD).iter().rev().cloned().collect();
            end(&things);
            process::exit(128 + signal);
        }
    });
    Ok(())
}

fn end(things: &[Thing]) {
    for thing in things {
        match thing {
            Thing::Child(id) => {
                signal(*id, "-TERM");
                let until = Instant::now() + PATIENCE;
                // Whoever started it waits for it, so that it goes.
                while signal(*id, "-0") && Instant::now() < until {
                    thread::sleep(BREATH);
                }
            }
            Thing::Victim(id) => {
                signal(*id, "-KILL");
            }
            Thing::Disk(_) | Thing::Folder(_) => {}
        }
    }
    for thing in things {
        if let Thing::Disk(at) = thing {
            unmount(at);
        }
    }
    for thing in things {
        if let Thing::Folder(path) = thing {
            remove(path);
        }
    }
}

/// Takes a disk away, also while somebody has a file of it open.
pub fn unmount(at: &Path) {
    let _ = Command::new("umount").arg("--lazy").arg(at).status();
}

fn remove(folder: &Path) {
    for _ in 0..REMOVALS {
        if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
        thread::sleep(BREATH);
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
        let mut sleep = Command::new("sleep");
        sleep.arg("600");
        let (mut child, told) = Held::child(&mut sleep).unwrap();
        let (mut victim, killed) = Held::victim(&mut sleep).unwrap();
        assert!(signal(victim.id(), "-STOP"));
        let guards = [told, killed, Held::folder(&folder).unwrap()];
        fs::write(folder.join("file"), "").unwrap();
        let things = guards.each_ref().map(|guard| guard.0.clone());
        assert!(things.iter().all(|thing| lock(&HELD).contains(thing)));
        let waiting = thread::spawn(move || [child.wait(), victim.wait()]);
        end(&things);
        for status in waiting.join().unwrap() {
            assert!(!status.unwrap().success());
        }
        assert!(!folder.exists());
        drop(guards);
        assert!(!things.iter().any(|thing| lock(&HELD).contains(thing)));
    }
}
