//! Profiles merged, filtered and cut.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::api::*;
use crate::model::Micros;
use crate::query;
use crate::testing::*;

/// Lets the profile be sent.
fn allowed(seconds: i64) -> Value {
    with(
        facts(seconds),
        json!({"switches": {"code": true, "profile": true, "events_allow": ["*"]}}),
    )
}

fn ask(bench: &Bench, prefix: Option<&str>, window: Option<(i64, i64)>, nodes: u32) -> Profile {
    let request = ProfileRequest {
        id: 1,
        prefix: prefix.map(Into::into),
        from_micros: window.map(|(from, _)| Micros(at(from))),
        to_micros: window.map(|(_, to)| Micros(at(to))),
        nodes,
    };
    profile(&bench.app, request).unwrap()
}

/// `path own total` of each node, by path.
fn tree(profile: &Profile) -> Vec<String> {
    let nodes = &profile.nodes;
    let mut paths: Vec<String> = Vec::new();
    for at in 0..nodes.parent.len() {
        let name = &profile.frames.name[nodes.frame[at] as usize];
        let path = match usize::try_from(nodes.parent[at]) {
            Ok(parent) => format!("{}/{name}", paths[parent]),
            Err(_) => name.clone(),
        };
        paths.push(path);
    }
    let mut lines: Vec<String> = (0..paths.len())
        .map(|at| {
            format!(
                "{} {} {}",
                paths[at], nodes.self_count[at], nodes.total_count[at]
            )
        })
        .collect();
    lines.sort();
    lines
}

fn functions(profile: &Profile) -> Vec<(&str, u64, u64)> {
    let name = |frame: u32| profile.frames.name[frame as usize].as_str();
    let all = profile.functions.iter();
    all.map(|one| (name(one.frame), one.self_count, one.total_count))
        .collect()
}

/// A profile of stacks such as `main/f 3`.
fn of(seconds: i64, prefix: Option<&str>, stacks: &[&str]) -> Value {
    let mut strings = vec!["work.py".to_owned()];
    let mut frames: Vec<String> = Vec::new();
    let mut known: Vec<String> = Vec::new();
    let (mut parents, mut of, mut leaves, mut counts) = (vec![], vec![], vec![], vec![]);
    for line in stacks {
        let (path, count) = line.split_once(' ').unwrap();
        let mut parent = -1;
        let mut so_far = String::new();
        for name in path.split('/') {
            so_far = format!("{so_far}/{name}");
            let frame = frames
                .iter()
                .position(|one| one == name)
                .unwrap_or_else(|| {
                    frames.push(name.into());
                    strings.push(name.into());
                    frames.len() - 1
                });
            let at = known
                .iter()
                .position(|one| *one == so_far)
                .unwrap_or_else(|| {
                    known.push(so_far.clone());
                    parents.push(parent);
                    of.push(frame);
                    known.len() - 1
                });
            parent = at as i64;
        }
        leaves.push(parent);
        counts.push(count.parse::<u64>().unwrap());
    }
    let (zeros, none) = (vec![0; frames.len()], vec![Value::Null; frames.len()]);
    let names: Vec<usize> = (1..=frames.len()).collect();
    with(
        sampled(seconds, prefix),
        json!({
            "samples": counts.iter().sum::<u64>(), "unattributed": 0, "strings": strings,
            "frames": {"name": names, "file": zeros, "line": none, "text": none},
            "stacks": {"parent": parents, "frame": of}, "leaves": {"stack": leaves, "count": counts},
        }),
    )
}

#[test]
fn records_merge_into_one_tree_whatever_their_tables_look_like() {
    let bench = Bench::new();
    bench.send(batch(
        1,
        &[
            allowed(0),
            of(20, Some("inc"), &["main/f 3", "main/g/h 2", "main 1"]),
            of(30, Some("sum"), &["other 5", "main/g/h 10", "main/f/g 1"]),
            of(40, None, &["main/f 4"]),
        ],
    ));
    let all = ask(&bench, None, None, 0);
    assert_eq!(
        tree(&all),
        [
            "main 1 21",
            "main/f 7 8",
            "main/f/g 1 1",
            "main/g 0 12",
            "main/g/h 12 12",
            "other 5 5"
        ]
    );
    assert_eq!(
        (all.samples, all.unattributed, all.records, all.folded_nodes),
        (26, 0, 3, 0)
    );
    assert_eq!(
        (all.from_micros, all.to_micros),
        (Some(Micros(at(10))), Some(Micros(at(40))))
    );
    assert_eq!(
        (all.sample_micros, all.truncated, all.lines),
        (10_000, false, ProfileLines::Shown)
    );
    assert_eq!(
        functions(&all),
        [
            ("h", 12, 12),
            ("f", 7, 8),
            ("other", 5, 5),
            ("main", 1, 21),
            ("g", 1, 13)
        ]
    );
    let prefixes: Vec<_> = all
        .prefixes
        .iter()
        .map(|one| (one.prefix.as_deref(), one.samples))
        .collect();
    assert_eq!(prefixes, [(Some("sum"), 16), (Some("inc"), 6), (None, 4)]);

    assert_eq!(
        tree(&ask(&bench, Some("inc"), None, 0)),
        ["main 1 6", "main/f 3 3", "main/g 0 2", "main/g/h 2 2"]
    );
    assert_eq!(
        ask(&bench, None, Some((20, 30)), 0).samples,
        16,
        "whole intervals that touch the window"
    );
    assert_eq!(ask(&bench, None, Some((20, 30)), 0).prefixes.len(), 1);
    let nothing = ask(&bench, Some("nobody"), None, 0);
    assert_eq!(
        (
            nothing.samples,
            nothing.nodes.parent.len(),
            nothing.from_micros
        ),
        (0, 0, None)
    );
}

#[test]
fn a_function_that_calls_itself_counts_a_sample_once() {
    let bench = Bench::new();
    bench.send(batch(
        1,
        &[allowed(0), of(20, None, &["f/g/f/f 3", "f 1", "g/f 2"])],
    ));
    assert_eq!(
        functions(&ask(&bench, None, None, 0)),
        [("f", 6, 6), ("g", 0, 5)]
    );
}

#[test]
fn small_nodes_are_folded_and_counted() {
    let bench = Bench::new();
    let wide: Vec<String> = (0..500)
        .map(|at| format!("main/f{at}/leaf {}", at + 1))
        .collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
    bench.send(batch(1, &[allowed(0), of(20, None, &wide)]));
    let all = ask(&bench, None, None, 0);
    assert_eq!((all.nodes.parent.len(), all.folded_nodes), (1_001, 0));
    let cut = ask(&bench, None, None, 101);
    assert_eq!((cut.nodes.parent.len(), cut.folded_nodes), (101, 900));
    assert_eq!(
        cut.nodes.total_count[0], 125_250,
        "the root keeps the samples of what was folded"
    );
    for (at, &parent) in cut.nodes.parent.iter().enumerate() {
        assert!(parent < at as i32 && (parent >= 0 || at == 0));
        assert!(cut.nodes.total_count[at] >= 451, "the largest stay");
    }
    // Functions are told of whole trees.
    assert_eq!(
        (cut.functions_total, cut.functions[0].self_count),
        (502, 125_250)
    );
}

#[test]
fn lines_of_source_are_sealed_once_and_shown_where_the_key_is() {
    let bench = Bench::new();
    let plain = |second| sampled(second, None);
    bench.send(batch(1, &[allowed(0), plain(20), plain(30), plain(40)]));
    let stored: u64 = bench
        .app
        .read(|db| Ok(db.query_one("select count(*) from profile_line", [], |row| row.get(0))?))
        .unwrap();
    assert_eq!(stored, 1, "a line that came before is not stored again");
    // Also in a window in which it was not stored.
    let shown = ask(&bench, None, Some((35, 45)), 0);
    assert_eq!(shown.lines, ProfileLines::Shown);
    let load = shown
        .frames
        .name
        .iter()
        .position(|name| name == "load")
        .unwrap();
    assert_eq!(shown.frames.text[load].as_deref(), Some("    canary-line"));
    assert_eq!(
        (shown.frames.file[load].as_str(), shown.frames.line[load]),
        ("/home/ada/work.py", Some(9))
    );
    assert_eq!(shown.unattributed, 1);
    std::fs::rename(bench.path().join("key"), bench.path().join("aside")).unwrap();
    let locked = ask(&bench, None, None, 0);
    assert_eq!((locked.lines, locked.samples), (ProfileLines::Locked, 18));
    assert!(locked.frames.text.iter().all(Option::is_none));
}

/// What a kept tree of the first cluster is recognised by, with profiles that have these sequence numbers.
fn stamp(seqs: &[u64]) -> String {
    let bench = Bench::new();
    bench.send(batch(1, &[allowed(0)]));
    for &seq in seqs {
        bench.send(batch(seq, &[of(20, Some("inc"), &["main/f 3"])]));
    }
    let selection = ProfileSelection {
        ids: vec![1],
        ..ProfileSelection::default()
    };
    bench
        .app
        .read(|db| {
            let selected = query::select(db, Micros(at(100)), &selection)?;
            Ok(query::profiles(db, &selected)?.stamp)
        })
        .unwrap()
}

#[test]
fn other_profiles_are_told_apart_though_they_are_as_many_and_add_up_to_the_same() {
    assert_eq!(stamp(&[10, 13]), stamp(&[13, 10]));
    assert_ne!(stamp(&[10, 13]), stamp(&[11, 12]));
    assert_ne!(stamp(&[10, 13]), stamp(&[10, 13, 20]));
    assert_ne!(stamp(&[10]), stamp(&[]));
}

#[test]
fn stacks_are_those_of_their_records_whatever_lies_between_them() {
    let bench = Bench::new();
    bench.send(batch(1, &[allowed(0)]));
    for (seq, stack) in [(10, "f 1"), (11, "f 2"), (13, "f 3"), (90, "f 4")] {
        bench.send(batch(seq, &[of(20, Some("inc"), &[stack])]));
    }
    let selection = ProfileSelection {
        ids: vec![1],
        ..ProfileSelection::default()
    };
    let read = |seqs: &[u64]| -> Vec<Option<u64>> {
        let app = &bench.app;
        app.read(|db| {
            let selected = query::select(db, Micros(at(100)), &selection)?;
            let records = query::profiles(db, &selected)?.records;
            let wanted = seqs
                .iter()
                .map(|&seq| query::ProfileRecord { seq, ..records[0] });
            let wanted: Vec<_> = wanted.collect();
            query::StackReader::default().read(db, &wanted)
        })
        .unwrap()
        .into_iter()
        .map(|stacks| Some(stacks?.leaves[0].1))
        .collect()
    };
    assert_eq!(
        read(&[10, 11, 13, 90]),
        [Some(1), Some(2), Some(3), Some(4)]
    );
    assert_eq!(read(&[10, 12, 13]), [Some(1), None, Some(3)]);
    assert_eq!(
        read(&[13, 10, 9, 90, 91]),
        [Some(3), Some(1), None, Some(4), None]
    );
    assert!(read(&[]).is_empty());
}

/// A profile that was drawn: cluster, prefix, second, and stacks with their counts.
type Drawn = (usize, usize, i64, Vec<(String, u64)>);

const PREFIXES: [Option<&str>; 3] = [Some("inc"), Some("sum"), None];

/// What a selection adds up to, stack by stack: samples that ended in each path, and those with what it called.
fn summed<'a>(profiles: impl Iterator<Item = &'a Drawn>) -> BTreeMap<String, (u64, u64)> {
    let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (path, count) in profiles.flat_map(|(.., stacks)| stacks) {
        sums.entry(path.clone()).or_default().0 += count;
        let ends = path.match_indices('/').map(|(end, _)| end);
        for end in ends.chain([path.len()]) {
            sums.entry(path[..end].to_owned()).or_default().1 += count;
        }
    }
    sums
}

/// The same of what is drawn.
fn drawn(bench: &Bench, selection: ProfileSelection) -> BTreeMap<String, (u64, u64)> {
    let view = FlameView {
        width: 20_000,
        smallest: 0.5,
        ..FlameView::default()
    };
    let request = FlameRequest {
        selection,
        view,
        ..FlameRequest::default()
    };
    let Flame {
        rectangles, frames, ..
    } = flame(&bench.app, request).unwrap();
    let mut paths = vec![String::new()];
    for at in 1..rectangles.key.len() {
        let name = &frames.name[rectangles.frame[at] as usize];
        let above = &paths[rectangles.parent[at] as usize];
        let between = if above.is_empty() { "" } else { "/" };
        paths.push(format!("{above}{between}{name}"));
    }
    let counts = rectangles.own.into_iter().zip(rectangles.total);
    paths.into_iter().zip(counts).skip(1).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_merge_is_what_stack_by_stack_adds_up_to(
        profiles in vec(
            (0usize..3, 0usize..3, 2i64..9, vec(("[abc](/[abcd]){0,5}", 1u64..50), 1..12)),
            1..24,
        ),
        prefix in proptest::option::of(0usize..2),
        window in proptest::option::of((10i64..60, 1i64..40)),
        clusters in 1usize..4,
        asked in vec(any::<bool>(), 24),
    ) {
        let bench = Bench::new();
        for cluster in 0..3 {
            bench.send(batch_of(&format!("Scheduler-{cluster}"), "i", 1, &[allowed(0)]));
        }
        let window = window.map(|(from, wide)| (from, from + wide));
        let selection = ProfileSelection {
            ids: (1..=clusters as i64).collect(),
            prefixes: prefix.iter().filter_map(|&at| Some(PREFIXES[at]?.to_owned())).collect(),
            from_micros: window.map(|(from, _)| Micros(at(from))),
            to_micros: window.map(|(_, to)| Micros(at(to))),
            ..ProfileSelection::default()
        };
        let meant = profiles.iter().filter(|(cluster, of, second, _)| {
            // Each tells of the ten seconds before it.
            let (begun, ended) = (second * 10 - 10, second * 10);
            *cluster < clusters
                && prefix.is_none_or(|prefix| prefix == *of)
                && window.is_none_or(|(from, to)| ended > from && begun < to)
        });
        // What was merged before is gone on from.
        for (at, (cluster, prefix, second, stacks)) in profiles.iter().enumerate() {
            let lines: Vec<String> =
                stacks.iter().map(|(path, count)| format!("{path} {count}")).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let record = of(second * 10, PREFIXES[*prefix], &lines);
            bench.send(batch_of(&format!("Scheduler-{cluster}"), "i", 2 + at as u64, &[record]));
            if asked[at] {
                drawn(&bench, selection.clone());
            }
        }
        prop_assert_eq!(drawn(&bench, selection), summed(meant));
    }
}
