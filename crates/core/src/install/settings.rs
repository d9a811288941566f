//! `DIR/settings.toml`: what a receiver is told at its next start, whoever starts it. A person may write it, too; what a
//! command line says goes before it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::private::{at, write_private};
use super::{Interface, Moment};
use crate::model::Micros;
use crate::system::lock_file;
use crate::{Error, Result};

/// The port beside Dask's own: its scheduler has 8786, its dashboard 8787.
pub const DEFAULT_PORT: u16 = 8788;

const FILE: &str = "settings.toml";
const HEAD: &str = "# Read when Bobbin starts. Command-line options override it.\n";
/// Below are ports that only the system's own programs may take.
const FIRST_PORT: u16 = 1024;
/// Folders that are looked at every half minute.
const FOLDERS: usize = 16;

/// What the file says; what it does not say has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// TCP port on 127.0.0.1; 0 is any that is free.
    pub port: Option<u16>,
    /// An address of this machine on which it listens besides, over TLS alone; without it nobody else reaches the receiver.
    pub interface: Option<Interface>,
    /// From when on it no longer does; without it, it does until the interface is taken away.
    pub interface_until: Option<Moment>,
    /// Folders whose files are read, too, and left there.
    pub inbox: Vec<PathBuf>,
    /// Whether what was approved may be sent; without it, that depends on whether there is a destination.
    pub sharing: Option<Sharing>,
}

/// Whether what a person approved may be sent, and anything be shared at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// What is approved is saved as files. Nothing is sent.
    Local,
    /// What is approved is sent where a person asks for that.
    Ask,
    /// The page shares nothing, and nothing is sent.
    Off,
}

impl Sharing {
    pub(crate) const ALL: [Self; 3] = [Self::Local, Self::Ask, Self::Off];

    /// As the file says it.
    pub fn word(self) -> &'static str {
        match self {
            Sharing::Local => "local",
            Sharing::Ask => "ask",
            Sharing::Off => "off",
        }
    }

    /// As the page says it.
    pub fn label(self) -> &'static str {
        match self {
            Sharing::Local => "Local only",
            Sharing::Ask => "Ask each time",
            Sharing::Off => "Off",
        }
    }
}

/// Where the file lies, or would.
pub fn settings_path(dir: &Path) -> PathBuf {
    dir.join(FILE)
}

/// What the file says; without one everything has its default.
///
/// # Errors
/// [`Error::Invalid`] if it cannot be read as settings, or holds a value that cannot be used; [`Error::Io`].
pub fn settings(dir: &Path) -> Result<Settings> {
    let path = settings_path(dir);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Settings::default());
        }
        Err(source) => return Err(at(&path)(source)),
    };
    let found: Settings = toml::from_str(&text).map_err(|error| Error::Invalid {
        what: "the settings file",
        value: path.display().to_string(),
        reason: format!(
            "{}; correct it, or move it away to use the defaults",
            error.to_string().trim()
        ),
    })?;
    found.check()?;
    Ok(found)
}

/// Changes what the file says; two changes at once, of one process or of two, are both kept. The file goes where everything has its default.
///
/// # Errors
/// Those of `change`, and of [`settings`]; [`Error::Invalid`] for a value that cannot be used; [`Error::Io`], [`Error::DiskFull`].
pub fn change_settings(dir: &Path, change: impl FnOnce(&mut Settings) -> Result<()>) -> Result<()> {
    // Held from reading the file to writing it; the file itself is another one afterwards.
    let changing = lock_file(dir).map_err(at(dir))?;
    changing.lock().map_err(at(dir))?;
    let mut changed = settings(dir)?;
    change(&mut changed)?;
    write_settings(dir, &changed)
}

fn write_settings(dir: &Path, settings: &Settings) -> Result<()> {
    settings.check()?;
    let path = settings_path(dir);
    if *settings == Settings::default() {
        return match fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(at(&path)(source)),
            _ => Ok(()),
        };
    }
    write_private(&path, settings.text()?.as_bytes())
}

impl Settings {
    /// The port that a receiver takes where its command line names none.
    pub fn port_or_default(&self) -> u16 {
        self.port.unwrap_or(DEFAULT_PORT)
    }

    /// The interface, unless its time is over.
    pub fn interface_at(&self, now: Micros) -> Option<Interface> {
        self.interface.filter(|_| {
            self.interface_until
                .is_none_or(|until| now < until.micros())
        })
    }

    fn check(&self) -> Result<()> {
        let wrong = |what, value: String, reason: &str| {
            Err(Error::Invalid {
                what,
                value,
                reason: reason.into(),
            })
        };
        if let Some(port) = self.port {
            let reason = match port {
                0 => None,
                8786 => Some("Dask's scheduler listens there; Bobbin's own port is 8788"),
                8787 => Some("Dask's dashboard listens there; Bobbin's own port is 8788"),
                1..FIRST_PORT => Some("choose one from 1024 to 65535, or 0 for any free port"),
                FIRST_PORT.. => None,
            };
            if let Some(reason) = reason {
                return wrong("the port", port.to_string(), reason);
            }
        }
        if self.inbox.len() > FOLDERS {
            let reason = format!("use at most {FOLDERS} folders");
            return wrong(
                "folders of the inbox",
                self.inbox.len().to_string(),
                &reason,
            );
        }
        for folder in &self.inbox {
            let value = folder.display().to_string();
            if folder
                .to_str()
                .is_none_or(|text| text.contains(char::is_control))
            {
                return wrong(
                    "a folder of the inbox",
                    value,
                    "its path must be one line of text",
                );
            }
            if !folder.is_absolute() {
                return wrong(
                    "a folder of the inbox",
                    value,
                    "use its full path, from / on",
                );
            }
        }
        Ok(())
    }

    fn text(&self) -> Result<String> {
        let mut text = String::from(HEAD);
        if let Some(port) = self.port {
            text.push_str(&format!("port = {port}\n"));
        }
        if let Some(interface) = self.interface {
            text.push_str(&format!("interface = \"{interface}\"\n"));
        }
        if let Some(until) = self.interface_until {
            text.push_str(&format!("interface_until = \"{until}\"\n"));
        }
        if !self.inbox.is_empty() {
            // A text of JSON without control characters is one of TOML, too.
            text.push_str(&format!(
                "inbox = {}\n",
                serde_json::to_string(&self.inbox)?
            ));
        }
        if let Some(sharing) = self.sharing {
            text.push_str(&format!("sharing = \"{}\"\n", sharing.word()));
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_read_back_and_defaults_need_no_file() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(settings(dir.path()).unwrap(), Settings::default());
        let set = Settings {
            port: Some(9000),
            interface: Some("fd00::2".parse().unwrap()),
            interface_until: Some("2026-03-01T20:00:00Z".parse().unwrap()),
            inbox: vec!["/mnt/it's \"shared\" \\ ü".into()],
            sharing: Some(Sharing::Local),
        };
        write_settings(dir.path(), &set).unwrap();
        assert_eq!(settings(dir.path()).unwrap(), set);
        write_settings(dir.path(), &Settings::default()).unwrap();
        assert!(!settings_path(dir.path()).exists());
    }

    #[test]
    fn the_manual_has_every_setting_of_the_file() {
        let manual = include_str!("../../../../docs/configuration.md");
        // It says which it knows.
        let unknown = toml::from_str::<Settings>("nonsense = 1").unwrap_err();
        let known: Vec<&str> = unknown.message().split('`').skip(3).step_by(2).collect();
        assert_eq!(known[0], "port");
        for name in known {
            assert!(manual.contains(&format!("| `{name}` |")), "{name}");
        }
    }

    #[test]
    fn changes_at_the_same_time_are_all_kept() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let dir = dir.path();
                scope.spawn(move || {
                    change_settings(dir, |set| {
                        set.inbox.push(format!("/inbox/{number}").into());
                        Ok(())
                    })
                    .unwrap();
                });
            }
        });
        assert_eq!(settings(dir.path()).unwrap().inbox.len(), 8);
    }

    #[test]
    fn a_change_waits_for_that_of_another_process() {
        let dir = tempfile::tempdir().unwrap();
        let program = "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX); print('held', flush=True); \
                       sys.stdin.read(); open(sys.argv[1] + '/settings.toml', 'w').write('port = 9000\\n')";
        let mut other = std::process::Command::new("python3")
            .args(["-c", program])
            .arg(dir.path())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut held = [0; 4];
        std::io::Read::read_exact(other.stdout.as_mut().unwrap(), &mut held).unwrap();
        std::thread::scope(|scope| {
            let changed = scope.spawn(|| {
                change_settings(dir.path(), |set| {
                    set.inbox.push("/inbox".into());
                    Ok(())
                })
            });
            drop(other.stdin.take());
            changed.join().unwrap().unwrap();
        });
        assert!(other.wait().unwrap().success());
        let set = settings(dir.path()).unwrap();
        assert_eq!((set.port, set.inbox.len()), (Some(9000), 1));
    }

    #[test]
    fn a_value_that_cannot_be_used_is_named_with_the_way_out() {
        let dir = tempfile::tempdir().unwrap();
        let said = |text: &str| {
            fs::write(settings_path(dir.path()), text).unwrap();
            settings(dir.path()).unwrap_err().to_string()
        };
        assert!(said("port = 80").contains("80 cannot be used: choose one from 1024"));
        assert!(said("port = 8787").contains("Dask's dashboard"));
        assert!(said("port = 70000").contains("settings.toml"));
        let sharing = said("sharing = 'always'");
        assert!(
            sharing.contains("always") && sharing.contains("`ask`"),
            "{sharing}"
        );
        assert!(said("ports = 9000").contains("ports"));
        let interface = said("interface = '0.0.0.0'");
        assert!(
            interface.contains("0.0.0.0") && interface.contains("settings.toml"),
            "{interface}"
        );
        let until = said("interface_until = 'tomorrow'");
        assert!(
            until.contains("tomorrow") && until.contains("offset"),
            "{until}"
        );
        assert!(said("inbox = ['here']").contains("here cannot be used"));
        assert!(said("port").contains("move it away"));
        let many = Settings {
            inbox: vec!["/a".into(); FOLDERS + 1],
            ..Settings::default()
        };
        write_settings(dir.path(), &many).unwrap_err();
    }
}
