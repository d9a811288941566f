//! Which of two versions is the newer one, by the rules of semantic versioning.

use std::cmp::Ordering;

/// `MAJOR.MINOR.PATCH`, and what may follow behind a `-`, such as `rc.1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version<'a> {
    numbers: [u64; 3],
    /// Of a version that comes before the one without it; empty where it is none.
    before: Vec<&'a str>,
}

impl<'a> Version<'a> {
    /// None if the text is no version.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let (numbers, before) = match text.split_once('-') {
            Some((numbers, before)) => (numbers, before.split('.').collect()),
            None => (text, Vec::new()),
        };
        let is_word =
            |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !before.iter().all(is_word) {
            return None;
        }
        let mut parts = numbers.split('.').map(number);
        let numbers = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(Self { numbers, before })
    }
}

fn number(text: &str) -> Option<u64> {
    // `parse` takes a sign.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

impl PartialOrd for Version<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let words = || {
            let pairs = self.before.iter().zip(&other.before);
            pairs
                .map(|(one, other)| word(one, other))
                .find(|order| order.is_ne())
                .unwrap_or_else(|| self.before.len().cmp(&other.before.len()))
        };
        self.numbers.cmp(&other.numbers).then_with(|| {
            // 1.0.0-rc.1 comes before 1.0.0.
            match (self.before.is_empty(), other.before.is_empty()) {
                (false, false) => words(),
                (one, other) => one.cmp(&other),
            }
        })
    }
}

/// Numbers as numbers, and before words.
fn word(one: &str, other: &str) -> Ordering {
    match (number(one), number(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => one.cmp(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_stand_in_their_order() {
        let order = [
            "0.1.0",
            "0.1.9",
            "0.1.10",
            "0.2.0-alpha",
            "0.2.0-alpha.1",
            "0.2.0-rc.2",
            "0.2.0-rc.10",
            "0.2.0",
            "1.0.0-1",
            "1.0.0-a",
            "1.0.0",
        ];
        for (at, one) in order.iter().enumerate() {
            for (behind, other) in order.iter().enumerate() {
                let compared = Version::read(one).cmp(&Version::read(other));
                assert_eq!(compared, at.cmp(&behind), "{one} {other}");
            }
        }
    }

    #[test]
    fn what_is_no_version_is_refused() {
        assert!(Version::read(env!("CARGO_PKG_VERSION")).is_some());
        for bad in [
            "",
            "1",
            "1.0",
            "1.0.0.0",
            "1..0",
            "+1.0.0",
            "1.0.0-",
            "1.0.0-a..b",
            "1.0.0-a b",
            "1.0.0+5",
            "v1.0.0",
            "1.0.99999999999999999999",
        ] {
            assert_eq!(Version::read(bad), None, "{bad}");
        }
    }
}
