//! Files of real clusters: every number is the one that Dask itself has.

use super::*;
use crate::api::{ClustersRequest, call, clusters, import_file};
use crate::testing::Bench;

const VERSIONS: [&str; 3] = ["2022", "2024", "2026"];

fn near(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() < 1e-5
}

#[test]
fn a_report_adds_up_to_what_dask_counted() {
    for version in VERSIONS {
        let truth = truth(version);
        let (made, records) = read(
            &fixture(version, "report.html.gz"),
            "my report.html.gz",
            NOW,
        )
        .unwrap();
        assert_eq!(made.name, "my report", "{version}");
        assert_eq!(made.source, SourceFormat::PerformanceReport);
        let groups = groups(&records);
        let mut rows = 0;
        for (name, wanted) in truth["rectangles"].as_object().unwrap() {
            let (action, prefix) = name.split_once(':').unwrap();
            let of_prefix: Vec<_> = groups
                .iter()
                .filter(|group| group.prefix == prefix)
                .collect();
            let seconds: f64 = of_prefix
                .iter()
                .map(|group| match action {
                    "compute" => group.seconds.compute,
                    "transfer" => group.seconds.transfer,
                    "deserialize" => group.seconds.deserialize,
                    other => panic!("{other}"),
                })
                .sum();
            assert!(
                near(seconds, wanted["seconds"].as_f64().unwrap()),
                "{version} {name}: {seconds}"
            );
            if action == "compute" {
                let count: u64 = of_prefix
                    .iter()
                    .map(|group| group.durations.unwrap().count)
                    .sum();
                assert_eq!(count, wanted["count"].as_u64().unwrap(), "{version} {name}");
                rows += count;
            }
        }
        // Groups have the names that Dask gives them.
        for name in truth["groups"].as_object().unwrap().keys() {
            assert!(
                groups.iter().any(|group| group.name == *name),
                "{version} {name}"
            );
        }
        let last = *samples(&records).last().unwrap();
        assert_eq!((last.workers, last.threads), (2, 4), "{version}");
        assert_eq!(
            (last.totals.tasks_completed, last.totals.tasks_erred),
            (rows, 1),
            "{version}"
        );
        let computed: f64 = groups.iter().map(|group| group.seconds.compute).sum();
        assert!(near(last.totals.seconds.compute, computed), "{version}");
        assert_eq!(last.tasks["processing"], 0, "{version}");
        // As Dask rounds it: two workers of a gigabyte.
        assert!(
            last.memory_limit_bytes.unwrap().abs_diff(2_000_000_000) < 10_000_000,
            "{version}"
        );
        assert_eq!(last.memory_used_bytes, None);

        let addresses: Vec<_> = workers(&records)
            .iter()
            .map(|worker| worker.address.clone().unwrap())
            .collect();
        let wanted: Vec<&String> = truth["workers"].as_object().unwrap().keys().collect();
        assert_eq!(addresses.iter().collect::<Vec<_>>(), wanted, "{version}");
        let facts = facts(&records);
        assert_eq!(
            facts.versions["dask"].as_deref(),
            truth["versions"]["dask"].as_str(),
            "{version}"
        );
        assert!(facts.unavailable.contains(&"dependencies".into()));
        let started = facts.started_micros;
        assert!(
            samples(&records)[0].at_micros == started && started < made.as_of,
            "{version}"
        );

        let profile = profile(&records).unwrap();
        assert!(profile.samples > 10, "{version}: {}", profile.samples);
        let names: Vec<_> = profile
            .frames
            .name
            .iter()
            .map(|&name| profile.strings[name as usize].as_str())
            .collect();
        assert!(
            names.contains(&"load") && names.contains(&"double"),
            "{version}: {names:?}"
        );
        let computation = records.iter().find_map(|record| match record {
            Record::Computation(computation) => Some(computation),
            _ => None,
        });
        let computation = computation.unwrap();
        assert_eq!(computation.groups.len(), groups.len(), "{version}");
        assert!(
            computation
                .code
                .as_ref()
                .is_some_and(|code| !code[0].code.contains("&lt;")),
            "{version}"
        );
    }
}

#[test]
fn a_dump_holds_the_groups_tasks_and_workers_that_dask_had() {
    for version in VERSIONS {
        let truth = truth(version);
        for file in ["dump.msgpack.gz", "dump.yaml.gz"] {
            let (made, records) = read(&fixture(version, file), file, NOW).unwrap();
            assert_eq!(
                (made.name.as_str(), made.source),
                ("dump", SourceFormat::ClusterDump)
            );
            let found = groups(&records);
            let wanted = truth["groups"].as_object().unwrap();
            assert_eq!(found.len(), wanted.len(), "{version} {file}");
            for group in &found {
                let told = &wanted[&group.name];
                assert_eq!(told["prefix"], group.prefix, "{version} {file}");
                let states: std::collections::BTreeMap<_, _> = told["states"]
                    .as_object()
                    .unwrap()
                    .iter()
                    .filter(|(_, count)| **count != 0)
                    .map(|(state, count)| (state.clone(), count.as_u64().unwrap()))
                    .collect();
                assert_eq!(states, group.states, "{version} {file} {}", group.name);
                let compute = told["seconds"]["compute"].as_f64().unwrap_or(0.0);
                assert!(
                    near(group.seconds.compute, compute),
                    "{version} {file} {}",
                    group.name
                );
                assert_eq!(told["result_bytes"], group.result_bytes, "{version} {file}");
                let dependencies: Vec<_> = group
                    .dependencies
                    .iter()
                    .map(|name| Value::from(name.clone()))
                    .collect();
                assert_eq!(
                    told["dependencies"],
                    Value::Array(dependencies),
                    "{version} {file}"
                );
            }
            let sample = *samples(&records).last().unwrap();
            assert_eq!(
                sample.tasks.values().sum::<u64>(),
                truth["tasks"].as_u64().unwrap(),
                "{version} {file}"
            );
            assert_eq!(
                (sample.workers, sample.threads, sample.memory_limit_bytes),
                (2, 4, Some(2_000_000_000))
            );
            assert!(
                sample.memory_used_bytes.unwrap() > 10_000_000,
                "{version} {file}"
            );
            assert_eq!(
                (sample.totals.tasks_completed, sample.totals.tasks_erred),
                (49, 1),
                "{version} {file}"
            );
            for worker in workers(&records) {
                let told = &truth["workers"][worker.address.as_deref().unwrap()];
                assert_eq!(
                    told["name"].as_str(),
                    worker.name.as_deref(),
                    "{version} {file}"
                );
                assert_eq!(
                    (told["threads"].as_u64(), told["memory_limit"].as_u64()),
                    (worker.threads, worker.memory_limit_bytes)
                );
            }
            let failures: Vec<_> = records
                .iter()
                .filter_map(|record| match record {
                    Record::Exception(failure) => Some(failure),
                    _ => None,
                })
                .collect();
            let [failure] = &failures[..] else {
                panic!("{version} {file}: {failures:?}")
            };
            assert_eq!(
                (failure.exception_type.as_str(), failure.message.as_deref()),
                ("ValueError", Some("canary-message 1"))
            );
            assert!(failure.traceback.as_ref().unwrap().contains("in broken"));
            assert_eq!(
                (failure.group.as_deref(), failure.count),
                (Some("broken"), 1),
                "{version} {file}"
            );
            assert!(
                failure.last_seen_micros < made.as_of,
                "{version} {file}: the log says when"
            );
            let facts = facts(&records);
            assert_eq!(
                facts.versions["distributed"].as_deref(),
                truth["versions"]["distributed"].as_str()
            );
            assert_eq!(
                (facts.os.as_deref(), facts.python_version.as_deref()),
                (Some("Linux"), Some("3.11.7"))
            );
            // Later dumps say only that there were topics.
            let told = records
                .iter()
                .any(|record| matches!(record, Record::Event(event) if event.count.is_none()));
            assert_eq!(told, version != "2026", "{version} {file}");
            assert_eq!(
                facts.unavailable.contains(&"events".into()),
                version == "2026"
            );
        }
    }
}

/// What is a pickle in a file is in no record of it.
#[test]
fn no_bytes_of_a_dump_are_kept() {
    let plain = unpacked("2022", "dump.msgpack.gz");
    let pickle = b"b'\\x80\\x04";
    assert!(
        plain.windows(pickle.len()).any(|window| window == pickle),
        "the dump holds one"
    );
    let (_, records) = read_bytes(&plain).unwrap();
    assert!(!serde_json::to_string(&records).unwrap().contains("x80"));
}

#[test]
fn the_same_file_twice_is_one_cluster_also_when_it_was_packed_again() {
    let bench = Bench::new();
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (dir.path().join("one.html.gz"), dir.path().join("two.html"));
    fs::copy(fixture("2024", "report.html.gz"), &one).unwrap();
    fs::write(&two, unpacked("2024", "report.html.gz")).unwrap();
    let taken = import_file(&bench.app, &one).unwrap();
    assert_eq!(
        (taken.clusters[0].id, taken.clusters[0].name.as_deref()),
        (Some(1), Some("one"))
    );
    for path in [&one, &two] {
        let again = import_file(&bench.app, path).unwrap();
        let [cluster] = &again.clusters[..] else {
            panic!("{again:?}")
        };
        assert!(cluster.id.is_none() && cluster.skipped.as_ref().unwrap().contains("number 1"));
    }
    let rows = clusters(&bench.app, ClustersRequest::default())
        .unwrap()
        .rows;
    assert_eq!(
        (rows.len(), rows[0].state),
        (1, crate::model::ClusterState::Finished)
    );

    let cluster: Value =
        serde_json::from_str(&call(&bench.app, "cluster", r#"{"id":1}"#).unwrap()).unwrap();
    assert_eq!(
        cluster["facts"]["from_bundle"]["source"],
        "performance_report"
    );
    assert_eq!(
        fs::read_dir(bench.path().join("beside")).map_or(0, Iterator::count),
        0,
        "nothing is left of making it"
    );
}

#[test]
fn code_and_messages_of_a_file_are_sealed_as_any_others() {
    let bench = Bench::new();
    import_file(&bench.app, &fixture("2026", "dump.msgpack.gz")).unwrap();
    import_file(&bench.app, &fixture("2026", "report.html.gz")).unwrap();
    let exceptions = call(&bench.app, "exceptions", r#"{"id":1}"#).unwrap();
    assert!(exceptions.contains("canary-message"), "{exceptions}");
    bench.app.drain().unwrap();
    for file in fs::read_dir(bench.path()).unwrap().flatten() {
        let bytes = fs::read(file.path()).unwrap_or_default();
        for canary in ["canary-message", "performance_report(filename"] {
            let found = bytes
                .windows(canary.len())
                .any(|window| window == canary.as_bytes());
            assert!(!found, "{canary} in {}", file.path().display());
        }
    }
}
