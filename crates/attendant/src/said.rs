//! Where each notice leads, and about which cluster it can be answered. It is a file beside the store: between a window and the tray
//! the program is started anew, and what was said before is clicked after.

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
};

use bobbin_core::install::write_private;
use serde::{Deserialize, Serialize};

const FILE: &str = "said.json";
/// Desktops show a handful; what was said before those leads nowhere any more.
const REMEMBERED: usize = 64;

/// What was said to one desktop.
pub struct Said {
    path: PathBuf,
    told: Told,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Told {
    /// Who shows them: another one gives the same numbers to other notices.
    desktop: String,
    /// Oldest first.
    notices: VecDeque<One>,
}

/// A notice that was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct One {
    /// That the desktop gave.
    number: u32,
    /// Of the page.
    pub place: String,
    /// The idle cluster that it can be answered about.
    pub idle: Option<i64>,
}

impl Said {
    /// What was said to this desktop from this folder; nothing where another was spoken to.
    pub fn open(folder: &Path, desktop: String) -> Self {
        let path = folder.join(FILE);
        let read = fs::read(&path).ok();
        let told = read
            .and_then(|text| serde_json::from_slice::<Told>(&text).ok())
            .filter(|told| told.desktop == desktop)
            .unwrap_or(Told {
                desktop,
                notices: VecDeque::new(),
            });
        Self { path, told }
    }

    /// Whether a notice may still be clicked that was said from this folder.
    pub fn any(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    /// Remembers what was said to a desktop; what cannot be written is known to this process alone.
    pub fn add(&mut self, desktop: String, number: u32, place: String, idle: Option<i64>) {
        if self.told.desktop != desktop {
            self.told.notices.clear();
            self.told.desktop = desktop;
        }
        let notices = &mut self.told.notices;
        notices.retain(|known| known.number != number);
        notices.push_back(One {
            number,
            place,
            idle,
        });
        if notices.len() > REMEMBERED {
            notices.pop_front();
        }
        let written = serde_json::to_vec(&self.told)
            .map_err(bobbin_core::Error::from)
            .and_then(|text| write_private(&self.path, &text));
        if let Err(error) = written {
            tracing::debug!(%error, "where a notice leads is not written down");
        }
    }

    /// The notice to which this desktop gave that number; other programs' notices have numbers, too.
    pub fn notice(&self, desktop: &str, number: u32) -> Option<&One> {
        if self.told.desktop != desktop {
            return None;
        }
        let mut notices = self.told.notices.iter();
        notices.find(|known| known.number == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "a bus, :1.7";
    const ANOTHER: &str = "a bus, :1.9";

    fn open(folder: &tempfile::TempDir, desktop: &str) -> Said {
        Said::open(folder.path(), desktop.into())
    }

    fn add(said: &mut Said, desktop: &str, number: u32, place: &str) {
        said.add(desktop.into(), number, place.into(), None);
    }

    fn place<'a>(said: &'a Said, desktop: &str, number: u32) -> Option<&'a str> {
        said.notice(desktop, number).map(|one| one.place.as_str())
    }

    #[test]
    fn a_number_leads_where_it_was_said_to_last() {
        let folder = tempfile::tempdir().unwrap();
        let mut said = open(&folder, ONE);
        add(&mut said, ONE, 1, "cluster/1");
        add(&mut said, ONE, 1, "cluster/2");
        assert_eq!(place(&said, ONE, 1), Some("cluster/2"));
        assert_eq!(
            place(&said, ANOTHER, 1),
            None,
            "another desktop shows notices by now, and counted from one again"
        );
        for number in 2..100 {
            add(&mut said, ONE, number, "costs");
        }
        assert_eq!(
            (place(&said, ONE, 1), said.told.notices.len()),
            (None, REMEMBERED)
        );
        add(&mut said, ANOTHER, 1, "cluster/3");
        assert_eq!(place(&said, ANOTHER, 1), Some("cluster/3"));
        assert_eq!(
            place(&said, ANOTHER, 99),
            None,
            "that was said to another desktop"
        );
    }

    #[test]
    fn the_next_process_knows_it_and_another_desktop_does_not() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!Said::any(folder.path()));
        open(&folder, ONE).add(ONE.into(), 3, "cluster/3".into(), Some(3));
        assert!(Said::any(folder.path()));
        let known = open(&folder, ONE).notice(ONE, 3).cloned().unwrap();
        assert_eq!((&*known.place, known.idle), ("cluster/3", Some(3)));
        assert_eq!(open(&folder, ANOTHER).notice(ANOTHER, 3), None);
        fs::write(folder.path().join(FILE), "{").unwrap();
        assert_eq!(open(&folder, ONE).notice(ONE, 3), None);
    }
}
