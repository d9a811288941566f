//! A hub that was put back to an older copy of its folder, and one whose audit somebody changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::ledger::Kind;
use bobbin_core::model::Micros;
use bobbin_core::share::Level;
use bobbin_http::hub::{AccountCommand, Hub};
use bobbin_http::sync::{Back, Fault, Found, Laptop};
use bobbin_http::team::Role;

use super::bench::{Bench, Desk, Looked};
use super::reconcile::{FIRST, on_disk};
use super::uploads::copy;

/// Copies the hub's folder as it is now.
async fn keep(bench: &mut Bench) -> PathBuf {
    let port = bench.stop().await;
    let older = bench.dir.path().join("older");
    copy(&bench.hub_dir(), &older);
    bench.again(port).await;
    older
}

async fn put_back(bench: &mut Bench, older: &Path) {
    let port = bench.stop().await;
    fs::remove_dir_all(bench.hub_dir()).unwrap();
    fs::rename(older, bench.hub_dir()).unwrap();
    bench.again(port).await;
}

/// The hub's clock goes on.
fn later(bench: &Bench) {
    bench.clock.set(Micros(bench.clock.now().0 + 1));
}

/// How many recalls the hub has signed for.
fn recalls(desk: &Desk) -> usize {
    let rows = desk.laptop.ledger.rows().unwrap().into_iter();
    let recalls = rows.filter(|row| row.entry.kind == Kind::Recall);
    recalls.filter(|row| row.entry.is_signed()).count()
}

/// That a bundle was back, and is recalled again.
fn recalled_again(looked: &Looked) -> Found {
    Found {
        lost: Vec::new(),
        back: vec![Back {
            sha256: looked.sha256.clone(),
            trouble: None,
        }],
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_recalled_and_is_back_with_an_older_copy_is_recalled_again() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Admin).await;
    ada.tell(FIRST, 1, 100);
    let looked = ada.look("one", Level::Names);
    ada.send(&looked).await.unwrap();
    let older = keep(&mut bench).await;
    later(&bench);
    ada.laptop.recall(&ada.team, &looked.sha256).await.unwrap();
    put_back(&mut bench, &older).await;
    assert_eq!(bench.users(&bench.account), ["ada"]);
    assert_eq!(recalls(&ada), 1);
    // It is another recall, and has a tombstone of its own.
    later(&bench);
    assert_eq!(
        ada.laptop.look_back(&ada.team).await.unwrap(),
        recalled_again(&looked)
    );
    assert_eq!(bench.users(&bench.account), [""; 0]);
    on_disk(&bench).check();
    assert_eq!(recalls(&ada), 2);

    // The same bytes that another member shares by then are theirs.
    let grace = bench.laptop(&bench.account, "grace", Role::Member).await;
    grace.approve(&looked);
    assert_eq!(grace.send(&looked).await.unwrap_err(), Fault::Recalled);
    grace.approve(&looked);
    grace.send(&looked).await.unwrap();
    ada.laptop.look_back(&ada.team).await.unwrap();
    assert_eq!(bench.users(&bench.account), ["grace"]);
    assert_eq!(recalls(&ada), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_admin_recalled_of_others_and_is_back_they_recall_again() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    let grace = bench.laptop(&bench.account, "grace", Role::Admin).await;
    ada.tell(FIRST, 1, 100);
    let looked = ada.look("one", Level::Names);
    ada.send(&looked).await.unwrap();
    let older = keep(&mut bench).await;
    later(&bench);
    let sha256 = looked.sha256.clone();
    let recall = AccountCommand::Recall { sha256 };
    grace.laptop.command(&grace.team, &recall).await.unwrap();
    assert_eq!(recalls(&grace), 1);
    // The laptop that shared it never hears of that.
    put_back(&mut bench, &older).await;
    assert_eq!(bench.users(&bench.account), ["ada"]);
    later(&bench);
    let found = grace.laptop.look_back(&grace.team).await.unwrap();
    assert_eq!(found, recalled_again(&looked));
    assert_eq!(bench.users(&bench.account), [""; 0]);
    on_disk(&bench).check();
    assert_eq!(recalls(&grace), 2);

    // What its member then sends again, knowing of the recall, stays.
    later(&bench);
    assert_eq!(ada.send(&looked).await.unwrap_err(), Fault::Recalled);
    ada.approve(&looked);
    ada.send(&looked).await.unwrap();
    let found = grace.laptop.look_back(&grace.team).await.unwrap();
    assert_eq!(found, Found::default());
    assert_eq!(bench.users(&bench.account), ["ada"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_recalled_and_sent_again_from_a_copy_of_the_laptop_stays() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell(FIRST, 1, 100);
    let looked = ada.look("one", Level::Names);
    ada.send(&looked).await.unwrap();
    later(&bench);
    ada.laptop.recall(&ada.team, &looked.sha256).await.unwrap();
    let folder = bench.dir.path().join("copy");
    copy(&ada.laptop.dir, &folder);
    let other = Desk {
        app: ada.app.clone(),
        laptop: Laptop::new(&folder, Arc::new(SystemClock)),
        team: ada.team.clone(),
    };
    later(&bench);
    other.approve(&looked);
    other.send(&looked).await.unwrap();
    // This ledger knows nothing of that approval.
    ada.laptop.look_back(&ada.team).await.unwrap();
    assert_eq!(bench.users(&bench.account), ["ada"]);
    assert_eq!(recalls(&ada), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_forgot_a_bundle_confirms_no_deletion() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    let older = keep(&mut bench).await;
    ada.tell(FIRST, 1, 100);
    let looked = ada.look("one", Level::Names);
    ada.send(&looked).await.unwrap();
    put_back(&mut bench, &older).await;
    let recalled = ada.laptop.recall(&ada.team, &looked.sha256).await;
    assert!(
        matches!(&recalled, Err(Fault::Refused(why)) if why.contains("older copy")),
        "{recalled:?}"
    );
    let rows = ada.laptop.ledger.rows().unwrap();
    assert!(rows.iter().all(|row| row.entry.kind != Kind::Recall));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_audit_that_was_changed_is_named_and_nothing_is_served() {
    let mut bench = Bench::start().await;
    bench.laptop(&bench.account, "ada", Role::Member).await;
    bench.stop().await;
    let audit = on_disk(&bench).0.join("audit.ndjson");
    let text = fs::read_to_string(&audit).unwrap();
    // The third row is the invite, behind the account itself and its level.
    let changed = text.replacen("\"ada\"", "\"eve\"", 1);
    assert_ne!(changed, text);
    fs::write(&audit, changed).unwrap();
    let opened = Hub::open(&bench.hub_dir(), Arc::new(SystemClock));
    let why = opened.err().unwrap().to_string();
    assert!(why.contains("audit.ndjson is broken at row 3"), "{why}");
}
