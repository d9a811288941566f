//! A table as text: CSV for spreadsheets, JSON for programs. Each says how much of the whole it is.

use std::fmt::Write as _;

use chrono::DateTime;
use serde_json::{Map, Value, json};

use crate::model::Micros;
use crate::query::{Column, Table, Values};

/// A table, and how much of the whole it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub table: Table,
    /// Rows that there are; none where that is not known.
    pub total: Option<u64>,
    /// Whether rows are left out.
    pub truncated: bool,
}

/// Comma-separated values, as RFC 4180 has them. What is not told is an empty cell, a moment is ISO 8601 in UTC.
pub fn csv(table: &Table) -> String {
    let mut text = String::new();
    line(
        &mut text,
        table.columns.iter().map(|column| csv_cell(&column.name)),
    );
    for row in 0..table.rows() {
        line(
            &mut text,
            table.columns.iter().map(|column| cell(column, row)),
        );
    }
    text
}

/// One line of CSV, of cells that are made already.
pub fn line(text: &mut String, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.collect();
    // Writing into a text does not fail.
    let _ = write!(text, "{}\r\n", cells.join(","));
}

/// A text as a cell. Where a spreadsheet would run it as a formula it gets an apostrophe: names come from clusters. So it does where
/// a cell begins for those that part cells at semicolons or tabs, as they do where the comma is in numbers: to these quotes
/// within a cell are letters, and a line in it is a row.
pub fn csv_cell(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 2);
    let mut begins = true;
    for letter in text.chars() {
        let runs = match letter {
            '=' | '+' | '-' | '@' | '\u{ff1d}' | '\u{ff0b}' | '\u{ff0d}' | '\u{ff20}' => begins,
            '\t' | '\r' | '\n' => safe.is_empty(),
            _ => false,
        };
        if runs {
            safe.push('\'');
        }
        safe.push(letter);
        begins = match letter {
            ';' | '\t' | '\r' | '\n' => true,
            '"' | ' ' => begins,
            _ => false,
        };
    }
    if safe.contains(['"', ',', ';', '\t', '\n', '\r', '\'']) || safe.trim() != safe {
        format!("\"{}\"", safe.replace('"', "\"\""))
    } else {
        safe
    }
}

fn cell(column: &Column, row: usize) -> String {
    match &column.values {
        Values::Text(values) => values[row].as_deref().map(csv_cell),
        Values::Whole(values) => values[row].map(|value| value.to_string()),
        Values::Real(values) => values[row].map(|value| value.to_string()),
        Values::Moment(values) => values[row].map(moment),
        Values::Truth(values) => values[row].map(|value| value.to_string()),
    }
    .unwrap_or_default()
}

/// One document: what it is of, how much of it, its columns and its rows as records.
pub fn document(part: &Part, now: Micros) -> Value {
    let table = &part.table;
    let rows: Vec<Value> = (0..table.rows())
        .map(|row| {
            let record: Map<String, Value> = table
                .columns
                .iter()
                .map(|column| (column.name.clone().into_owned(), value(column, row)))
                .collect();
            Value::Object(record)
        })
        .collect();
    let columns: Vec<Value> = table
        .columns
        .iter()
        .map(|column| json!({ "name": column.name, "type": kind(&column.values) }))
        .collect();
    json!({
        "table": table.name,
        "bobbin_version": env!("CARGO_PKG_VERSION"),
        "made_at": moment(now.0),
        "rows_given": table.rows(),
        "rows_total": part.total,
        "truncated": part.truncated,
        "columns": columns,
        "rows": rows,
    })
}

fn value(column: &Column, row: usize) -> Value {
    match &column.values {
        Values::Text(values) => json!(values[row]),
        Values::Whole(values) => json!(values[row]),
        Values::Real(values) => json!(values[row]),
        Values::Moment(values) => json!(values[row].map(moment)),
        Values::Truth(values) => json!(values[row]),
    }
}

fn kind(values: &Values) -> &'static str {
    match values {
        Values::Text(_) => "text",
        Values::Whole(_) => "whole",
        Values::Real(_) => "real",
        Values::Moment(_) => "moment",
        Values::Truth(_) => "truth",
    }
}

/// ISO 8601 in UTC; the number where the calendar ends.
fn moment(micros: i64) -> String {
    match DateTime::from_timestamp_micros(micros) {
        Some(at) => at.format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string(),
        None => micros.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part() -> Part {
        let column = |name: &'static str, values| Column {
            name: name.into(),
            values,
        };
        Part {
            table: Table {
                name: "groups".into(),
                columns: vec![
                    column(
                        "name",
                        Values::Text(
                            ["=cmd|' /C calc'!A0", "\u{ff1d}a", "plain", "a \"b\", c\nd"]
                                .map(|text| Some(text.into()))
                                .into(),
                        ),
                    ),
                    column(
                        "tasks",
                        Values::Whole(vec![Some(-1), None, Some(3), Some(4)]),
                    ),
                    column(
                        "started_at",
                        Values::Moment(vec![Some(1_000_000), None, None, None]),
                    ),
                    column(
                        "is_final",
                        Values::Truth(vec![Some(true), None, None, None]),
                    ),
                ],
            },
            total: Some(9),
            truncated: true,
        }
    }

    #[test]
    fn no_cell_of_a_spreadsheet_is_a_formula_and_numbers_stay_numbers() {
        assert_eq!(
            csv(&part().table),
            "name,tasks,started_at,is_final\r\n\"'=cmd|' /C calc'!A0\",-1,1970-01-01T00:00:01.000000Z,true\r\n\
             \"'\u{ff1d}a\",,,\r\nplain,3,,\r\n\"a \"\"b\"\", c\nd\",4,,\r\n"
        );
    }

    #[test]
    fn nor_is_it_one_where_cells_are_parted_at_semicolons_or_tabs() {
        for (text, cell) in [
            ("a;b", "\"a;b\""),
            ("a\tb", "\"a\tb\""),
            ("a;=1", "\"a;'=1\""),
            ("a\t@x", "\"a\t'@x\""),
            ("a; \"=1\"", "\"a; \"\"'=1\"\"\""),
            ("a\n-1;;+2", "\"a\n'-1;;'+2\""),
            ("a-b=c", "a-b=c"),
        ] {
            assert_eq!(csv_cell(text), cell, "{text}");
        }
    }

    #[test]
    fn a_document_says_how_much_it_is_and_keeps_texts_as_they_are() {
        let document = document(&part(), Micros(2_000_000));
        assert_eq!(document["rows_given"], 4);
        assert_eq!(document["rows_total"], 9);
        assert_eq!(document["truncated"], true);
        assert_eq!(document["rows"][0]["name"], "=cmd|' /C calc'!A0");
        assert_eq!(document["rows"][1]["tasks"], Value::Null);
        assert_eq!(document["columns"][2]["type"], "moment");
    }
}
