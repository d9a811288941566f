//! `bobbin salvage`: what can still be read of a damaged store, as a snapshot that can be restored.

use std::path::Path;

use bobbin_core::api;
use bobbin_core::clock::SystemClock;

use crate::args::SalvageArgs;
use crate::failure::Failure;
use crate::{print, visible};

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &SalvageArgs) -> Result<(), Failure> {
    let salvaged = api::salvage(data_dir, args.store.as_deref(), &SystemClock)?;
    if json {
        return print::json(&salvaged);
    }
    let rows: Vec<Vec<String>> = salvaged
        .tables
        .iter()
        .filter(|table| table.rows + table.unreadable + table.dropped > 0)
        .map(|table| {
            vec![
                visible::plain(&table.name),
                table.rows.to_string(),
                table.unreadable.to_string(),
                table.dropped.to_string(),
            ]
        })
        .collect();
    let mut text = print::table(
        &["table", "rows", "unreadable places", "rows dropped"],
        &[false, true, true, true],
        &rows,
    );
    if salvaged.unnamed_clusters > 0 {
        text.push_str(&format!(
            "clusters whose name was lost: {}\n",
            salvaged.unnamed_clusters
        ));
    }
    text.push_str(&format!(
        "snapshot {} holds what Bobbin could recover from {}\n",
        salvaged.snapshot.number,
        visible::plain(&salvaged.file)
    ));
    print::write(&text)?;
    print::talk(&format!(
        "To use it, stop Bobbin and run `bobbin restore {}`.",
        salvaged.snapshot.number
    ));
    Ok(())
}
