//! What a cluster says of itself, as somebody else may see it.

use std::collections::BTreeMap;

use rusqlite::Connection;
use serde::Deserialize;

use super::aliases::Aliases;
use super::class::{Choice, Identities, Level};
use super::lens::{Lens, Shared};
use super::policy::Policy;
use super::rows::cluster;
use super::text;
use crate::Result;
use crate::scan::Scanner;
use crate::seal::FingerprintKey;

/// Of one cluster.
#[derive(Debug, PartialEq)]
pub(crate) struct Told {
    pub(crate) scheduler_id: String,
    pub(crate) words: Words,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Words {
    pub(crate) name: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) tags: BTreeMap<String, Option<String>>,
}

/// What is told of a cluster in a list.
///
/// # Errors
/// [`crate::Error::NotFound`]; [`crate::Error::Refused`] for one that has not said yet what may be told of it;
/// [`crate::Error::Sqlite`].
pub(crate) fn told(
    db: &Connection,
    id: i64,
    choice: Choice,
    key: &FingerprintKey,
    policy: Option<&Policy>,
    names: &Scanner,
) -> Result<Told> {
    let found = cluster(db, id)?;
    let aliases = Aliases::new(key);
    let mut lens = Lens::new(choice, &aliases, &found.said, [])
        .under(policy)
        .naming_nobody(names);
    Ok(Told {
        scheduler_id: lens.id_of(&found.scheduler_id),
        words: serde_json::from_value(found.said.share(&mut lens)?)?,
    })
}

/// A user or a host as the lens tells it.
pub(crate) fn identity(choice: Choice, key: &FingerprintKey, noun: &str, value: &str) -> String {
    let real = choice.identities == Identities::Real && choice.level > Level::Metrics;
    match real || text::is_random(value) || text::is_numbered(value) {
        true => value.into(),
        false => Aliases::new(key).of(noun, value),
    }
}
