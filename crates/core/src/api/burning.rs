//! What clusters that are kept cost an hour, by the price that each has.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::Result;
use crate::insight::cost::money_words;
use crate::query::types::Money;
use crate::query::{self, Rates};

/// Of each cluster that has a price.
pub(super) struct Burning {
    each: HashMap<i64, Money>,
    currency: String,
}

/// Looks what clusters of these sizes cost now.
///
/// # Errors
/// [`crate::Error::Sqlite`]; [`crate::Error::NotFound`] for one that there is not.
pub(super) fn burning(db: &Connection, ids: impl Iterator<Item = i64>) -> Result<Burning> {
    let mut burning = Burning {
        each: HashMap::new(),
        currency: String::new(),
    };
    let mut ids = ids.peekable();
    if ids.peek().is_none() {
        return Ok(burning);
    }
    let book = query::price_book(db, false)?;
    for id in ids {
        let of = query::cluster_used(db, id)?;
        if let Some(price) = query::price_of(&book.prices, &of.who) {
            let rates = Rates::of(&price.terms.rate);
            let hour = rates.an_hour(of.threads, of.workers, of.memory_bytes);
            burning.each.insert(id, hour);
        }
    }
    burning.currency = book.currency;
    Ok(burning)
}

impl Burning {
    /// `≈ 0.02–0.15 € an hour`, of each.
    pub(super) fn words(&self) -> HashMap<i64, String> {
        let words = |(id, hour): (&i64, &Money)| (*id, an_hour(*hour, &self.currency));
        self.each.iter().map(words).collect()
    }

    /// The same of all together; nothing where none has a price.
    pub(super) fn sum(&self) -> Option<String> {
        self.total().map(|all| an_hour(all, &self.currency))
    }

    /// An hour of one; nothing where it has no price.
    pub(super) fn of(&self, id: i64) -> Option<Money> {
        self.each.get(&id).copied()
    }

    /// An hour of all together; nothing where none has a price.
    pub(super) fn total(&self) -> Option<Money> {
        self.each.values().copied().reduce(|one, other| Money {
            low_nanos: one.low_nanos.saturating_add(other.low_nanos),
            high_nanos: one.high_nanos.saturating_add(other.high_nanos),
        })
    }

    /// How many have a price.
    pub(super) fn priced(&self) -> u64 {
        self.each.len() as u64
    }
}

fn an_hour(money: Money, currency: &str) -> String {
    format!("≈ {} an hour", money_words(money, currency))
}
