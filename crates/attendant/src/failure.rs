//! Why something does not go on, for a terminal or a dialog.

use std::fmt;

use bobbin_core::Code;

/// What failed, and what to do about it.
#[derive(Clone, Debug)]
pub struct Failure {
    pub code: Code,
    pub what: String,
    pub hint: Option<String>,
}

impl Failure {
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            code: Code::Internal,
            what: what.into(),
            hint: None,
        }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds what does not work meanwhile.
    #[must_use]
    pub fn with_consequence(mut self, consequence: &str) -> Self {
        let hint = self.hint.take();
        self.hint = Some(hint.map_or_else(
            || consequence.into(),
            |hint| format!("{hint}. {consequence}"),
        ));
        self
    }

    /// Says it on stderr.
    pub fn print(&self) {
        eprintln!("{self}");
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

impl From<bobbin_core::Error> for Failure {
    fn from(error: bobbin_core::Error) -> Self {
        Self {
            code: error.code(),
            what: error.to_string(),
            hint: error.hint(),
        }
    }
}
