//! Dask's configuration files: which there are, in which order Dask reads them, and what they say about preloading.
//!
//! Dask merges mappings, but a list in a later file replaces the list of an earlier one. So whoever adds a preload
//! has to know everybody else's.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use yaml_rust2::{Yaml, YamlLoader};

use crate::{Error, Result, install};

/// Places where Dask looks, in its order: what comes later wins.
#[derive(Clone, Debug)]
pub struct Places {
    /// Folders or single files.
    paths: Vec<PathBuf>,
    /// The folder that `connect` writes to.
    pub folder: PathBuf,
    /// Whether Dask looks into that folder in this environment by itself.
    pub is_read: bool,
}

/// What one file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub path: PathBuf,
    /// `distributed.scheduler.preload`, if the file sets it.
    pub preload: Option<Vec<String>>,
    /// `distributed.scheduler.preload-argv`, if the file sets it.
    pub preload_argv: Option<Argv>,
    /// Whether the file sets `distributed.diagnostics.computations.nframes`.
    pub sets_nframes: bool,
}

/// Dask takes one list of arguments for all preloads, or a list of lists, one for each.
#[derive(Clone, Debug, PartialEq)]
pub enum Argv {
    ForAll,
    OneEach(Vec<Vec<String>>),
}

impl Places {
    /// Looks where Dask looks in this environment. `chosen` stands for `DASK_CONFIG` when given.
    ///
    /// Fails when the user has no home folder.
    pub fn find(chosen: Option<&Path>) -> Result<Self> {
        let home = env::home_dir().ok_or_else(|| Error::Invalid {
            what: "Dask's configuration folder",
            value: "none".into(),
            reason:
                "the home folder is unknown: set HOME, or pass the folder with --dask-config-dir"
                    .into(),
        })?;
        let prefixes: Vec<PathBuf> = ["VIRTUAL_ENV", "CONDA_PREFIX"]
            .into_iter()
            .filter_map(env::var_os)
            .map(PathBuf::from)
            .collect();
        let root = env::var_os("DASK_ROOT_CONFIG")
            .map_or_else(|| PathBuf::from("/etc/dask"), PathBuf::from);
        let named = env::var_os("DASK_CONFIG").map(PathBuf::from);
        let usual = Self::new(&root, &prefixes, &home, named)?;
        let Some(chosen) = chosen else {
            return Ok(usual);
        };
        let mut places = Self::new(&root, &prefixes, &home, Some(chosen.to_path_buf()))?;
        places.is_read = usual.paths.contains(&places.folder);
        Ok(places)
    }

    fn new(root: &Path, prefixes: &[PathBuf], home: &Path, named: Option<PathBuf>) -> Result<Self> {
        let own = home.join(".config").join("dask");
        let mut paths = vec![root.to_path_buf()];
        paths.extend(prefixes.iter().map(|p| p.join("etc").join("dask")));
        paths.push(own.clone());
        let mut folder = own;
        if let Some(named) = named {
            let named = std::path::absolute(&named).map_err(install::at(&named))?;
            paths.retain(|p| *p != named);
            if !is_file(&named) {
                folder.clone_from(&named);
            }
            paths.push(named);
        }
        Ok(Self {
            paths,
            folder,
            is_read: true,
        })
    }

    /// Every configuration file in Dask's order. `with` is counted as there, whether it is or not.
    pub(super) fn files(&self, with: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for place in &self.paths {
            if is_file(place) {
                files.push(place.clone());
                continue;
            }
            let mut inside: Vec<PathBuf> = match fs::read_dir(place) {
                Ok(entries) => entries
                    .flatten()
                    .map(|e| e.path())
                    .filter(|p| is_config(p))
                    .collect(),
                // Dask passes over folders that are absent or closed to it; so does this.
                Err(_) => Vec::new(),
            };
            if with.parent() == Some(place) && !inside.iter().any(|p| p == with) {
                inside.push(with.to_path_buf());
            }
            inside.sort();
            files.extend(inside);
        }
        files
    }

    /// What the files before and after `own` say, each in Dask's order.
    ///
    /// Refuses when a file cannot be read as YAML here, since then nobody can tell what would be replaced.
    pub fn around(&self, own: &Path) -> Result<(Vec<Said>, Vec<Said>)> {
        let files = self.files(own);
        let at = files.iter().position(|p| p == own).unwrap_or(files.len());
        let read = |paths: &[PathBuf]| {
            paths
                .iter()
                .filter(|p| *p != own)
                .map(|p| said(p))
                .collect::<Result<Vec<_>>>()
        };
        Ok((read(&files[..at])?, read(&files[at..])?))
    }
}

/// What a `DASK_CONFIG` that does not exist yet is meant to be, its ending tells.
fn is_file(path: &Path) -> bool {
    path.is_file() || (!path.exists() && is_config(path))
}

fn is_config(path: &Path) -> bool {
    let ending = path
        .extension()
        .and_then(|e| e.to_str())
        .map(str::to_lowercase);
    matches!(ending.as_deref(), Some("json" | "yaml" | "yml"))
}

fn said(path: &Path) -> Result<Said> {
    let text = fs::read_to_string(path).map_err(|e| e.to_string());
    text.and_then(|text| read(path, &text))
        .map_err(|why| Error::Declined {
            what: format!(
                "Bobbin cannot read a Dask configuration file: {}: {why}",
                path.display()
            ),
            hint: "correct the file, or move it away temporarily: otherwise Bobbin might replace its settings unnoticed".into(),
        })
}

/// The preloads that a file's text sets, if it can be read.
pub fn preloads(text: &str) -> Option<Vec<String>> {
    read(Path::new(""), text).ok()?.preload
}

fn read(path: &Path, text: &str) -> std::result::Result<Said, String> {
    let documents = YamlLoader::load_from_str(text).map_err(|e| e.to_string())?;
    let whole = documents.into_iter().next().unwrap_or(Yaml::Null);
    let scheduler = at(&whole, &["distributed", "scheduler"]);
    let preload = scheduler
        .and_then(|s| field(s, "preload"))
        .map(strings)
        .transpose()?;
    let argv =
        scheduler.and_then(|s| field(s, "preload-argv").or_else(|| field(s, "preload_argv")));
    Ok(Said {
        path: path.to_path_buf(),
        preload,
        preload_argv: argv.map(argv_of).transpose()?,
        sets_nframes: at(
            &whole,
            &["distributed", "diagnostics", "computations", "nframes"],
        )
        .is_some(),
    })
}

pub(super) fn at<'a>(yaml: &'a Yaml, path: &[&str]) -> Option<&'a Yaml> {
    path.iter().try_fold(yaml, |here, name| field(here, name))
}

/// A field of a mapping, or of the mappings that it merges with `<<`.
pub(super) fn field<'a>(yaml: &'a Yaml, name: &str) -> Option<&'a Yaml> {
    let mapping = yaml.as_hash()?;
    if let Some(value) = mapping.get(&Yaml::String(name.to_owned())) {
        return Some(value);
    }
    match mapping.get(&Yaml::String("<<".to_owned()))? {
        Yaml::Array(several) => several.iter().find_map(|one| field(one, name)),
        one => field(one, name),
    }
}

/// One string, a list of strings, or nothing.
fn strings(yaml: &Yaml) -> std::result::Result<Vec<String>, String> {
    match yaml {
        Yaml::Null => Ok(Vec::new()),
        Yaml::String(one) => Ok(vec![one.clone()]),
        Yaml::Array(several) => several
            .iter()
            .map(|one| {
                one.as_str()
                    .map(str::to_owned)
                    .ok_or_else(|| "a preload is not text".to_owned())
            })
            .collect(),
        _ => Err("distributed.scheduler.preload is neither text nor a list".to_owned()),
    }
}

fn argv_of(yaml: &Yaml) -> std::result::Result<Argv, String> {
    match yaml {
        Yaml::Array(lists) if lists.iter().any(|l| matches!(l, Yaml::Array(_))) => lists
            .iter()
            .map(strings)
            .collect::<std::result::Result<_, _>>()
            .map(Argv::OneEach),
        _ => Ok(Argv::ForAll),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said_by(text: &str) -> Said {
        read(Path::new("x.yaml"), text).unwrap()
    }

    #[test]
    fn the_ways_to_write_a_preload_are_all_read() {
        let list = |text| said_by(text).preload;
        assert_eq!(
            list("distributed:\n  scheduler:\n    preload: [a, b.py]\n"),
            Some(vec!["a".into(), "b.py".into()])
        );
        assert_eq!(
            list("distributed: {scheduler: {preload: one}}"),
            Some(vec!["one".into()])
        );
        assert_eq!(
            list("base: &b {preload: [m]}\ndistributed: {scheduler: {<<: *b}}"),
            Some(vec!["m".into()])
        );
        assert_eq!(
            list("{\"distributed\": {\"scheduler\": {\"preload\": []}}}"),
            Some(vec![])
        );
        assert_eq!(list("# distributed:\n#   scheduler:\n"), None);
        assert_eq!(list("distributed:\n  worker:\n    preload: [w]\n"), None);
        assert!(read(Path::new("x"), "distributed: {scheduler: {preload: [1]}}").is_err());
        assert!(read(Path::new("x"), "a: [").is_err());
    }

    #[test]
    fn arguments_for_all_are_told_from_arguments_for_each() {
        let argv = |text| said_by(text).preload_argv;
        assert_eq!(
            argv("distributed: {scheduler: {preload-argv: [--x]}}"),
            Some(Argv::ForAll)
        );
        assert_eq!(
            argv("distributed: {scheduler: {preload_argv: [[--x], []]}}"),
            Some(Argv::OneEach(vec![vec!["--x".into()], vec![]]))
        );
    }

    #[test]
    fn files_come_in_dasks_order() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let named = dir.path().join("named");
        for folder in [
            home.join(".config/dask"),
            named.clone(),
            dir.path().join("etc"),
        ] {
            fs::create_dir_all(folder).unwrap();
        }
        for file in [
            "etc/r.yaml",
            "home/.config/dask/z.YML",
            "home/.config/dask/a.yaml",
            "named/zzz.json",
            "named/b.yaml",
            "named/c.txt",
        ] {
            fs::write(dir.path().join(file), "").unwrap();
        }
        let places = Places::new(&dir.path().join("etc"), &[], &home, Some(named.clone())).unwrap();
        assert_eq!(places.folder, named);
        let own = named.join("own.yaml");
        let (before, after) = places.around(&own).unwrap();
        let names = |said: Vec<Said>| {
            said.iter()
                .map(|s| {
                    s.path
                        .strip_prefix(dir.path())
                        .unwrap()
                        .display()
                        .to_string()
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(before),
            [
                "etc/r.yaml",
                "home/.config/dask/a.yaml",
                "home/.config/dask/z.YML",
                "named/b.yaml"
            ]
        );
        assert_eq!(names(after), ["named/zzz.json"]);
    }

    #[test]
    fn a_dask_config_that_is_a_file_is_read_after_ours() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("mine.yaml");
        fs::write(&file, "distributed: {scheduler: {preload: [m]}}").unwrap();
        let places =
            Places::new(&dir.path().join("etc"), &[], dir.path(), Some(file.clone())).unwrap();
        assert_eq!(places.folder, dir.path().join(".config/dask"));
        let (before, after) = places.around(&places.folder.join("own.yaml")).unwrap();
        assert!(before.is_empty());
        assert_eq!(after[0].path, file);
    }
}
