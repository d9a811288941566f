//! A cluster that several members share: who tells it, what stays of the others, and that nobody changes what somebody else shared.

use std::ops::Range;
use std::sync::Arc;

use bobbin_core::api::{self, App, ClustersRequest, Role as StoreRole};
use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::share::Level;
use bobbin_core::wire::decode;
use bobbin_http::hub::AccountCommand;
use bobbin_http::team::Role;
use serde_json::{Value, json};

use super::bench::{Bench, Desk, Looked};
use super::reconcile::{FIRST, on_disk};

const RUN: &str = "0d6a7c1e52f44b8e9a3d7f1b2c3d4e51";
const GROUP: &str = "1d6a7c1e52f44b8e9a3d7f1b2c3d4e51";

/// One plugin that reports to several laptops.
struct Plugin {
    began: i64,
    records: Vec<Value>,
}

impl Plugin {
    fn begin() -> Self {
        let began = SystemClock.now().0 - 3_600_000_000;
        let mut plugin = Self {
            began,
            records: Vec::new(),
        };
        let said = json!({
            "kind": "cluster", "at_micros": began, "name": "nightly", "cluster_class": "LocalCluster",
            "scheduler_address": "tcp://127.0.0.1:8786", "dashboard_url": null, "started_micros": began, "user": "u",
            "host": "laptop", "project": null, "tags": {}, "versions": {}, "python_version": "3.11.0",
            "python_path": null, "os": "linux", "architecture": "x86_64", "plugin_version": "0.1.0",
            "interval_micros": 10_000_000,
            "switches": {"code": true, "profile": false, "remote_close": false, "events_allow": []},
        });
        plugin.records.push(said);
        plugin
    }

    fn at(&self, seconds: i64) -> i64 {
        self.began + seconds * 1_000_000
    }

    /// A report: the cluster computed so much by then.
    fn report(mut self, seconds: i64, compute: f64) -> Self {
        let at = self.at(seconds);
        self.records.push(json!({
            "kind": "sample", "at_micros": at, "workers": 2, "threads": 4, "memory_limit_bytes": 1000,
            "memory_used_bytes": 100, "memory_managed_bytes": 50, "memory_unmanaged_bytes": 50,
            "memory_spilled_bytes": 0, "tasks": {"processing": 3}, "idle_since_micros": null, "loop_lag_micros": 5,
            "totals": {
                "compute": compute, "thread_seconds": compute * 2.0, "tasks_completed": 1, "tasks_erred": 0,
                "result_bytes": 1,
            },
            "cost": {"beat_micros": 300, "sent_bytes": 900, "hook_errors": 0, "waiting_records": 1},
        }));
        self.records.push(json!({
            "kind": "task_group", "at_micros": at, "group_id": GROUP, "name": format!("inc-{GROUP}"), "prefix": "inc",
            "states": {"memory": 10}, "seconds": {"compute": compute, "transfer": 0.5}, "result_bytes": 100,
            "types": ["int"], "start_micros": self.began, "stop_micros": at, "dependencies": [], "final": false,
        }));
        self
    }

    fn stopped(mut self, seconds: i64) -> Self {
        let at = self.at(seconds);
        self.records
            .push(json!({"kind": "stop", "at_micros": at, "reason": "closed"}));
        self
    }

    /// Some of what it said reaches this laptop.
    fn tell(&self, desk: &Desk, some: Range<usize>) {
        let header = json!({
            "kind": "header", "protocol": 1, "cluster_id": FIRST, "instance_id": RUN, "first_seq": some.start + 1,
            "records": some.len(), "sent_at_micros": self.began, "monotonic_micros": 1, "plugin_version": "0.1.0",
        });
        let lines: Vec<String> = [&header]
            .into_iter()
            .chain(&self.records[some])
            .map(Value::to_string)
            .collect();
        let batch = decode(lines.join("\n").as_bytes()).unwrap();
        desk.app.ingest(batch).unwrap();
    }

    fn all(&self, desk: &Desk) {
        self.tell(desk, 0..self.records.len());
    }
}

/// What the account shows of the cluster: whose it is, and how much it computed.
fn shown(bench: &Bench) -> Vec<(String, f64)> {
    let store = on_disk(bench).0.join("store");
    let app = App::open(&store, StoreRole::Reader, Arc::new(SystemClock)).unwrap();
    let listed = api::clusters(&app, ClustersRequest::default()).unwrap();
    let rows = listed.rows.into_iter();
    rows.map(|row| (row.user.unwrap(), row.compute_seconds))
        .collect()
}

fn of(user: &str, compute: f64) -> Vec<(String, f64)> {
    vec![(user.to_owned(), compute)]
}

/// What the hub says of a bundle.
fn said(bench: &Bench, looked: &Looked) -> Value {
    let all = bench.within(&bench.account, AccountCommand::Bundles);
    let mut all = all.as_array().unwrap().iter();
    all.find(|one| one["sha256"] == looked.sha256.as_str())
        .unwrap()
        .clone()
}

async fn three(bench: &Bench) -> [Desk; 3] {
    let mut all = Vec::new();
    for name in ["ada", "grace", "mallory"] {
        all.push(bench.laptop(&bench.account, name, Role::Member).await);
    }
    all.try_into().ok().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_knows_most_of_a_cluster_tells_it_and_it_stays_whose_it_was() {
    let mut bench = Bench::start().await;
    let [ada, grace, _] = three(&bench).await;
    let plugin = Plugin::begin().report(10, 1.0).report(20, 2.0);
    plugin.tell(&ada, 0..3);
    plugin.all(&grace);
    let small = ada.look("small", Level::Names);
    ada.send(&small).await.unwrap();
    assert_eq!(shown(&bench), of("ada", 1.0));
    let large = grace.look("large", Level::Names);
    grace.send(&large).await.unwrap();
    assert_eq!(shown(&bench), of("ada", 2.0));
    // Each is named, with what of theirs counts.
    let (hers, other) = (said(&bench, &small), said(&bench, &large));
    assert_eq!(
        (&hers["others"], &hers["counted"], &hers["told_by"]),
        (&json!(["grace"]), &json!(0), &json!(["grace"]))
    );
    assert_eq!(
        (&other["others"], &other["counted"], &other["told_by"]),
        (&json!(["ada"]), &json!(1), &json!([]))
    );
    assert_eq!(
        (&hers["contradicts"], &other["contradicts"]),
        (&json!([]), &json!([]))
    );
    bench.restart().await;
    assert_eq!(shown(&bench), of("ada", 2.0));
    assert_eq!(said(&bench, &large)["counted"], 1);
    // A recall takes what its member shared, and nothing else.
    grace
        .laptop
        .recall(&grace.team, &large.sha256)
        .await
        .unwrap();
    assert_eq!(shown(&bench), of("ada", 1.0));
    grace.approve(&large);
    grace.send(&large).await.unwrap();
    assert_eq!(shown(&bench), of("ada", 2.0));
    ada.laptop.recall(&ada.team, &small.sha256).await.unwrap();
    assert_eq!(
        shown(&bench),
        of("grace", 2.0),
        "nothing names her any more"
    );
    bench.restart().await;
    assert_eq!(shown(&bench), of("grace", 2.0));
    on_disk(&bench).check();
    grace
        .laptop
        .recall(&grace.team, &large.sha256)
        .await
        .unwrap();
    assert_eq!(shown(&bench), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_share_that_tells_less_of_something_takes_nothing_away() {
    let mut bench = Bench::start().await;
    let [ada, grace, mallory] = three(&bench).await;
    let plugin = Plugin::begin().report(10, 1.0).report(20, 2.0);
    plugin.tell(&ada, 0..3);
    plugin.all(&grace);
    ada.send(&ada.look("hers", Level::Names)).await.unwrap();
    // It knows of a later time, and not of names.
    let numbers = grace.look("numbers", Level::Metrics);
    grace.send(&numbers).await.unwrap();
    assert_eq!(shown(&bench), of("ada", 1.0));
    // It knows the names, and less.
    plugin.tell(&mallory, 0..2);
    mallory
        .send(&mallory.look("less", Level::Everything))
        .await
        .unwrap();
    assert_eq!(shown(&bench), of("ada", 1.0));
    assert_eq!(said(&bench, &numbers)["contradicts"], json!([]));
    // All of it, and more.
    let all = grace.look("all", Level::Names);
    grace.send(&all).await.unwrap();
    assert_eq!(shown(&bench), of("ada", 2.0));
    bench.restart().await;
    assert_eq!(shown(&bench), of("ada", 2.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_changes_what_somebody_else_shared_and_who_tries_is_named() {
    let mut bench = Bench::start().await;
    let [ada, grace, mallory] = three(&bench).await;
    let plugin = Plugin::begin().report(10, 1.0).report(20, 2.0);
    plugin.tell(&ada, 0..3);
    let hers = ada.look("hers", Level::Names);
    ada.send(&hers).await.unwrap();
    // The same reports with other numbers, and later ones.
    let mut forged = Plugin {
        began: plugin.began,
        records: plugin.records.clone(),
    };
    forged.records[1]["totals"]["compute"] = json!(1_000.0);
    forged.all(&mallory);
    let his = mallory.look("his", Level::Everything);
    mallory.send(&his).await.unwrap();
    assert_eq!(shown(&bench), of("ada", 1.0));
    let flagged = json!([{"cluster": FIRST, "member_name": "ada", "record": "sample", "field": "totals.compute"}]);
    assert_eq!(said(&bench, &his)["contradicts"], flagged);
    assert_eq!(said(&bench, &his)["counted"], 0);
    let audit = bench.within(&bench.account, AccountCommand::Audit);
    let last = audit.as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["sha256"], &last["contradicts"]),
        (&json!(his.sha256), &json!([FIRST]))
    );
    // It stands in nobody's way, and is still flagged after a restart.
    plugin.all(&grace);
    grace.send(&grace.look("more", Level::Names)).await.unwrap();
    assert_eq!(shown(&bench), of("ada", 2.0));
    bench.restart().await;
    assert_eq!(shown(&bench), of("ada", 2.0));
    assert_eq!(said(&bench, &his)["contradicts"][0]["cluster"], FIRST);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_made_up_behind_a_share_goes_once_its_member_shares_it_again() {
    let bench = Bench::start().await;
    let [ada, grace, mallory] = three(&bench).await;
    let plugin = Plugin::begin().report(10, 1.0).report(20, 2.0);
    plugin.tell(&ada, 0..3);
    ada.send(&ada.look("hers", Level::Names)).await.unwrap();
    // All that she shared, and what came of nowhere behind it.
    let made_up = Plugin {
        began: plugin.began,
        records: plugin.records[..3].to_vec(),
    };
    made_up.report(15, 1_000.0).all(&mallory);
    let his = mallory.look("his", Level::Names);
    mallory.send(&his).await.unwrap();
    // It may be so, as far as anybody knows; it says whose it is.
    assert_eq!(shown(&bench), of("ada", 1_000.0));
    assert_eq!(said(&bench, &his)["counted"], 1);
    plugin.tell(&ada, 3..5);
    ada.send(&ada.look("again", Level::Names)).await.unwrap();
    assert_eq!(shown(&bench), of("ada", 2.0));
    assert_eq!(said(&bench, &his)["contradicts"][0]["member_name"], "ada");
    // Behind a goodbye there is nothing.
    let ended = Plugin {
        began: plugin.began,
        records: plugin.records.clone(),
    }
    .stopped(21);
    ended.tell(&ada, 5..6);
    ada.send(&ada.look("ended", Level::Names)).await.unwrap();
    let goes_on = ended.report(30, 3.0);
    goes_on.all(&grace);
    let more = grace.look("more", Level::Names);
    grace.send(&more).await.unwrap();
    assert_eq!(shown(&bench), of("ada", 2.0));
    assert_eq!(said(&bench, &more)["counted"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fuller_share_without_its_row_is_as_if_it_had_not_come() {
    let mut bench = Bench::start().await;
    let [ada, grace, _] = three(&bench).await;
    let plugin = Plugin::begin().report(10, 1.0).report(20, 2.0);
    plugin.tell(&ada, 0..3);
    plugin.all(&grace);
    ada.send(&ada.look("small", Level::Names)).await.unwrap();
    let large = grace.look("large", Level::Names);
    grace.send(&large).await.unwrap();
    let account = on_disk(&bench);
    let port = bench.stop().await;
    // As if it had been killed after the cluster was taken, before the row.
    let audit = account.0.join("audit.ndjson");
    let text = std::fs::read_to_string(&audit).unwrap();
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    std::fs::write(&audit, &text[..last]).unwrap();
    bench.again(port).await;
    assert_eq!(shown(&bench), of("ada", 1.0));
    account.check();
    grace.send(&large).await.unwrap();
    assert_eq!(shown(&bench), of("ada", 2.0));
    // What was found of bundles is found again.
    let port = bench.stop().await;
    std::fs::remove_file(account.0.join("compared.json")).unwrap();
    bench.again(port).await;
    assert_eq!(shown(&bench), of("ada", 2.0));
}
