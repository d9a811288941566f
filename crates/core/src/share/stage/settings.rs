//! What holds for all stages: own words, the rules, the private maps.

use std::path::Path;

use super::ask::{AliasesRequest, OwnWordsRequest};
use super::desk::{Desk, WatchedWords};
use super::kept;
use super::model::finding_name;
use super::standing;
use super::view::{AliasMap, AliasOf, OwnWords, SharingRules};
use crate::model::Micros;
use crate::scan::{self, Scanner};
use crate::seal::FingerprintKey;
use crate::share::aliases::{mark, numbered};
use crate::share::policy::{FILE, Policy};
use crate::{Error, Result};

/// Aliases of an answer.
const ROWS: usize = 500;

/// A scanner that knows the own words.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn scanner(desk: &Desk, key: &FingerprintKey) -> Result<Scanner> {
    Scanner::new(scan::OwnWords::new(key.clone(), desk.words()?))
}

/// Says the own words of the install in `dir` once, and again each time that somebody adds or removes one.
pub(crate) fn watched_words(
    dir: &Path,
    key: &FingerprintKey,
) -> impl FnMut() -> Option<scan::OwnWords> + Send + use<> {
    let (mut watched, key) = (WatchedWords::of(dir), key.clone());
    move || Some(scan::OwnWords::new(key.clone(), watched.changed()?))
}

/// # Errors
/// [`Error::Invalid`] for a word that is too short or too long.
pub(crate) fn add_words(dir: &Path, request: &OwnWordsRequest) -> Result<OwnWords> {
    let (desk, key) = (Desk::open(dir)?, FingerprintKey::load_or_make(dir)?);
    let stored = |word: &String| {
        scan::OwnWords::stored(&key, word.trim()).ok_or_else(|| Error::Invalid {
            what: "word",
            value: format!("one of {} characters", word.trim().chars().count()),
            reason: "use words of 4 to 200 characters".into(),
        })
    };
    for word in &request.add {
        desk.add_word(&stored(word)?, &finding_name(&key, word.trim()))?;
    }
    for word in &request.remove {
        desk.remove_word(&stored(word)?)?;
    }
    own_words(&desk)
}

fn own_words(desk: &Desk) -> Result<OwnWords> {
    Ok(OwnWords {
        count: desk.words()?.len() as u64,
    })
}

/// The rules, with what `meant` says that a destination is now.
///
/// # Errors
/// [`Error::Sqlite`]; [`Error::Invalid`] for a policy that cannot be read; those of `meant`.
pub(crate) fn rules(
    dir: &Path,
    now: Micros,
    meant: &dyn Fn(&str) -> Result<String>,
) -> Result<SharingRules> {
    let desk = Desk::open(dir)?;
    Ok(SharingRules {
        policy: Policy::read(&dir.join(FILE))?.as_ref().map(Policy::said),
        standing: standing::list(&desk, meant, now)?,
        destinations: destinations(dir)?,
        words: own_words(&desk)?,
    })
}

/// Destinations that something is staged for, by name.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn destinations(dir: &Path) -> Result<Vec<String>> {
    let stages = kept::list(dir)?.stages.into_iter();
    let mut destinations: Vec<String> = stages.map(|stage| stage.destination).collect();
    destinations.sort();
    destinations.dedup();
    Ok(destinations)
}

/// Part of the private map of a destination.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn alias_map(dir: &Path, request: &AliasesRequest) -> Result<AliasMap> {
    let all = Desk::open(dir)?.aliases(&request.destination)?;
    let mark = mark(&FingerprintKey::load_or_make(dir)?, &request.destination);
    let named = all.into_iter().map(|one| AliasOf {
        alias: numbered(&one.noun, one.number, &mark),
        real: one.value,
    });
    let has = |text: &str| text.contains(&request.text);
    let found: Vec<_> = named
        .filter(|one| has(&one.alias) || one.real.as_deref().is_some_and(has))
        .collect();
    Ok(AliasMap {
        total: found.len() as u64,
        aliases: found
            .into_iter()
            .skip(request.offset as usize)
            .take(ROWS)
            .collect(),
    })
}
