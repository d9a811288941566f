//! Would a cluster that starts now be seen? `bobbin doctor` and the page show the same checks, in the same order and words: each says
//! what it found and what to do.
//!
//! None of them creates or changes anything, and none holds a secret.

mod config;
mod folder;
mod key;
mod masked;
mod reporters;
mod room;
mod safety;
mod store;
mod updates;

use std::path::Path;

use serde::Serialize;
use ts_rs::TS;

pub use self::key::words as key_words;
pub use super::checkup::{Checkup, DoctorCheck, DoctorVerdict, Probe};
use super::{App, Empty};
use crate::Result;
use crate::model::Micros;

/// The checks, and the same as text to be pasted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct Examined {
    pub checkup: Checkup,
    pub text: String,
}

/// Looks at everything. `dask` stands for Dask's configuration folder when given; `open` opens the store to read it, where there is a
/// folder.
pub fn examine(
    dir: &Path,
    dask: Option<&Path>,
    probe: Option<Probe>,
    now: Micros,
    open: impl FnOnce() -> Result<App>,
) -> Checkup {
    let mut checks = folder::checks(dir, now, open);
    checks.extend(probe.map_or_else(Vec::new, |probe| probe(dir, now)));
    checks.extend(config::checks(dir, dask));
    checks.push(updates::check());
    Checkup::of(checks.into_iter().map(masked::masked).collect())
}

pub(super) fn doctor(app: &App, _: Empty) -> Result<Examined> {
    let open = || Ok(app.clone());
    let checkup = examine(app.dir(), None, app.probe(), app.now(), open);
    Ok(Examined {
        text: checkup.text(),
        checkup,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use serde_json::Value;

    use super::*;
    use crate::api::{Role, call};
    use crate::testing::*;

    fn asked(bench: &Bench) -> Value {
        serde_json::from_str(&call(&bench.app, "doctor", "{}").unwrap()).unwrap()
    }

    #[test]
    fn the_page_gets_the_list_that_the_shell_prints() {
        let bench = Bench::new();
        bench.send(batch(1, &[facts(0), sample(1, 1.0)]));
        let told = asked(&bench);
        let opened = || Ok(bench.app.clone());
        let mut printed = examine(bench.path(), None, None, bench.app.now(), opened);
        // What is free, and what the store's files take, changes from one look to the next.
        let changes = ["disk", "store"];
        printed
            .checks
            .retain(|check| !changes.contains(&check.name));
        let mut checks = told["checkup"]["checks"].as_array().unwrap().clone();
        checks.retain(|check| !changes.contains(&check["name"].as_str().unwrap()));
        assert_eq!(
            Value::from(checks),
            serde_json::to_value(&printed.checks).unwrap()
        );
        let text = told["text"].as_str().unwrap();
        assert!(
            printed.text().lines().all(|line| text.contains(line)),
            "{text}"
        );
        let names: Vec<&str> = printed.checks.iter().map(|check| check.name).collect();
        let first = ["data folder", "settings", "token", "plugin"];
        assert_eq!(names[..4], first);
        assert_eq!(names.last(), Some(&"updates"));
        for name in ["last batch", "limit", "inbox", "key", "snapshots"] {
            assert!(names.contains(&name), "{name}: {names:?}");
        }
    }

    fn found<'a>(told: &'a Value, name: &str) -> &'a Value {
        let checks = told["checkup"]["checks"].as_array().unwrap();
        checks.iter().find(|check| check["name"] == name).unwrap()
    }

    #[test]
    fn when_the_last_batch_came_is_said() {
        let bench = Bench::new();
        assert_eq!(found(&asked(&bench), "last batch")["found"], "none yet");
        bench.send(batch(1, &[facts(0), sample(1, 1.0)])).at(90);
        let told = asked(&bench);
        assert_eq!(found(&told, "last batch")["found"], "1 min 30 s ago");
    }

    #[test]
    fn a_damaged_page_of_the_store_is_found() {
        let bench = Bench::new();
        bench.send(batch(1, &[facts(0)]));
        bench.app.drain().unwrap();
        let file = bench.path().join(crate::store::FILE);
        let mut bytes = fs::read(&file).unwrap();
        bytes[4_096 * 5..][..600].fill(0xa5);
        fs::write(&file, bytes).unwrap();
        let clock = Arc::clone(&bench.clock);
        let said = examine(bench.path(), None, None, bench.app.now(), || {
            App::open(bench.path(), Role::Reader, clock)
        });
        let store = said.checks.iter().find(|check| check.name == "store");
        let store = store.unwrap();
        assert_eq!(store.verdict, DoctorVerdict::Wrong);
        assert!(store.found.contains("is damaged"), "{}", store.found);
    }

    #[test]
    fn the_receiver_is_asked_by_the_door_and_stands_between_the_folder_and_the_configuration() {
        let bench = Bench::new();
        bench.app.set_probe(|dir, _| {
            let found = format!("asked for {}", dir.display());
            vec![DoctorCheck::wrong("receiver", found, "start it")]
        });
        let told = asked(&bench);
        assert_eq!(told["checkup"]["healthy"], false);
        let checks = told["checkup"]["checks"].as_array().unwrap();
        let at = |name: &str| checks.iter().position(|check| check["name"] == name);
        assert!(at("snapshots") < at("receiver") && at("receiver") < at("connection"));
        assert!(
            told["text"]
                .as_str()
                .unwrap()
                .contains("  WRONG  receiver       asked for "),
            "{told}"
        );
    }

    #[test]
    fn a_folder_that_is_not_there_is_all_that_is_said_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let gone = dir.path().join("gone");
        let said = examine(&gone, None, None, Micros(0), || {
            unreachable!("there is no store to open")
        });
        assert_eq!(said.checks[0].name, "data folder");
        assert_eq!(said.checks[0].verdict, DoctorVerdict::Wrong);
        assert!(!said.checks.iter().any(|check| check.name == "store"));
        assert!(!gone.exists());
    }
}
