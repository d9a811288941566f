//! `bobbin sql`: the store asked in SQL, read only.

use std::io::Read as _;
use std::path::Path;

use bobbin_core::api::{self, Empty, SqlAnswer, SqlRequest, SqlResult, SqlTables, SqlValue};

use crate::args::SqlArgs;
use crate::failure::Failure;
use crate::{open, print, visible};

/// Letters of a cell in a table; `--json` and `--csv` have it whole.
const CELL: usize = 60;

/// Runs the verb. SQL that cannot be read is wrong use; what does more than read is refused.
pub fn run(data_dir: &Path, json: bool, args: &SqlArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    if args.tables {
        let tables = api::sql_tables(&app, Empty {})?;
        return if json {
            print::json(&tables)
        } else {
            print::write(&described(&tables))
        };
    }
    let answer = api::sql(
        &app,
        SqlRequest {
            sql: statement(args)?,
            limit: args.limit,
            seconds: args.seconds,
            question: None,
        },
    )?;
    if json {
        return print::json(&answer);
    }
    for result in answer.results.iter().filter(|result| result.truncated) {
        print::talk(&format!(
            "the first {} rows; raise --limit for more, up to 100,000",
            result.rows.len()
        ));
    }
    if args.csv {
        print::write(&csv(&answer)?)
    } else {
        print::write(&tables(&answer))
    }
}

fn statement(args: &SqlArgs) -> Result<String, Failure> {
    match args.sql.as_deref() {
        Some("-") | None => {
            let mut sql = String::new();
            std::io::stdin()
                .read_to_string(&mut sql)
                .map_err(|error| Failure::failed(format!("reading SQL from stdin: {error}")))?;
            Ok(sql)
        }
        Some(sql) => Ok(sql.to_owned()),
    }
}

/// Each result, with a blank line between two.
fn tables(answer: &SqlAnswer) -> String {
    let parts: Vec<String> = answer.results.iter().map(table).collect();
    parts.join("\n")
}

fn table(result: &SqlResult) -> String {
    let head: Vec<String> = result
        .columns
        .iter()
        .map(|name| print::cut(&visible::plain(name), CELL))
        .collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let right: Vec<bool> = (0..head.len())
        .map(|at| result.rows.iter().all(|row| numeric(&row[at])) && !result.rows.is_empty())
        .collect();
    let rows: Vec<Vec<String>> = result
        .rows
        .iter()
        .map(|row| {
            row.iter()
                .map(|value| print::cut(&visible::plain(&words(value)), CELL))
                .collect()
        })
        .collect();
    print::table(&head, &right, &rows)
}

fn numeric(value: &SqlValue) -> bool {
    match value {
        SqlValue::Null(()) | SqlValue::Integer(_) | SqlValue::Real(_) | SqlValue::Number { .. } => {
            true
        }
        SqlValue::Text(_) | SqlValue::Sealed { .. } | SqlValue::Blob { .. } => false,
    }
}

fn words(value: &SqlValue) -> String {
    match value {
        SqlValue::Null(()) => "–".into(),
        SqlValue::Integer(number) => number.to_string(),
        SqlValue::Real(number) => number.to_string(),
        SqlValue::Number { number } => number.clone(),
        SqlValue::Text(text) => text.clone(),
        SqlValue::Sealed { sealed_bytes } => format!("(sealed, {sealed_bytes} bytes)"),
        SqlValue::Blob { blob_bytes, hex } => format!("x'{hex}' ({blob_bytes} bytes)"),
    }
}

/// One result as comma-separated values, as RFC 4180 has them.
fn csv(answer: &SqlAnswer) -> Result<String, Failure> {
    let [result] = &answer.results[..] else {
        return Err(Failure::usage(format!(
            "--csv prints one result, but there are {}",
            answer.results.len()
        ))
        .hint("run one statement at a time, or use --json"));
    };
    let mut text = String::new();
    let head = result.columns.iter().map(|name| api::csv_cell(name));
    api::csv_line(&mut text, head);
    for row in &result.rows {
        let cells = row.iter().map(|value| match value {
            SqlValue::Null(()) => String::new(),
            SqlValue::Text(text) => api::csv_cell(text),
            other => words(other),
        });
        api::csv_line(&mut text, cells);
    }
    Ok(text)
}

fn described(tables: &SqlTables) -> String {
    let mut text = String::new();
    for table in &tables.tables {
        text.push_str(&visible::plain(&table.name));
        text.push('\n');
        for column in &table.columns {
            let sealed = if column.sealed { ", sealed" } else { "" };
            let declared = match &*column.declared {
                "" => "any",
                declared => declared,
            };
            text.push_str(&format!(
                "  {} ({declared}{sealed})\n",
                visible::plain(&column.name)
            ));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(rows: Vec<Vec<SqlValue>>) -> SqlAnswer {
        SqlAnswer {
            results: vec![SqlResult {
                columns: vec!["=name".into(), "n".into()],
                rows,
                truncated: false,
            }],
            took_micros: 1,
        }
    }

    fn text(text: &str) -> SqlValue {
        SqlValue::Text(text.into())
    }

    #[test]
    fn no_cell_of_a_spreadsheet_is_a_formula() {
        let rows = vec![
            vec![text("=cmd|' /C calc'!A0"), SqlValue::Integer(-1)],
            vec![text("@a"), SqlValue::Real(0.5)],
            vec![text("a \"b\", c\nd"), SqlValue::Null(())],
            vec![text("-1+2"), SqlValue::Sealed { sealed_bytes: 60 }],
        ];
        assert_eq!(
            csv(&answer(rows)).unwrap(),
            "\"'=name\",n\r\n\"'=cmd|' /C calc'!A0\",-1\r\n\"'@a\",0.5\r\n\"a \"\"b\"\", c\nd\",\r\n\
             \"'-1+2\",(sealed, 60 bytes)\r\n"
        );
    }

    #[test]
    fn a_table_shows_hostile_text_as_text() {
        let shown = tables(&answer(vec![vec![text("a\x1b[2J"), SqlValue::Integer(7)]]));
        assert_eq!(shown, "=name         n\na‹U+001B›[2J  7\n");
    }
}
