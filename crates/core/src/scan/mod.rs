//! What looks like a secret, told by its value: in time that grows with the text and not faster.
//!
//! `docs/privacy.md` says what is looked for, and what cannot be seen.

mod entropy;
mod form;
mod identity;
mod join;
mod keyword;
mod rule;
mod url;
mod words;

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::seal::FingerprintKey;
use crate::{Error, Result};

pub use rule::Rule;
pub use words::{OwnWord, OwnWords};

/// The longest text that is looked at. A longer one is not told at all.
pub const LONGEST: usize = 8 << 20;

/// Something in a text that looks like a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub rule: Rule,
    /// What it looks like, in words: `GitHub token`.
    pub what: &'static str,
    /// Where the secret itself is, in bytes of the text.
    pub at: Range<usize>,
}

/// Looks for secrets. Made once: its tables take a millisecond.
pub struct Scanner {
    /// Beginnings of vendors' tokens, in the order of `form::FORMS`.
    starts: AhoCorasick,
    /// Words that secrets stand behind, in any case.
    keywords: AhoCorasick,
    words: OwnWords,
}

impl Scanner {
    /// # Errors
    /// [`Error::Refused`] if the tables cannot be built, which a test rules out.
    pub fn new(words: OwnWords) -> Result<Self> {
        let broken = |error| Error::Refused(format!("Bobbin cannot look for secrets: {error}"));
        Ok(Self {
            starts: AhoCorasick::new(form::FORMS.iter().map(|form| form.start)).map_err(broken)?,
            keywords: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::LeftmostLongest)
                .build(keyword::KEYWORDS)
                .map_err(broken)?,
            words,
        })
    }

    /// Looks for these own words from now on.
    pub(crate) fn know(&mut self, words: OwnWords) {
        self.words = words;
    }

    /// The own words that it looks for.
    pub(crate) fn own_words(&self) -> &[OwnWord] {
        self.words.all()
    }

    /// All that looks like a secret, in order; no two overlap.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for a text that is longer than [`LONGEST`]: whoever asks must treat it as if all of it were secret.
    pub fn scan(&self, text: &str) -> Result<Vec<Found>> {
        if text.len() > LONGEST {
            return Err(Error::TooLarge {
                what: "a text to check for secrets",
                limit: LONGEST as u64,
            });
        }
        let mut found = self.plain(text);
        // A secret that stands in two literals side by side is one.
        if let Some(joined) = join::joined(text) {
            let parts = self.plain(&joined.text).into_iter().filter_map(|one| {
                let at = joined.range(one.at)?;
                Some(Found { at, ..one })
            });
            found.extend(parts);
        }
        Ok(apart(found))
    }

    /// The same for what a map has behind a key, which may say that its value is a secret.
    ///
    /// # Errors
    /// As [`Scanner::scan`].
    pub fn scan_behind(&self, key: &str, text: &str) -> Result<Vec<Found>> {
        let mut found = self.scan(text)?;
        found.extend(self.behind(key, text));
        Ok(apart(found))
    }

    /// The value as if it stood in one text with its key.
    fn behind(&self, key: &str, text: &str) -> Option<Found> {
        if !self.keywords.is_match(key) {
            return None;
        }
        let quote = if text.contains('"') { '\'' } else { '"' };
        let before = format!("{key}: {quote}");
        let whole = format!("{before}{text}{quote}");
        let at = self
            .keywords
            .find_iter(&whole)
            .filter(|word| word.end() <= key.len())
            .filter_map(|word| keyword::value(&whole, word.range()))
            .find(|at| at.start >= before.len())?;
        let to = at.end.min(before.len() + text.len());
        Some(Found {
            rule: Rule::Keyword,
            what: "value behind a word such as password",
            at: at.start - before.len()..to - before.len(),
        })
    }

    fn plain(&self, text: &str) -> Vec<Found> {
        let mut found = Vec::new();
        let mut walks = [form::Walk::default(); form::FORMS.len()];
        for start in self.starts.find_overlapping_iter(text) {
            let place = start.pattern().as_usize();
            let form = &form::FORMS[place];
            if let Some(at) = walks[place].range(form, text, start.start()) {
                found.push(Found {
                    rule: form.rule,
                    what: form.what,
                    at,
                });
            }
        }
        for word in self.keywords.find_iter(text) {
            if let Some(at) = keyword::value(text, word.range()) {
                found.push(Found {
                    rule: Rule::Keyword,
                    what: "value behind a word such as password",
                    at,
                });
            }
        }
        url::scan(text, &mut found);
        entropy::scan(text, &mut found);
        self.words.scan(text, &mut found);
        found
    }
}

/// What was found in a text, and what says in it who somebody is, or where. What lies over a secret is a part of that.
pub fn identities(text: &str, mut found: Vec<Found>) -> Vec<Found> {
    identity::scan(text, &mut found);
    apart(found)
}

/// Without what others lie over: the surer rule stands.
fn apart(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|one| (one.rule, one.at.start, std::cmp::Reverse(one.at.end)));
    let mut taken = std::collections::BTreeMap::<usize, usize>::new();
    found.retain(|one| {
        let before = taken.range(..one.at.end).next_back();
        let free = before.is_none_or(|(_, end)| *end <= one.at.start);
        if free {
            taken.insert(one.at.start, one.at.end);
        }
        free
    });
    found.sort_by_key(|one| one.at.start);
    found
}

/// What a secret is known by where it must not stand itself: nothing without the key.
pub fn fingerprint(key: &FingerprintKey, secret: &str) -> [u8; 8] {
    let whole = key.fingerprint(&format!("finding\0{secret}"));
    let mut short = [0; 8];
    short.copy_from_slice(&whole[..8]);
    short
}

/// A text with what was found in it replaced by `by`; from behind, so that places stay where they are.
pub fn replaced(text: &str, found: &[Found], by: impl Fn(&Found) -> String) -> String {
    let mut shown = text.to_owned();
    for one in found.iter().rev() {
        shown.replace_range(one.at.clone(), &by(one));
    }
    shown
}

#[cfg(test)]
pub(crate) mod corpus;
#[cfg(test)]
mod tests;
