//! Dask's configuration: whether schedulers of this user load the plugin, and whether anybody loses a preload by it.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use super::DoctorCheck;
use crate::connect::dask::{Places, preloads};
use crate::connect::record::Record;
use crate::connect::{self, file};
use crate::{Result, install};

const CONNECT_AGAIN: &str = "run `bobbin connect` again";

/// Whether the configuration that `connect` wrote is in force.
pub(super) fn checks(data_dir: &Path, chosen: Option<&Path>) -> Vec<DoctorCheck> {
    let mut checks = match connection(data_dir, chosen) {
        Ok(check) => vec![check],
        Err(error) => vec![DoctorCheck::failed("connection", &error)],
    };
    if let Ok(places) = Places::find(chosen) {
        checks.push(switches(&connect::chosen::chosen(&places, told_env())));
    }
    if let Some(warning) = connect::overruled(data_dir) {
        checks.push(DoctorCheck::wrong(
            "environment",
            warning,
            format!("run: unset {}", connect::PRELOAD_VARIABLE),
        ));
    }
    checks
}

/// What of the environment is text.
fn told_env() -> impl Iterator<Item = (String, String)> {
    env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

/// What plugins that start here are told by Dask's configuration, besides where Bobbin is.
fn switches(keys: &BTreeMap<String, Option<String>>) -> DoctorCheck {
    let said: Vec<String> = keys
        .iter()
        .map(|(key, value)| match value {
            Some(value) => format!("{key} = {value}"),
            None => format!("{key} is set"),
        })
        .collect();
    DoctorCheck::ok(
        "switches",
        match said.is_empty() {
            true => "Dask's configuration sets none: plugins that start here send what they send by default".into(),
            false => format!("set in Dask's configuration: {}", said.join(", ")),
        },
    )
}

fn connection(data_dir: &Path, chosen: Option<&Path>) -> Result<DoctorCheck> {
    let record = Record::read(data_dir)?;
    let places = Places::find(chosen)?;
    let own = places.folder.join(file::NAME);
    let Some(record) = record else {
        return Ok(DoctorCheck::note(
            "connection",
            "not connected",
            "`bobbin connect` makes every scheduler you start report",
        ));
    };
    if record.file != own {
        return Ok(DoctorCheck::wrong(
            "connection",
            format!(
                "connected through {}, but Dask reads {}",
                record.file.display(),
                places.folder.display()
            ),
            "run `bobbin disconnect` and `bobbin connect`, in the environment where your clusters start",
        ));
    }
    let Ok(text) = fs::read_to_string(&own) else {
        return Ok(DoctorCheck::wrong(
            "connection",
            format!("{} is missing", own.display()),
            CONNECT_AGAIN,
        ));
    };
    let plugin_path = install::plugin_path(data_dir);
    let plugin_text = plugin_path.to_string_lossy();
    let (before, after) = places.around(&own)?;
    if let Some(said) = connect::replacing(&after, &plugin_text) {
        return Ok(DoctorCheck::wrong(
            "connection",
            format!(
                "{} sets distributed.scheduler.preload after ours",
                said.path.display()
            ),
            "`bobbin connect` prints the lines this file needs",
        ));
    }
    let (others, _) = connect::to_carry(&before, &plugin_text)?;
    let carried = preloads(&text).unwrap_or_default();
    if let Some(lost) = others.iter().find(|one| !carried.contains(*one)) {
        return Ok(DoctorCheck::wrong(
            "connection",
            format!("a preload from another file is not loaded: {}", named(lost)),
            CONNECT_AGAIN,
        ));
    }
    if !carried
        .iter()
        .any(|one| one.trim() == file::script(&plugin_text).trim())
    {
        return Ok(DoctorCheck::wrong(
            "connection",
            format!("{} does not load this plugin", own.display()),
            CONNECT_AGAIN,
        ));
    }
    Ok(DoctorCheck::ok(
        "connection",
        format!(
            "every scheduler you start reports, through {}",
            own.display()
        ),
    ))
}

/// A preload by its name, where it is a module or a file. A script, or an address, may hold what is not to be pasted anywhere.
fn named(preload: &str) -> &str {
    let preload = preload.trim();
    match preload {
        script if script.contains(char::is_whitespace) => "an inline script",
        address if address.contains("://") => "a URL",
        name => name,
    }
}
