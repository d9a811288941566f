//! Running other programs, and saying what happens: one line a step, the program's own words when it takes long or fails.

use std::{
    env,
    ffi::OsStr,
    fmt, io,
    os::unix::process::CommandExt,
    process::{Command, Stdio},
};

use crate::files::{root, target};

/// What every command here gives back.
pub type Result<T = ()> = std::result::Result<T, Failure>;

/// Why a command ended, and what to do about it.
#[derive(Debug)]
pub struct Failure {
    what: String,
    hint: Option<String>,
    /// 1 failed, 2 wrong use.
    pub exit_code: u8,
}

impl Failure {
    /// Something did not work.
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            hint: None,
            exit_code: 1,
        }
    }

    /// The command line cannot be understood.
    pub fn usage(what: impl Into<String>) -> Self {
        Self {
            exit_code: 2,
            ..Self::new(what)
        }
    }

    /// What the reader can do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "error: {}", self.what)?;
        match &self.hint {
            Some(hint) => write!(out, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// One line about one step, on stderr: stdout is for answers.
pub fn say(step: &str, state: &str) {
    eprintln!("  {step:<22} {state}");
}

/// A command line, as a person would type it.
pub fn shown(command: &Command) -> String {
    let words: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect();
    words.join(" ")
}

/// Runs a program in view of the person.
///
/// # Errors
/// The program is missing or ends with another status than 0.
pub fn run(command: &mut Command) -> Result {
    eprintln!("  $ {}", shown(command));
    run_quietly(command)
}

/// [`run`], for what is a part of a step that was said.
///
/// # Errors
/// As there.
pub fn run_quietly(command: &mut Command) -> Result {
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| missing(command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "`{}` ended with {status}",
            shown(command)
        )))
    }
}

/// Runs a program in the place of this one, in view of the person: a signal that would end this one reaches it.
///
/// # Errors
/// The program is missing.
pub fn become_program(command: &mut Command) -> Result {
    eprintln!("  $ {}", shown(command));
    let error = command.stdin(Stdio::null()).exec();
    Err(missing(command, &error))
}

/// Runs a program out of view and gives its stdout. None when it is missing or fails.
pub fn ask(command: &mut Command) -> Option<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn missing(command: &Command, error: &io::Error) -> Failure {
    let program = command.get_program().to_string_lossy();
    Failure::new(format!("{program} does not start: {error}"))
        .hint(format!("install {program}, or check PATH"))
}

/// Options of a command: `--name`, or `--name VALUE` for those in `valued`.
pub struct Options {
    flags: Vec<String>,
    values: Vec<(String, String)>,
    /// Words that are no option.
    pub words: Vec<String>,
}

impl Options {
    /// Reads the command line.
    ///
    /// # Errors
    /// An option that is in neither list, or one of `valued` without its value.
    pub fn read(given: &[String], known: &[&str], valued: &[&str]) -> Result<Self> {
        let mut options = Self {
            flags: Vec::new(),
            values: Vec::new(),
            words: Vec::new(),
        };
        let mut given = given.iter();
        while let Some(word) = given.next() {
            if valued.contains(&word.as_str()) {
                let value = given
                    .next()
                    .ok_or_else(|| Failure::usage(format!("{word} needs a value")))?;
                options.values.push((word.clone(), value.clone()));
            } else if known.contains(&word.as_str()) {
                options.flags.push(word.clone());
            } else if word.starts_with('-') {
                return Err(
                    Failure::usage(format!("there is no option {word}")).hint("cargo xtask help")
                );
            } else {
                options.words.push(word.clone());
            }
        }
        Ok(options)
    }

    /// Whether the flag was given.
    pub fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| given == flag)
    }

    /// Every value given for this option, in order.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.values
            .iter()
            .filter(move |(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The cargo that runs this.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .current_dir(root())
        // Wherever the reader has what they build: it is looked for there.
        .env("CARGO_TARGET_DIR", target());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn options_are_flags_values_and_words() {
        let options = Options::read(
            &words("ingest --quick --only a --only b"),
            &["--quick"],
            &["--only"],
        )
        .unwrap();
        assert!(options.has("--quick"));
        assert_eq!(options.values("--only").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(options.words, ["ingest"]);
    }

    #[test]
    fn an_unknown_option_and_a_missing_value_are_wrong_use() {
        assert_eq!(
            Options::read(&words("--fast"), &[], &[])
                .err()
                .unwrap()
                .exit_code,
            2
        );
        assert_eq!(
            Options::read(&words("--only"), &[], &["--only"])
                .err()
                .unwrap()
                .exit_code,
            2
        );
    }
}
