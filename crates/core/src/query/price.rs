//! The price book: what is in force, its history, and writing into it; which price a cluster has, and what it makes of
//! what was used.

mod cost;
mod fits;
mod rates;

use rusqlite::{Connection, Row, named_params};

use super::page::Json;
use super::types::{Price, PriceBook, PriceChange, PriceTerms};
use crate::model::Micros;
use crate::{Error, Result};

pub(crate) use cost::CostSql;
pub(crate) use fits::price_of;
pub(crate) use rates::{Rates, money};

/// Lines of history that are shown.
const CHANGES: u32 = 500;
/// Prices that a book has at most: each cluster is compared with all of them.
const PRICES: usize = 500;

/// The prices in force, with their history if that is wanted.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn price_book(db: &Connection, history: bool) -> Result<PriceBook> {
    let mut prices: Vec<Price> = db
        .prepare_cached(include_str!("price_book.sql"))?
        .query_map([], price)?
        .collect::<rusqlite::Result<_>>()?;
    prices.sort_by_key(|price| std::cmp::Reverse(fits::narrowness(&price.terms.applies_to)));
    let changes = if history {
        db.prepare_cached(include_str!("price_changes.sql"))?
            .query_map(named_params! { ":limit": CHANGES }, |row| {
                Ok(PriceChange {
                    at_micros: row.get("at_micros")?,
                    currency: row.get("currency")?,
                    price: price(row)?,
                    removed: row.get("removed")?,
                })
            })?
            .collect::<rusqlite::Result<_>>()?
    } else {
        Vec::new()
    };
    Ok(PriceBook {
        currency: currency(db)?,
        prices,
        changes,
        known: Vec::new(),
    })
}

fn currency(db: &Connection) -> Result<String> {
    Ok(db
        .prepare_cached(include_str!("price_currency.sql"))?
        .query_one([], |row| row.get(0))?)
}

fn price(row: &Row<'_>) -> rusqlite::Result<Price> {
    Ok(Price {
        id: row.get("price_id")?,
        terms: PriceTerms {
            name: row.get("name")?,
            provenance: row.get("provenance")?,
            from_micros: row.get("from_micros")?,
            to_micros: row.get("to_micros")?,
            applies_to: row.get::<_, Json<_>>("applies_to")?.0,
            rate: row.get::<_, Json<_>>("rate")?.0,
        },
    })
}

/// Writes a price, or corrects one. The terms have been checked.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`] if the book is full, [`Error::Sqlite`].
pub(crate) fn set_price(
    db: &Connection,
    now: Micros,
    id: Option<i64>,
    terms: &PriceTerms,
) -> Result<()> {
    let book = price_book(db, false)?;
    match id {
        Some(id) => drop(known(&book, id)?),
        None if book.prices.len() >= PRICES => {
            return Err(Error::Invalid {
                what: "price",
                value: terms.name.clone(),
                reason: format!("the price book already has {PRICES} prices; remove one first"),
            });
        }
        None => {}
    }
    add(db, now, id, &book.currency, terms, false)
}

/// Takes a price out of the book; its history stays.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Sqlite`].
pub(crate) fn remove_price(db: &Connection, now: Micros, id: i64) -> Result<()> {
    let book = price_book(db, false)?;
    let price = known(&book, id)?;
    add(db, now, Some(id), &book.currency, &price.terms, true)
}

/// Names the currency of all prices.
///
/// # Errors
/// [`Error::Invalid`] if there is no price; [`Error::Sqlite`].
pub(crate) fn set_currency(db: &Connection, now: Micros, currency: &str) -> Result<()> {
    let book = price_book(db, false)?;
    if book.prices.is_empty() {
        return Err(Error::Invalid {
            what: "currency",
            value: currency.into(),
            reason: "the price book has no price yet; add one first".into(),
        });
    }
    for price in &book.prices {
        add(db, now, Some(price.id), currency, &price.terms, false)?;
    }
    Ok(())
}

fn known(book: &PriceBook, id: i64) -> Result<&Price> {
    let price = book.prices.iter().find(|price| price.id == id);
    price.ok_or_else(|| Error::NotFound {
        kind: "price",
        id: id.to_string(),
    })
}

fn add(
    db: &Connection,
    now: Micros,
    id: Option<i64>,
    currency: &str,
    terms: &PriceTerms,
    removed: bool,
) -> Result<()> {
    db.prepare_cached(include_str!("price_add.sql"))?
        .execute(named_params! {
            ":price_id": id,
            ":at_micros": now,
            ":removed": removed,
            ":currency": currency,
            ":name": terms.name,
            ":provenance": terms.provenance,
            ":from_micros": terms.from_micros,
            ":to_micros": terms.to_micros,
            ":applies_to": serde_json::to_string(&terms.applies_to)?,
            ":rate": serde_json::to_string(&terms.rate)?,
        })?;
    Ok(())
}
