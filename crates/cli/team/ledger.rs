//! `bobbin ledger`: everything that ever left, and every connection that was ever opened.

use std::path::Path;
use std::process::ExitCode;

use bobbin_core::ledger::{Broken, Entry, Kind, Ledger, LedgerRow};
use serde::Serialize;

use super::args::LedgerArgs;
use crate::failure::{Exit, Failure};
use crate::{print, visible};

#[derive(Serialize)]
struct Document<'a> {
    rows: Vec<&'a LedgerRow>,
    /// Connections to other machines that were ever opened.
    connections: usize,
    /// The hash of the last row; null where there is none.
    head: Option<&'a str>,
    broken: Option<&'a Broken>,
}

/// Runs the verb: 1 where the rows do not hold together.
pub fn run(data_dir: &Path, json: bool, args: &LedgerArgs) -> Result<ExitCode, Failure> {
    let read = Ledger::of(data_dir).read()?;
    let opened = |row: &&LedgerRow| row.entry.kind == Kind::Connection;
    let rows: Vec<&LedgerRow> = read
        .rows
        .iter()
        .filter(|row| !args.connections || opened(row))
        .collect();
    let head = read.rows.last().map(|row| row.hash.as_str());
    let connections = read.rows.iter().filter(opened).count();
    if json {
        print::json(&Document {
            rows,
            connections,
            head,
            broken: read.broken.as_ref(),
        })?;
    } else if args.verify {
        let (rows, head) = (read.rows.len(), head.unwrap_or("–"));
        print::write(&format!("{rows} rows verified.\nhead {head}\n"))?;
    } else {
        print::write(&table(&rows))?;
        print::write(&match connections {
            0 => "Connections to other machines: none, since install.\n".to_owned(),
            some => format!("Connections to other machines: {some}, since install.\n"),
        })?;
    }
    if let Some(broken) = &read.broken {
        print::talk(&format!(
            "error: row {} does not match: {}",
            broken.line, broken.reason
        ));
        return Ok(ExitCode::from(Exit::Failed as u8));
    }
    if let Some(noted) = &args.head
        && !read.rows.iter().any(|row| row.hash == *noted)
    {
        print::talk(
            "error: the row you noted is missing: the end of the ledger was cut off or replaced",
        );
        return Ok(ExitCode::from(Exit::Failed as u8));
    }
    Ok(ExitCode::SUCCESS)
}

fn table(rows: &[&LedgerRow]) -> String {
    if rows.is_empty() {
        return "Nothing has ever left this machine.\n".into();
    }
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let entry = &row.entry;
            vec![
                row.number.to_string(),
                print::moment(row.at_micros),
                entry.kind.word().replace('_', " "),
                print::cut(&visible::plain(&entry.what), 40),
                print::cut(&visible::plain(entry.to.as_deref().unwrap_or("–")), 48),
                print::or_dash(entry.bytes, print::bytes),
                print::cut(&visible::plain(entry.by.as_deref().unwrap_or("–")), 24),
                print::cut(&visible::plain(&told(entry)), 60),
                policy(entry),
            ]
        })
        .collect();
    print::table(
        &[
            "row",
            "when",
            "what happened",
            "what",
            "to",
            "bytes",
            "who",
            "told",
            "policy",
        ],
        &[true, false, false, false, false, true, false, false, false],
        &cells,
    )
}

/// The level, and the categories where a person looked at them.
fn told(entry: &Entry) -> String {
    let categories = entry.categories.as_deref().unwrap_or_default().join(", ");
    match (&entry.level, categories.is_empty()) {
        (None, _) => "–".into(),
        (Some(level), true) => level.clone(),
        (Some(level), false) => format!("{level}: {categories}"),
    }
}

fn policy(entry: &Entry) -> String {
    entry.policy.as_ref().map_or("–".into(), |policy| {
        let team = policy.team.as_deref().unwrap_or("unnamed");
        format!(
            "{} {}",
            print::cut(&visible::plain(team), 24),
            &policy.sha256[..12.min(policy.sha256.len())]
        )
    })
}
