//! The typed filter of the list of clusters: `user:ana workers>=10 has:exception since:7d -tag:ci`.
//!
//! Terms beside each other must all hold; `or` between two takes either, and binds them closer; `-` negates; parentheses
//! group. A text is read by [`parse()`], written back by `Display`, and asked by [`compile()`], which makes SQL of fixed pieces
//! and hands every value over as a parameter.

mod complete;
mod parse;
mod plain;
mod print;
mod sql;
mod staying;
#[cfg(test)]
mod tests;

use chrono::{Datelike, Months, NaiveDate, NaiveTime, TimeDelta, TimeZone};
use chrono_tz::Tz;

use crate::model::{ClusterState, Micros};
use crate::{Error, Result};

pub(crate) use complete::complete;
pub(crate) use parse::parse;
pub(crate) use plain::plain;
pub(crate) use sql::{Compiled, ORDERS, Tables, compile, halves, phrase};
pub(crate) use staying::staying;

/// Which clusters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Filter {
    /// All of these hold. None of them is every cluster.
    All(Vec<Filter>),
    /// One of these holds.
    Any(Vec<Filter>),
    Not(Box<Filter>),
    Term(Term),
}

impl Filter {
    /// All of `parts`, as flat as it can be said.
    pub(crate) fn all(parts: Vec<Filter>) -> Self {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Filter::All(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            1 => flat.remove(0),
            _ => Filter::All(flat),
        }
    }

    /// One of `parts`, of which there is at least one.
    pub(crate) fn any(parts: Vec<Filter>) -> Self {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Filter::Any(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            1 => flat.remove(0),
            _ => Filter::Any(flat),
        }
    }
}

/// One thing that is asked of a cluster.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Term {
    /// Part of its name, its scheduler's id, user, host, project, a tag or its note, in any case.
    Word(String),
    /// A text of it, in any case. `*` stands for anything.
    Field(Field, String),
    /// A tag, by hand or its own, with this value if one is said.
    Tag(String, Option<String>),
    State(ClusterState),
    Has(Thing),
    Measure(Measure, Comparison, Quantity),
    /// It reported at or after this.
    Since(When),
    /// It reported before this; a day is included.
    Until(When),
    /// A row of the heat-map. Not typed.
    Label(String),
    /// This user, letter by letter. Not typed.
    User(String),
    /// It reported at or after this moment. Not typed.
    From(Micros),
    /// It reported before this moment. Not typed.
    To(Micros),
    /// One of these, by their numbers. Not typed.
    Ids(Vec<i64>),
    /// Its deletion was begun. Not typed.
    Going,
}

/// Words of one meaning: as they are typed, and what they stand for.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[doc = $doc:literal])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name { $($(#[doc = $doc])* $variant,)* }

        impl $name {
            pub(crate) const ALL: &[$name] = &[$($name::$variant),*];

            pub(crate) fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            fn read(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.word().eq_ignore_ascii_case(word))
            }
        }
    };
}

words! {
/// A text of a cluster.
Field {
    /// who started it
    User = "user",
    /// the machine of its scheduler
    Host = "host",
    /// its project
    Project = "project",
    /// part of what it is called
    Name = "name",
    /// a function that it ran, as in the names of its tasks
    Function = "function",
    /// the type of an exception
    Exception = "exception",
}
}

words! {
/// Something that a cluster has or has not.
Thing {
    /// failed with an exception
    Exception = "exception",
    /// you wrote a note
    Note = "note",
    /// you pinned it
    Pin = "pin",
    /// a price was in force, and its threads were heard of
    Cost = "cost",
    /// code of its computations is here
    Code = "code",
    /// it is told from a recording
    Sample = "sample",
}
}

words! {
/// A figure of a cluster.
Measure {
    /// the most workers at once
    Workers = "workers",
    /// the most threads at once
    Threads = "threads",
    /// the most memory in use, such as 4GiB
    Memory = "memory",
    /// tasks that finished
    Tasks = "tasks",
    /// tasks that erred
    Erred = "erred",
    /// from its start to its end or now, such as 2h
    Duration = "duration",
    /// time in your functions over all threads, such as 30m
    Compute = "compute",
    /// threads × time, idleness included, such as 10h
    ClusterTime = "cluster_time",
    /// of it, while nothing finished that threads had to do, such as 10m
    Stalled = "stalled",
    /// compute ÷ cluster time, such as 50%
    Efficiency = "efficiency",
    /// kinds of exception
    Exceptions = "exceptions",
    /// computations
    Computations = "computations",
    /// what it cost, in the currency of the prices
    Cost = "cost",
}
}

words! {
/// How a figure is compared.
Comparison {
    /// at least
    AtLeast = ">=",
    /// at most
    AtMost = "<=",
    /// more than
    More = ">",
    /// less than
    Less = "<",
    /// exactly
    Equal = "=",
}
}

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Milliseconds,
    Seconds,
    Minutes,
    Hours,
    Days,
    Weeks,
    Bytes,
    Kibibytes,
    Mebibytes,
    Gibibytes,
    Tebibytes,
    Kilobytes,
    Megabytes,
    Gigabytes,
    Terabytes,
    Percent,
}

impl Unit {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Unit::Milliseconds => "ms",
            Unit::Seconds => "s",
            Unit::Minutes => "m",
            Unit::Hours => "h",
            Unit::Days => "d",
            Unit::Weeks => "w",
            Unit::Bytes => "B",
            Unit::Kibibytes => "KiB",
            Unit::Mebibytes => "MiB",
            Unit::Gibibytes => "GiB",
            Unit::Tebibytes => "TiB",
            Unit::Kilobytes => "kB",
            Unit::Megabytes => "MB",
            Unit::Gigabytes => "GB",
            Unit::Terabytes => "TB",
            Unit::Percent => "%",
        }
    }

    /// In seconds, bytes, or as a share of one.
    fn size(self) -> f64 {
        match self {
            Unit::Milliseconds => 1e-3,
            Unit::Seconds | Unit::Bytes => 1.0,
            Unit::Minutes => 60.0,
            Unit::Hours => 3_600.0,
            Unit::Days => 86_400.0,
            Unit::Weeks => 604_800.0,
            Unit::Kibibytes => 1024.0,
            Unit::Mebibytes => 1_048_576.0,
            Unit::Gibibytes => 1_073_741_824.0,
            Unit::Tebibytes => 1_099_511_627_776.0,
            Unit::Kilobytes => 1e3,
            Unit::Megabytes => 1e6,
            Unit::Gigabytes => 1e9,
            Unit::Terabytes => 1e12,
            Unit::Percent => 0.01,
        }
    }
}

impl Measure {
    /// The units that it may be said in.
    fn units(self) -> &'static [Unit] {
        match self {
            Measure::Memory => &[
                Unit::Bytes,
                Unit::Kibibytes,
                Unit::Mebibytes,
                Unit::Gibibytes,
                Unit::Tebibytes,
                Unit::Kilobytes,
                Unit::Megabytes,
                Unit::Gigabytes,
                Unit::Terabytes,
            ],
            Measure::Duration | Measure::Compute | Measure::ClusterTime | Measure::Stalled => &[
                Unit::Milliseconds,
                Unit::Seconds,
                Unit::Minutes,
                Unit::Hours,
                Unit::Days,
                Unit::Weeks,
            ],
            Measure::Efficiency => &[Unit::Percent],
            Measure::Workers
            | Measure::Threads
            | Measure::Tasks
            | Measure::Erred
            | Measure::Exceptions
            | Measure::Computations
            | Measure::Cost => &[],
        }
    }
}

/// A number as it was typed: seconds, bytes or pieces where no unit is said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quantity {
    /// Finite and not negative.
    pub(crate) number: f64,
    pub(crate) unit: Option<Unit>,
}

impl Quantity {
    fn value(self) -> f64 {
        self.number * self.unit.map_or(1.0, Unit::size)
    }
}

/// A moment as it was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// So many minutes, hours, days or weeks before now.
    Ago(u32, Unit),
    /// A day of the reader's time zone.
    Day(NaiveDate),
}

/// What a text is read and asked against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) now: Micros,
    /// By its rules the days of a filter are cut.
    pub(crate) zone: Tz,
}

impl Moment {
    /// `time_zone` by its IANA name; empty is UTC.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a zone that is not known.
    pub(crate) fn new(now: Micros, time_zone: &str) -> Result<Self> {
        let zone = match time_zone {
            "" => Tz::UTC,
            name => name.parse().map_err(|_| Error::Invalid {
                what: "time zone",
                value: name.chars().take(60).collect(),
                reason: "it is not an IANA name, for example Europe/Berlin or UTC".into(),
            })?,
        };
        Ok(Self { now, zone })
    }

    /// The calendar month that it lies in, there.
    pub(crate) fn month(self) -> (Micros, Micros) {
        let now = self.zone.timestamp_nanos(self.now.0.saturating_mul(1_000));
        let first = now.date_naive().with_day(1).unwrap_or_default();
        let next = first.checked_add_months(Months::new(1)).unwrap_or(first);
        (self.begins(first), self.begins(next))
    }

    /// When a day begins. Where the clocks leave midnight out, with the first moment that there is.
    fn begins(self, day: NaiveDate) -> Micros {
        const STEP: TimeDelta = TimeDelta::minutes(15);
        let midnight = day.and_time(NaiveTime::MIN);
        // Samoa once left out a whole day.
        let found = (0..=4 * 25)
            .map(|steps| midnight + STEP * steps)
            .find_map(|local| self.zone.from_local_datetime(&local).earliest());
        Micros(found.map_or(midnight.and_utc().timestamp_micros(), |at| {
            at.timestamp_micros()
        }))
    }
}

/// Why a text is no filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The word that is not understood.
    pub(crate) word: String,
    /// The place of its first letter, from 1.
    pub(crate) at: usize,
    /// What is wrong with it, and what would be right.
    pub(crate) reason: String,
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Error::Invalid {
            what: "filter",
            value: fault.word,
            reason: format!("at character {}, {}", fault.at, fault.reason),
        }
    }
}
