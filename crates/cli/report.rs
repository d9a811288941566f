//! `bobbin report CLUSTER [OTHER]`: one HTML file that opens anywhere, or a summary in Markdown.

use std::path::{Path, PathBuf};

use bobbin_core::api::{self, ReportForm, ReportRequest};
use bobbin_core::share::{Choice, Identities};

use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::{open, print};

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &ReportArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    let ids = args
        .clusters
        .iter()
        .map(|text| Ok(open::cluster(&app, text)?.id))
        .collect::<Result<Vec<_>, Failure>>()?;
    let form = match args.markdown {
        true => ReportForm::Markdown,
        false => ReportForm::Html,
    };
    // Few lines are shown, a page is not.
    let path = match (&args.output, form) {
        (None, ReportForm::Markdown) => None,
        (Some(path), _) => Some(path.clone()),
        (None, ReportForm::Html) => Some(default_path(&ids)),
    };
    let absolute = |path: PathBuf| {
        std::path::absolute(&path).map_err(|e| Failure::io("the report", &path, &e))
    };
    let path = path.map(absolute).transpose()?;
    let written = api::report(
        &app,
        ReportRequest {
            ids,
            choice: Choice {
                level: args.level.into(),
                identities: match args.real_identities {
                    true => Identities::Real,
                    false => Identities::Aliases,
                },
            },
            form,
            cost: args.cost,
            path: path.as_ref().map(|path| path.display().to_string()),
        },
    )?;
    if json {
        return print::json(&written);
    }
    match (&written.text, &path) {
        (Some(text), _) => print::write(text),
        (None, Some(path)) => print::write(&format!(
            "{}  {}\nsha256 {}\n",
            path.display(),
            print::bytes(written.bytes),
            written.sha256
        )),
        (None, None) => Ok(()),
    }
}

/// `cluster-7.html`, or `compare-3-7.html`.
fn default_path(ids: &[i64]) -> PathBuf {
    match ids {
        [a, b] => format!("compare-{a}-{b}.html"),
        ids => format!("cluster-{}.html", ids.first().copied().unwrap_or_default()),
    }
    .into()
}
