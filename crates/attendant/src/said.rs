//! Where each notice leads. It is a file beside the store: between a window and the tray the program is started anew, and what was said
//! before is clicked after.

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
    notices: Notices,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Notices {
    /// Who shows them: another one gives the same numbers to other notices.
    desktop: String,
    /// The number that the desktop gave, and the place of the page; oldest first.
    places: VecDeque<(u32, String)>,
}

impl Said {
    /// What was said to this desktop from this folder; nothing where another was spoken to.
    pub fn open(folder: &Path, desktop: String) -> Self {
        let path = folder.join(FILE);
        let read = fs::read(&path).ok();
        let notices = read
            .and_then(|text| serde_json::from_slice::<Notices>(&text).ok())
            .filter(|notices| notices.desktop == desktop)
            .unwrap_or(Notices {
                desktop,
                places: VecDeque::new(),
            });
        Self { path, notices }
    }

    /// Whether a notice may still be clicked that was said from this folder.
    pub fn any(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    /// Remembers what was said to a desktop; what cannot be written is known to this process alone.
    pub fn add(&mut self, desktop: String, number: u32, place: String) {
        if self.notices.desktop != desktop {
            self.notices.places.clear();
            self.notices.desktop = desktop;
        }
        let places = &mut self.notices.places;
        places.retain(|(known, _)| *known != number);
        places.push_back((number, place));
        if places.len() > REMEMBERED {
            places.pop_front();
        }
        let written = serde_json::to_vec(&self.notices)
            .map_err(bobbin_core::Error::from)
            .and_then(|text| write_private(&self.path, &text));
        if let Err(error) = written {
            tracing::debug!(%error, "where a notice leads is not written down");
        }
    }

    /// Where the notice leads to which this desktop gave that number; other programs' notices have numbers, too.
    pub fn place(&self, desktop: &str, number: u32) -> Option<&str> {
        if self.notices.desktop != desktop {
            return None;
        }
        let mut places = self.notices.places.iter();
        places
            .find(|(known, _)| *known == number)
            .map(|(_, place)| place.as_str())
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

    #[test]
    fn a_number_leads_where_it_was_said_to_last() {
        let folder = tempfile::tempdir().unwrap();
        let mut said = open(&folder, ONE);
        said.add(ONE.into(), 1, "cluster/1".into());
        said.add(ONE.into(), 1, "cluster/2".into());
        assert_eq!(said.place(ONE, 1), Some("cluster/2"));
        assert_eq!(
            said.place(ANOTHER, 1),
            None,
            "another desktop shows notices by now, and counted from one again"
        );
        for number in 2..100 {
            said.add(ONE.into(), number, "costs".into());
        }
        assert_eq!(
            (said.place(ONE, 1), said.notices.places.len()),
            (None, REMEMBERED)
        );
        said.add(ANOTHER.into(), 1, "cluster/3".into());
        assert_eq!(said.place(ANOTHER, 1), Some("cluster/3"));
        assert_eq!(
            said.place(ANOTHER, 99),
            None,
            "that was said to another desktop"
        );
    }

    #[test]
    fn the_next_process_knows_it_and_another_desktop_does_not() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!Said::any(folder.path()));
        open(&folder, ONE).add(ONE.into(), 3, "cluster/3".into());
        assert!(Said::any(folder.path()));
        assert_eq!(open(&folder, ONE).place(ONE, 3), Some("cluster/3"));
        assert_eq!(open(&folder, ANOTHER).place(ANOTHER, 3), None);
        fs::write(folder.path().join(FILE), "{").unwrap();
        assert_eq!(open(&folder, ONE).place(ONE, 3), None);
    }
}
