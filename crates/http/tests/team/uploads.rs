//! What is sent is what was looked at, whatever comes between.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bobbin_core::api::{self, App, Role as StoreRole};
use bobbin_core::clock::SystemClock;
use bobbin_core::ledger::{Kind, Queue, QueuedState};
use bobbin_core::share::Level;
use bobbin_http::hub::AccountCommand;
use bobbin_http::sync::{Fault, Found};
use bobbin_http::team::{ProofKind, Role};
use tokio::net::TcpListener;

use super::bench::{Bench, Looked};

/// Bytes of events that make a bundle of three chunks.
const THREE_CHUNKS: usize = 2_700_000;

const LEVELS: [Level; 4] = [
    Level::Metrics,
    Level::Names,
    Level::Errors,
    Level::Everything,
];

#[tokio::test(flavor = "multi_thread")]
async fn the_bytes_that_pass_are_those_that_were_looked_at_for_every_level() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 3_000);
    for (number, level) in LEVELS.into_iter().enumerate() {
        bench.proxy.forget();
        let looked = ada.look(&format!("level-{number}"), level);
        // What comes now was not looked at.
        ada.tell(
            "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51",
            100 + 100 * number as u64,
            500,
        );
        let proof = ada.send(&looked).await.unwrap();
        assert_eq!(
            (proof.kind, proof.bytes),
            (ProofKind::Receipt, looked.bytes.len() as u64)
        );
        let passed: Vec<u8> = bench.proxy.chunks().into_values().flatten().collect();
        assert_eq!(passed, looked.bytes);
        let hub_has = bench
            .hub_dir()
            .join("accounts")
            .join(&bench.account)
            .join("bundles");
        assert_eq!(
            fs::read(hub_has.join(&looked.sha256)).unwrap(),
            looked.bytes
        );
        // A second time nothing of it goes, and the same is proven.
        bench.proxy.forget();
        assert_eq!(ada.send(&looked).await.unwrap(), proof);
        assert!(bench.proxy.chunks().is_empty());
    }
    // Whoever shared them is who the team sees.
    assert_eq!(bench.users(&bench.account), ["ada"]);
    let rows = ada.laptop.ledger.rows().unwrap();
    let receipts = rows.iter().filter(|row| row.entry.kind == Kind::Receipt);
    assert_eq!(receipts.count(), LEVELS.len());
    // No token stands in an address, and every connection is in the ledger.
    let opened = rows
        .iter()
        .filter(|row| row.entry.kind == Kind::Connection)
        .count();
    assert_eq!(opened, 1 + 2 * LEVELS.len());
    for (line, _) in bench.proxy.requests() {
        assert!(!line.contains("bobbin_token"), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_anywhere_is_gone_on_from_and_nothing_is_there_twice() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell(
        "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51",
        1,
        THREE_CHUNKS,
    );
    let looked = ada.look("large", Level::Everything);
    let of = looked.bytes.len();
    assert!(of > 2 << 20, "{of}");
    bench.proxy.forget();
    let mut faults = 0;
    // Around each boundary as it passes, within requests and within bodies; most of them meet an upload that is partly there.
    let cuts = [
        0,
        1,
        300,
        900,
        1 << 19,
        (1 << 20) - 1,
        1 << 20,
        (1 << 20) + 1,
        (1 << 20) + 600,
        700,
        2_000,
    ];
    for cut in cuts {
        bench.proxy.plan.lock().unwrap().cut_up = Some(cut);
        match ada.send(&looked).await {
            Err(Fault::Later { .. }) => faults += 1,
            other => assert!(other.is_ok(), "cut {cut}: {other:?}"),
        }
    }
    assert!(faults >= 5, "{faults}");
    // The answer is lost, of the first word and of the last.
    for cut in [0, 10, 400] {
        bench.proxy.plan.lock().unwrap().cut_down = Some(cut);
        let _ = ada.send(&looked).await;
    }
    bench.proxy.plan.lock().unwrap().cut_up = None;
    bench.proxy.plan.lock().unwrap().cut_down = None;
    ada.send(&looked).await.unwrap();
    let passed: Vec<u8> = bench.proxy.chunks().into_values().flatten().collect();
    assert_eq!(passed, looked.bytes);
    assert_eq!(bench.users(&bench.account), ["ada"]);
    let held = bench.within(&bench.account, AccountCommand::Bundles);
    assert_eq!(held.as_array().unwrap().len(), 1);
    let rows = ada.laptop.ledger.rows().unwrap();
    assert_eq!(
        rows.iter()
            .filter(|row| row.entry.kind == Kind::Receipt)
            .count(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn at_every_level_a_cut_is_gone_on_from_and_nothing_else_passes() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 3_000);
    for level in LEVELS {
        let looked = ada.look(level.word(), level);
        bench.proxy.forget();
        let mut faults = 0;
        // Before the first word, within it, within the bytes, behind them; then answers that are lost.
        let of = looked.bytes.len();
        let up = [0, 200, of / 2, of].map(|cut| (Some(cut), None));
        let down = [0, 200].map(|cut| (None, Some(cut)));
        for (cut_up, cut_down) in up.into_iter().chain(down) {
            {
                let mut plan = bench.proxy.plan.lock().unwrap();
                (plan.cut_up, plan.cut_down) = (cut_up, cut_down);
            }
            match ada.send(&looked).await {
                Err(Fault::Later { .. }) => faults += 1,
                other => assert!(other.is_ok(), "{level:?}, {cut_up:?}: {other:?}"),
            }
        }
        assert!(faults >= 2, "{level:?}: {faults}");
        {
            let mut plan = bench.proxy.plan.lock().unwrap();
            (plan.cut_up, plan.cut_down) = (None, None);
        }
        ada.send(&looked).await.unwrap();
        let passed: Vec<u8> = bench.proxy.chunks().into_values().flatten().collect();
        assert_eq!(passed, looked.bytes, "{level:?}");
    }
    let held = bench.within(&bench.account, AccountCommand::Bundles);
    assert_eq!(held.as_array().unwrap().len(), LEVELS.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_and_a_restart_of_the_hub_at_every_chunk_lose_nothing() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell(
        "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51",
        1,
        THREE_CHUNKS,
    );
    let looked = ada.look("large", Level::Everything);
    bench.proxy.forget();
    let mut rounds = 0;
    loop {
        // One chunk goes, then it is paused.
        let asked = AtomicUsize::new(0);
        let paused = || asked.fetch_add(1, Ordering::Relaxed) > 0;
        match ada.send_until(&looked, &paused, &mut |_| ()).await {
            Ok(_) => break,
            Err(fault) => assert_eq!(fault, Fault::Paused),
        }
        bench.restart().await;
        rounds += 1;
        assert!(rounds < 10);
    }
    assert!(rounds >= 2, "{rounds}");
    bench.restart().await;
    // No chunk went twice.
    let chunks = bench.proxy.requests();
    let chunks = chunks.iter().filter(|(line, _)| line.contains("/chunks/"));
    assert_eq!(chunks.count(), looked.bytes.len().div_ceil(1 << 20));
    assert_eq!(bench.users(&bench.account), ["ada"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_put_back_to_an_older_copy_is_noticed_and_can_be_sent_to_again() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    let first = ada.look("first", Level::Names);
    ada.send(&first).await.unwrap();
    let port = bench.stop().await;
    let older = bench.dir.path().join("older");
    copy(&bench.hub_dir(), &older);
    bench.again(port).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e52", 1, 100);
    let second = ada.look("second", Level::Names);
    ada.send(&second).await.unwrap();
    assert_eq!(
        ada.laptop.look_back(&ada.team).await.unwrap(),
        Found::default()
    );

    let port = bench.stop().await;
    fs::remove_dir_all(bench.hub_dir()).unwrap();
    fs::rename(&older, bench.hub_dir()).unwrap();
    bench.again(port).await;
    // Somebody else shares meanwhile, so that there is such a row again, of something else.
    let grace = bench.laptop(&bench.account, "grace", Role::Member).await;
    grace.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e53", 1, 100);
    grace.send(&grace.look("hers", Level::Names)).await.unwrap();
    let lost = vec![second.sha256.clone()];
    let back = Vec::new();
    assert_eq!(
        ada.laptop.look_back(&ada.team).await.unwrap(),
        Found { lost, back }
    );
    let mut queue = Queue::default();
    queue.lost(&ada.team.destination(), &second.sha256);
    let rows = ada.laptop.ledger.rows().unwrap();
    let states: Vec<_> = queue.list(&rows).iter().map(|one| one.state).collect();
    assert_eq!(states, [QueuedState::Sent, QueuedState::Lost]);
    ada.send(&second).await.unwrap();
    assert_eq!(
        ada.laptop.look_back(&ada.team).await.unwrap(),
        Found::default()
    );
    assert_eq!(bench.users(&bench.account).len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recall_is_proven_and_only_a_new_approval_sends_again() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    let looked = ada.look("one", Level::Names);
    // Nothing was sent yet, and nobody approved the other one.
    assert!(
        matches!(ada.laptop.mint(&ada.team, &"0".repeat(64)), Err(error) if error.to_string().contains("not approved"))
    );
    ada.send(&looked).await.unwrap();
    // The same cluster, shared by another as well, stays theirs.
    let grace = bench.laptop(&bench.account, "grace", Role::Member).await;
    grace.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    let hers = grace.look("hers", Level::Names);
    grace.send(&hers).await.unwrap();
    assert_eq!(bench.users(&bench.account), ["ada"]);

    assert!(matches!(
        grace.laptop.recall(&grace.team, &looked.sha256).await,
        Err(Fault::Refused(_))
    ));
    ada.laptop.recall(&ada.team, &looked.sha256).await.unwrap();
    assert_eq!(bench.users(&bench.account), ["grace"]);
    let bundles = bench
        .hub_dir()
        .join("accounts")
        .join(&bench.account)
        .join("bundles");
    assert!(!bundles.join(&looked.sha256).exists());
    // Here all is as it was.
    assert_eq!(fs::read(&looked.path).unwrap(), looked.bytes);
    assert_eq!(
        ada.laptop.ledger.rows().unwrap().last().unwrap().entry.kind,
        Kind::Recall
    );
    // Twice is once.
    ada.laptop.recall(&ada.team, &looked.sha256).await.unwrap();

    assert!(ada.send(&looked).await.is_err());
    // An old queue, by another hand, meets the tombstone.
    grace.approve(&looked);
    assert_eq!(grace.send(&looked).await.unwrap_err(), Fault::Recalled);
    ada.approve(&looked);
    ada.send(&looked).await.unwrap();
    grace
        .laptop
        .recall(&grace.team, &hers.sha256)
        .await
        .unwrap();
    assert_eq!(bench.users(&bench.account), ["ada"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_approved_anew_is_recalled_anew_before_it_is_whole() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    let looked = ada.look("one", Level::Names);
    ada.send(&looked).await.unwrap();
    ada.laptop.recall(&ada.team, &looked.sha256).await.unwrap();
    let state = || {
        let rows = ada.laptop.ledger.rows().unwrap();
        Queue::default().list(&rows)[0].state
    };
    ada.approve(&looked);
    let stopped = ada.send_until(&looked, &|| true, &mut |_| ()).await;
    assert_eq!(stopped.unwrap_err(), Fault::Paused);
    assert_eq!(state(), QueuedState::Uploading);
    ada.laptop.recall(&ada.team, &looked.sha256).await.unwrap();
    assert_eq!(state(), QueuedState::Recalled);
    assert!(ada.send(&looked).await.is_err());
    // So does another member who sends what she recalled.
    let grace = bench.laptop(&bench.account, "grace", Role::Member).await;
    grace.approve(&looked);
    assert_eq!(grace.send(&looked).await.unwrap_err(), Fault::Recalled);
    grace.approve(&looked);
    let stopped = grace.send_until(&looked, &|| true, &mut |_| ()).await;
    assert_eq!(stopped.unwrap_err(), Fault::Paused);
    grace
        .laptop
        .recall(&grace.team, &looked.sha256)
        .await
        .unwrap();
    let account = bench.hub_dir().join("accounts").join(&bench.account);
    assert_eq!(fs::read_dir(account.join("incoming")).unwrap().count(), 0);
    // Another approval sends it all the same.
    ada.approve(&looked);
    ada.send(&looked).await.unwrap();
    assert_eq!(bench.users(&bench.account), ["ada"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recall_by_somebody_else_is_learned_and_a_new_approval_sends_again() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    let looked = ada.look("one", Level::Names);
    ada.send(&looked).await.unwrap();
    let state = || {
        let rows = ada.laptop.ledger.rows().unwrap();
        Queue::default().list(&rows)[0].state
    };
    let recall = || {
        let sha256 = looked.sha256.clone();
        bench.within(&bench.account, AccountCommand::Recall { sha256 });
    };
    // By whoever looks whether the hub still has it.
    recall();
    assert_eq!(state(), QueuedState::Sent);
    assert_eq!(
        ada.laptop.look_back(&ada.team).await.unwrap(),
        Found::default()
    );
    assert_eq!(state(), QueuedState::Recalled);
    ada.approve(&looked);
    ada.send(&looked).await.unwrap();
    assert_eq!(state(), QueuedState::Sent);
    // And by whoever sends the bytes again.
    recall();
    ada.approve(&looked);
    assert_eq!(ada.send(&looked).await.unwrap_err(), Fault::Recalled);
    assert_eq!(state(), QueuedState::Recalled);
    ada.approve(&looked);
    ada.send(&looked).await.unwrap();
    assert_eq!(bench.users(&bench.account), ["ada"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_began_before_a_recall_of_the_same_bytes_is_not_taken_after_it() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    let grace = bench.laptop(&bench.account, "grace", Role::Member).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    let looked = ada.look("one", Level::Names);
    grace.approve(&looked);
    let mut once = true;
    let ended = grace
        .send_until(&looked, &|| false, &mut |_| {
            if std::mem::take(&mut once) {
                // Hers is declared; meanwhile another shares it and takes it back.
                tokio::task::block_in_place(|| {
                    tokio::runtime::Handle::current().block_on(async {
                        ada.send(&looked).await.unwrap();
                        ada.laptop.recall(&ada.team, &looked.sha256).await.unwrap();
                    });
                });
            }
        })
        .await;
    assert_eq!(ended.unwrap_err(), Fault::Recalled);
    assert_eq!(bench.users(&bench.account), [""; 0]);
    grace.approve(&looked);
    grace.send(&looked).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_grew_is_told_by_its_newest_bundle_and_by_the_older_one_once_that_is_recalled()
 {
    const CLUSTER: &str = "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51";
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    let until = |bench: &Bench| {
        let store = bench
            .hub_dir()
            .join("accounts")
            .join(&bench.account)
            .join("store");
        let app = App::open(&store, StoreRole::Reader, Arc::new(SystemClock)).unwrap();
        let until = api::told_until(&app, &[CLUSTER.to_owned()]).unwrap();
        (api::taken(&app).unwrap().len(), until.get(CLUSTER).copied())
    };
    ada.tell(CLUSTER, 1, 100);
    let small = ada.look("small", Level::Names);
    std::thread::sleep(std::time::Duration::from_millis(20));
    ada.tell(CLUSTER, 100, 100);
    let large = ada.look("large", Level::Names);
    let told = |looked: &Looked| api::bundle(&looked.path).unwrap().clusters[0].as_of_micros;
    assert!(told(&small) < told(&large));
    ada.send(&small).await.unwrap();
    assert_eq!(until(&bench), (1, Some(told(&small))));
    ada.send(&large).await.unwrap();
    assert_eq!(until(&bench), (1, Some(told(&large))));
    // Somebody else does not tell it anew.
    let grace = bench.laptop(&bench.account, "grace", Role::Member).await;
    grace.tell(CLUSTER, 1, 100);
    std::thread::sleep(std::time::Duration::from_millis(20));
    grace.tell(CLUSTER, 200, 100);
    let hers = grace.look("hers", Level::Names);
    grace.send(&hers).await.unwrap();
    assert_eq!(until(&bench), (1, Some(told(&large))));
    assert_eq!(bench.users(&bench.account), ["ada"]);
    // A hub that starts again says the same, and a recall gives the older one its place back.
    bench.restart().await;
    assert_eq!(until(&bench), (1, Some(told(&large))));
    ada.laptop.recall(&ada.team, &large.sha256).await.unwrap();
    assert_eq!(until(&bench), (1, Some(told(&small))));
    assert_eq!(bench.users(&bench.account), ["ada"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_is_sent_a_byte() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    let looked = ada.look("one", Level::Names);
    // Another hub answers where this one was.
    let stranger = Bench::start().await;
    let mut moved = serde_json::to_value(&ada.team).unwrap();
    moved["address"] = stranger.proxy.address.clone().into();
    let moved: bobbin_http::sync::Team = serde_json::from_value(moved).unwrap();
    ada.approve_for(&moved, &looked);
    let minted = ada.laptop.mint(&moved, &looked.sha256).unwrap();
    let sent = ada
        .laptop
        .upload(&moved, &minted, &looked.path, None, &mut |_| ())
        .await;
    assert_eq!(sent.unwrap_err(), Fault::NotAuthentic);
    assert!(stranger.proxy.requests().is_empty());
    // What was minted for one destination goes to no other, and a file that was changed goes nowhere.
    let other = ada
        .laptop
        .upload(&ada.team, &minted, &looked.path, None, &mut |_| ())
        .await;
    assert!(matches!(other, Err(Fault::Refused(why)) if why.contains("destination")));
    fs::write(&looked.path, b"something else").unwrap();
    assert!(
        matches!(ada.send(&looked).await, Err(Fault::Refused(why)) if why.contains("approved"))
    );
    // Nobody answers at all.
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut moved = serde_json::to_value(&ada.team).unwrap();
    moved["address"] = gone.local_addr().unwrap().to_string().into();
    drop(gone);
    let moved: bobbin_http::sync::Team = serde_json::from_value(moved).unwrap();
    assert!(matches!(
        ada.laptop.me(&moved).await,
        Err(Fault::Later { .. })
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_bundle_or_too_much_is_refused_whole() {
    let bench = Bench::with_quota(5_000).await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    let small = ada.look("small", Level::Metrics);
    ada.send(&small).await.unwrap();
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e52", 1, 20_000);
    let large = ada.look("large", Level::Everything);
    assert!(matches!(ada.send(&large).await, Err(Fault::Refused(why)) if why.contains("may hold")));
    let mut fake = ada.look("fake", Level::Metrics);
    fake.bytes = b"no bundle at all".to_vec();
    fake.sha256 = bobbin_core::ledger::digest(&fake.bytes);
    fs::write(&fake.path, &fake.bytes).unwrap();
    ada.approve(&fake);
    assert!(matches!(ada.send(&fake).await, Err(Fault::Refused(_))));
    let account = bench.hub_dir().join("accounts").join(&bench.account);
    assert_eq!(fs::read_dir(account.join("incoming")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(account.join("bundles")).unwrap().count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_aliases_of_two_laptops_are_two() {
    let bench = Bench::start().await;
    let mut hosts = std::collections::BTreeSet::new();
    for (name, cluster) in [
        ("ada", "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51"),
        ("grace", "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e52"),
    ] {
        let laptop = bench.laptop(&bench.account, name, Role::Member).await;
        // Each has one host, which is its first.
        laptop.tell(cluster, 1, 100);
        let looked = laptop.stage("blue");
        laptop.approve(&looked);
        laptop.send(&looked).await.unwrap();
        let dir = bench.hub_dir().join("accounts").join(&bench.account);
        hosts.extend(super::reconcile::OnDisk(dir).hosts());
    }
    assert_eq!(hosts.len(), 2, "{hosts:?}");
    assert!(hosts.iter().all(|host| host.starts_with("host-1-")));
}

pub fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    let mode = fs::metadata(from).unwrap().permissions();
    fs::set_permissions(to, mode).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => copy(&entry.path(), &target),
            kind if kind.is_file() => drop(fs::copy(entry.path(), target).unwrap()),
            _ => {}
        }
    }
}
