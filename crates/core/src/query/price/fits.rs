//! Which price is in force for a cluster.

use crate::model::Micros;
use crate::query::Who;
use crate::query::types::{AppliesTo, Price, PriceTerms};

/// The narrower, the more it counts.
pub(super) fn narrowness(applies_to: &AppliesTo) -> u8 {
    match applies_to {
        AppliesTo::Everything => 0,
        AppliesTo::Host { .. } => 1,
        AppliesTo::Project { .. } => 2,
        AppliesTo::Tag { .. } => 3,
    }
}

/// What decides between prices that fit: the larger counts.
pub(super) fn rank(price: &Price) -> (u8, Micros, i64) {
    (
        narrowness(&price.terms.applies_to),
        price.terms.from_micros,
        price.id,
    )
}

/// The price that was in force for a cluster when it began: the narrowest that fits, and of equal ones the latest.
pub(crate) fn price_of<'book>(prices: &'book [Price], who: &Who) -> Option<&'book Price> {
    prices
        .iter()
        .filter(|price| fits(&price.terms, who))
        .max_by_key(|price| rank(price))
}

fn fits(terms: &PriceTerms, who: &Who) -> bool {
    let in_force =
        terms.from_micros <= who.started && terms.to_micros.is_none_or(|to| who.started < to);
    in_force
        && match &terms.applies_to {
            AppliesTo::Everything => true,
            AppliesTo::Host { pattern } => {
                who.host.as_ref().is_some_and(|host| like(pattern, host))
            }
            AppliesTo::Project { pattern } => who
                .project
                .as_ref()
                .is_some_and(|project| like(pattern, project)),
            AppliesTo::Tag { name, pattern } => {
                who.tags.get(name).is_some_and(|value| like(pattern, value))
            }
        }
}

/// Whether a text fits a pattern, in any case; `*` stands for any text.
pub(super) fn like(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, between)) = pieces.split_last() else {
        return rest.is_empty();
    };
    for piece in between {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::testing::{DAY, project, terms};

    #[test]
    fn the_narrowest_price_in_force_counts_and_of_equal_ones_the_latest() {
        let tag = AppliesTo::Tag {
            name: "env".into(),
            pattern: "prod".into(),
        };
        let host = AppliesTo::Host {
            pattern: "*.hpc".into(),
        };
        let book: Vec<Price> = [
            terms(0, None, AppliesTo::Everything),
            terms(10, None, AppliesTo::Everything),
            terms(0, Some(15), project("etl-*")),
            terms(12, None, tag),
            terms(0, None, host),
        ]
        .into_iter()
        .zip(1..)
        .map(|(terms, id)| Price { id, terms })
        .collect();
        let price = |day: i64, project: &str, env: &str, host: &str| {
            let who = Who {
                started: Micros(day * DAY),
                project: Some(project.into()),
                host: Some(host.into()),
                tags: BTreeMap::from([("env".into(), env.into())]),
                ..Who::default()
            };
            price_of(&book, &who).map(|price| price.id)
        };
        assert_eq!(price(9, "ml", "dev", "laptop"), Some(1));
        assert_eq!(price(10, "ml", "dev", "laptop"), Some(2));
        assert_eq!(price(14, "ETL-daily", "dev", "n1.hpc"), Some(3));
        assert_eq!(price(15, "ETL-daily", "dev", "n1.hpc"), Some(5));
        assert_eq!(price(11, "etl-daily", "prod", "n1.hpc"), Some(3));
        assert_eq!(price(12, "etl-daily", "Prod", "n1.hpc"), Some(4));
        assert_eq!(price_of(&book[2..], &Who::default()), None);
    }

    #[test]
    fn patterns_fit_whole_texts() {
        for (pattern, text, fits) in [
            ("etl", "ETL", true),
            ("etl", "etl-2", false),
            ("*", "", true),
            ("a*c*e", "abcde", true),
            ("a*c*e", "abcd", false),
            ("*ab", "aab", true),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(like(pattern, text), fits, "{pattern} {text}");
        }
    }
}
