//! Flame graphs over stored profiles: selections, what is kept, and what is told beside them.

use serde_json::{Value, json};

use crate::api::flame::{merged, merged_with_lines};
use crate::api::*;
use crate::model::Micros;
use crate::query::CountedLines;
use crate::testing::*;

fn allowed(name: &str) -> Value {
    with(
        facts(0),
        json!({"name": name, "switches": {"code": true, "profile": true, "events_allow": ["*"]}}),
    )
}

/// Two clusters: `one` with two prefixes at 20 and 30 s, `two` with one.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.send(batch(
        1,
        &[
            allowed("one"),
            with(group(40, "g1", 1.0), json!({"prefix": "inc"})),
            with(
                group(40, "g2", 1.0),
                json!({"prefix": "sum", "states": {"memory": 2, "erred": 1, "waiting": 9}}),
            ),
            with(
                computation(25, "c1", None),
                json!({"groups": ["g1"], "start_micros": at(5)}),
            ),
            sampled(20, Some("inc")),
            sampled(30, Some("sum")),
            sampled(40, Some("inc")),
        ],
    ));
    bench.send(batch_of(
        "Scheduler-2",
        "i",
        1,
        &[allowed("two"), sampled(20, Some("inc"))],
    ));
    bench
}

fn of(ids: &[i64]) -> ProfileSelection {
    ProfileSelection {
        ids: ids.to_vec(),
        ..ProfileSelection::default()
    }
}

fn about(bench: &Bench, selection: ProfileSelection) -> FlameAbout {
    flame_about(&bench.app, FlameAboutRequest { selection }).unwrap()
}

fn drawn(bench: &Bench, selection: ProfileSelection, tree: Option<&str>) -> Flame {
    let request = FlameRequest {
        selection,
        tree: tree.map(Into::into),
        ..FlameRequest::default()
    };
    flame(&bench.app, request).unwrap()
}

/// `name own total` of each rectangle.
fn rectangles(flame: &Flame) -> Vec<String> {
    let all = &flame.rectangles;
    let name = |at: usize| match usize::try_from(all.frame[at]) {
        Ok(place) => flame.frames.name[place].as_str(),
        Err(_) => "all",
    };
    let shown =
        (0..all.key.len()).map(|at| format!("{} {} {}", name(at), all.own[at], all.total[at]));
    shown.collect()
}

#[test]
fn any_set_of_clusters_becomes_one_tree_with_what_each_contributed() {
    let bench = bench();
    let both = about(&bench, of(&[2, 1]));
    let shares: Vec<_> = both
        .clusters
        .iter()
        .map(|one| (one.id, one.name.as_str(), one.samples, one.share))
        .collect();
    assert_eq!(shares, [(1, "one", 18, 0.75), (2, "two", 6, 0.25)]);
    assert_eq!(
        (both.samples, both.unattributed, both.records, both.nodes),
        (24, 4, 4, 3)
    );
    assert_eq!((both.seconds, both.tasks), (0.24, Some(13)));
    assert_eq!(
        rectangles(&drawn(&bench, of(&[2, 1]), None)),
        ["all 0 24", "inc 12 20", "stack not shared 4 4", "load 8 8"]
    );
    // The filter of the list means the same clusters.
    let filtered = ProfileSelection {
        clusters: Some(ClustersRequest::default()),
        ..ProfileSelection::default()
    };
    assert_eq!(about(&bench, filtered).tree, both.tree);
    let one_by_name = ProfileSelection {
        clusters: Some(ClustersRequest {
            text: Some("two".into()),
            ..ClustersRequest::default()
        }),
        ..ProfileSelection::default()
    };
    assert_eq!(about(&bench, one_by_name).samples, 6);
}

#[test]
fn prefixes_groups_computations_and_times_narrow_a_selection() {
    let bench = bench();
    let prefix = ProfileSelection {
        prefixes: vec!["inc".into()],
        ..of(&[1])
    };
    assert_eq!(about(&bench, prefix.clone()).samples, 12);
    assert_eq!(
        about(&bench, prefix).prefixes.len(),
        2,
        "the others can still be chosen"
    );
    let group = ProfileSelection {
        group: Some("g2".into()),
        ..of(&[1])
    };
    let told = about(&bench, group);
    assert_eq!((told.samples, told.tasks), (6, Some(3)));
    assert_eq!(told.chosen_prefixes, ["sum"]);
    let computation = ProfileSelection {
        computation: Some("c1".into()),
        ..of(&[1])
    };
    let told = about(&bench, computation);
    assert_eq!(told.samples, 6, "its prefix, while it ran");
    assert_eq!(
        told.tasks, None,
        "tasks are not told for a part of the time"
    );
    let slice = ProfileSelection {
        from_micros: Some(Micros(at(21))),
        to_micros: Some(Micros(at(30))),
        ..of(&[1])
    };
    assert_eq!(about(&bench, slice).samples, 6);
}

#[test]
fn selections_that_mean_nothing_are_refused_with_their_name() {
    let bench = bench();
    let refused = |selection: ProfileSelection| {
        let asked = flame_about(&bench.app, FlameAboutRequest { selection });
        asked.unwrap_err().to_string()
    };
    assert!(refused(of(&[])).contains("names no cluster"));
    assert_eq!(refused(of(&[9])), "there is no cluster 9");
    let group = |ids: &[i64], name: &str| ProfileSelection {
        group: Some(name.into()),
        ..of(ids)
    };
    assert_eq!(
        refused(group(&[1], "nothing")),
        "there is no task group nothing"
    );
    assert!(refused(group(&[1, 2], "g1")).contains("it belongs to one cluster"));
    let lost = FlameRequest {
        selection: of(&[1]),
        part: FlamePart::Callees { function: 5 },
        ..FlameRequest::default()
    };
    assert!(
        flame(&bench.app, lost)
            .unwrap_err()
            .to_string()
            .contains("function")
    );
}

#[test]
fn a_named_tree_stays_as_it_was_while_profiles_come_in() {
    let bench = bench();
    let before = about(&bench, of(&[2]));
    bench.send(batch_of("Scheduler-2", "i", 3, &[sampled(30, Some("inc"))]));
    let named = drawn(&bench, of(&[2]), Some(&before.tree));
    assert_eq!(
        (named.total, named.tree.as_str()),
        (6, before.tree.as_str())
    );
    let newest = drawn(&bench, of(&[2]), None);
    assert_eq!(newest.total, 12);
    assert_ne!(newest.tree, before.tree);
    // What else comes in makes no new one.
    bench.send(batch_of("Scheduler-2", "i", 4, &[sample(40, 1.0)]));
    assert_eq!(drawn(&bench, of(&[2]), None).tree, newest.tree);
    assert_eq!(
        drawn(&bench, of(&[2]), Some("no such tree")).tree,
        newest.tree
    );
}

/// What is told of the first cluster's profile, but for the name of the tree.
fn told(bench: &Bench) -> (FlameAbout, Flame, FlameTable) {
    let selection = || of(&[1]);
    let mut about = about(bench, selection());
    let mut flame = drawn(bench, selection(), None);
    let table = FlameTableRequest {
        selection: selection(),
        ..FlameTableRequest::default()
    };
    about.tree.clear();
    flame.tree.clear();
    (about, flame, flame_table(&bench.app, table).unwrap())
}

#[test]
fn a_tree_grows_by_what_came_in_and_is_as_if_it_were_merged_anew() {
    let records: Vec<Value> = (2..60)
        .map(|at| {
            let function = ["f", "g", "h", "canary"][at as usize / 16];
            with(
                sampled(10 * at, ["inc", "sum"].get(at as usize % 3).copied()),
                json!({
                    "strings": [function, "load", "/home/ada/work.py", "    canary-line"],
                    "unattributed": at % 2, "samples": 5 + at % 2,
                    "lines": {
                        "frame": [1], "line": [10 + at % 3], "text": [null], "ended": [1], "samples": [2],
                    },
                }),
            )
        })
        .collect();
    let (old, new) = records.split_at(40);
    let bench = Bench::new();
    bench.send(batch(1, &[allowed("one")]));
    bench.send(batch(2, old));
    told(&bench);
    // What was merged is not read again.
    let spoil = |db: &rusqlite::Connection| {
        db.execute("update profile_stack set packed = x'00'", [])?;
        Ok(())
    };
    bench.app.write(spoil).unwrap();
    bench.send(batch(42, new));
    let whole = Bench::new();
    whole.send(batch(1, &[allowed("one")]));
    whole.send(batch(2, &records));
    assert_eq!(told(&bench), told(&whole));
    // Once a part of it is gone it cannot be told from the rest.
    let take = |db: &rusqlite::Connection| {
        db.execute("delete from profile where seq = 2", [])?;
        Ok(())
    };
    bench.app.write(take).unwrap();
    let selection = of(&[1]);
    assert!(flame_about(&bench.app, FlameAboutRequest { selection }).is_err());
}

#[test]
fn samples_by_line_are_counted_for_prices_alone_and_grow_like_a_tree() {
    let records: Vec<Value> = (2..14)
        .map(|at| {
            let lines = json!({
                "frame": [1], "line": [10 + at % 3], "text": [null], "ended": [1], "samples": [2],
            });
            with(sampled(10 * at, None), json!({"lines": lines}))
        })
        .collect();
    let (old, new) = records.split_at(9);
    let bench = Bench::new();
    bench.send(batch(1, &[allowed("one")]));
    bench.send(batch(2, old));
    let (_, tree) = merged(&bench.app, &of(&[1]), None).unwrap();
    let priced = merged_with_lines(&bench.app, &of(&[1])).unwrap();
    assert_eq!(tree.counted_lines(), &CountedLines::default());
    assert_ne!(priced.counted_lines(), &CountedLines::default());
    assert!(tree.functions().eq(priced.functions()));
    // What was counted is not read again.
    let spoil = |db: &rusqlite::Connection| {
        db.execute("update profile_stack set packed = x'00'", [])?;
        Ok(())
    };
    bench.app.write(spoil).unwrap();
    bench.send(batch(11, new));
    let whole = Bench::new();
    whole.send(batch(1, &[allowed("one")]));
    whole.send(batch(2, &records));
    let [grown, whole] = [bench, whole].map(|one| merged_with_lines(&one.app, &of(&[1])).unwrap());
    assert_eq!(grown.counted_lines(), whole.counted_lines());
    assert!(grown.functions().eq(whole.functions()));
}

#[test]
fn transforms_sandwich_and_table_are_of_the_same_tree() {
    let bench = bench();
    let table = |transforms: Vec<FlameTransform>| {
        let request = FlameTableRequest {
            selection: of(&[1]),
            transforms,
            ..FlameTableRequest::default()
        };
        flame_table(&bench.app, request).unwrap()
    };
    let all = table(vec![]);
    let row = |name: &str| all.rows.iter().find(|row| row.name == name).unwrap();
    let (inc, load) = (row("inc"), row("load"));
    assert_eq!((inc.own, inc.total, load.own, load.total), (9, 15, 6, 6));
    assert_eq!(load.text.as_deref(), Some("    canary-line"));
    assert_eq!((all.total, all.lines), (3, ProfileLines::Shown));
    let merged = table(vec![FlameTransform::Merge { function: load.key }]);
    assert_eq!(
        (merged.rows[0].name.as_str(), merged.rows[0].own),
        ("inc", 15)
    );
    let searched = FlameTableRequest {
        selection: of(&[1]),
        search: "load".into(),
        ..FlameTableRequest::default()
    };
    let searched = flame_table(&bench.app, searched).unwrap();
    assert_eq!((searched.total, searched.found_samples), (1, Some(6)));
    assert_eq!(all.found_samples, None);
    assert!(all.transformed.is_empty());
    assert_eq!(merged.transformed, [Some("load".into())]);
    let part = |part: FlamePart| {
        let request = FlameRequest {
            selection: of(&[1]),
            part,
            ..FlameRequest::default()
        };
        rectangles(&flame(&bench.app, request).unwrap())
    };
    let function = load.key;
    assert_eq!(
        part(FlamePart::Callers {
            function,
            levels: 3
        }),
        ["load 0 6", "inc 6 6"]
    );
    let function = inc.key;
    assert_eq!(
        part(FlamePart::Callees { function }),
        ["inc 9 15", "load 6 6"]
    );
    // As a table: what stands right beside the function, with the samples that are in none of it.
    let beside = |part: FlamePart| {
        let request = FlameTableRequest {
            selection: of(&[1]),
            part,
            ..FlameTableRequest::default()
        };
        let table = flame_table(&bench.app, request).unwrap();
        let rows: Vec<_> = table
            .rows
            .iter()
            .map(|row| (row.name.clone(), row.own, row.total))
            .collect();
        (
            rows,
            table.part_samples,
            table.beside_samples,
            table.samples,
        )
    };
    let function = load.key;
    let levels = 9;
    assert_eq!(
        beside(FlamePart::Callers { function, levels }),
        (vec![("inc".into(), 0, 6)], 6, 0, all.samples)
    );
    let function = inc.key;
    assert_eq!(
        beside(FlamePart::Callers { function, levels }),
        (vec![], 15, 15, all.samples)
    );
    assert_eq!(
        beside(FlamePart::Callees { function }),
        (vec![("load".into(), 6, 6)], 15, 9, all.samples)
    );
    let found_beside = |search: &str| {
        let request = FlameTableRequest {
            selection: of(&[1]),
            part: FlamePart::Callees { function },
            search: search.into(),
            ..FlameTableRequest::default()
        };
        let table = flame_table(&bench.app, request).unwrap();
        (table.total, table.found_samples)
    };
    let found = ["load", "inc", ""].map(found_beside);
    assert_eq!(found, [(1, Some(6)), (0, Some(0)), (1, None)]);
    let gone = FlameRequest {
        selection: of(&[1]),
        transforms: vec![
            FlameTransform::Drop { function: 5 },
            FlameTransform::Focus { function: inc.key },
        ],
        ..FlameRequest::default()
    };
    let drawn = flame(&bench.app, gone).unwrap();
    assert_eq!(drawn.transformed, [None, Some("inc".into())]);
    assert_eq!(drawn.total, 15, "what names nothing changes nothing");
    // A node is named as it stands once the changes before it were made.
    let with = |transforms: &[FlameTransform]| {
        let request = FlameRequest {
            selection: of(&[1]),
            transforms: transforms.to_vec(),
            ..FlameRequest::default()
        };
        flame(&bench.app, request).unwrap()
    };
    let focus = FlameTransform::Focus { function: load.key };
    let node = with(std::slice::from_ref(&focus)).rectangles.key[1];
    let alone = with(&[focus, FlameTransform::MergeNode { node }]);
    assert_eq!(
        alone.transformed,
        [Some("load".into()), Some("load".into())]
    );
    assert_eq!(rectangles(&alone), ["all 6 6"]);
}

#[test]
fn lines_are_told_one_by_one_as_far_as_the_key_is_here() {
    let bench = bench();
    let load = drawn(&bench, of(&[1, 2]), None);
    let at = load
        .frames
        .name
        .iter()
        .position(|name| name == "load")
        .unwrap();
    let line = || {
        let request = FlameLineRequest {
            selection: of(&[1, 2]),
            tree: None,
            function: load.frames.key[at],
        };
        flame_line(&bench.app, request).unwrap()
    };
    assert_eq!(about(&bench, of(&[1, 2])).lines, ProfileLines::Shown);
    assert_eq!(line().text.as_deref(), Some("    canary-line"));
    let opened = bench.app.trees().lines().all().len();
    assert_eq!(opened, 1, "the first cluster says it all");
    std::fs::rename(bench.path().join("key"), bench.path().join("aside")).unwrap();
    assert_eq!((line().text, line().lines), (None, ProfileLines::Locked));
    assert_eq!(about(&bench, of(&[1])).lines, ProfileLines::Locked);
}

#[test]
fn differences_are_told_in_shares_seconds_and_for_each_task() {
    let bench = bench();
    let asked = |measure, after: ProfileSelection| FlameDifferenceRequest {
        before: of(&[2]),
        after,
        measure,
        ..FlameDifferenceRequest::default()
    };
    let made = |measure| flame_difference(&bench.app, asked(measure, of(&[1]))).unwrap();
    let shares = made(FlameMeasure::Shares);
    assert_eq!((shares.before_whole, shares.after_whole), (1.0, 1.0));
    assert!(
        shares
            .changes
            .change
            .iter()
            .all(|&one| one == FlameChange::Same)
    );
    let seconds = made(FlameMeasure::Seconds);
    assert!(
        (seconds.before_whole - 0.06).abs() < 1e-9 && (seconds.after_whole - 0.18).abs() < 1e-9
    );
    assert!(
        seconds
            .changes
            .change
            .iter()
            .all(|&one| one == FlameChange::MoreTime)
    );
    assert_eq!(seconds.functions_total, 3);
    // Nothing is known of tasks of the second cluster.
    assert!(!shares.per_task);
    let refused = flame_difference(&bench.app, asked(FlameMeasure::SecondsPerTask, of(&[1])));
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("number of finished tasks")
    );
    let only = ProfileSelection {
        prefixes: vec!["nothing".into()],
        ..of(&[1])
    };
    let empty = flame_difference(&bench.app, asked(FlameMeasure::Shares, only)).unwrap();
    assert_eq!(
        (empty.vanished_total, empty.new_total, empty.after_whole),
        (3, 0, 0.0)
    );
}

#[test]
fn a_change_is_made_to_both_sides_of_a_difference() {
    let bench = bench();
    // Both functions stand further down than in the second cluster, and there is one more.
    let moved = with(
        sampled(20, Some("inc")),
        json!({
            "strings": ["inc", "load", "/home/ada/work.py", "store"],
            "frames": {"name": [0, 1, 3], "file": [2, 2, 2], "line": [4, 10, 20], "text": [null, null, null]},
            "stacks": {"parent": [-1, 0, 0], "frame": [0, 1, 2]}, "leaves": {"stack": [0, 1, 2], "count": [1, 2, 2]},
        }),
    );
    bench.send(batch_of("Scheduler-3", "i", 1, &[allowed("three"), moved]));
    let request = FlameTableRequest {
        selection: of(&[3]),
        ..FlameTableRequest::default()
    };
    let table = flame_table(&bench.app, request).unwrap();
    let key = |name: &str| table.rows.iter().find(|row| row.name == name).unwrap().key;
    let difference = |transforms: Vec<FlameTransform>| {
        let request = FlameDifferenceRequest {
            before: of(&[2]),
            after: of(&[3]),
            measure: FlameMeasure::Seconds,
            transforms,
            ..FlameDifferenceRequest::default()
        };
        flame_difference(&bench.app, request).unwrap()
    };
    // Its functions are those of the later profile, where they can be asked for.
    let all = difference(vec![]);
    assert_eq!((all.vanished_total, all.new_total), (0, 1));
    assert_eq!(all.functions_total, 2);
    assert!(all.functions.iter().all(|one| one.key == key(&one.name)));
    let hundredths = |name: &str| {
        let function = key(name);
        let made = difference(vec![FlameTransform::Focus { function }]);
        assert_eq!(made.flame.transformed, [Some(name.to_owned())]);
        let wholes = [made.before_whole, made.after_whole];
        let hundredths = wholes.map(|seconds| (seconds * 100.0).round() as u64);
        // One sample is a hundredth of a second.
        assert_eq!([made.before_samples, made.after_samples], hundredths);
        hundredths
    };
    assert_eq!(hundredths("inc"), [5, 5]);
    assert_eq!(hundredths("load"), [2, 2]);
    assert_eq!(hundredths("store"), [0, 2], "nothing of it, and not all");
}

/// What a cluster says of itself, with `switches` besides.
fn said(name: &str, switches: Value) -> Value {
    let mut facts = allowed(name);
    for (switch, on) in switches.as_object().unwrap() {
        facts["switches"][switch] = on.clone();
    }
    facts
}

#[test]
fn a_named_tree_is_gone_once_something_of_it_is_switched_off() {
    let bench = bench();
    let request = || FlameRequest {
        selection: of(&[2]),
        ..FlameRequest::default()
    };
    let before = flame(&bench.app, request()).unwrap();
    assert!(before.frames.file.contains(&"/home/ada/work.py".into()));
    let named = || drawn(&bench, of(&[2]), Some(&before.tree));
    bench.send(batch_of("Scheduler-2", "i", 3, &[allowed("other")]));
    assert_eq!(named().tree, before.tree);
    let named_anew = about(&bench, of(&[2]));
    assert_eq!(
        (
            named_anew.tree.as_str(),
            named_anew.clusters[0].name.as_str()
        ),
        (before.tree.as_str(), "other"),
        "the tree is the one that was merged, the name is not"
    );
    let off = said("other", json!({"paths": false}));
    bench.send(batch_of("Scheduler-2", "i", 4, &[off]));
    let cut = named();
    assert_ne!(cut.tree, before.tree);
    assert_eq!(cut.total, before.total);
    let files: Vec<&str> = cut.frames.file.iter().map(String::as_str).collect();
    assert!(
        files.contains(&"work.py") && !files.iter().any(|file| file.contains('/')),
        "{files:?}"
    );
    let off = said("other", json!({"profile": false}));
    bench.send(batch_of("Scheduler-2", "i", 5, &[off]));
    assert_eq!(drawn(&bench, of(&[2]), Some(&cut.tree)).total, 0);
}

#[test]
fn lines_are_unsealed_once_and_fail_alone() {
    let bench = bench();
    let texts = || {
        let request = FlameTableRequest {
            selection: of(&[2]),
            ..FlameTableRequest::default()
        };
        let table = flame_table(&bench.app, request).unwrap();
        let texts: Vec<String> = table.rows.into_iter().filter_map(|row| row.text).collect();
        (texts, table.lines)
    };
    let shown = (vec!["    canary-line".to_owned()], ProfileLines::Shown);
    assert_eq!(texts(), shown);
    let change = |sql: &'static str| {
        bench
            .app
            .write(move |db| Ok(db.execute_batch(sql)?))
            .unwrap();
    };
    change("update profile_line set lines_sealed = x'00'");
    assert_eq!(texts(), shown, "they are not read again");
    let off = said("two", json!({"code": false}));
    bench.send(batch_of("Scheduler-2", "i", 3, &[off]));
    assert_eq!(texts(), (vec![], ProfileLines::Off));
    change("alter table profile_line rename to elsewhere");
    assert_eq!(
        texts(),
        (vec![], ProfileLines::Shown),
        "the table is told without them"
    );
}
