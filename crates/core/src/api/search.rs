//! One box over everything.

use super::{App, SearchAnswer, SearchRequest};
use crate::{Result, query};

pub(super) fn search(app: &App, request: SearchRequest) -> Result<SearchAnswer> {
    app.read(|db| query::search(db, app.keys(), &request))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::{MarkRequest, SearchKind, mark_clusters};
    use crate::testing::*;

    fn found(bench: &Bench, text: &str, sealed: bool) -> Vec<(SearchKind, Vec<(i64, String)>)> {
        let request = SearchRequest {
            text: text.into(),
            sealed,
            ..SearchRequest::default()
        };
        let answer = search(&bench.app, request).unwrap();
        let groups = answer.groups.into_iter().map(|group| {
            let hits = group.hits.into_iter();
            let told = |hit: crate::api::SearchHit| {
                (
                    hit.cluster_id,
                    format!("{}[{}]{}", hit.before, hit.matched, hit.after),
                )
            };
            (group.kind, hits.map(told).collect())
        });
        groups.collect()
    }

    /// Two clusters with a function, an exception and code each.
    fn two() -> Bench {
        let bench = Bench::new();
        for (id, name) in [("Scheduler-1", "etl one"), ("Scheduler-2", "ETL two")] {
            let records = [
                with(facts(0), json!({"name": name})),
                group(1, "g1", 1.0),
                computation(2, "c1", Some("a = 1\ndef canary_function():\n    pass")),
                exception(3, "e1", 1),
            ];
            bench.send(batch_of(id, "i", 1, &records));
        }
        let note = MarkRequest {
            ids: vec![1],
            note: Some("first line\nsee the Canary report".into()),
            ..Default::default()
        };
        mark_clusters(&bench.app, note).unwrap();
        bench
    }

    #[test]
    fn each_kind_is_found_newest_first_with_the_line_of_the_match() {
        let bench = two();
        let hits = |hits: &[(i64, &str)]| {
            hits.iter()
                .map(|(id, text)| (*id, (*text).to_owned()))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found(&bench, "etl", false),
            [(
                SearchKind::Cluster,
                hits(&[(2, "[ETL] two"), (1, "[etl] one")])
            )]
        );
        assert_eq!(
            found(&bench, "two etl", false),
            [(SearchKind::Cluster, hits(&[(2, "ETL [two]")]))]
        );
        assert_eq!(
            found(&bench, "tw", false),
            [(SearchKind::Cluster, hits(&[(2, "ETL [tw]o")]))]
        );
        assert_eq!(
            found(&bench, "blue", false),
            [(
                SearchKind::Tag,
                hits(&[(2, "team=[blue]"), (1, "team=[blue]")])
            )]
        );
        assert_eq!(
            found(&bench, "canary rep", false),
            [(SearchKind::Note, hits(&[(1, "see the [Canary] report")]))]
        );
        assert_eq!(
            found(&bench, "inc", false),
            [(SearchKind::Function, hits(&[(2, "[inc]")]))]
        );
        assert_eq!(
            found(&bench, "valueerr", false),
            [(SearchKind::Exception, hits(&[(2, "[ValueErr]or")]))]
        );
        assert_eq!(found(&bench, "canary-mess", false), []);
        assert_eq!(
            found(&bench, "canary", true),
            [
                (
                    SearchKind::Message,
                    hits(&[(2, "[canary]-message"), (1, "[canary]-message")])
                ),
                (
                    SearchKind::Code,
                    hits(&[
                        (2, "def [canary]_function():"),
                        (1, "def [canary]_function():")
                    ])
                ),
            ]
        );
        for hostile in [
            "\"",
            "' or 1=1",
            "AND",
            "a* NOT",
            "{about} : x",
            "NEAR(",
            "\u{0}",
            "%",
            "_",
            "\\",
            "^a",
            "",
        ] {
            found(&bench, hostile, false);
            found(&bench, hostile, true);
        }
        let long = SearchRequest {
            text: "x".repeat(1_000),
            ..Default::default()
        };
        assert!(search(&bench.app, long).is_err());
    }

    #[test]
    fn a_hit_in_code_shows_no_secret_also_where_the_secret_is_cut_off_or_looked_for() {
        let bench = Bench::new();
        let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        let long = "x = 1; ".repeat(12);
        let code = format!("TOKEN = \"{token}\"\nenter(\"{token}\", lake); {long}go(\"{token}\")");
        bench.send(batch(1, &[facts(0), computation(2, "c1", Some(&code))]));
        let of = |text: &str| -> Vec<String> {
            let found = found(&bench, text, true).into_iter();
            found
                .flat_map(|(_, hits)| hits.into_iter().map(|(_, text)| text))
                .collect()
        };
        assert_eq!(of("token ="), ["[TOKEN] = \"‹secret›\""]);
        // Cut before it, half of it would look like none.
        for text in ["lake", "go("] {
            let hits = of(text);
            assert!(hits.len() == 1 && hits[0].contains("‹secret›"), "{hits:?}");
            assert!(!hits[0].contains("789"), "{hits:?}");
        }
        // A part of it finds the code, and no more.
        assert_eq!(of("mnopqrst"), ["[‹secret›]"]);
        assert_eq!(of("not-there"), [""; 0]);
    }

    #[test]
    fn words_are_found_in_any_order_and_the_name_of_a_group_finds_its_prefix() {
        let bench = Bench::new();
        let named = |id: &str, prefix: &str| with(group(1, id, 1.0), json!({"prefix": prefix}));
        let failed = with(
            exception(3, "e1", 1),
            json!({"exception_type": "KilledWorkerError"}),
        );
        bench.send(batch(
            1,
            &[
                facts(0),
                named("g1", "read-parquet"),
                named("g2", "read-csv"),
                failed,
            ],
        ));
        let of = |text: &str| -> Vec<String> {
            let found = found(&bench, text, false).into_iter();
            found
                .flat_map(|(_, hits)| hits.into_iter().map(|(_, text)| text))
                .collect()
        };
        assert_eq!(of("read parquet"), ["[read]-parquet"]);
        assert_eq!(of("parquet read"), ["read-[parquet]"]);
        assert_eq!(of("error killed"), ["KilledWorker[Error]"]);
        assert_eq!(of("read error"), [""; 0]);
        for name in [
            "read-parquet-5f3a9c01d2e4b6a8",
            "('read-parquet-5f3a9c01d2e4b6a8', 12)",
            "\"read-parquet-5f3a9c01\"",
            "read-parquet-5f3a9c01-0c4e-4a4e-9d0b-1f2e3d4c5b6a",
        ] {
            assert_eq!(of(name), ["[read-parquet]"], "{name}");
        }
        // Only words.
        assert_eq!(of("read-parquet-facade"), [""; 0]);
    }

    #[test]
    fn what_stands_for_a_name_that_is_off_is_found_alone() {
        let bench = Bench::new();
        let stands = |id: &str, prefix: &str| with(group(1, id, 1.0), json!({"prefix": prefix}));
        bench.send(batch(
            1,
            &[
                facts(0),
                stands("g1", "task-1a2b3c4d"),
                stands("g2", "task-5e6f7a8b"),
                stands("g3", "task-abcdefab"),
            ],
        ));
        for (text, prefix) in [
            ("task-1a2b3c4d", "task-1a2b3c4d"),
            ("task-1a2b3c4d-0f1e2d3c", "task-1a2b3c4d"),
            ("('task-5e6f7a8b-0f1e2d3c', 3)", "task-5e6f7a8b"),
            ("task-abcdefab-0f1e2d3c", "task-abcdefab"),
        ] {
            let alone = vec![(1, format!("[{prefix}]"))];
            assert_eq!(found(&bench, text, false), [(SearchKind::Function, alone)]);
        }
    }

    #[test]
    fn functions_in_profiles_are_found_once_with_the_newest_cluster_that_has_them() {
        let bench = Bench::new();
        let switches = json!({"switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]}});
        for id in ["Scheduler-1", "Scheduler-2"] {
            let told = with(facts(0), switches.clone());
            bench.send(batch_of(id, "i", 1, &[told, sampled(20, Some("p"))]));
        }
        assert_eq!(
            found(&bench, "oa", false),
            [(SearchKind::Frame, vec![(2, "l[oa]d".to_owned())])]
        );
        let request = SearchRequest {
            text: "load".into(),
            ..Default::default()
        };
        let answer = search(&bench.app, request).unwrap();
        assert_eq!(answer.groups[0].hits[0].clusters, Some(2));
    }

    #[test]
    fn without_the_key_what_is_sealed_is_locked_and_said_to_be() {
        let bench = two();
        std::fs::remove_file(bench.path().join("key")).unwrap();
        let request = SearchRequest {
            text: "canary".into(),
            sealed: true,
            ..SearchRequest::default()
        };
        let answer = search(&bench.app, request).unwrap();
        assert!(answer.locked && answer.groups.is_empty());
        let looked = answer.sealed.iter().map(|one| (one.looked, one.total));
        assert_eq!(looked.collect::<Vec<_>>(), [(0, 2), (0, 2)]);
    }

    #[test]
    fn what_is_sealed_is_looked_through_in_steps_and_each_says_how_far() {
        let bench = Bench::new();
        // The oldest is the only one with the word; of the next ones each has another.
        let code = |i: i64| match i {
            0 => "needle = 1".to_owned(),
            i => format!("straw_{i} = 1"),
        };
        let told = (0..1_300).map(|i| computation(10 + i, &format!("c{i}"), Some(&code(i))));
        bench.send(batch(1, &[vec![facts(0)], told.collect()].concat()));
        let look = |text: &str, code_looked: u64| {
            let request = SearchRequest {
                text: text.into(),
                sealed: true,
                code_looked,
                ..SearchRequest::default()
            };
            let answer = search(&bench.app, request).unwrap();
            let code = answer
                .sealed
                .iter()
                .find(|one| one.kind == SearchKind::Code);
            let hits = answer.groups.into_iter().flat_map(|group| group.hits);
            let items: Vec<_> = hits.filter_map(|hit| hit.item).collect();
            (items, code.map(|one| (one.looked, one.total)).unwrap())
        };
        assert_eq!(look("needle", 0), (vec![], (200, 1_300)));
        assert_eq!(look("needle", 200), (vec![], (1_200, 1_300)));
        assert_eq!(look("needle", 1_200), (vec!["c0".into()], (1_300, 1_300)));
        assert_eq!(look("needle", 9_000), (vec![], (9_000, 1_300)));
        // Where there are more hits than are told, whoever goes on misses none of them.
        let (first, (looked, _)) = look("straw", 0);
        assert_eq!((first.len(), looked), (6, 6));
        assert_eq!(look("straw", looked).0[0], "c1293");
    }
}
