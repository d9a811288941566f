//! Bundles that a person opens: looked at first, then taken into the store, or opened beside it in one of their own.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::slice;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::answers::clusters;
use super::demo::SAMPLES;
use super::shelf::{LensPage, OnShelf};
use super::{App, ClustersRequest, Empty, Role, handed, review};
use crate::install::at;
use crate::ledger::{A_FILE, joined_destinations};
use crate::model::{Micros, SourceFormat};
use crate::share::stage::{self, StageClustersRequest};
use crate::share::{
    self, BundleCluster, Choice, FieldClass, FieldCount, Imported, Offered, fields, why_not_taken,
};
use crate::system::open_unfollowed;
use crate::{Error, Result};

/// Clusters that are drawn at once as a share would tell them.
const LENS: u32 = 200;

/// Which bundle is meant.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct BundleRequest {
    /// As it was given when the bundle was offered.
    pub id: String,
}

/// Asks for the store as somebody with a share of it would see it.
#[derive(Clone, Debug, Default, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct LensRequest {
    pub choice: Choice,
    /// Whom the share would be for; null for a file.
    pub destination: Option<String>,
    /// Clusters before those that are drawn, the newest first.
    pub offset: u64,
}

/// What is in a bundle, of which nothing is stored yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct BundleContents {
    pub id: String,
    /// What the file is called.
    pub name: String,
    /// Of the file.
    pub bytes: u64,
    /// Of the file, in hexadecimal.
    pub sha256: String,
    /// Version of the format.
    pub format: u32,
    /// The version of Bobbin that wrote it.
    pub bobbin: String,
    pub choice: Choice,
    /// Parts whose hashes were compared, all of them.
    pub batches: usize,
    /// Of plain text.
    pub plain_bytes: u64,
    pub clusters: Vec<BundleClusterContents>,
    /// Whether it is open beside the store.
    pub open: bool,
    /// Which clusters it draws, where it is the store itself as a share of it would be.
    pub lens: Option<LensPage>,
    /// Of which kind the file is, where it is no bundle: then a bundle was made of it, and looked at.
    pub source: Option<SourceFormat>,
}

/// What is in a bundle of one cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct BundleClusterContents {
    pub cluster_id: String,
    pub name: Option<String>,
    /// The latest that was known of it.
    pub as_of_micros: Micros,
    /// By kind.
    pub records: BTreeMap<String, u64>,
    /// What became of the values of each class.
    pub classes: Vec<ClassCount>,
    /// Records that never arrived.
    pub missing_records: u64,
    /// Records that were removed by age or for room before the bundle was written.
    pub pruned_records: u64,
    /// Why it would not be taken into the store; null where it would be.
    pub not_taken: Option<String>,
}

/// What became of the values of one class of fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ClassCount {
    pub class: FieldClass,
    pub told: u64,
    pub masked: u64,
    pub withheld: u64,
}

impl App {
    /// Looks at all of a bundle that somebody hands over. Nothing of it is stored: it is kept aside until it is taken, or closed.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::TooLarge`] if it is no bundle, is cut or was changed: nothing of it is kept then;
    /// [`Error::Refused`] for readers; [`Error::Io`], [`Error::DiskFull`].
    pub fn offer_bundle(&self, name: &str, from: &mut dyn Read) -> Result<BundleContents> {
        self.writer()?;
        let offered = Arc::new(Offered::take_any(self.dir(), name, from, &|path, name| {
            handed::make_bundle(self, path, name)
        })?);
        let on_shelf = OnShelf {
            offered,
            app: None,
            lens: None,
        };
        let contents = contents(self, &on_shelf)?;
        self.shelf().put(on_shelf);
        Ok(contents)
    }

    /// The same for a file that a person chose by its path.
    ///
    /// # Errors
    /// As [`App::offer_bundle`].
    pub fn offer_file(&self, path: &Path) -> Result<BundleContents> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Links are followed, pipes are not waited for.
        let real = path.canonicalize().map_err(at(path))?;
        let mut file = open_unfollowed(&real).map_err(at(path))?;
        if !file.metadata().map_err(at(path))?.is_file() {
            return Err(Error::Invalid {
                what: "bundle",
                value: name.into(),
                reason: "it is not a file".into(),
            });
        }
        self.offer_bundle(&name, &mut file)
    }

    /// The store of a bundle that is open beside this one. It only reads.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it was closed, or Bobbin was started again.
    pub fn beside(&self, id: &str) -> Result<App> {
        if id == SAMPLES {
            return Ok(self.of_samples());
        }
        self.shelf().find(id)?.app.ok_or_else(|| Error::NotFound {
            kind: "open bundle",
            id: id.into(),
        })
    }
}

/// What belongs to the reader's own store, whatever is open beside it: the desk, and what it writes down.
const OWN: [&str; 35] = [
    "aliases",
    "approve_stage",
    "connection",
    "decide_stage",
    "discard_stage",
    "doctor",
    "inbox_files",
    "ledger",
    "own_words",
    "pause_sends",
    "recall_send",
    "receiver_settings",
    "reception",
    "remote_lines",
    "replace_token",
    "report",
    "revoke_keys",
    "save_stage",
    "send",
    "set_connection",
    "set_inbox",
    "set_interface",
    "set_port",
    "set_sharing",
    "sharing_rules",
    "show_token",
    "stage",
    "stage_bytes",
    "stage_clusters",
    "stage_findings",
    "stage_items",
    "stage_text",
    "stage_whole",
    "stages",
    "stand",
];

/// Refuses a command about what belongs to the reader's own store.
///
/// # Errors
/// [`Error::Refused`].
pub(super) fn refuse_own(command: &str) -> Result<()> {
    if OWN.contains(&command) {
        return Err(Error::Refused(
            "sharing, the ledger and the receiver belong to your own store: close the bundle you opened first".into(),
        ));
    }
    Ok(())
}

pub(super) fn bundle_contents(app: &App, request: BundleRequest) -> Result<BundleContents> {
    contents(app, &app.shelf().find(&request.id)?)
}

pub(super) fn import_bundle(app: &App, request: BundleRequest) -> Result<Imported> {
    let found = app.shelf().find(&request.id)?;
    share::import(&found.offered.bundle, app.now(), &mut |taking| {
        app.take(taking)
    })
}

pub(super) fn open_bundle(app: &App, request: BundleRequest) -> Result<BundleContents> {
    let mut found = app.shelf().find(&request.id)?;
    if found.app.is_none() {
        let store = store_of(app, &found.offered)?;
        found.app = Some(store.clone());
        app.shelf().open(&request.id, store);
    }
    contents(app, &found)
}

/// Clusters as a share with a destination would tell them, the newest first: written as the bundle that it would be, with what was
/// decided for the destination, and opened beside the store, so that what is drawn is what is seen there, by the same way. What
/// waits for a decision is replaced.
pub(super) fn lens(app: &App, request: LensRequest) -> Result<BundleContents> {
    app.writer()?;
    let newest = ClustersRequest {
        limit: LENS,
        offset: request.offset,
        // A share never has them.
        text: Some("-has:sample".into()),
        ..ClustersRequest::default()
    };
    let listed = clusters(app, newest)?;
    let mut ids = Vec::new();
    for row in &listed.rows {
        if app.read(|db| Ok(share::can_tell(db, row.id)))? {
            ids.push(row.id);
        }
    }
    let wanted = StageClustersRequest {
        ids,
        destination: request.destination.unwrap_or_else(|| A_FILE.into()),
        choice: request.choice,
        ..StageClustersRequest::default()
    };
    let offered = Offered::make(app.dir(), "lens", |path| {
        stage::seen(
            &review::place(app),
            &wanted,
            &|question| app.read_long(question),
            path,
        )
    })?;
    let behind = request.offset + listed.rows.len() as u64;
    let page = LensPage {
        destinations: destinations(app, &wanted.destination)?,
        destination: wanted.destination,
        offset: request.offset,
        next: (listed.truncated && behind > request.offset).then_some(behind),
        total: listed.total,
    };
    let on_shelf = OnShelf {
        app: Some(store_of(app, &offered)?),
        offered: Arc::new(offered),
        lens: Some(page),
    };
    let contents = contents(app, &on_shelf)?;
    app.shelf().put(on_shelf);
    Ok(contents)
}

/// Whom a share may be for, but for the one that it is for.
fn destinations(app: &App, but: &str) -> Result<Vec<String>> {
    let joined = joined_destinations(app.dir())?;
    let joined = joined.into_iter().map(|one| one.name);
    let mut all: Vec<String> = vec![A_FILE.into()];
    for name in joined.chain(stage::destinations(app.dir())?) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all.retain(|name| name != but);
    Ok(all)
}

pub(super) fn close_bundle(app: &App, request: BundleRequest) -> Result<Empty> {
    app.shelf().remove(&request.id);
    Ok(Empty {})
}

/// A store with the bundle in it and nothing else.
pub(super) fn store_of(app: &App, offered: &Offered) -> Result<App> {
    let dir = offered.store_dir();
    let store = App::open(&dir, Role::Owner, app.clock())?;
    share::import(&offered.bundle, app.now(), &mut |taking| store.take(taking))?;
    store.drain()?;
    drop(store);
    App::open(&dir, Role::Reader, app.clock())
}

fn contents(app: &App, on_shelf: &OnShelf<App>) -> Result<BundleContents> {
    let offered = &on_shelf.offered;
    let manifest = &offered.bundle.manifest;
    let cluster = |said: &BundleCluster| -> Result<BundleClusterContents> {
        Ok(BundleClusterContents {
            cluster_id: said.cluster_id.clone(),
            name: said.name.clone(),
            as_of_micros: said.as_of_micros,
            records: said.records.clone(),
            classes: classes(slice::from_ref(said)),
            missing_records: said.missing_records,
            pruned_records: said.pruned.values().sum(),
            not_taken: app.read(|db| why_not_taken(db, &said.cluster_id, said.as_of_micros))?,
        })
    };
    Ok(BundleContents {
        id: offered.id.clone(),
        name: offered.name.clone(),
        bytes: offered.bytes,
        sha256: offered.sha256.clone(),
        format: manifest.format,
        bobbin: manifest.bobbin.clone(),
        choice: manifest.choice,
        batches: manifest.batches.len(),
        plain_bytes: manifest.batches.iter().map(|batch| batch.bytes).sum(),
        clusters: manifest
            .clusters
            .iter()
            .map(cluster)
            .collect::<Result<_>>()?,
        open: on_shelf.app.is_some(),
        lens: on_shelf.lens.clone(),
        source: manifest
            .clusters
            .first()
            .and_then(|one| one.source)
            .filter(|_| offered.rewritten),
    })
}

/// The fields of clusters by their classes, those with values.
pub(super) fn classes(said: &[BundleCluster]) -> Vec<ClassCount> {
    let known = fields();
    let of = |class: FieldClass| {
        known
            .iter()
            .filter(|field| field.class == class)
            .flat_map(|field| {
                let name = field.to_string();
                said.iter().filter_map(move |one| one.fields.get(&name))
            })
            .fold(FieldCount::default(), |sum, count| FieldCount {
                told: sum.told + count.told,
                masked: sum.masked + count.masked,
                withheld: sum.withheld + count.withheld,
            })
    };
    FieldClass::ALL
        .into_iter()
        .map(|class| (class, of(class)))
        .filter(|(_, count)| *count != FieldCount::default())
        .map(|(class, count)| ClassCount {
            class,
            told: count.told,
            masked: count.masked,
            withheld: count.withheld,
        })
        .collect()
}

#[cfg(test)]
mod tests;
