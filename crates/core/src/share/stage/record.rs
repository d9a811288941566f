//! The texts of a stage, each taken out of its line, so that a person can decide what stands there.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hex::hexadecimal;
use crate::install::random;
use crate::share::Field;
use crate::{Error, Result};

/// One text of one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::share) struct Text {
    /// `record.field`.
    pub(super) field: String,
    /// What its aliases are called.
    pub(super) noun: String,
    pub(super) real: String,
    /// What is told of it where nobody decides.
    pub(super) told: String,
    /// Whether both are JSON, such as what an event carries, and no text.
    pub(super) json: bool,
    /// The key that it stands behind, in a map: it may say that this is a secret.
    #[serde(default)]
    pub(super) behind: Option<String>,
}

/// Where a text stands, the key that it stands behind, and the text.
type Known = (Field, Option<String>, String);

/// Takes texts, and gives for each a word that stands in its place until the line is written.
pub(in crate::share) struct Recorder {
    /// Drawn at random, so that nothing that a cluster says can look like such a word.
    nonce: String,
    texts: RefCell<Vec<Text>>,
    known: RefCell<HashMap<Known, usize>>,
    bytes: Cell<usize>,
}

/// Digits of the number in a word.
const DIGITS: usize = 8;

/// Where a text stands in a batch: before this byte of what is left of it.
pub(super) type Spot = (u32, u32);

impl Recorder {
    pub(super) fn new() -> Result<Self> {
        let mut drawn = [0; 16];
        random(&mut drawn)?;
        Ok(Self {
            nonce: hexadecimal(&drawn),
            texts: RefCell::default(),
            known: RefCell::default(),
            bytes: Cell::new(0),
        })
    }

    /// Bytes of all texts that were taken, as often as they were.
    pub(in crate::share) fn bytes(&self) -> usize {
        self.bytes.get()
    }

    /// Takes a text, and the key that it stands behind in a map.
    pub(in crate::share) fn text(
        &self,
        field: Field,
        noun: &str,
        real: &str,
        behind: Option<&str>,
        told: impl FnOnce() -> String,
    ) -> String {
        let text = |told| Text {
            field: field.to_string(),
            noun: noun.to_owned(),
            real: real.to_owned(),
            told,
            json: false,
            behind: behind.map(str::to_owned),
        };
        self.take(field, real, behind, || text(told()))
    }

    /// Takes a value that is decided upon as a whole.
    pub(in crate::share) fn json(
        &self,
        field: Field,
        noun: &str,
        real: &Value,
        told: &Value,
    ) -> String {
        let real = real.to_string();
        self.take(field, &real, None, || Text {
            field: field.to_string(),
            noun: noun.to_owned(),
            real: real.clone(),
            told: told.to_string(),
            json: true,
            behind: None,
        })
    }

    fn take(
        &self,
        field: Field,
        real: &str,
        behind: Option<&str>,
        text: impl FnOnce() -> Text,
    ) -> String {
        self.bytes.set(self.bytes.get() + real.len());
        let key = (field, behind.map(str::to_owned), real.to_owned());
        let known = self.known.borrow().get(&key).copied();
        let number = known.unwrap_or_else(|| {
            let text = text();
            let mut texts = self.texts.borrow_mut();
            texts.push(text);
            self.known.borrow_mut().insert(key, texts.len() - 1);
            texts.len() - 1
        });
        format!("{}{number:0DIGITS$x}", self.nonce)
    }

    /// What was told of some cluster is not what is told of another: its own user and host are others.
    pub(super) fn next_cluster(&self) {
        self.known.borrow_mut().clear();
    }

    /// The number of the text that a word stands for.
    pub(super) fn number(&self, word: &str) -> Option<u32> {
        let digits = word.strip_prefix(self.nonce.as_str())?;
        u32::from_str_radix(digits, 16).ok()
    }

    /// A batch without the words, and what stood where.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where it cannot be numbered; [`Error::Refused`] for a word that is none.
    pub(super) fn spots(&self, batch: &str) -> Result<(String, Vec<Spot>)> {
        let open = format!("\"{}", self.nonce);
        let mut left = String::with_capacity(batch.len() / 2);
        let mut spots = Vec::new();
        let mut from = 0;
        for (at, _) in batch.match_indices(open.as_str()) {
            let digits = at + open.len();
            let number = batch
                .get(digits..digits + DIGITS)
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .ok_or_else(|| {
                    Error::Refused("Bobbin cannot find a text of the stage again".into())
                })?;
            left.push_str(&batch[from..at]);
            let place = u32::try_from(left.len()).map_err(|_| Error::TooLarge {
                what: "a batch of the stage",
                limit: u64::from(u32::MAX),
            })?;
            spots.push((place, number));
            from = digits + DIGITS + 1;
        }
        left.push_str(&batch[from..]);
        Ok((left, spots))
    }

    pub(super) fn into_texts(self) -> Vec<Text> {
        self.texts.into_inner()
    }
}
