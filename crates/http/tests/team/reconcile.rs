//! What a hub finds when it opens: an account is what its audit says, wherever it was cut off before.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bobbin_core::api::{self, App, ClusterRow, ClustersRequest, Role as StoreRole};
use bobbin_core::clock::SystemClock;
use bobbin_core::share::Level;
use bobbin_http::team::Role;
use serde_json::Value;

use super::bench::Bench;
use super::uploads::copy;

pub const FIRST: &str = "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51";
pub const SECOND: &str = "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e52";

/// An account's folder on the disk, as the hub left it.
pub struct OnDisk(pub PathBuf);

impl OnDisk {
    /// The bundles that are here by the audit, each with its clusters.
    pub fn said(&self) -> Vec<(String, BTreeSet<String>)> {
        let audit = fs::read_to_string(self.0.join("audit.ndjson")).unwrap();
        let mut here: Vec<(String, BTreeSet<String>)> = Vec::new();
        // A last line without its end is one that was cut.
        for line in audit
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
        {
            let row: Value = serde_json::from_str(line).unwrap();
            let sha256 = row["sha256"].as_str().unwrap_or_default().to_owned();
            match row["event"].as_str().unwrap() {
                "committed" => {
                    let clusters = row["clusters"].as_array().unwrap().iter();
                    let clusters = clusters.map(|id| id.as_str().unwrap().to_owned());
                    here.push((sha256, clusters.collect()));
                }
                "recalled" => here.retain(|(other, _)| *other != sha256),
                _ => {}
            }
        }
        here
    }

    /// Ids of the schedulers whose clusters are in the store, as often as they are listed.
    pub fn stored(&self) -> Vec<String> {
        let rows = self.rows().into_iter();
        rows.map(|row| row.scheduler_id).collect()
    }

    fn rows(&self) -> Vec<ClusterRow> {
        let app = App::open(
            &self.0.join("store"),
            StoreRole::Reader,
            Arc::new(SystemClock),
        )
        .unwrap();
        let listed = api::clusters(&app, ClustersRequest::default()).unwrap();
        listed.rows
    }

    /// The hosts that clusters in the store say.
    pub fn hosts(&self) -> Vec<String> {
        let rows = self.rows().into_iter();
        rows.filter_map(|row| row.host).collect()
    }

    /// Names of the files of bundles.
    pub fn files(&self) -> BTreeSet<String> {
        names(&self.0.join("bundles"))
    }

    /// The store and the files are what the audit says, and nothing is there twice.
    pub fn check(&self) {
        let said = self.said();
        let mut stored = self.stored();
        stored.sort();
        let clusters: BTreeSet<&String> = said.iter().flat_map(|(_, clusters)| clusters).collect();
        assert_eq!(
            stored.iter().collect::<Vec<_>>(),
            clusters.into_iter().collect::<Vec<_>>()
        );
        let bundles: BTreeSet<String> = said.into_iter().map(|(sha256, _)| sha256).collect();
        assert_eq!(self.files(), bundles);
        for sha256 in bundles {
            let bytes = fs::read(self.0.join("bundles").join(&sha256)).unwrap();
            assert_eq!(bobbin_core::ledger::digest(&bytes), sha256);
        }
    }
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

pub fn on_disk(bench: &Bench) -> OnDisk {
    OnDisk(bench.hub_dir().join("accounts").join(&bench.account))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_taken_without_its_row_is_gone_and_is_sent_again() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell(FIRST, 1, 100);
    let first = ada.look("first", Level::Names);
    ada.send(&first).await.unwrap();
    ada.tell(SECOND, 1, 100);
    let second = ada.look("second", Level::Names);
    ada.send(&second).await.unwrap();
    let account = on_disk(&bench);
    account.check();
    let port = bench.stop().await;
    // As if it had been killed after the import, before the row.
    let audit = account.0.join("audit.ndjson");
    let text = fs::read_to_string(&audit).unwrap();
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    assert!(text[last..].contains("committed"));
    fs::write(&audit, &text[..last]).unwrap();
    bench.again(port).await;
    account.check();
    assert_eq!(account.stored(), [FIRST]);
    ada.send(&second).await.unwrap();
    account.check();
    assert_eq!(account.stored().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recall_that_was_cut_off_is_ended_and_what_another_shares_stays() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    let grace = bench.laptop(&bench.account, "grace", Role::Member).await;
    ada.tell(FIRST, 1, 100);
    ada.tell(SECOND, 1, 100);
    let hers = ada.look("hers", Level::Names);
    ada.send(&hers).await.unwrap();
    grace.tell(SECOND, 1, 100);
    let other = grace.look("other", Level::Names);
    grace.send(&other).await.unwrap();
    let account = on_disk(&bench);
    // What lies there before the recall, put back beside the row that says it was recalled.
    let port = bench.stop().await;
    let before = bench.dir.path().join("before");
    copy(&account.0, &before);
    bench.again(port).await;
    ada.laptop.recall(&ada.team, &hers.sha256).await.unwrap();
    let port = bench.stop().await;
    for folder in ["store", "bundles"] {
        fs::remove_dir_all(account.0.join(folder)).unwrap();
        copy(&before.join(folder), &account.0.join(folder));
    }
    bench.again(port).await;
    account.check();
    assert_eq!(account.stored(), [SECOND]);
    assert_eq!(bench.users(&bench.account), ["grace"]);
    // The tombstone is signed only once it is so.
    ada.laptop.recall(&ada.team, &hers.sha256).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_its_bundle_lost_is_taken_again() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell(FIRST, 1, 100);
    let first = ada.look("first", Level::Names);
    ada.send(&first).await.unwrap();
    let account = on_disk(&bench);
    let port = bench.stop().await;
    fs::remove_dir_all(account.0.join("store")).unwrap();
    bench.again(port).await;
    account.check();
    assert_eq!(bench.users(&bench.account), ["ada"]);
}
