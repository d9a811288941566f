//! Clusters of one stage of which more or less is told than of others.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::api::{Role, approve_covered, import, stand};

/// Two clusters, each with a message.
fn two() -> Bench {
    let bench = bench();
    let records = [
        with(facts(0), json!({"name": "weekly"})),
        sample(1, 1.0),
        with(exception(9, "e", 1), json!({"message": "no such column"})),
    ];
    bench
        .at(10)
        .send(batch_of("Scheduler-2", "second", 1, &records));
    bench
}

fn levels(most: Level, own: &[(i64, Level)]) -> StageClustersRequest {
    let own = own.iter().map(|&(id, level)| ClusterLevel { id, level });
    StageClustersRequest {
        ids: vec![1, 2],
        levels: own.collect(),
        ..wanted(most)
    }
}

fn of_each(stage: &Stage) -> Vec<Level> {
    stage.clusters.iter().map(|one| one.level).collect()
}

#[test]
fn each_cluster_tells_what_its_own_level_does_and_the_bundle_says_so() {
    let bench = two();
    let request = levels(Level::Names, &[(2, Level::Errors)]);
    let stage = stage_clusters(&bench.app, request).unwrap();
    assert_eq!(of_each(&stage), [Level::Names, Level::Errors]);
    assert_eq!(stage.choice.level, Level::Errors, "the most that is told");
    let text = plain(&stage);
    assert!(
        text.contains("no such column") && !text.contains("no route"),
        "{text}"
    );
    let path = Path::new(&stage.path);
    let opened = crate::share::open(path).unwrap();
    let said: Vec<_> = opened
        .manifest
        .clusters
        .iter()
        .map(|one| one.level)
        .collect();
    assert_eq!(said, [Some(Level::Names), None]);
    // Another Bobbin, which reads the stage from the disk, sees the same.
    let clock = Arc::clone(&bench.clock);
    let other = App::open(bench.path(), Role::Reader, clock as _).unwrap();
    let again = crate::api::stage(&other, StageRequest { id: stage.id }).unwrap();
    assert_eq!(
        (of_each(&again), again.sha256),
        (of_each(&stage), stage.sha256.clone())
    );
    // Whoever takes it in knows of each how much of it was told.
    let taken = Bench::new();
    import(&taken.app, path).unwrap();
    let noted: Vec<String> = taken
        .app
        .read(|db| {
            let mut rows = db.prepare("SELECT choice FROM imported ORDER BY cluster_id")?;
            let rows = rows.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .unwrap();
    let names = noted.iter().filter(|choice| choice.contains("\"names\""));
    assert_eq!((noted.len(), names.count()), (2, 1), "{noted:?}");
    approve(&bench.app, &stage).unwrap();
    let rows = Ledger::of(bench.path()).rows().unwrap();
    assert_eq!(rows.last().unwrap().entry.level.as_deref(), Some("errors"));
}

#[test]
fn a_policy_narrows_each_and_a_level_of_another_cluster_is_refused() {
    let bench = two();
    let request = levels(Level::Metrics, &[(1, Level::Everything), (2, Level::Names)]);
    let policy = bench.path().join("bobbin-policy.toml");
    fs::write(&policy, "level = 'errors'").unwrap();
    let stage = stage_clusters(&bench.app, request.clone()).unwrap();
    assert_eq!(of_each(&stage), [Level::Errors, Level::Names]);
    assert_eq!(stage.choice.level, Level::Errors);
    fs::write(&policy, "level = 'names'").unwrap();
    let why = approve(&bench.app, &stage).unwrap_err().to_string();
    assert!(why.contains("the highest level is now names"), "{why}");
    fs::remove_file(&policy).unwrap();
    let other = levels(Level::Names, &[(7, Level::Metrics)]);
    assert!(matches!(
        stage_clusters(&bench.app, other),
        Err(Error::Invalid {
            what: "level of a cluster",
            ..
        })
    ));
}

#[test]
fn an_approval_in_advance_covers_none_of_a_stage_in_which_one_cluster_tells_more() {
    let bench = two();
    let in_advance = StandingRequest {
        destination: "team".into(),
        days: Some(30),
        level: Level::Names,
    };
    stand(&bench.app, in_advance).unwrap();
    let more = levels(Level::Names, &[(2, Level::Errors)]);
    let stage = stage_clusters(&bench.app, more).unwrap();
    let why = approve_covered(&bench.app, stage.id)
        .unwrap_err()
        .to_string();
    assert!(why.contains("shares more"), "{why}");
    // All of them below what the stage had is what counts.
    let less = levels(Level::Everything, &[(1, Level::Metrics), (2, Level::Names)]);
    let stage = stage_clusters(&bench.app, less).unwrap();
    assert_eq!(stage.choice.level, Level::Names);
    approve_covered(&bench.app, stage.id).unwrap();
}
