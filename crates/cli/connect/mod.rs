//! `bobbin connect`: one file in Dask's configuration folder, and every scheduler of this user reports.
//!
//! It must never cost anybody a cluster: the preload is text that guards itself, and the preloads of other files are
//! carried along, or the verb refuses.

pub mod coiled;
pub mod dask;
pub mod file;
pub mod record;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use bobbin_core::install;
use serde::Serialize;

use crate::args::ConnectArgs;
use crate::failure::Failure;
use crate::{files, print, visible};
use dask::{Argv, Places, Said};
use file::Content;
use record::Record;

/// Set in the environment, it replaces every file's list.
pub const PRELOAD_VARIABLE: &str = "DASK_DISTRIBUTED__SCHEDULER__PRELOAD";

/// What `connect` did.
#[derive(Debug, Serialize)]
struct Connected {
    /// The file in Dask's configuration folder.
    file: PathBuf,
    /// Whether it was written by this run; false when it already said the same.
    changed: bool,
    /// The plugin that schedulers load.
    plugin: PathBuf,
    data_dir: PathBuf,
    /// Preloads of other files that this file carries along.
    kept_preloads: Vec<String>,
    /// Whether this file asks clients to capture code; false when another file says how much.
    captures_code: bool,
    warnings: Vec<String>,
}

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &ConnectArgs) -> Result<(), Failure> {
    if args.coiled {
        return coiled::run(data_dir, json);
    }
    let done = connect(data_dir, &Places::find(args.dask_config_dir.as_deref())?)?;
    for warning in &done.warnings {
        print::talk(&format!("warning: {warning}"));
    }
    if json {
        print::json(&done)
    } else {
        print::write(&done.text())
    }
}

fn connect(data_dir: &Path, places: &Places) -> Result<Connected, Failure> {
    let own = places.folder.join(file::NAME);
    let plugin_path = install::plugin_path(data_dir);
    let data_text = usable(data_dir)?;
    let plugin_text = usable(&plugin_path)?;

    let earlier = Record::read(data_dir)?;
    let standing = standing_text(&own, earlier.as_ref(), data_text)?;
    let (before, after) = places.around(&own)?;
    refuse_if_replaced(&before, &after, plugin_text)?;
    let (others, argv) = to_carry(&before, plugin_text)?;
    let captures_code = !before.iter().chain(&after).any(|said| said.sets_nframes);
    let content = Content {
        data_dir: data_text,
        plugin: plugin_text,
        others: &others,
        argv: argv.as_ref(),
        capture_code: captures_code,
    };
    let text = content.text();

    install::prepare(data_dir)?;
    install::put_plugin(data_dir)?;
    let changed = standing.as_deref() != Some(text.as_str());
    if changed || earlier.is_none() {
        let made_folders = earlier.map_or_else(
            || files::missing_folders(&places.folder),
            |e| e.made_folders,
        );
        Record {
            file: own.clone(),
            text: text.clone(),
            made_folders,
        }
        .write(data_dir)?;
        fs::create_dir_all(&places.folder)
            .map_err(|e| Failure::io("Dask's configuration folder", &places.folder, &e))?;
    }
    if changed {
        install::write_private(&own, text.as_bytes())?;
    }
    Ok(Connected {
        file: own,
        changed,
        plugin: plugin_path,
        data_dir: data_dir.to_path_buf(),
        kept_preloads: others,
        captures_code,
        warnings: warnings(places),
    })
}

fn usable(path: &Path) -> Result<&str, Failure> {
    file::survives_expansion(path).ok_or_else(|| {
        Failure::usage(format!(
            "a path that Dask's configuration cannot hold: {}",
            path.display()
        ))
        .hint("choose a data folder without `$` or control characters in its path")
    })
}

/// The text of our file as it stands, if it may be replaced: nobody else wrote it, and nobody changed it.
fn standing_text(
    own: &Path,
    earlier: Option<&Record>,
    data_text: &str,
) -> Result<Option<String>, Failure> {
    if let Some(earlier) = earlier.filter(|e| e.file != own && !files::is_absent(&e.file)) {
        return Err(Failure::refused(format!(
            "already connected through another file: {}",
            earlier.file.display()
        ))
        .hint("run `bobbin disconnect` first"));
    }
    if files::is_absent(own) {
        return Ok(None);
    }
    let text =
        fs::read_to_string(own).map_err(|e| Failure::io("the Dask configuration file", own, &e))?;
    let known = match earlier {
        Some(earlier) => earlier.text == text,
        None => is_of(&text, data_text),
    };
    if known {
        return Ok(Some(text));
    }
    let whose = if text.starts_with(file::FIRST_LINE) {
        "was changed, or belongs to another data folder"
    } else {
        "is not Bobbin's"
    };
    Err(Failure::refused(format!(
        "the Dask configuration file {whose}: {}",
        own.display()
    ))
    .hint("run `bobbin disconnect` with the data folder it names, or move the file away"))
}

/// Whether `text` is a file that `connect` wrote for this data folder.
pub fn is_of(text: &str, data_text: &str) -> bool {
    let content = Content {
        data_dir: data_text,
        plugin: "",
        others: &[],
        argv: None,
        capture_code: false,
    }
    .text();
    let line = content
        .lines()
        .find(|line| line.trim_start().starts_with("data-dir:"));
    text.starts_with(file::FIRST_LINE) && text.lines().any(|here| Some(here) == line)
}

/// Refuses when a file that Dask reads later would take our preload away again.
fn refuse_if_replaced(before: &[Said], after: &[Said], plugin_text: &str) -> Result<(), Failure> {
    let Some(last) = replacing(after, plugin_text) else {
        return Ok(());
    };
    let list = last
        .preload
        .clone()
        .or_else(|| in_force(before))
        .unwrap_or_default();
    Err(Failure::refused(format!(
        "another file sets distributed.scheduler.preload after ours: {}",
        last.path.display()
    ))
    .hint(format!(
        "make that file say this, then run `bobbin connect` again:\n\n{}",
        file::lines_to_add(plugin_text, &list)
    )))
}

/// The file after ours whose list or arguments would leave our preload out.
pub fn replacing<'a>(after: &'a [Said], plugin_text: &str) -> Option<&'a Said> {
    let script = file::script(plugin_text);
    let has_ours = |list: &[String]| list.iter().any(|one| one.trim() == script.trim());
    match after.iter().rev().find(|said| said.preload.is_some()) {
        Some(said) => (!said.preload.as_deref().is_some_and(has_ours)).then_some(said),
        None => after
            .iter()
            .rev()
            .find(|said| matches!(said.preload_argv, Some(Argv::OneEach(_)))),
    }
}

fn in_force(said: &[Said]) -> Option<Vec<String>> {
    said.iter().rev().find_map(|one| one.preload.clone())
}

/// The preloads, and their arguments, that were in force without our file.
pub fn to_carry(
    before: &[Said],
    plugin_text: &str,
) -> Result<(Vec<String>, Option<Argv>), Failure> {
    let script = file::script(plugin_text);
    let is_other = |one: &String| one.trim() != script.trim();
    let list = in_force(before).unwrap_or_default();
    let argv = match before.iter().rev().find_map(|one| one.preload_argv.clone()) {
        Some(Argv::OneEach(lists)) if lists.len() != list.len() => {
            return Err(Failure::refused(format!(
                "Dask's own configuration does not hold together: {} preloads, {} lists of arguments",
                list.len(),
                lists.len()
            ))
            .hint("correct distributed.scheduler.preload-argv first; no scheduler starts like this"));
        }
        Some(Argv::OneEach(lists)) => {
            let theirs = list.iter().zip(lists).filter(|(one, _)| is_other(one));
            Some(Argv::OneEach(theirs.map(|(_, argv)| argv).collect()))
        }
        other => other,
    };
    Ok((list.into_iter().filter(is_other).collect(), argv))
}

/// What keeps the file from having its effect.
fn warnings(places: &Places) -> Vec<String> {
    let unread = (!places.is_read).then(|| {
        format!(
            "Dask reads {} only where DASK_CONFIG names it",
            places.folder.display()
        )
    });
    overruled().into_iter().chain(unread).collect()
}

/// Whether the environment sets a list of preloads, which counts more than any file's.
pub fn overruled() -> Option<String> {
    env::var_os(PRELOAD_VARIABLE).map(|_| {
        format!("{PRELOAD_VARIABLE} is set: schedulers started from here load what it says instead")
    })
}

impl Connected {
    fn text(&self) -> String {
        let mut text = format!(
            "{}: every scheduler that you start from now on reports to Bobbin.\n  configuration  {}\n  plugin         {}\n",
            if self.changed {
                "Connected"
            } else {
                "Already connected"
            },
            self.file.display(),
            self.plugin.display()
        );
        for other in &self.kept_preloads {
            let first = other.lines().next().unwrap_or_default();
            text.push_str(&format!(
                "  kept preload   {}\n",
                print::cut(&visible::plain(first), 80)
            ));
        }
        if !self.captures_code {
            text.push_str("  code           as your own configuration of nframes says\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(path: &str, preload: Option<&[&str]>) -> Said {
        Said {
            path: path.into(),
            preload: preload.map(|list| list.iter().map(|s| (*s).to_owned()).collect()),
            preload_argv: None,
            sets_nframes: false,
        }
    }

    #[test]
    fn the_list_in_force_is_carried_along() {
        let before = [
            says("a", Some(&["one"])),
            says("b", Some(&["two", "three"])),
            says("c", None),
        ];
        assert_eq!(to_carry(&before, "/p").unwrap().0, ["two", "three"]);
        let ours = file::script("/p");
        assert!(
            to_carry(&[says("a", Some(&[&ours]))], "/p")
                .unwrap()
                .0
                .is_empty()
        );
    }

    #[test]
    fn a_later_list_is_refused_with_the_lines_to_add() {
        let after = [says("z", Some(&["mine"]))];
        let refusal = refuse_if_replaced(&[], &after, "/p").unwrap_err();
        assert_eq!(refusal.exit, crate::failure::Exit::Refused);
        assert!(
            refusal
                .hint
                .unwrap()
                .contains("      - \"mine\"\n      - |\n")
        );
    }

    #[test]
    fn a_later_list_that_has_our_lines_is_fine() {
        let ours = file::script("/p");
        assert!(refuse_if_replaced(&[], &[says("z", Some(&["mine", ours.trim()]))], "/p").is_ok());
    }

    #[test]
    fn arguments_that_do_not_match_are_refused() {
        let mut said = says("a", Some(&["one"]));
        said.preload_argv = Some(Argv::OneEach(vec![]));
        assert!(to_carry(&[said], "/p").is_err());
    }
}
