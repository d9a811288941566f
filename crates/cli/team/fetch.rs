//! `bobbin fetch [BUNDLE]`: what the account holds, or one bundle of it as a file.

use std::path::{Path, PathBuf};

use bobbin_http::sync::Team;
use bobbin_http::team::Shared;
use serde_json::json;

use super::args::FetchArgs;
use crate::failure::Failure;
use crate::{print, visible};

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &FetchArgs) -> Result<(), Failure> {
    let team = Team::load(data_dir)?;
    let laptop = super::laptop(data_dir);
    let runtime = super::runtime()?;
    let Some(sha256) = &args.bundle else {
        let shared = runtime.block_on(laptop.shared(&team))?;
        if json {
            return print::json(&shared);
        }
        let rows: Vec<Vec<String>> = shared
            .iter()
            .map(|one| {
                vec![
                    one.sha256.clone(),
                    print::cut(&visible::plain(&one.name), 40),
                    print::cut(&visible::plain(&one.member_name), 24),
                    names(&one.others),
                    one.clusters.to_string(),
                    one.counted
                        .map_or("–".into(), |counted| counted.to_string()),
                    names(&one.told_by),
                    print::bytes(one.bytes),
                    match one.recalled_micros {
                        Some(at) => format!("recalled {}", print::moment(at)),
                        None => print::moment(one.at_micros),
                    },
                ]
            })
            .collect();
        let table = print::table(
            &[
                "bundle",
                "name",
                "by",
                "also shared by",
                "clusters",
                "counted",
                "others from",
                "bytes",
                "when",
            ],
            &[false, false, false, false, true, true, false, true, false],
            &rows,
        );
        return print::write(&(table + &contradictions(&shared)));
    };
    let path = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{sha256}.bobbin")));
    let path = std::path::absolute(&path).map_err(|e| Failure::io("the bundle", &path, &e))?;
    let bytes = runtime.block_on(laptop.fetch(&team, sha256, &path))?;
    if json {
        return print::json(&json!({"path": path, "bytes": bytes, "sha256": sha256}));
    }
    print::write(&format!(
        "{}  {}\nImport it with `bobbin import`.\n",
        path.display(),
        print::bytes(bytes)
    ))
}

fn names(of: &[String]) -> String {
    match of.is_empty() {
        true => "–".into(),
        false => print::cut(&visible::plain(&of.join(", ")), 32),
    }
}

/// Where bundles contradict what somebody else shared, a line each.
fn contradictions(shared: &[Shared]) -> String {
    let mut lines = String::new();
    for one in shared {
        for what in &one.contradicts {
            let said = match &what.field {
                Some(field) => format!("{} of a {} differs", field, what.record),
                None => format!("it has a {} that is not there", what.record),
            };
            let member = visible::plain(&what.member_name);
            lines += &format!(
                "\nBundle {} of {} contradicts the bundle of {member} about cluster {}: {}. The cluster keeps {member}'s numbers.",
                &one.sha256[..12.min(one.sha256.len())],
                visible::plain(&one.member_name),
                visible::plain(&what.cluster),
                visible::plain(&said),
            );
        }
    }
    match lines.is_empty() {
        true => lines,
        false => lines + "\n",
    }
}
