//! What a store holds as plain tables for other programs: names, numbers and times; nothing that is sealed.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rusqlite::{Connection, Row};

use crate::Result;

/// A table, column by column, all of the same length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub name: Cow<'static, str>,
    pub columns: Vec<Column>,
}

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: Cow<'static, str>,
    pub values: Values,
}

/// What a column holds; none is what was not told.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    Text(Vec<Option<String>>),
    Whole(Vec<Option<i64>>),
    Real(Vec<Option<f64>>),
    /// Microseconds since 1970 UTC.
    Moment(Vec<Option<i64>>),
    Truth(Vec<Option<bool>>),
}

impl Table {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// The rows of each value of a column of text, in the order in which they come first; rows without one are in none.
    pub fn split_by(&self, name: &str) -> Vec<(String, Table)> {
        let Some(Values::Text(keys)) = self.column(name) else {
            return Vec::new();
        };
        let mut order: Vec<&String> = Vec::new();
        for key in keys.iter().flatten() {
            if !order.contains(&key) {
                order.push(key);
            }
        }
        order
            .into_iter()
            .map(|wanted| {
                let of: Vec<usize> = (0..keys.len())
                    .filter(|&row| keys[row].as_ref() == Some(wanted))
                    .collect();
                (wanted.clone(), self.take(&of))
            })
            .collect()
    }

    /// The values of a column.
    pub fn column(&self, name: &str) -> Option<&Values> {
        self.columns
            .iter()
            .find(|column| column.name == name)
            .map(|column| &column.values)
    }

    /// The rows for which a column of text says this.
    pub fn only(&self, name: &str, wanted: &str) -> Table {
        let Some(Values::Text(keys)) = self.column(name) else {
            return self.take(&[]);
        };
        let of = (0..keys.len()).filter(|&row| keys[row].as_deref() == Some(wanted));
        self.take(&of.collect::<Vec<_>>())
    }

    /// All rows but those for which a column of text says one of these.
    pub fn without(&self, name: &str, unwanted: &BTreeSet<String>) -> Table {
        let Some(Values::Text(keys)) = self.column(name) else {
            return self.clone();
        };
        let wanted = |row: &usize| {
            keys[*row]
                .as_ref()
                .is_none_or(|key| !unwanted.contains(key))
        };
        self.take(&(0..keys.len()).filter(wanted).collect::<Vec<_>>())
    }

    fn take(&self, rows: &[usize]) -> Table {
        let columns = self.columns.iter().map(|column| Column {
            name: column.name.clone(),
            values: column.values.take(rows),
        });
        Table {
            name: self.name.clone(),
            columns: columns.collect(),
        }
    }
}

impl Values {
    /// How many, with those that were not told.
    pub fn len(&self) -> usize {
        match self {
            Values::Text(values) => values.len(),
            Values::Whole(values) | Values::Moment(values) => values.len(),
            Values::Real(values) => values.len(),
            Values::Truth(values) => values.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn take(&self, rows: &[usize]) -> Values {
        fn some<T: Clone>(values: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&row| values[row].clone()).collect()
        }
        match self {
            Values::Text(values) => Values::Text(some(values, rows)),
            Values::Whole(values) => Values::Whole(some(values, rows)),
            Values::Real(values) => Values::Real(some(values, rows)),
            Values::Moment(values) => Values::Moment(some(values, rows)),
            Values::Truth(values) => Values::Truth(some(values, rows)),
        }
    }

    fn push(&mut self, row: &Row<'_>, at: usize) -> rusqlite::Result<()> {
        match self {
            Values::Text(values) => values.push(row.get(at)?),
            Values::Whole(values) | Values::Moment(values) => values.push(row.get(at)?),
            Values::Real(values) => values.push(row.get(at)?),
            Values::Truth(values) => values.push(row.get(at)?),
        }
        Ok(())
    }
}

/// What a table is made of: its question, and of each of its columns what it holds.
struct Shape {
    name: &'static str,
    sql: &'static str,
    columns: &'static [(&'static str, Kind)],
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Whole,
    Real,
    Moment,
    Truth,
}
use Kind::{Moment, Real, Text, Truth, Whole};

const SHAPES: [Shape; 5] = [
    Shape {
        name: "clusters",
        sql: include_str!("tables/clusters.sql"),
        columns: &[
            ("day", Text),
            ("cluster", Text),
            ("name", Text),
            ("user", Text),
            ("host", Text),
            ("project", Text),
            ("tags", Text),
            ("started_at", Moment),
            ("last_sample_at", Moment),
            ("stopped_at", Moment),
            ("lasted_seconds", Real),
            ("thread_seconds", Real),
            ("compute_seconds", Real),
            ("transfer_seconds", Real),
            ("disk_seconds", Real),
            ("other_seconds", Real),
            ("worker_seconds", Real),
            ("memory_mib_seconds", Whole),
            ("tasks_completed", Whole),
            ("tasks_erred", Whole),
            ("result_bytes", Whole),
            ("computations", Whole),
            ("exceptions", Whole),
            ("workers_peak", Whole),
            ("threads_peak", Whole),
            ("memory_peak_bytes", Whole),
            ("sample", Truth),
        ],
    },
    Shape {
        name: "hours",
        sql: include_str!("tables/hours.sql"),
        columns: &[
            ("day", Text),
            ("cluster", Text),
            ("user", Text),
            ("host", Text),
            ("project", Text),
            ("hour", Moment),
            ("thread_seconds", Real),
            ("compute_seconds", Real),
            ("transfer_seconds", Real),
            ("disk_seconds", Real),
            ("other_seconds", Real),
            ("worker_seconds", Real),
            ("memory_mib_seconds", Whole),
            ("tasks_completed", Whole),
            ("tasks_erred", Whole),
            ("result_bytes", Whole),
            ("workers_peak", Whole),
            ("memory_peak_bytes", Whole),
            ("sample", Truth),
        ],
    },
    Shape {
        name: "task_groups",
        sql: include_str!("tables/task_groups.sql"),
        columns: &[
            ("day", Text),
            ("cluster", Text),
            ("id", Text),
            ("name", Text),
            ("prefix", Text),
            ("states", Text),
            ("tasks", Real),
            ("compute_seconds", Real),
            ("transfer_seconds", Real),
            ("disk_read_seconds", Real),
            ("disk_write_seconds", Real),
            ("deserialize_seconds", Real),
            ("other_seconds", Real),
            ("result_bytes", Whole),
            ("started_at", Moment),
            ("stopped_at", Moment),
            ("timed_tasks", Whole),
            ("mean_seconds", Real),
            ("std_seconds", Real),
            ("p50_seconds", Real),
            ("p95_seconds", Real),
            ("max_seconds", Real),
            ("retried", Whole),
        ],
    },
    Shape {
        name: "computations",
        sql: include_str!("tables/computations.sql"),
        columns: &[
            ("day", Text),
            ("cluster", Text),
            ("id", Text),
            ("started_at", Moment),
            ("stopped_at", Moment),
            ("groups", Text),
            ("states", Text),
            ("retried", Whole),
        ],
    },
    Shape {
        name: "exceptions",
        sql: include_str!("tables/exceptions.sql"),
        columns: &[
            ("day", Text),
            ("cluster", Text),
            ("id", Text),
            ("type", Text),
            ("task_group", Text),
            ("origin", Text),
            ("worker", Text),
            ("count", Whole),
            ("dependents", Whole),
            ("first_seen_at", Moment),
            ("last_seen_at", Moment),
        ],
    },
];

/// All tables of one state of the store.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn tables(db: &Connection) -> Result<Vec<Table>> {
    SHAPES.iter().map(|shape| table(db, shape)).collect()
}

fn table(db: &Connection, shape: &Shape) -> Result<Table> {
    let mut columns: Vec<Column> = shape
        .columns
        .iter()
        .map(|&(name, kind)| Column {
            name: name.into(),
            values: match kind {
                Text => Values::Text(Vec::new()),
                Whole => Values::Whole(Vec::new()),
                Real => Values::Real(Vec::new()),
                Moment => Values::Moment(Vec::new()),
                Truth => Values::Truth(Vec::new()),
            },
        })
        .collect();
    let mut statement = db.prepare_cached(shape.sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        for (at, column) in columns.iter_mut().enumerate() {
            column.values.push(row, at)?;
        }
    }
    Ok(Table {
        name: shape.name.into(),
        columns,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_question_answers_the_columns_that_it_is_said_to() {
        let asked = crate::testing::Bench::new().app.read(|db| {
            for shape in &SHAPES {
                let statement = db.prepare(shape.sql)?;
                let said: Vec<&str> = shape.columns.iter().map(|(name, _)| *name).collect();
                let told: Vec<&str> = statement.column_names().collect();
                assert_eq!(told, said, "{}", shape.name);
            }
            Ok(())
        });
        asked.unwrap();
    }

    #[test]
    fn a_table_is_split_by_what_a_column_says() {
        let table = Table {
            name: "hours".into(),
            columns: vec![
                Column {
                    name: "day".into(),
                    values: Values::Text(["b", "a", "b"].map(|day| Some(day.into())).into()),
                },
                Column {
                    name: "tasks".into(),
                    values: Values::Whole(vec![Some(1), None, Some(3)]),
                },
            ],
        };
        let parts = table.split_by("day");
        assert_eq!(parts[0].0, "b");
        assert_eq!(
            parts[0].1.column("tasks"),
            Some(&Values::Whole(vec![Some(1), Some(3)]))
        );
        assert_eq!(parts[1].1.rows(), 1);
        assert!(table.split_by("tasks").is_empty());
    }
}
