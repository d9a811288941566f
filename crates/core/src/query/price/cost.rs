//! What each cluster cost, as an expression of SQL: so that a list of any length is sorted and filtered by it.
//!
//! The book becomes one `case`, the price that counts most first. Patterns are held against the few texts that clusters
//! really have, by the one rule of [`fits`](super::fits), and what fits is handed over as a parameter.

use rusqlite::types::Value;
use rusqlite::{Connection, named_params};

use super::fits::{like, rank};
use super::rates::Rates;
use crate::Result;
use crate::model::Micros;
use crate::query::types::{AppliesTo, Price, Range};

/// The cost of `cluster_total as t`, in the middle of its range and in the book's currency; null where there is none.
#[derive(Clone, Debug)]
pub(crate) struct CostSql {
    pub(crate) expression: String,
    /// Whether `cluster as c` is named, too.
    pub(crate) cluster: bool,
    /// The figure in whose order it is: where the book is one price for everything, and that of cores alone.
    pub(crate) along: Option<&'static str>,
    pub(crate) values: Vec<(String, Value)>,
}

impl CostSql {
    /// By these prices, which are those in force.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`].
    pub(crate) fn of(db: &Connection, prices: &[Price]) -> Result<Self> {
        let mut sql = CostSql {
            expression: String::new(),
            cluster: false,
            along: None,
            values: Vec::new(),
        };
        let mut prices: Vec<&Price> = prices.iter().collect();
        prices.sort_by_key(|price| std::cmp::Reverse(rank(price)));
        let (mut cases, mut otherwise) = (String::new(), "null".to_owned());
        for price in prices {
            let before = sql.values.len();
            let Some(condition) = sql.condition(db, price)? else {
                sql.values.truncate(before);
                continue;
            };
            let rates = Rates::of(&price.terms.rate);
            let cost = sql.cost(&rates);
            if condition.is_empty() {
                if cases.is_empty() && rates.are_of_cores_alone() {
                    sql.along = Some("t.thread_micros");
                }
                otherwise = cost;
                break;
            }
            cases.push_str(&format!("when {condition} then {cost} "));
        }
        sql.expression = match cases.as_str() {
            "" => otherwise,
            cases => format!("case {cases}else {otherwise} end"),
        };
        // Nothing was heard of its threads: then nothing is known of its cost.
        sql.expression = format!("iif(t.thread_micros > 0, {}, null)", sql.expression);
        Ok(sql)
    }

    fn put(&mut self, value: impl Into<Value>) -> String {
        let name = format!(":cost{}", self.values.len());
        self.values.push((name.clone(), value.into()));
        name
    }

    /// When a price fits: empty for always, none for never.
    fn condition(&mut self, db: &Connection, price: &Price) -> Result<Option<String>> {
        let terms = &price.terms;
        let mut all = Vec::new();
        if terms.from_micros > Micros(0) {
            all.push(format!(
                "t.started_micros >= {}",
                self.put(terms.from_micros.0)
            ));
        }
        if let Some(to) = terms.to_micros {
            all.push(format!("t.started_micros < {}", self.put(to.0)));
        }
        let (column, found) = match &terms.applies_to {
            AppliesTo::Everything => return Ok(Some(all.join(" and "))),
            AppliesTo::Host { pattern } => {
                let sql = include_str!("hosts.sql");
                (
                    "c.host collate nocase".to_owned(),
                    fitting(db, sql, &[], pattern)?,
                )
            }
            AppliesTo::Project { pattern } => {
                let sql = include_str!("projects.sql");
                (
                    "c.project collate nocase".to_owned(),
                    fitting(db, sql, &[], pattern)?,
                )
            }
            AppliesTo::Tag { name, pattern } => {
                let sql = include_str!("tag_values.sql");
                let found = fitting(db, sql, named_params! { ":name": name }, pattern)?;
                let name = self.put(name.clone());
                // What was put by hand stands over what the cluster says of itself.
                let value = |tags: &str| {
                    format!("(select value from json_each({tags}) where key = {name})")
                };
                let value = format!("coalesce({}, {})", value("c.own_tags"), value("c.tags"));
                (format!("{value} collate nocase"), found)
            }
        };
        if found.is_empty() {
            return Ok(None);
        }
        self.cluster = true;
        let found = self.put(serde_json::to_string(&found)?);
        all.push(format!(
            "{column} in (select value from json_each({found}))"
        ));
        Ok(Some(all.join(" and ")))
    }

    fn cost(&mut self, rates: &Rates) -> String {
        let hour = Micros::HOUR as f64;
        let terms = [
            ("t.thread_micros", middle(rates.core_hour) / hour),
            ("t.worker_micros", middle(rates.worker_hour) / hour),
            (
                "t.memory_mib_seconds",
                middle(rates.memory_gib_hour) / (1_024.0 * 3_600.0),
            ),
        ];
        let terms: Vec<String> = terms
            .into_iter()
            .filter(|(_, rate)| *rate > 0.0)
            .map(|(column, rate)| format!("{column} * {}", self.put(rate)))
            .collect();
        match terms.is_empty() {
            true => "0.0".into(),
            false => format!("({})", terms.join(" + ")),
        }
    }
}

fn middle(range: Range) -> f64 {
    (range.low + range.high) / 2.0
}

impl Rates {
    fn are_of_cores_alone(&self) -> bool {
        let others = [self.memory_gib_hour, self.worker_hour];
        middle(self.core_hour) > 0.0 && others.into_iter().all(|range| middle(range) <= 0.0)
    }
}

/// The texts of a question that fit a pattern.
fn fitting(
    db: &Connection,
    sql: &str,
    parameters: &[(&str, &dyn rusqlite::ToSql)],
    pattern: &str,
) -> Result<Vec<String>> {
    let mut statement = db.prepare_cached(sql)?;
    let texts = statement.query_map(parameters, |row| row.get::<_, String>(0))?;
    let texts = texts.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(texts
        .into_iter()
        .filter(|text| like(pattern, text))
        .collect())
}
