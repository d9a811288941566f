//! The views of the list of clusters that a reader keeps, and the text that they are kept and exported as:
//!
//! ```text
//! bobbin view: Failing this week
//! filter: has:exception since:7d
//! order: exceptions descending
//! columns: state user started duration exceptions
//! ```

use rusqlite::{Connection, named_params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::filter::{Moment, compile, parse, staying};
use super::price::{CostSql, price_book};
use super::types::{
    ClusterColumn, ClusterView, Direction, SavedView, ViewCount, ViewCounts, ViewList,
};
use crate::{Error, Result};

/// How many are kept.
pub(crate) const MOST: usize = 200;
/// Letters of a name.
const NAME: usize = 100;

/// Every view that is kept.
///
/// # Errors
/// [`Error::Sqlite`]; [`Error::Invalid`] if another program wrote one.
pub(crate) fn views(db: &Connection) -> Result<ViewList> {
    let mut statement = db.prepare_cached(include_str!("views.sql"))?;
    let mut found = statement.query(named_params! { ":limit": MOST as u64 })?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let text: String = row.get("text")?;
        if let Some(view) = read(&text)?.pop() {
            rows.push(SavedView {
                view,
                saved_micros: row.get("saved_micros")?,
                text,
            });
        }
    }
    Ok(ViewList { rows })
}

/// How many clusters each of them lists now.
///
/// # Errors
/// As [`views`].
pub(crate) fn view_counts(db: &Connection, moment: Moment) -> Result<ViewCounts> {
    let cost = CostSql::of(db, &price_book(db, false)?.prices)?;
    let counted = views(db)?.rows.into_iter().map(|kept| {
        let filter = staying(db, parse(&kept.view.filter)?)?;
        let compiled = compile(&filter, moment, &cost);
        let sql = compiled.counting_with_newest();
        let (clusters, newest_id) = db
            .prepare_cached(&sql)?
            .query_one(&*compiled.parameters(&sql, &[]), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        Ok(ViewCount {
            name: kept.view.name,
            filter: kept.view.filter,
            clusters,
            newest_id,
        })
    });
    Ok(ViewCounts {
        rows: counted.collect::<Result<_>>()?,
    })
}

fn wrong(value: &str, reason: impl Into<String>) -> Error {
    Error::Invalid {
        what: "view",
        value: value.into(),
        reason: reason.into(),
    }
}

/// A view as text, if it can be one.
///
/// # Errors
/// [`Error::Invalid`]
pub(crate) fn write(view: &ClusterView) -> Result<String> {
    let name = view.name.trim();
    if name.is_empty() || name.chars().count() > NAME || name.contains(char::is_control) {
        return Err(wrong(
            name,
            format!("a name is one line of 1 to {NAME} characters"),
        ));
    }
    if view.filter.contains(char::is_control) {
        return Err(wrong(name, "a filter is one line"));
    }
    parse(&view.filter)?;
    let mut once = view.columns.clone();
    once.sort();
    once.dedup();
    if once.len() != view.columns.len() {
        return Err(wrong(name, "it has a column twice"));
    }
    let columns: Vec<String> = view.columns.iter().map(word).collect();
    Ok(format!(
        "bobbin view: {name}\nfilter: {}\norder: {} {}\ncolumns: {}\n",
        view.filter.trim(),
        word(&view.order),
        word(&view.direction),
        columns.join(" ")
    ))
}

/// The views of a text, in its order.
///
/// # Errors
/// [`Error::Invalid`] names the line that is not understood.
pub(crate) fn read(text: &str) -> Result<Vec<ClusterView>> {
    let mut views: Vec<ClusterView> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once(':').ok_or_else(|| {
            wrong(
                line,
                "each line must be `bobbin view:`, `filter:`, `order:` or `columns:` and its value",
            )
        })?;
        let value = value.trim();
        if key == "bobbin view" {
            if views.len() == MOST {
                return Err(wrong(line, format!("you can save at most {MOST} views")));
            }
            views.push(ClusterView {
                name: value.into(),
                filter: String::new(),
                order: Default::default(),
                direction: Direction::default(),
                columns: Vec::new(),
            });
            continue;
        }
        let view = views
            .last_mut()
            .ok_or_else(|| wrong(line, "a view starts with `bobbin view:` and its name"))?;
        match key {
            "filter" => view.filter = value.into(),
            "order" => {
                let (order, direction) = value.split_once(' ').unwrap_or((value, "descending"));
                view.order = of_word(order)?;
                view.direction = of_word(direction.trim())?;
            }
            "columns" => {
                view.columns = value
                    .split_whitespace()
                    .map(of_word::<ClusterColumn>)
                    .collect::<Result<_>>()?;
            }
            _ => {
                return Err(wrong(
                    line,
                    "a view needs `filter:`, `order:` and `columns:`",
                ));
            }
        }
    }
    for view in &views {
        write(view)?;
    }
    Ok(views)
}

/// The word of a choice, as everywhere.
fn word<T: Serialize>(choice: &T) -> String {
    match serde_json::to_value(choice) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

fn of_word<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_value(Value::String(text.into()))
        .map_err(|error| wrong(text, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::types::ClusterOrder;

    fn view(name: &str) -> ClusterView {
        ClusterView {
            name: name.into(),
            filter: "has:exception user:\"ana b\" since:7d".into(),
            order: ClusterOrder::Exceptions,
            direction: Direction::Ascending,
            columns: vec![ClusterColumn::User, ClusterColumn::ClusterTime],
        }
    }

    #[test]
    fn a_view_is_what_its_text_says() {
        let (one, two) = (view("Failing: this week"), view("two"));
        let text = format!("{}\n{}", write(&one).unwrap(), write(&two).unwrap());
        assert_eq!(read(&text).unwrap(), [one, two]);
    }

    #[test]
    fn what_is_no_view_is_named() {
        for (text, told) in [
            ("filter: a", "a view starts with"),
            ("bobbin view: a\nnonsense", "each line must be"),
            ("bobbin view: a\ncolumns: state nonsense", "nonsense"),
            ("bobbin view: a\ncolumns: state state", "twice"),
            ("bobbin view: a\norder: up", "unknown variant"),
            ("bobbin view: a\nfilter: usr:ana", "did you mean `user`"),
            ("bobbin view: ", "1 to 100"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
