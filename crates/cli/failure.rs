//! How a verb fails: what, which value, what to do about it, and with which exit code.

use std::fmt;
use std::path::Path;

use bobbin_core::Code;
use serde::Serialize;

use crate::visible;

/// Exit codes of every verb; 0 is "done".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It was tried, and went wrong.
    Failed = 1,
    /// The request itself cannot be used.
    Usage = 2,
    /// It was not tried, so as not to break something.
    Refused = 3,
}

/// Why a verb did not do what was asked.
#[derive(Clone, Debug)]
pub struct Failure {
    pub exit: Exit,
    pub code: Code,
    pub message: String,
    pub hint: Option<String>,
}

/// [`Failure`] as it is printed with `--json`.
#[derive(Serialize)]
struct Document<'a> {
    error: Body<'a>,
}

#[derive(Serialize)]
struct Body<'a> {
    code: Code,
    message: &'a str,
    hint: Option<&'a str>,
}

impl Failure {
    /// Something was tried, and went wrong.
    pub fn failed(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            code: Code::Internal,
            message: message.into(),
            hint: None,
        }
    }

    /// Something was understood, and not done.
    pub fn refused(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Refused,
            code: Code::Refused,
            message: message.into(),
            hint: None,
        }
    }

    /// The request cannot be used.
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            code: Code::Invalid,
            message: message.into(),
            hint: None,
        }
    }

    /// A file or folder did not do what was asked of it.
    pub fn io(what: &str, path: &Path, source: &std::io::Error) -> Self {
        Self::failed(format!("{what}: {}: {source}", path.display()))
    }

    /// What the reader can do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The one JSON document that stands on stdout instead of an answer.
    pub fn document(&self) -> impl Serialize + '_ {
        Document {
            error: Body {
                code: self.code,
                message: &self.message,
                hint: self.hint.as_deref(),
            },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Both may quote what somebody typed or sent.
        write!(f, "error: {}", visible::plain(&self.message))?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {}", visible::plain_lines(hint, "  ")),
            None => Ok(()),
        }
    }
}

impl From<bobbin_core::Error> for Failure {
    fn from(error: bobbin_core::Error) -> Self {
        let code = error.code();
        Self {
            exit: code.into(),
            code,
            message: error.to_string(),
            hint: error.hint(),
        }
    }
}

impl From<Code> for Exit {
    fn from(code: Code) -> Self {
        match code {
            Code::Invalid => Exit::Usage,
            Code::Refused | Code::Busy => Exit::Refused,
            Code::NotFound | Code::TooLarge | Code::DiskFull | Code::Store | Code::Internal => {
                Exit::Failed
            }
        }
    }
}
