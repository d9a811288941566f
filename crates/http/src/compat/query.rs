//! What the published client asks for in the query of a list.

use bobbin_core::{Error, Result};

/// The query of a list. What is absent is not asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// At most this many rows, 1 to 1,000.
    pub limit: u32,
    pub offset: u64,
    /// Only what is at most this many seconds old.
    pub since_seconds: Option<f64>,
    pub user: Option<String>,
    /// A cluster, by Bobbin's number or the scheduler's id.
    pub cluster: Option<String>,
}

/// The client's own page.
const PAGE: u32 = 100;
/// The most that is given at once.
const MOST: u32 = 1000;

impl Query {
    /// Reads a query.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a number that is none.
    pub fn read(text: &str) -> Result<Self> {
        let mut query = Self {
            limit: PAGE,
            ..Self::default()
        };
        for (key, value) in form_urlencoded::parse(text.as_bytes()) {
            match &*key {
                "limit" => query.limit = number::<u32>("limit", &value)?.clamp(1, MOST),
                "offset" => query.offset = number("offset", &value)?,
                "since" => query.since_seconds = Some(seconds(&value)?),
                "user" => query.user = Some(value.into_owned()),
                "cluster" | "scheduler" => query.cluster = Some(value.into_owned()),
                _ => {}
            }
        }
        Ok(query)
    }
}

fn number<T: std::str::FromStr>(what: &'static str, value: &str) -> Result<T> {
    value.parse().map_err(|_| Error::Invalid {
        what,
        value: value.chars().take(40).collect(),
        reason: "it is not a whole number, 0 or more".into(),
    })
}

fn seconds(value: &str) -> Result<f64> {
    match value.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
        _ => Err(Error::Invalid {
            what: "since",
            value: value.chars().take(40).collect(),
            reason: "it is not a number of seconds".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_may_be_whole_or_not() {
        assert_eq!(
            Query::read("since=604800").unwrap().since_seconds,
            Some(604_800.0)
        );
        assert_eq!(Query::read("since=0.5").unwrap().since_seconds, Some(0.5));
        assert!(Query::read("since=NaN").is_err());
        assert!(Query::read("since=-1").is_err());
    }

    #[test]
    fn an_absent_limit_is_the_clients_page() {
        let query = Query::read("offset=200&user=a%20b&x=1").unwrap();
        assert_eq!(
            (query.limit, query.offset, query.user.as_deref()),
            (100, 200, Some("a b"))
        );
        assert_eq!(Query::read("limit=0").unwrap().limit, 1);
        assert!(Query::read("offset=-1").is_err());
    }
}
