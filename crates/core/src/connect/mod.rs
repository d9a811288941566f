//! One file in Dask's configuration folder, and every scheduler of this user reports; and how that is taken back.
//!
//! It must never cost anybody a cluster: the preload is text that guards itself, and the preloads of other files are
//! carried along, or the verb refuses.

pub mod chosen;
pub mod dask;
pub mod file;
pub mod record;

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::install::{self, at};
use crate::system::make_folders;
use crate::{Error, Result};
use dask::{Argv, Places, Said};
use file::Content;
use record::Record;

/// Set in the environment, it replaces every file's list.
pub const PRELOAD_VARIABLE: &str = "DASK_DISTRIBUTED__SCHEDULER__PRELOAD";

/// What `connect` did.
#[derive(Clone, Debug, Serialize)]
pub struct Connected {
    /// The file in Dask's configuration folder.
    pub file: PathBuf,
    /// Whether it was written by this run; false when it already said the same.
    pub changed: bool,
    /// The plugin that schedulers load.
    pub plugin: PathBuf,
    pub data_dir: PathBuf,
    /// Preloads of other files that this file carries along.
    pub kept_preloads: Vec<String>,
    /// Whether this file asks clients to capture code; false when another file says how much.
    pub captures_code: bool,
    pub warnings: Vec<String>,
}

/// Writes the file, and keeps a note of it. The key that plugins seal to must be there already: see `ready_to_seal` of `api`.
///
/// # Errors
/// [`Error::Declined`] where somebody would lose a preload by it, or it would have no effect; [`Error::Invalid`] for a path
/// that Dask's configuration cannot hold; [`Error::Io`].
pub fn connect(data_dir: &Path, places: &Places) -> Result<Connected> {
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
        let made_folders =
            earlier.map_or_else(|| missing_folders(&places.folder), |e| e.made_folders);
        Record {
            file: own.clone(),
            text: text.clone(),
            made_folders,
        }
        .write(data_dir)?;
        make_folders(&places.folder).map_err(at(&places.folder))?;
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
        warnings: warnings(places, data_dir),
    })
}

fn usable(path: &Path) -> Result<&str> {
    file::survives_expansion(path).ok_or_else(|| Error::Invalid {
        what: "the data folder",
        value: path.display().to_string(),
        reason: "Dask's configuration cannot contain this path: choose one without `$` or control characters".into(),
    })
}

/// The text of our file as it stands, if it may be replaced: nobody else wrote it, and nobody changed it.
fn standing_text(own: &Path, earlier: Option<&Record>, data_text: &str) -> Result<Option<String>> {
    if let Some(earlier) = earlier.filter(|e| e.file != own && !is_absent(&e.file)) {
        return Err(Error::Declined {
            what: format!(
                "already connected through another file: {}",
                earlier.file.display()
            ),
            hint: "disconnect first (`bobbin disconnect`)".into(),
        });
    }
    if is_absent(own) {
        return Ok(None);
    }
    let text = fs::read_to_string(own).map_err(at(own))?;
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
    Err(Error::Declined {
        what: format!("the Dask configuration file {whose}: {}", own.display()),
        hint: "run `bobbin disconnect` with the data folder it names, or move the file away".into(),
    })
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
fn refuse_if_replaced(before: &[Said], after: &[Said], plugin_text: &str) -> Result<()> {
    let Some(last) = replacing(after, plugin_text) else {
        return Ok(());
    };
    let list = last
        .preload
        .clone()
        .or_else(|| in_force(before))
        .unwrap_or_default();
    Err(Error::Declined {
        what: format!(
            "another file sets distributed.scheduler.preload after ours: {}",
            last.path.display()
        ),
        hint: format!(
            "put this into that file, then connect again (`bobbin connect`):\n\n{}",
            file::lines_to_add(plugin_text, &list)
        ),
    })
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
pub fn to_carry(before: &[Said], plugin_text: &str) -> Result<(Vec<String>, Option<Argv>)> {
    let script = file::script(plugin_text);
    let is_other = |one: &String| one.trim() != script.trim();
    let list = in_force(before).unwrap_or_default();
    let argv = match before.iter().rev().find_map(|one| one.preload_argv.clone()) {
        Some(Argv::OneEach(lists)) if lists.len() != list.len() => {
            return Err(Error::Declined {
                what: format!(
                    "Dask's own configuration does not match up: {} preloads, {} lists of arguments",
                    list.len(),
                    lists.len()
                ),
                hint: "correct distributed.scheduler.preload-argv first: no scheduler starts with this configuration".into(),
            });
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
pub(crate) fn warnings(places: &Places, data_dir: &Path) -> Vec<String> {
    let unread = (!places.is_read).then(|| {
        format!(
            "Dask reads {} only if DASK_CONFIG names it",
            places.folder.display()
        )
    });
    overruled(data_dir).into_iter().chain(unread).collect()
}

/// The list of preloads that the environment sets, which counts more than any file's, where our plugin is not in it.
pub fn overruled(data_dir: &Path) -> Option<String> {
    let plugin = install::plugin_path(data_dir);
    env::var_os(PRELOAD_VARIABLE)
        .filter(|list| !list.to_string_lossy().contains(&*plugin.to_string_lossy()))
        .map(|_| {
            format!(
                "{PRELOAD_VARIABLE} is set: schedulers started from here load what it names instead"
            )
        })
}

/// What `disconnect` did.
#[derive(Clone, Debug, Serialize)]
pub struct Disconnected {
    /// The file that was taken away; null when there was none.
    pub removed_file: Option<PathBuf>,
    /// Folders that `connect` had made and that are gone again.
    pub removed_folders: Vec<PathBuf>,
}

/// Takes back what `connect` wrote: Dask's configuration folder is as it was before, byte for byte. Not being connected is
/// no error.
///
/// # Errors
/// [`Error::Declined`] where somebody changed the file since; [`Error::Io`].
pub fn disconnect(data_dir: &Path) -> Result<Disconnected> {
    let Some(record) = Record::read(data_dir)?.or_else(|| orphan(data_dir)) else {
        return Ok(Disconnected {
            removed_file: None,
            removed_folders: Vec::new(),
        });
    };
    let mut removed_file = None;
    match fs::read_to_string(&record.file) {
        Ok(text) if text == record.text => {
            fs::remove_file(&record.file).map_err(at(&record.file))?;
            removed_file = Some(record.file.clone());
        }
        Ok(_) => {
            return Err(Error::Declined {
                what: format!(
                    "the file was changed since `bobbin connect` wrote it: {}",
                    record.file.display()
                ),
                hint: "move your changes to another file, delete this one, and disconnect again (`bobbin disconnect`)".into(),
            });
        }
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(at(&record.file)(e)),
    }
    let mut removed_folders = Vec::new();
    for folder in record.made_folders.iter().rev() {
        // Somebody put something in, or took it away: either way it is not ours any more.
        if fs::remove_dir(folder).is_ok() {
            removed_folders.push(folder.clone());
        }
    }
    Record::remove(data_dir)?;
    Ok(Disconnected {
        removed_file,
        removed_folders,
    })
}

/// Our file in Dask's usual folder, when the note of it is lost.
fn orphan(data_dir: &Path) -> Option<Record> {
    let file = Places::find(None).ok()?.folder.join(file::NAME);
    let text = fs::read_to_string(&file).ok()?;
    is_of(&text, file::survives_expansion(data_dir)?).then_some(Record {
        file,
        text,
        made_folders: Vec::new(),
    })
}

/// The folders that do not exist yet on the way to `path`, outermost first, `path` included.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> = path
        .ancestors()
        .take_while(|p| !p.as_os_str().is_empty() && !p.exists())
        .map(Path::to_path_buf)
        .collect();
    missing.reverse();
    missing
}

/// Whether nothing is at `path`; a broken link counts as something.
fn is_absent(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|e| e.kind() == ErrorKind::NotFound)
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
        assert_eq!(refusal.code(), crate::Code::Refused);
        assert!(
            refusal
                .hint()
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

    #[test]
    fn folders_to_make_are_told_outermost_first() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b");
        assert_eq!(missing_folders(&deep), [dir.path().join("a"), deep.clone()]);
        fs::create_dir_all(&deep).unwrap();
        assert!(missing_folders(&deep).is_empty());
    }
}
