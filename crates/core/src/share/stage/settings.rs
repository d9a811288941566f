//! What holds for all stages: own words, approvals in advance, the private maps.

use std::path::Path;

use super::ask::{AliasesRequest, OwnWordsRequest, StandingRequest};
use super::desk::{self, Desk};
use super::open;
use super::view::{AliasMap, AliasOf, OwnWords, SharingRules, Standing};
use crate::model::Micros;
use crate::scan::{self, Scanner};
use crate::seal::FingerprintKey;
use crate::share::aliases::{mark, numbered};
use crate::share::policy::{FILE, Policy};
use crate::share::{Choice, Identities, Level, fields};
use crate::{Error, Result};

const DAY: i64 = 86_400_000_000;
/// The longest approval in advance.
const DAYS: u32 = 90;
/// Aliases of an answer.
const ROWS: usize = 500;

/// A scanner that knows the own words.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn scanner(desk: &Desk, key: &FingerprintKey) -> Result<Scanner> {
    Scanner::new(scan::OwnWords::new(key.clone(), desk.words()?))
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
        desk.add_word(&stored(word)?)?;
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

/// All fields of the format: it has grown where this is another.
fn format() -> String {
    let names: Vec<String> = fields().iter().map(ToString::to_string).collect();
    names.join(" ")
}

/// # Errors
/// [`Error::Invalid`] for more than 90 days, or for a level that tells what people wrote.
pub(crate) fn stand(dir: &Path, now: Micros, request: &StandingRequest) -> Result<()> {
    let desk = Desk::open(dir)?;
    let Some(days) = request.days else {
        return desk.stand_no_longer(&request.destination);
    };
    let wrong = |reason: &str| Error::Invalid {
        what: "approval in advance",
        value: request.destination.chars().take(200).collect(),
        reason: reason.into(),
    };
    if !(1..=DAYS).contains(&days) {
        return Err(wrong("use 1 to 90 days"));
    }
    if request.level > Level::Names {
        return Err(wrong(
            "only numbers and names can be approved in advance: review what people wrote each time",
        ));
    }
    if request.destination.trim().is_empty() {
        return Err(wrong("it needs a destination"));
    }
    desk.stand(&desk::Standing {
        destination: request.destination.trim().into(),
        level: request.level,
        since: now,
        until: Micros(now.0 + i64::from(days) * DAY),
        fields: format(),
    })
}

/// Why an approval in advance holds no longer.
fn void(one: &desk::Standing, now: Micros) -> Option<String> {
    if one.until <= now {
        return Some("it has expired".into());
    }
    let then: Vec<&str> = one.fields.split(' ').collect();
    let new: Vec<String> = fields()
        .iter()
        .map(ToString::to_string)
        .filter(|field| !then.contains(&field.as_str()))
        .collect();
    (!new.is_empty()).then(|| format!("the format has new fields since: {}", new.join(", ")))
}

/// Whether an approval in advance covers such a stage.
///
/// # Errors
/// [`Error::Refused`], which says why not.
pub(super) fn covers(desk: &Desk, destination: &str, choice: Choice, now: Micros) -> Result<()> {
    let refused = |why: &str| {
        Error::Refused(format!(
            "no approval in advance for {destination} covers this: {why}"
        ))
    };
    let standing = desk.standing()?;
    let one = standing
        .iter()
        .find(|one| one.destination == destination)
        .ok_or_else(|| refused("there is no such approval"))?;
    if let Some(why) = void(one, now) {
        return Err(refused(&why));
    }
    if choice.level > one.level || choice.identities == Identities::Real {
        return Err(refused("it shares more"));
    }
    Ok(())
}

/// # Errors
/// [`Error::Sqlite`]; [`Error::Invalid`] for a policy that cannot be read.
pub(crate) fn rules(dir: &Path, now: Micros) -> Result<SharingRules> {
    let desk = Desk::open(dir)?;
    let standing = desk.standing()?.into_iter().map(|one| Standing {
        void: void(&one, now),
        destination: one.destination,
        level: one.level,
        since_micros: one.since,
        until_micros: one.until,
    });
    let mut destinations: Vec<String> = open::list(dir)?
        .stages
        .into_iter()
        .map(|stage| stage.destination)
        .collect();
    destinations.sort();
    destinations.dedup();
    Ok(SharingRules {
        policy: Policy::read(&dir.join(FILE))?.as_ref().map(Policy::said),
        standing: standing.collect(),
        destinations,
        words: own_words(&desk)?,
    })
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
