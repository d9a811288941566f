//! `bobbin report CLUSTER [OTHER]`: one HTML file that opens anywhere, or a summary in Markdown.

use std::path::{Path, PathBuf};

use bobbin_core::api::{self, ClassCount, ReportForm, ReportRequest};
use bobbin_core::share::{Choice, FieldClass, Identities};

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
        (Some(path), _) => Some(path.clone()),
        (None, ReportForm::Html) if !args.check => Some(default_path(&ids)),
        (None, _) => None,
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
            check: args.check,
            path: path.as_ref().map(|path| path.display().to_string()),
        },
    )?;
    if json {
        return print::json(&written);
    }
    if let Some(text) = &written.text {
        return print::write(text);
    }
    let size = print::bytes(written.bytes);
    let said = match &path {
        Some(path) if !args.check => {
            format!("{}  {size}\nsha256 {}\n", path.display(), written.sha256)
        }
        Some(path) => format!("{}: would be {size}\n", path.display()),
        None => format!("{}: would be {size}\n", written.name),
    };
    print::write(&format!("{said}\n{}", categories(&written.classes)))
}

/// What is in it, by category.
fn categories(classes: &[ClassCount]) -> String {
    let rows: Vec<Vec<String>> = classes
        .iter()
        .map(|one| {
            vec![
                words(one.class).into(),
                one.told.to_string(),
                one.masked.to_string(),
                one.withheld.to_string(),
            ]
        })
        .collect();
    print::table(
        &["category", "included", "alias or partial", "left out"],
        &[false, true, true, true],
        &rows,
    )
}

fn words(class: FieldClass) -> &'static str {
    match class {
        FieldClass::Metric => "metrics",
        FieldClass::Name => "names",
        FieldClass::Identity => "identities",
        FieldClass::ErrorText => "messages and tracebacks",
        FieldClass::Code => "code",
        FieldClass::Payload => "event payloads",
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
