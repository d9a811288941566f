//! A moment in a file that people write, too: RFC 3339, such as `2026-03-01T20:00:00Z`.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Deserialize;

use crate::model::Micros;
use crate::{Error, Result};

/// One moment, to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Moment(DateTime<Utc>);

impl Moment {
    /// The second that `micros` lies in; none beyond what calendars hold.
    pub fn of(micros: Micros) -> Option<Self> {
        DateTime::from_timestamp(micros.0.div_euclid(1_000_000), 0).map(Self)
    }

    pub fn micros(self) -> Micros {
        Micros(self.0.timestamp_micros())
    }
}

impl FromStr for Moment {
    type Err = Error;

    fn from_str(typed: &str) -> Result<Self> {
        let moment = DateTime::parse_from_rfc3339(typed.trim()).map_err(|_| Error::Invalid {
            what: "a date and time",
            value: typed.chars().take(100).collect(),
            reason: "write it with its offset, such as 2026-03-01T20:00:00Z".into(),
        })?;
        Ok(Self(moment.with_timezone(&Utc)))
    }
}

impl TryFrom<String> for Moment {
    type Error = Error;

    fn try_from(typed: String) -> Result<Self> {
        typed.parse()
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Secs, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_an_offset_counts() {
        let moment = Moment::of(Micros(1_772_395_200_999_999)).unwrap();
        assert_eq!(moment.to_string(), "2026-03-01T20:00:00Z");
        for same in ["2026-03-01T20:00:00Z", " 2026-03-01T21:00:00+01:00"] {
            assert_eq!(same.parse::<Moment>().unwrap(), moment);
        }
        assert_eq!(moment.micros(), Micros(1_772_395_200_000_000));
    }

    #[test]
    fn what_is_none_is_named_with_the_way_out() {
        for wrong in ["tomorrow", "2026-03-01", "2026-03-01T20:00:00", ""] {
            let error = wrong.parse::<Moment>().unwrap_err().to_string();
            assert!(error.contains(wrong) && error.contains("offset"), "{error}");
        }
    }
}
