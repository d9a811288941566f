//! `bobbin export CLUSTER …`: clusters into a bundle, with what was chosen of them and nothing else.

use std::path::{Path, PathBuf};

use bobbin_core::api::{self, Exported};
use bobbin_core::share::{Choice, FieldCounts, Identities};

use crate::args::ExportArgs;
use crate::failure::Failure;
use crate::{open, print, visible};

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &ExportArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    let mut ids = Vec::new();
    let mut first = None;
    for text in &args.clusters {
        let row = open::cluster(&app, text)?;
        if !ids.contains(&row.id) {
            ids.push(row.id);
        }
        first.get_or_insert(row.id);
    }
    let choice = Choice {
        level: args.level.into(),
        identities: match args.real_identities {
            true => Identities::Real,
            false => Identities::Aliases,
        },
    };
    let path = args.output.clone().unwrap_or_else(|| default_path(&ids));
    let path = std::path::absolute(&path).map_err(|e| Failure::io("the bundle", &path, &e))?;
    let written = api::export(&app, &path, &ids, choice)?;
    if written.possible_secrets > 0 {
        print::talk(&format!(
            "{} possible secret{} in it, because no decision was made on {}: `bobbin stage` shows and replaces them",
            written.possible_secrets,
            if written.possible_secrets == 1 {
                " is"
            } else {
                "s are"
            },
            if written.possible_secrets == 1 {
                "it"
            } else {
                "them"
            },
        ));
    }
    if json {
        print::json(&written)
    } else {
        print::write(&text(&written))
    }
}

/// `cluster-7.bobbin`, or `3-clusters.bobbin`.
fn default_path(ids: &[i64]) -> PathBuf {
    match ids {
        [id] => format!("cluster-{id}.bobbin"),
        ids => format!("{}-clusters.bobbin", ids.len()),
    }
    .into()
}

fn text(written: &Exported) -> String {
    let mut text = format!(
        "{}  {}\nsha256 {}\n\n",
        written.path.display(),
        print::bytes(written.bytes),
        written.sha256
    );
    let rows: Vec<Vec<String>> = written
        .manifest
        .clusters
        .iter()
        .map(|cluster| {
            vec![
                print::cut(&visible::plain(cluster.name.as_deref().unwrap_or("–")), 40),
                cluster.records.values().sum::<u64>().to_string(),
                cluster.missing_records.to_string(),
            ]
        })
        .collect();
    text += &print::table(
        &["cluster", "records", "never arrived"],
        &[false, true, true],
        &rows,
    );
    let mut all = FieldCounts::new();
    for cluster in &written.manifest.clusters {
        for (field, count) in &cluster.fields {
            let sum = all.entry(field.clone()).or_default();
            sum.masked += count.masked;
            sum.withheld += count.withheld;
        }
    }
    let rows: Vec<Vec<String>> = all
        .into_iter()
        .filter(|(_, count)| count.masked + count.withheld > 0)
        .map(|(field, count)| vec![field, count.masked.to_string(), count.withheld.to_string()])
        .collect();
    if rows.is_empty() {
        return text + "\nEverything is included as it is.\n";
    }
    text += "\nMasked or left out:\n";
    text + &print::table(
        &["field", "alias or partial", "left out"],
        &[false, true, true],
        &rows,
    )
}
