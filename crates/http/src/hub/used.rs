//! When each token was shown last, to the minute. It is nothing that happens to an account, so its audit has no row of it; what is
//! lost of it in a crash is a minute.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use bobbin_core::Result;
use bobbin_core::install::write_private;
use bobbin_core::lock::lock;
use bobbin_core::model::Micros;

const EVERY_MICROS: i64 = 60_000_000;

/// Of one account.
pub struct Used {
    path: PathBuf,
    at: Mutex<BTreeMap<String, Micros>>,
}

impl Used {
    /// What is known of it in this file. One that cannot be read begins anew: nothing hangs on it.
    pub fn open(path: &Path) -> Self {
        let known = fs::read(path).ok();
        let at = known.and_then(|text| serde_json::from_slice(&text).ok());
        Self {
            path: path.into(),
            at: Mutex::new(at.unwrap_or_default()),
        }
    }

    /// A token was shown.
    ///
    /// # Errors
    /// [`bobbin_core::Error::DiskFull`], [`bobbin_core::Error::Io`].
    pub fn note(&self, token: &str, now: Micros) -> Result<()> {
        let mut at = lock(&self.at);
        let before = at.get(token);
        if before.is_some_and(|before| now.0 - before.0 < EVERY_MICROS) {
            return Ok(());
        }
        at.insert(token.into(), now);
        write_private(&self.path, &serde_json::to_vec(&*at)?)
    }

    /// When a token was shown last; none for one that never was.
    pub fn last(&self, token: &str) -> Option<Micros> {
        let at = lock(&self.at);
        at.get(token).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_minute_of_each_is_remembered_and_a_broken_file_begins_anew() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("used.json");
        let used = Used::open(&path);
        assert_eq!(used.last("a"), None);
        for now in [0, EVERY_MICROS - 1] {
            used.note("a", Micros(now)).unwrap();
        }
        used.note("b", Micros(7)).unwrap();
        assert_eq!(used.last("a"), Some(Micros(0)));
        used.note("a", Micros(EVERY_MICROS)).unwrap();
        let again = Used::open(&path);
        assert_eq!(
            (again.last("a"), again.last("b")),
            (Some(Micros(EVERY_MICROS)), Some(Micros(7)))
        );
        fs::write(&path, "{").unwrap();
        assert_eq!(Used::open(&path).last("a"), None);
    }
}
