//! What kind of thing a field tells, and how much of it a bundle may tell.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a field of the vocabulary tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FieldClass {
    /// Counts, times, bytes, states; ids that were drawn at random; words of Bobbin's own.
    Metric,
    /// Functions, prefixes, projects, tags, libraries and their versions, types of exceptions.
    Name,
    /// Users, hosts, addresses, folders; and keys of tasks, which may say anything.
    Identity,
    /// Messages and tracebacks.
    ErrorText,
    /// Snippets and lines of source.
    Code,
    /// What events carry.
    Payload,
}

impl FieldClass {
    /// From what everybody may see to what hardly anybody may.
    pub const ALL: [Self; 6] = [
        Self::Metric,
        Self::Name,
        Self::Identity,
        Self::ErrorText,
        Self::Code,
        Self::Payload,
    ];

    /// The least level that tells it.
    pub fn least(self) -> Level {
        match self {
            Self::Metric => Level::Metrics,
            Self::Name | Self::Identity => Level::Names,
            Self::ErrorText => Level::Errors,
            Self::Code | Self::Payload => Level::Everything,
        }
    }
}

/// How much a bundle tells. Each level tells what those before it do.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Numbers. Names become aliases, so that what belongs together still does.
    Metrics,
    /// Names too, nothing that people wrote.
    #[default]
    Names,
    /// Messages and tracebacks too.
    Errors,
    /// Code, lines of source and events too.
    Everything,
}

impl Level {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Metrics => "metrics",
            Self::Names => "names",
            Self::Errors => "errors",
            Self::Everything => "everything",
        }
    }

    /// Whether fields of this class are told. Identities are asked for by themselves: see [`Identities`].
    pub fn tells(self, class: FieldClass) -> bool {
        self >= class.least()
    }

    /// Whether the private key is needed to write a bundle of it.
    pub fn needs_key(self) -> bool {
        self >= Self::Errors
    }
}

/// What becomes of users, hosts, addresses, folders and keys of tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Identities {
    /// Each has an alias, the same in all bundles of this install, from which nobody else can tell what it was.
    #[default]
    Aliases,
    /// As they are.
    Real,
}

/// What a person chose to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct Choice {
    pub level: Level,
    pub identities: Identities,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_tells_what_those_before_it_do() {
        let told = |level: Level| {
            FieldClass::ALL
                .into_iter()
                .filter(|&class| level.tells(class))
                .count()
        };
        assert_eq!(
            [
                Level::Metrics,
                Level::Names,
                Level::Errors,
                Level::Everything
            ]
            .map(told),
            [1, 3, 4, 6]
        );
        assert_eq!(Choice::default().level, Level::Names);
        assert_eq!(Choice::default().identities, Identities::Aliases);
        assert!(!Level::Names.needs_key() && Level::Errors.needs_key());
    }
}
