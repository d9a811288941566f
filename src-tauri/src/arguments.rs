//! The command line of the window. Short, so that a desktop file and a person can both write it.

use std::path::PathBuf;

use crate::failure::Failure;

const HELP: &str = "\
bobbin-desktop [--data-dir DIR] [--port PORT] [--demo]

  --data-dir DIR   the folder of the store; also BOBBIN_DATA_DIR
  --port PORT      where clusters report on 127.0.0.1; 0 is any that is free
  --demo           open with a recorded story, in a folder of its own unless --data-dir names one

Exit codes: 0 done, 1 failed, 2 wrong use.
";

/// What the window opens with.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    data_dir: Option<PathBuf>,
    port: Option<u16>,
    /// Load the recorded story.
    pub demo: bool,
}

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    Window(Arguments),
    /// Something to say instead of opening.
    Words {
        text: String,
        exit_code: u8,
    },
}

/// Reads the command line.
pub fn read(mut given: impl Iterator<Item = String>) -> Asked {
    let wrong = |what: String| Asked::Words {
        text: format!("error: {what}\n\n{HELP}"),
        exit_code: 2,
    };
    let mut arguments = Arguments::default();
    while let Some(word) = given.next() {
        match word.as_str() {
            "--demo" => arguments.demo = true,
            "--data-dir" => match given.next() {
                Some(folder) => arguments.data_dir = Some(folder.into()),
                None => return wrong("--data-dir needs a folder".into()),
            },
            "--port" => match given.next().and_then(|port| port.parse().ok()) {
                Some(port) => arguments.port = Some(port),
                None => return wrong("--port needs a number up to 65535".into()),
            },
            "-h" | "--help" => {
                return Asked::Words {
                    text: HELP.into(),
                    exit_code: 0,
                };
            }
            other => return wrong(format!("there is no option {other}")),
        }
    }
    Asked::Window(arguments)
}

impl Arguments {
    /// The folder of the store. The demo has its own beside the user's, which it must not mix with.
    ///
    /// # Errors
    /// The user has no home folder.
    pub fn folder(&self) -> Result<PathBuf, Failure> {
        if let Some(folder) = &self.data_dir {
            return Ok(folder.clone());
        }
        let own = bobbin_core::install::default_data_dir()?;
        Ok(if self.demo {
            own.with_file_name("bobbin-demo")
        } else {
            own
        })
    }

    /// The TCP port of the receiver. A demo must not take the one that clusters know.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(if self.demo {
            0
        } else {
            bobbin_http::DEFAULT_PORT
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Asked {
        read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn a_folder_and_a_port_may_be_named() {
        let Asked::Window(arguments) = asked("--data-dir /tmp/a --port 0") else {
            panic!("no window")
        };
        assert_eq!(arguments.folder().unwrap(), PathBuf::from("/tmp/a"));
        assert_eq!(arguments.port(), 0);
    }

    #[test]
    fn the_demo_takes_neither_the_users_folder_nor_the_known_port() {
        let Asked::Window(arguments) = asked("--demo") else {
            panic!("no window")
        };
        assert!(arguments.folder().unwrap().ends_with("bobbin-demo"));
        assert_eq!(arguments.port(), 0);
    }

    #[test]
    fn wrong_use_is_said_with_2() {
        for line in ["--fast", "--port", "--port 70000", "--data-dir"] {
            assert!(
                matches!(asked(line), Asked::Words { exit_code: 2, .. }),
                "{line}"
            );
        }
        assert!(matches!(asked("--help"), Asked::Words { exit_code: 0, .. }));
    }
}
