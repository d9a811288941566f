//! What several do to one account at the same moment: one after the other, whatever they meet.

use bobbin_core::share::Level;
use bobbin_http::hub::{AccountCommand, Command};
use bobbin_http::team::Role;

use super::bench::{Bench, Desk, Looked};

const SHARED: &str = "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51";

/// Four laptops, each with the same cluster and one of its own.
async fn four(bench: &Bench) -> [(Desk, Looked); 4] {
    let mut all = Vec::new();
    for (number, name) in ["ada", "bo", "cy", "di"].into_iter().enumerate() {
        let desk = bench.laptop(&bench.account, name, Role::Member).await;
        desk.tell(SHARED, 1, 100_000);
        desk.tell(&format!("Scheduler-{number}"), 1, 100_000);
        let looked = desk.look(name, Level::Everything);
        all.push((desk, looked));
    }
    all.try_into().ok().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn bundles_with_the_same_cluster_that_come_at_once_are_taken_one_after_the_other() {
    let mut bench = Bench::start().await;
    let all = four(&bench).await;
    let [a, b, c, d] = &all;
    let sent = tokio::join!(
        a.0.send(&a.1),
        b.0.send(&b.1),
        c.0.send(&c.1),
        d.0.send(&d.1)
    );
    let sent = [sent.0, sent.1, sent.2, sent.3];
    assert!(sent.iter().all(Result::is_ok), "{sent:?}");
    assert_eq!(bench.users(&bench.account).len(), 5);
    // It counts once, and all who share it are named.
    let listed = bench.within(&bench.account, AccountCommand::Bundles);
    for one in listed.as_array().unwrap() {
        let mut named: Vec<&str> = one["others"]
            .as_array()
            .unwrap()
            .iter()
            .chain([&one["member_name"]])
            .filter_map(|name| name.as_str())
            .collect();
        named.sort_unstable();
        assert_eq!(named, ["ada", "bo", "cy", "di"], "{one}");
    }
    // What the store holds is what the audit says: a start has nothing to put right.
    let before = bench.users(&bench.account);
    bench.restart().await;
    assert_eq!(bench.users(&bench.account), before);
    // The one that all have goes with the last of them.
    for (left, (desk, looked)) in (0..all.len()).rev().zip(&all) {
        desk.laptop
            .recall(&desk.team, &looked.sha256)
            .await
            .unwrap();
        let told = if left == 0 { 0 } else { left + 1 };
        assert_eq!(bench.users(&bench.account).len(), told);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_is_removed_while_bundles_come_leaves_nothing_behind() {
    let mut bench = Bench::start().await;
    let all = four(&bench).await;
    let [a, b, c, d] = &all;
    let removed = async {
        // While some of them are on their way.
        while bench.proxy.chunks().is_empty() {
            tokio::task::yield_now().await;
        }
        let account = bench.account.clone();
        tokio::task::block_in_place(|| bench.run(Command::AccountRemove { account }));
    };
    // Each is taken, or hears that there is no such account.
    let _ = tokio::join!(
        a.0.send(&a.1),
        b.0.send(&b.1),
        c.0.send(&c.1),
        d.0.send(&d.1),
        removed
    );
    bench.restart().await;
    let left = std::fs::read_dir(bench.hub_dir().join("accounts")).unwrap();
    assert_eq!(left.count(), 0);
}
