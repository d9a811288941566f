//! Starting with the session of the desktop, without a window: a file that the person may also remove.

use std::{
    env,
    ffi::OsStr,
    fs,
    io::{Error, ErrorKind},
    path::PathBuf,
};

use bobbin_core::install::write_private;

use crate::arguments::Arguments;

const FILE: &str = "org.bobbin.desktop.desktop";

/// Whether this Bobbin can start with the session, and how.
pub struct Login {
    folder: PathBuf,
    /// What the session runs.
    line: String,
}

impl Login {
    /// How this Bobbin starts.
    ///
    /// # Errors
    /// Why it cannot, as a sentence.
    pub fn of(arguments: &Arguments) -> Result<Self, String> {
        if !cfg!(target_os = "linux") {
            return Err("on this system, set it in the system's list of startup programs".into());
        }
        if arguments.demo {
            return Err("this is a demo".into());
        }
        let folder = autostart().ok_or("this user has no configuration folder")?;
        let (program, verb) = bobbin_attendant::tray().map_err(|error| error.to_string())?;
        let start = arguments.at_login().map_err(|failure| failure.what)?;
        let words = start.words();
        let words = words.iter().map(|word| word.as_os_str());
        Ok(Self {
            folder,
            line: line(
                [program.as_os_str(), OsStr::new(verb)]
                    .into_iter()
                    .chain(words),
            )?,
        })
    }

    /// Whether the session starts this Bobbin, and not one of another folder or place.
    pub fn is_on(&self) -> bool {
        let Ok(text) = fs::read_to_string(self.path()) else {
            return false;
        };
        let says = |key: &str, value: &str| {
            text.lines()
                .filter_map(|line| line.split_once('='))
                .any(|(of, is)| of.trim() == key && is.trim() == value)
        };
        says("Exec", &self.line)
            && !says("Hidden", "true")
            && !says("X-GNOME-Autostart-enabled", "false")
    }

    /// Has the session start it, or no longer.
    ///
    /// # Errors
    /// The file cannot be written or removed.
    pub fn set(&self, on: bool) -> bobbin_core::Result<()> {
        let path = self.path();
        let failed = |source: Error| bobbin_core::Error::Io {
            path: path.clone(),
            source,
        };
        if on {
            fs::create_dir_all(&self.folder).map_err(failed)?;
            return write_private(&path, self.entry().as_bytes());
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    fn entry(&self) -> String {
        format!(
            "[Desktop Entry]\n\
             Type=Application\n\
             Name=Bobbin\n\
             Comment=Lets Dask clusters report, without a window\n\
             Exec={}\n\
             Icon=org.bobbin.desktop\n\
             Terminal=false\n\
             X-GNOME-Autostart-enabled=true\n",
            self.line
        )
    }
}

fn autostart() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    let config = set("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(set("HOME")?).join(".config")))?;
    Some(config.join("autostart"))
}

/// The words of `Exec`, which are text.
fn line<'a>(words: impl Iterator<Item = &'a OsStr>) -> Result<String, String> {
    let words: Result<Vec<String>, String> = words
        .map(|word| match word.to_str() {
            Some(text) if !text.contains(char::is_control) => Ok(quoted(text)),
            _ => Err(format!(
                "the session's list of programs takes only text, and {} is not text",
                word.display()
            )),
        })
        .collect();
    Ok(words?.join(" "))
}

/// A word of `Exec`, by the rules of the Desktop Entry Specification: quoted, and each backslash once more for being in a file.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:+,@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into();
    }
    let mut quoted = String::from("\"");
    for c in word.chars() {
        match c {
            '"' | '`' | '$' => quoted.extend(['\\', '\\', c]),
            '\\' => quoted.push_str("\\\\\\\\"),
            '%' => quoted.push_str("%%"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    fn login(folder: PathBuf, words: &[&str]) -> Login {
        Login {
            folder,
            line: line(words.iter().map(OsStr::new)).unwrap(),
        }
    }

    #[test]
    fn a_file_of_the_session_starts_it_until_it_is_removed() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("autostart");
        let own = login(folder.clone(), &["/usr/bin/bobbin", "tray"]);
        assert!(!own.is_on());
        own.set(false).unwrap();
        own.set(true).unwrap();
        assert!(own.is_on());
        let path = folder.join(FILE);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("\nExec=/usr/bin/bobbin tray\n"), "{text}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        // As desktops switch it off.
        fs::write(&path, text.clone() + "Hidden=true\n").unwrap();
        assert!(!own.is_on());
        fs::write(&path, text.replace("enabled=true", "enabled=false")).unwrap();
        assert!(!own.is_on());
        own.set(false).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn that_another_folder_starts_is_not_that_this_one_does() {
        let base = tempfile::tempdir().unwrap();
        let of = |dir| {
            login(
                base.path().into(),
                &["/usr/bin/bobbin", "tray", "--data-dir", dir],
            )
        };
        of("/home/ada/a b").set(true).unwrap();
        assert!(of("/home/ada/a b").is_on());
        assert!(!of("/home/ada/c").is_on());
        of("/home/ada/c").set(true).unwrap();
        assert!(of("/home/ada/c").is_on() && !of("/home/ada/a b").is_on());
    }

    #[test]
    fn odd_folders_are_quoted_and_what_is_no_text_is_refused() {
        for (word, written) in [
            ("--hidden", "--hidden"),
            ("/home/a b", "\"/home/a b\""),
            ("", "\"\""),
            ("100%", "\"100%%\""),
            ("$HOME", "\"\\\\$HOME\""),
            ("a\\b", "\"a\\\\\\\\b\""),
        ] {
            assert_eq!(quoted(word), written);
        }
        for word in [&b"/home/\xff"[..], b"/home/a\nExec=b"] {
            line([OsStr::from_bytes(word)].into_iter()).unwrap_err();
        }
    }
}
