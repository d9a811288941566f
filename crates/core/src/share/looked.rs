//! What looks like a secret in lines that are to be written where nobody decides upon each value.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use super::stage;
use crate::scan::Scanner;
use crate::seal::FingerprintKey;
use crate::{Error, Result};

/// Looks at the texts of batches, each once.
pub(crate) struct Looked {
    scanner: Scanner,
    seen: HashSet<(String, String)>,
    secrets: HashSet<String>,
}

impl Looked {
    /// With the own words of the install in `dir`.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub(crate) fn new(dir: &Path, key: &FingerprintKey) -> Result<Self> {
        Ok(Self {
            scanner: stage::scanner(&stage::Desk::open(dir)?, key)?,
            seen: HashSet::new(),
            secrets: HashSet::new(),
        })
    }

    /// Looks at a batch.
    ///
    /// # Errors
    /// [`Error::Refused`] for what is never told; [`Error::TooLarge`] for a text that cannot be looked at.
    pub(crate) fn look(&mut self, batch: &str) -> Result<()> {
        for line in batch.lines() {
            let value: Value = serde_json::from_str(line)?;
            each(&value, "", &mut |key, text| {
                if !self.seen.insert((key.to_owned(), text.to_owned())) {
                    return Ok(());
                }
                for found in self.scanner.scan_behind(key, text)? {
                    if found.rule.is_fatal() {
                        return Err(Error::Refused(format!(
                            "the file would contain a {}, which Bobbin never shares: `bobbin stage` replaces it",
                            found.what
                        )));
                    }
                    self.secrets.insert(text[found.at].to_owned());
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// How many different possible secrets were seen.
    pub(crate) fn secrets(&self) -> u64 {
        self.secrets.len() as u64
    }
}

/// Every text of a line, with the key that it stands behind; what an event carries is one.
pub(super) fn each(
    value: &Value,
    behind: &str,
    look: &mut dyn FnMut(&str, &str) -> Result<()>,
) -> Result<()> {
    match value {
        Value::String(text) => look(behind, text),
        Value::Array(items) => items.iter().try_for_each(|item| each(item, behind, look)),
        Value::Object(items) => {
            items
                .iter()
                .try_for_each(|(key, item)| match (key.as_str(), item) {
                    ("payload", Value::Object(_) | Value::Array(_)) => look("", &item.to_string()),
                    _ => {
                        look("", key)?;
                        each(item, key, look)
                    }
                })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}
