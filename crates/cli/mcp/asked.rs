//! A call of a tool, and its arguments: what is not as a tool takes it is refused by name.

use bobbin_core::api::App;
use bobbin_core::share::Choice;
use bobbin_core::{Error, Result};
use serde_json::{Map, Value};

use super::lenses::Lenses;

/// Rows unless an agent says otherwise, and the most.
pub const ROWS: u64 = 20;
pub const MOST_ROWS: u64 = 100;
/// Letters of a text.
pub const LETTERS: usize = 1_000;

pub type Arguments = Map<String, Value>;

/// A call under way.
pub struct Asked<'a> {
    pub app: &'a App,
    pub lenses: &'a mut Lenses,
    pub choice: Choice,
    pub given: &'a Arguments,
}

pub fn invalid(value: &str, reason: impl Into<String>) -> Error {
    Error::Invalid {
        what: "argument",
        value: value.into(),
        reason: reason.into(),
    }
}

impl Asked<'_> {
    pub fn number(&self, name: &str, most: u64) -> Result<Option<u64>> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value
                .as_u64()
                .filter(|number| (1..=most).contains(number))
                .map(Some)
                .ok_or_else(|| invalid(name, format!("it must be a whole number from 1 to {most}"))),
        }
    }

    pub fn limit(&self) -> Result<u64> {
        Ok(self.number("limit", MOST_ROWS)?.unwrap_or(ROWS))
    }

    pub fn text(&self, name: &str) -> Result<Option<String>> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.chars().count() <= LETTERS => Ok(Some(text.clone())),
            Some(_) => Err(invalid(
                name,
                format!("it must be a string of at most {LETTERS} characters"),
            )),
        }
    }

    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(value) => value
                .as_bool()
                .ok_or_else(|| invalid(name, "it must be true or false")),
        }
    }

    pub fn id(&self, name: &str) -> Result<i64> {
        self.number(name, i64::MAX as u64)?
            .map(|id| id as i64)
            .ok_or_else(|| invalid(name, "a cluster's `id` is required"))
    }
}
