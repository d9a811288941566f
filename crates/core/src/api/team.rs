//! What a hub does with the bundles of its members: takes them into the account's store, and takes them out again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::named_params;
use rusqlite::types::FromSql;
use sha2::{Digest, Sha256};

use super::App;
use crate::lock::lock;
use crate::model::Micros;
use crate::share::{self, Contained, Giving, Held, Identities, Imported, Manifest, Write};
use crate::wire::{Batch, Line, Record};
use crate::{Error, Result, retain};

/// How long a deletion may take before whoever asked is told to ask again; it goes on meanwhile.
const REMOVAL: Duration = Duration::from_secs(15);
/// How often it is looked at where nobody says that something changed.
const LOOK: Duration = Duration::from_millis(50);

/// How a cluster is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telling {
    /// What tells it, as [`told_by`] gives it.
    pub by: String,
    /// Whose it is.
    pub person: String,
    /// Whatever its bundle says. Else only where the bundle has an alias for its user.
    pub always: bool,
}

/// Takes some clusters of a bundle, in the place of whatever another bundle told of them. Where the bundle has an alias for its
/// user, a cluster is of the person who shared it: that is what the team knows, and all that it needs to know.
///
/// # Errors
/// As [`super::import`].
pub fn take_for(app: &App, path: &Path, clusters: &BTreeMap<String, Telling>) -> Result<Imported> {
    let bundle = share::open(path)?;
    let aliased = bundle.manifest.choice.identities == Identities::Aliases;
    let noted = clusters
        .iter()
        .map(|(id, telling)| (id.clone(), telling.by.clone()));
    let noted = noted.collect();
    let giving = Giving { clusters: &noted };
    giving.take(&bundle, app.now(), &mut |taking| {
        let telling = clusters.get(taking.cluster_id());
        let telling = telling.filter(|telling| aliased || telling.always);
        let person = telling.map(|telling| telling.person.clone());
        let now = app.now();
        let taken = Arc::new(Mutex::new(None));
        let told = Arc::clone(&taken);
        app.write_with(move |db, ingest| {
            let became = taking.run(db, |write| {
                let mut batch = match write {
                    Write::Empty(cluster) => return ingest.empty(db, cluster),
                    Write::Batch(batch) => batch,
                };
                if let Some(person) = &person {
                    belong_to(&mut batch, person);
                }
                let heard = now.min(batch.header.sent_at_micros);
                ingest.store(db, &batch, heard).map(drop)
            })?;
            *lock(&told) = Some(became);
            Ok(())
        })?;
        let mut taken = lock(&taken);
        taken.take().ok_or(Error::Stopping)
    })
}

/// Looks at all of a bundle: what it says of itself, and what it really holds.
///
/// # Errors
/// As [`super::bundle`].
pub fn bundle_held(path: &Path) -> Result<(Manifest, Held)> {
    let bundle = share::open(path)?;
    let held = share::held(&bundle)?;
    Ok((bundle.manifest, held))
}

/// Of some clusters, how one bundle stands to another that tells of them, too.
///
/// # Errors
/// As [`super::bundle`].
pub fn contained(
    first: &Path,
    other: &Path,
    clusters: &[String],
) -> Result<BTreeMap<String, Contained>> {
    let (first, other) = (share::open(first)?, share::open(other)?);
    let each = clusters.iter();
    each.map(|id| Ok((id.clone(), share::contained(&first, &other, id)?)))
        .collect()
}

/// What a bundle says of itself, where all of it was looked at before.
///
/// # Errors
/// As [`super::bundle`].
pub fn manifest(path: &Path) -> Result<Manifest> {
    share::look_at_manifest(path)
}

/// Of these schedulers, those whose clusters are here, each with what tells it; none where an earlier version took it.
///
/// # Errors
/// [`Error::Sqlite`].
pub fn told_by(app: &App, scheduler_ids: &[String]) -> Result<BTreeMap<String, Option<String>>> {
    imported(app, scheduler_ids, "told_by")
}

/// Notes what tells these clusters, where an earlier version took them.
///
/// # Errors
/// [`Error::Sqlite`].
pub fn note_told_by(app: &App, by: &str, scheduler_ids: &[String]) -> Result<()> {
    let ids = serde_json::to_string(scheduler_ids)?;
    let by = by.to_owned();
    app.write(move |db| {
        db.prepare_cached(include_str!("sql/team_note_told_by.sql"))?
            .execute(named_params! { ":told_by": by, ":ids": ids })?;
        Ok(())
    })
}

fn belong_to(batch: &mut Batch, person: &str) {
    for line in &mut batch.lines {
        if let Line::Known(Record::Cluster(cluster), _) = line {
            cluster.user = Some(person.to_owned());
        }
    }
}

/// The ids of the schedulers of all clusters.
///
/// # Errors
/// [`Error::Sqlite`].
pub fn taken(app: &App) -> Result<Vec<String>> {
    app.read(|db| {
        let mut found = db.prepare_cached(include_str!("sql/team_all.sql"))?;
        let ids = found.query_map([], |row| row.get(0))?;
        Ok(ids.collect::<rusqlite::Result<_>>()?)
    })
}

/// Of these schedulers, those whose clusters are not here and were not deleted here.
///
/// # Errors
/// [`Error::Sqlite`].
pub fn not_taken(app: &App, scheduler_ids: &[String]) -> Result<Vec<String>> {
    app.read(|db| {
        let mut missing = Vec::new();
        for id in scheduler_ids {
            if share::why_absent_not_taken(db, id)?.is_none() {
                missing.push(id.clone());
            }
        }
        Ok(missing)
    })
}

/// Of these schedulers, those whose clusters are here, each with the time up to which its bundle knew of it.
///
/// # Errors
/// [`Error::Sqlite`].
pub fn told_until(app: &App, scheduler_ids: &[String]) -> Result<BTreeMap<String, Micros>> {
    imported(app, scheduler_ids, "as_of_micros")
}

/// Of these schedulers, those whose clusters came with a bundle, each with a column of what was noted of it.
fn imported<T: FromSql>(
    app: &App,
    scheduler_ids: &[String],
    column: &str,
) -> Result<BTreeMap<String, T>> {
    let ids = serde_json::to_string(scheduler_ids)?;
    app.read(|db| {
        let mut found = db.prepare_cached(include_str!("sql/team_imported.sql"))?;
        let rows = found.query_map(named_params! { ":ids": ids }, |row| {
            Ok((row.get("scheduler_id")?, row.get(column)?))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    })
}

/// Removes clusters by the ids of their schedulers, and returns once their rows are gone. They may be taken again: who decides
/// upon that is the hub, which knows what was recalled.
///
/// # Errors
/// [`Error::Busy`] where it takes long: then it goes on, and asking again waits for it; [`Error::Sqlite`].
pub fn remove_taken(app: &App, scheduler_ids: &[String]) -> Result<()> {
    let ids = serde_json::to_string(scheduler_ids)?;
    let here = |app: &App| -> Result<Vec<i64>> {
        app.read(|db| {
            let mut found = db.prepare_cached(include_str!("sql/team_clusters.sql"))?;
            let numbers = found.query_map(named_params! { ":ids": ids }, |row| row.get(0))?;
            Ok(numbers.collect::<rusqlite::Result<_>>()?)
        })
    };
    let found = here(app)?;
    if !found.is_empty() {
        let (sender, changed) = sync_channel(1);
        let _subscription = app.subscribe(Box::new(move |_| {
            // A word that waits says the same.
            let _ = sender.try_send(());
        }));
        let now = app.now();
        let asked = found.clone();
        app.write(move |db| retain::ask(db, &asked, now, true).map(drop))?;
        app.tell(found);
        let mut looks = REMOVAL.as_millis() / LOOK.as_millis();
        while !here(app)?.is_empty() {
            looks = looks.checked_sub(1).ok_or(Error::Busy)?;
            // Either way it is looked at again.
            let _ = changed.recv_timeout(LOOK);
        }
    }
    let digests: Vec<[u8; 32]> = scheduler_ids
        .iter()
        .map(|id| Sha256::digest(id.as_bytes()).into())
        .collect();
    app.write(move |db| {
        let mut forget = db.prepare_cached(include_str!("sql/team_forget_deleted.sql"))?;
        for digest in &digests {
            forget.execute(named_params! { ":digest": digest })?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{self, ClustersRequest};
    use crate::share::Choice;
    use crate::testing::{Bench, batch, facts, sample};

    #[test]
    fn a_bundle_is_taken_for_a_person_removed_and_taken_again() {
        let (laptop, hub) = (Bench::new(), Bench::new());
        laptop.send(batch(1, &[facts(0), sample(1, 2.0)]));
        let bundle = laptop.path().join("one.bobbin");
        let id = api::clusters(&laptop.app, ClustersRequest::default())
            .unwrap()
            .rows[0]
            .id;
        api::export(&laptop.app, &bundle, &[id], Choice::default()).unwrap();
        let told = api::bundle(&bundle).unwrap().clusters;
        let ids: Vec<String> = told.into_iter().map(|one| one.cluster_id).collect();
        let users = || -> Vec<Option<String>> {
            let listed = api::clusters(&hub.app, ClustersRequest::default()).unwrap();
            listed.rows.into_iter().map(|row| row.user).collect()
        };
        let take = |name: &str| {
            let telling = |id: &String| {
                let telling = Telling {
                    by: "aa".into(),
                    person: name.into(),
                    always: false,
                };
                (id.clone(), telling)
            };
            take_for(&hub.app, &bundle, &ids.iter().map(telling).collect()).unwrap()
        };
        for _ in 0..2 {
            let taken = take("grace");
            assert_eq!(taken.clusters[0].skipped, None);
            assert_eq!(users(), [Some("grace".to_owned())]);
            // A second time it takes its own place.
            let taken = take("ada");
            assert!(taken.clusters[0].renewed);
            assert_eq!(users(), [Some("ada".to_owned())]);
            let by = || told_by(&hub.app, &ids).unwrap()[&ids[0]].clone();
            assert_eq!(by().as_deref(), Some("aa"));
            // What is noted stays.
            note_told_by(&hub.app, "bb", &ids).unwrap();
            assert_eq!(by().as_deref(), Some("aa"));
            // What is not meant is left alone.
            let taken = take_for(&hub.app, &bundle, &BTreeMap::new()).unwrap();
            assert_eq!(taken.clusters, []);
            assert_eq!(super::taken(&hub.app).unwrap(), ids);
            assert_eq!(not_taken(&hub.app, &ids).unwrap(), [""; 0]);
            remove_taken(&hub.app, &ids).unwrap();
            assert_eq!(users(), []);
            assert_eq!(not_taken(&hub.app, &ids).unwrap(), ids);
            remove_taken(&hub.app, &ids).unwrap();
        }
    }
}
