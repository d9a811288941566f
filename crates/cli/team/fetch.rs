//! `bobbin fetch [BUNDLE]`: what the account holds, or one bundle of it as a file.

use std::path::{Path, PathBuf};

use bobbin_http::sync::Team;
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
                    match one.others.is_empty() {
                        true => "–".into(),
                        false => print::cut(&visible::plain(&one.others.join(", ")), 32),
                    },
                    one.clusters.to_string(),
                    print::bytes(one.bytes),
                    match one.recalled_micros {
                        Some(at) => format!("recalled {}", print::moment(at)),
                        None => print::moment(one.at_micros),
                    },
                ]
            })
            .collect();
        return print::write(&print::table(
            &[
                "bundle",
                "name",
                "by",
                "also shared by",
                "clusters",
                "bytes",
                "when",
            ],
            &[false, false, false, false, true, true, false],
            &rows,
        ));
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
