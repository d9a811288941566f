//! A cluster that was shared once more since it grew.

use std::path::PathBuf;

use crate::api::{self, ClustersRequest, MarkRequest};
use crate::share::{Choice, ImportedCluster};
use crate::testing::*;

/// As a scheduler calls itself: another name would be told as an alias.
const CLUSTER: &str = "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51";

/// A laptop that exported a cluster, and once more since it grew.
fn twice() -> (Bench, PathBuf, PathBuf) {
    let laptop = Bench::new();
    let export = |name: &str| {
        let path = laptop.path().join(name);
        api::export(&laptop.app, &path, &[1], Choice::default()).unwrap();
        path
    };
    laptop.send(batch_of(CLUSTER, "i", 1, &[facts(0), sample(1, 2.0)]));
    let first = export("first.bobbin");
    laptop.at(30);
    laptop.send(batch_of(CLUSTER, "i", 3, &[sample(2, 5.0), sample(3, 9.0)]));
    let second = export("second.bobbin");
    (laptop, first, second)
}

fn import(bench: &Bench, path: &std::path::Path) -> ImportedCluster {
    api::import(&bench.app, path).unwrap().clusters.remove(0)
}

/// What the store holds of clusters, and their sums.
fn told(bench: &Bench) -> Vec<String> {
    let questions = [
        "select json_group_array(json_array(samples, compute_micros, thread_micros, tasks_completed, workers_peak, sample_at_micros))
         from cluster_total",
        "select json_group_array(json_array(hour, compute_micros, thread_micros)) from cluster_hour",
        "select json_array(clusters, compute_micros, thread_micros, tasks_completed, workers_peak) from usage_ever",
        "select json_group_array(json_array(i.instance_id, s.seq, s.at_micros)) from sample as s join instance as i on i.id = s.instance_id",
        "select json_group_array(json_array(name, user, host, project, scheduler_id)) from cluster",
    ];
    let ask = |question: &&str| {
        let told = bench
            .app
            .read(|db| Ok(db.query_one(question, [], |row| row.get(0))?));
        told.unwrap()
    };
    questions.iter().map(ask).collect()
}

#[test]
fn the_newer_share_takes_the_place_of_the_older_one_and_what_was_put_on_it_by_hand_stays() {
    let (_laptop, first, second) = twice();
    let (grown, fresh) = (Bench::new(), Bench::new());
    let before = import(&grown, &first);
    assert_eq!((before.id, before.renewed), (Some(1), false));
    let mark = MarkRequest {
        ids: vec![1],
        pinned: Some(true),
        note: Some("look at this".into()),
        ..MarkRequest::default()
    };
    api::mark_clusters(&grown.app, mark).unwrap();
    let after = import(&grown, &second);
    assert_eq!(
        (after.id, after.skipped, after.renewed),
        (Some(1), None, true)
    );
    import(&fresh, &second);
    // Never twice: all is as if the newer alone had come.
    assert_eq!(told(&grown), told(&fresh));
    let row = &api::clusters(&grown.app, ClustersRequest::default())
        .unwrap()
        .rows[0];
    assert_eq!(row.note.as_deref(), Some("look at this"));
    // Neither of them changes anything now.
    for path in [&first, &second] {
        assert!(import(&grown, path).skipped.is_some());
    }
    assert_eq!(told(&grown), told(&fresh));
}

#[test]
fn what_the_cluster_told_here_itself_is_never_replaced() {
    let (laptop, first, second) = twice();
    let before = told(&laptop);
    let here = import(&laptop, &second);
    assert!(here.skipped.unwrap().contains("already here"));
    assert_eq!(told(&laptop), before);
    // Nor is a bundle's cluster that has reported here since.
    let bench = Bench::new();
    import(&bench, &first);
    bench.at(60);
    bench.send(batch_of(CLUSTER, "another", 1, &[sample(5, 11.0)]));
    let before = told(&bench);
    let skipped = import(&bench, &second);
    assert!(skipped.skipped.is_some() && !skipped.renewed);
    assert_eq!(told(&bench), before);
}
