//! The command line of the window. Short, so that a desktop file and a person can both write it.

use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
};

use bobbin_attendant::{Failure, Opening, PAUSED, Start, TRY};
use bobbin_core::{api::is_link, install};

const HELP: &str = "\
bobbin-desktop [--data-dir DIR] [--port PORT] [--demo] [FILE | LINK …]

  FILE             a bundle, a performance report, a cluster dump or a profile; you see its contents before anything is stored
  LINK             a place to open, such as bobbin://cluster/7?tab=workers
  --data-dir DIR   the folder of the store; also BOBBIN_DATA_DIR
  --port PORT      where clusters report on 127.0.0.1; 0 picks any free port
  --demo           open with a recorded story, in a separate folder unless --data-dir names one
  --version        print the version

`bobbin tray` lets clusters report without a window. To open one, start Bobbin again or use its tray.

Exit codes: 0 success, 1 failure, 2 wrong usage.
";

/// What Bobbin opens with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    pub start: Start,
    /// Load the recorded story.
    pub demo: bool,
    pub opening: Opening,
}

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    Window(Arguments),
    /// Whether there is a display for one. The tray asks that before it gives up receiving.
    Display,
    /// Something to say instead of opening.
    Words {
        text: String,
        exit_code: u8,
    },
}

/// Reads the command line. Names of files need not be text.
pub fn read(mut given: impl Iterator<Item = OsString>) -> Asked {
    let wrong = |what: String| Asked::Words {
        text: format!("error: {what}\n\n{HELP}"),
        exit_code: 2,
    };
    let mut arguments = Arguments::default();
    while let Some(word) = given.next() {
        match word.to_str() {
            Some("--demo") => arguments.demo = true,
            Some(TRY) => return Asked::Display,
            Some(PAUSED) => arguments.start.paused = true,
            Some("--data-dir") => match given.next() {
                Some(folder) => arguments.start.data_dir = Some(folder.into()),
                None => return wrong("--data-dir needs a folder".into()),
            },
            Some("--port") => match given.next().and_then(|port| port.to_str()?.parse().ok()) {
                Some(port) => arguments.start.port = Some(port),
                None => return wrong("--port needs a number up to 65535".into()),
            },
            Some("-h" | "--help") => {
                return Asked::Words {
                    text: HELP.into(),
                    exit_code: 0,
                };
            }
            Some("-V" | "--version") => {
                return Asked::Words {
                    text: concat!("bobbin-desktop ", env!("CARGO_PKG_VERSION"), "\n").into(),
                    exit_code: 0,
                };
            }
            Some(option) if option.starts_with('-') => {
                return wrong(format!("unknown option {option}"));
            }
            Some(link) if is_link(link) => arguments.opening.links.push(link.into()),
            _ => arguments.opening.files.push(path(&word)),
        }
    }
    if arguments.demo {
        // A demo must not take the port that clusters know.
        arguments.start.port.get_or_insert(0);
    }
    Asked::Window(arguments)
}

/// A file as a shell names it, or as a desktop does: `file:///home/ana/one%20run.bobbin`.
fn path(file: &OsStr) -> PathBuf {
    let address = file.to_str().and_then(|text| tauri::Url::parse(text).ok());
    address
        .filter(|address| address.scheme() == "file")
        .and_then(|address| address.to_file_path().ok())
        .unwrap_or_else(|| file.into())
}

impl Arguments {
    /// The folder of the store. The demo has its own beside the user's, which it must not mix with.
    ///
    /// # Errors
    /// The user has no home folder.
    pub fn folder(&self) -> Result<PathBuf, Failure> {
        if let Some(folder) = &self.start.data_dir {
            return Ok(folder.clone());
        }
        let own = install::default_data_dir()?;
        Ok(if self.demo {
            own.with_file_name("bobbin-demo")
        } else {
            own
        })
    }

    /// How the session starts this Bobbin. The folder is always named: the session need not have the environment of whoever asked.
    ///
    /// # Errors
    /// The user has no home folder.
    pub fn at_login(&self) -> Result<Start, Failure> {
        Ok(Start {
            data_dir: Some(self.folder()?),
            port: self.start.port,
            paused: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn asked(line: &str) -> Asked {
        read(line.split_whitespace().map(OsString::from))
    }

    fn window(line: &str) -> Arguments {
        match asked(line) {
            Asked::Window(arguments) => arguments,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_folder_and_a_port_may_be_named() {
        let arguments = window("--data-dir /tmp/a --port 0");
        assert_eq!(arguments.folder().unwrap(), PathBuf::from("/tmp/a"));
        assert_eq!(arguments.start.port, Some(0));
        assert_eq!(window("").start.port, None);
    }

    #[test]
    fn the_demo_takes_neither_the_users_folder_nor_the_known_port() {
        let arguments = window("--demo");
        assert!(arguments.folder().unwrap().ends_with("bobbin-demo"));
        assert_eq!(arguments.start.port, Some(0));
        assert_eq!(window("--port 9000 --demo").start.port, Some(9000));
    }

    #[test]
    fn what_is_no_option_is_a_link_to_follow_or_a_file_to_open() {
        let opening = window("--port 0 a.bobbin bobbin://cluster/7 /tmp/b.bobbin").opening;
        assert_eq!(opening.links, ["bobbin://cluster/7"]);
        assert_eq!(
            opening.from("/home".as_ref()).files,
            ["/home/a.bobbin", "/tmp/b.bobbin"].map(PathBuf::from)
        );
    }

    #[test]
    fn a_file_may_be_named_as_desktops_name_it() {
        let opening = window("file:///tmp/one%20run.bobbin bobbin://cluster/7").opening;
        assert_eq!(opening.files, [PathBuf::from("/tmp/one run.bobbin")]);
        assert_eq!(opening.links, ["bobbin://cluster/7"]);
    }

    #[test]
    fn a_file_whose_name_is_no_text_is_opened_too() {
        let name = OsString::from_vec(b"/tmp/\xff.bobbin".to_vec());
        match read([name.clone()].into_iter()) {
            Asked::Window(arguments) => {
                assert_eq!(arguments.opening.files, [PathBuf::from(name)]);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_it_is_told_on_is_read_back() {
        let first = window("--data-dir /tmp/a --port 0 /tmp/a.bobbin bobbin://cluster/7");
        let again = first.start.again(true, Some(8788));
        let words = again.words().into_iter().chain(first.opening.words());
        assert_eq!(
            read(words),
            Asked::Window(Arguments {
                start: again,
                ..first
            })
        );
    }

    #[test]
    fn a_start_at_login_names_its_folder() {
        let named = window("--data-dir /tmp/a --port 9000 --paused");
        assert_eq!(
            named.at_login().unwrap().words(),
            ["--data-dir", "/tmp/a", "--port", "9000"]
        );
        let own = window("").at_login().unwrap();
        assert_eq!(own.data_dir, install::default_data_dir().ok());
    }

    #[test]
    fn wrong_use_is_said_with_2() {
        for line in ["--fast", "--port", "--port 70000", "--data-dir"] {
            assert!(
                matches!(asked(line), Asked::Words { exit_code: 2, .. }),
                "{line}"
            );
        }
    }

    #[test]
    fn help_and_version_are_no_failures() {
        for (line, begins) in [
            ("--help", "bobbin-desktop [--data-dir"),
            ("--version", "bobbin-desktop 0."),
        ] {
            match asked(line) {
                Asked::Words { text, exit_code: 0 } => assert!(text.starts_with(begins), "{text}"),
                other => panic!("{other:?}"),
            }
        }
    }
}
