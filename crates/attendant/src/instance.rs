//! One Bobbin a folder: a second start shows the first one's window, hands over its files and links, and ends.
//!
//! They meet at a socket in the folder of the store, which only its user may enter. So they meet without a session bus, and
//! whether the first has a window or not. What is handed over is the second one's until the first says that it took it: one that
//! ends or becomes the other program in between takes nothing, and the second tries again, or becomes the first.

use std::{
    ffi::OsString,
    fs::{self, File, Permissions},
    io::{self, BufRead, BufReader, ErrorKind, Read, Write},
    os::{
        fd::AsRawFd,
        unix::{
            fs::PermissionsExt,
            net::{UnixListener, UnixStream},
        },
    },
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use bobbin_core::{Error, install};
use serde::{Deserialize, Serialize};

use crate::{
    failure::Failure,
    start::Opening,
    wish::{Wish, Wishes},
};

const FILE: &str = "window.sock";
/// What is handed over is names of files, and they are typed or dropped.
const LONGEST: usize = 1 << 20;
/// For one that opens its window, and for one that opens or closes a large store.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(100);
/// Who connects says at once what for.
const SAYING: Duration = Duration::from_secs(2);
const TAKEN: &str = "taken\n";
/// Before the reason why it was not, in one line.
const REFUSED: &str = "refused ";
const LONGEST_ANSWER: u64 = 4096;

/// What a second start wants of the first.
#[derive(Debug, Serialize, Deserialize)]
pub struct Second {
    /// Names of files need not be text.
    files: Vec<OsString>,
    links: Vec<String>,
    /// One that came with the session wants none.
    window: bool,
}

impl Second {
    /// A window that shows something.
    pub fn opening(opening: &Opening) -> Self {
        let folder = std::env::current_dir().unwrap_or_default();
        let Opening { files, links } = opening.clone().from(&folder);
        Self {
            files: files.into_iter().map(PathBuf::into_os_string).collect(),
            links,
            window: true,
        }
    }

    /// That there is one, and no more.
    pub fn hidden() -> Self {
        Self {
            files: Vec::new(),
            links: Vec::new(),
            window: false,
        }
    }

    fn line(&self) -> Result<Vec<u8>, Failure> {
        let mut line = serde_json::to_vec(self).map_err(|error| Failure::new(error.to_string()))?;
        line.push(b'\n');
        if line.len() > LONGEST {
            return Err(Failure::new("too many files to open at once")
                .hint("open fewer files at a time"));
        }
        Ok(line)
    }
}

/// What came of handing over.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Taken,
    /// Nobody listens.
    Nobody,
    /// Somebody listened who is gone now, or takes nothing any more.
    Left,
}

/// Hands everything over to the Bobbin that is open on this folder; false: there is none that takes it now.
///
/// # Errors
/// There is one, and it does not answer, or cannot show anything.
pub fn hand_over(dir: &Path, second: &Second) -> Result<bool, Failure> {
    Ok(tell(dir, &second.line()?)? == Answer::Taken)
}

/// Becomes the one Bobbin of this folder by opening it; nothing: another one is, and took everything over.
///
/// # Errors
/// It cannot be opened, or is somebody's who does not answer.
pub fn first<T>(
    dir: &Path,
    second: &Second,
    mut open: impl FnMut() -> bobbin_core::Result<T>,
) -> Result<Option<T>, Failure> {
    let line = second.line()?;
    let end = Instant::now() + PATIENCE;
    loop {
        let late = Instant::now() >= end;
        match tell(dir, &line)? {
            Answer::Taken => return Ok(None),
            Answer::Left if late => return Err(silent()),
            Answer::Left => {}
            Answer::Nobody => match open() {
                Ok(opened) => return Ok(Some(opened)),
                // It starts just now and does not listen yet, or ends and does not any more.
                Err(Error::StoreInUse { .. }) if !late && !is_served(dir) => {}
                Err(error) => return Err(error.into()),
            },
        }
        thread::sleep(PAUSE);
    }
}

/// Whether the folder is that of a receiver that never listens here, such as `bobbin serve`.
fn is_served(dir: &Path) -> bool {
    !dir.join(FILE).exists() && matches!(install::read_address(dir), Ok(Some(_)))
}

fn silent() -> Failure {
    Failure::new("Bobbin is already open on this folder, but is not responding")
        .hint("quit it and start Bobbin again")
}

fn refused(why: &str) -> Failure {
    Failure::new(format!(
        "Bobbin already receives without a window, and cannot open one: {why}"
    ))
    .hint("stop that `bobbin tray` (nothing is lost) and start Bobbin again")
}

fn tell(dir: &Path, line: &[u8]) -> Result<Answer, Failure> {
    let Ok(place) = Place::of(dir) else {
        // Nobody was here before.
        return Ok(Answer::Nobody);
    };
    let Ok(stream) = UnixStream::connect(&place.path) else {
        return Ok(Answer::Nobody);
    };
    match ask(&stream, line) {
        Ok(answer) if answer == TAKEN => Ok(Answer::Taken),
        Ok(answer) => match answer.strip_prefix(REFUSED) {
            Some(why) => Err(refused(why.trim_end())),
            None => Ok(Answer::Left),
        },
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            Err(silent())
        }
        Err(_) => Ok(Answer::Left),
    }
}

/// What it answers: nothing where it left.
fn ask(mut stream: &UnixStream, line: &[u8]) -> io::Result<String> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(line)?;
    let mut answer = String::new();
    BufReader::new(stream)
        .take(LONGEST_ANSWER)
        .read_line(&mut answer)?;
    Ok(answer)
}

/// A second start that waits to hear that what it brought was taken. Dropped, it hears that it was not.
#[derive(Debug)]
pub struct Asker(UnixStream);

impl Asker {
    /// Says that it was.
    pub fn taken(mut self) {
        // Who is gone meanwhile needs no answer.
        let _ = self.0.write_all(TAKEN.as_bytes());
    }

    /// Says that it cannot be, and why.
    pub fn refused(mut self, failure: &Failure) {
        let why = failure.what.replace('\n', " ");
        let _ = self.0.write_all(format!("{REFUSED}{why}\n").as_bytes());
    }
}

/// Hears of second starts until the process ends; dropping it lets the next one listen.
#[derive(Debug)]
pub struct Listening {
    place: Place,
}

impl Listening {
    /// Listens in a folder whose store this process has opened, so that a socket that is there is nobody's.
    ///
    /// # Errors
    /// The folder takes no socket.
    pub fn start(dir: &Path, wishes: Wishes) -> io::Result<Self> {
        let place = Place::of(dir)?;
        match fs::remove_file(&place.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&place.path)?;
        fs::set_permissions(&place.path, Permissions::from_mode(0o600))?;
        let own = rustix::process::getuid().as_raw();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if let Err(error) = stream.and_then(|stream| hear(stream, own, &wishes)) {
                    tracing::warn!(%error, "a second start was not understood");
                }
            }
        });
        Ok(Self { place })
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // A file that is gone is what is wanted.
        let _ = fs::remove_file(&self.place.path);
    }
}

/// Hears what one of the user with this number says.
fn hear(stream: UnixStream, own: u32, wishes: &Wishes) -> io::Result<()> {
    if uid_of(&stream)? != own {
        return Err(io::Error::new(
            ErrorKind::PermissionDenied,
            "it is another user's",
        ));
    }
    stream.set_read_timeout(Some(SAYING))?;
    stream.set_write_timeout(Some(SAYING))?;
    let mut line = String::new();
    BufReader::new(&stream)
        .take(LONGEST as u64)
        .read_line(&mut line)?;
    let second: Second = serde_json::from_str(&line)?;
    let asker = Asker(stream);
    if !second.window {
        asker.taken();
        return Ok(());
    }
    let opening = Opening {
        files: second.files.into_iter().map(PathBuf::from).collect(),
        links: second.links,
    };
    wishes.put(Wish::Open(opening, Some(asker)));
    Ok(())
}

/// Whose process is at the other end, by what the system says.
#[cfg(target_os = "linux")]
fn uid_of(stream: &UnixStream) -> io::Result<u32> {
    Ok(rustix::net::sockopt::socket_peercred(stream)?.uid.as_raw())
}

/// Elsewhere the modes of folder and socket let nobody else in.
#[cfg(not(target_os = "linux"))]
fn uid_of(_: &UnixStream) -> io::Result<u32> {
    Ok(rustix::process::getuid().as_raw())
}

/// Where the socket is, by a name that is short enough: one of a socket has about a hundred bytes, a folder may have thousands.
#[derive(Debug)]
struct Place {
    path: PathBuf,
    _folder: File,
}

impl Place {
    fn of(dir: &Path) -> io::Result<Self> {
        let folder = File::open(dir)?;
        let path = match cfg!(target_os = "linux") {
            true => PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())),
            false => dir.into(),
        };
        Ok(Self {
            path: path.join(FILE),
            _folder: folder,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, os::unix::ffi::OsStringExt, sync::mpsc::Receiver};

    use super::*;
    use crate::wish::wishes;

    /// One whose names of files are no text.
    fn opening() -> Opening {
        Opening {
            files: vec![OsString::from_vec(b"/tmp/\xffa.bobbin".to_vec()).into()],
            links: vec!["bobbin://cluster/7".into()],
        }
    }

    /// Takes one wish to open, as a window does.
    fn take(wished: &Receiver<Wish>) -> Opening {
        match wished.recv().unwrap() {
            Wish::Open(opening, Some(asker)) => {
                asker.taken();
                opening
            }
            other => panic!("{other:?}"),
        }
    }

    fn in_use(dir: &Path) -> Error {
        Error::StoreInUse { path: dir.into() }
    }

    #[test]
    fn a_second_start_hands_over_and_the_next_listens_after_the_first() {
        let base = tempfile::tempdir().unwrap();
        // Longer than a socket's name may be.
        let dir = base.path().join("a".repeat(150));
        let second = Second::opening(&opening());
        assert!(!hand_over(&dir, &second).unwrap());
        fs::create_dir(&dir).unwrap();
        assert!(!hand_over(&dir, &second).unwrap());
        for _ in 0..2 {
            let (put, wished) = wishes();
            let listening = Listening::start(&dir, put).unwrap();
            let taking = thread::spawn(move || take(&wished));
            assert!(hand_over(&dir, &second).unwrap());
            assert_eq!(taking.join().unwrap(), opening());
            drop(listening);
        }
        assert!(!hand_over(&dir, &second).unwrap());
    }

    #[test]
    fn nobody_else_is_let_in_or_heard() {
        let dir = tempfile::tempdir().unwrap();
        let (put, wished) = wishes();
        let _listening = Listening::start(dir.path(), put.clone()).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&dir.path().join(FILE)), 0o600);
        let own = rustix::process::getuid().as_raw();
        let line = Second::opening(&opening()).line().unwrap();
        for (uid, heard) in [(own + 1, false), (own, true)] {
            let (mut asks, hears) = UnixStream::pair().unwrap();
            asks.write_all(&line).unwrap();
            assert_eq!(hear(hears, uid, &put).is_ok(), heard);
            assert_eq!(wished.try_recv().is_ok(), heard);
        }
    }

    #[test]
    fn one_that_came_with_the_session_opens_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (put, wished) = wishes();
        let _listening = Listening::start(dir.path(), put).unwrap();
        assert!(hand_over(dir.path(), &Second::hidden()).unwrap());
        assert!(wished.try_recv().is_err());
    }

    #[test]
    fn a_socket_that_a_killed_one_left_is_taken_over() {
        let dir = tempfile::tempdir().unwrap();
        drop(UnixListener::bind(dir.path().join(FILE)).unwrap());
        assert!(dir.path().join(FILE).exists());
        assert!(!hand_over(dir.path(), &Second::hidden()).unwrap());
        let (put, _wished) = wishes();
        let _listening = Listening::start(dir.path(), put).unwrap();
        assert!(hand_over(dir.path(), &Second::hidden()).unwrap());
    }

    #[test]
    fn what_one_that_ends_did_not_take_is_handed_to_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let (put, wished) = wishes();
        let ending = Listening::start(dir.path(), put).unwrap();
        let of = dir.path().to_owned();
        let second = thread::spawn(move || {
            let opened = first(&of, &Second::opening(&opening()), || {
                Err::<(), _>(in_use(&of))
            });
            opened.unwrap()
        });
        // It heard, and ends without having taken anything.
        let heard = wished.recv().unwrap();
        drop((ending, wished, heard));
        let (put, wished) = wishes();
        let _next = Listening::start(dir.path(), put).unwrap();
        assert_eq!(take(&wished), opening());
        assert_eq!(second.join().unwrap(), None);
    }

    #[test]
    fn one_that_can_show_nothing_says_why() {
        let dir = tempfile::tempdir().unwrap();
        let (put, wished) = wishes();
        let _listening = Listening::start(dir.path(), put).unwrap();
        let refusing = thread::spawn(move || match wished.recv().unwrap() {
            Wish::Open(_, Some(asker)) => asker.refused(&Failure::new("there is\nno display")),
            other => panic!("{other:?}"),
        });
        let failure = hand_over(dir.path(), &Second::opening(&opening())).unwrap_err();
        assert!(failure.what.ends_with("there is no display"), "{failure}");
        refusing.join().unwrap();
    }

    #[test]
    fn while_another_ends_it_is_waited_for_and_then_this_is_the_first() {
        let dir = tempfile::tempdir().unwrap();
        let tries = Cell::new(0);
        let opened = first(dir.path(), &Second::hidden(), || {
            tries.set(tries.get() + 1);
            match tries.get() {
                3 => Ok("opened"),
                _ => Err(in_use(dir.path())),
            }
        });
        assert_eq!(opened.unwrap(), Some("opened"));
    }

    #[test]
    fn a_folder_of_a_server_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        install::write_address(
            dir.path(),
            &install::Address {
                pid: 1,
                tcp: "127.0.0.1:9".into(),
                interface: None,
                socket: None,
                token_file: "token".into(),
                certificate_sha256: None,
                started_micros: bobbin_core::model::Micros(0),
            },
        )
        .unwrap();
        let tries = Cell::new(0);
        let opened = first(dir.path(), &Second::hidden(), || {
            tries.set(tries.get() + 1);
            Err::<(), _>(in_use(dir.path()))
        });
        let failure = opened.unwrap_err();
        assert!(failure.what.contains("already writes to"), "{failure}");
        assert_eq!(tries.get(), 1);
    }
}
