//! Drawn stacks against their sums made by hand, one by one.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::query::types::{
    Direction, Flame, FlameChange, FlameColumn, FlameDifferenceRequest, FlameOrder,
    FlameTableRequest, FlameTransform, FlameView,
};
use crate::query::{Growing, StackFrame, Tree};

/// Stacks of functions by letter, from the bottom, and how often each was seen.
type Drawn = Vec<(Vec<u8>, u64)>;
type Counts = BTreeMap<Vec<u8>, u64>;

const FOLDERS: [&str; 3] = [
    "/home/a",
    "/env/site-packages/pandas",
    "/env/site-packages/dask",
];

fn function(letter: u8) -> StackFrame {
    StackFrame {
        name: format!("f{}", char::from(b'a' + letter)),
        file: format!("{}/m{letter}.py", FOLDERS[usize::from(letter) % 3]),
        line: Some(u32::from(letter)),
    }
}

fn tree(stacks: &[(Vec<u8>, u64)]) -> Tree {
    let mut growing = Growing::default();
    for (stack, count) in stacks {
        let mut node = Growing::ROOT;
        for &letter in stack {
            let frame = growing.frame(&function(letter));
            node = growing.node(node, frame);
        }
        growing.add(node, *count);
    }
    growing.finish()
}

fn letter(name: &str) -> u8 {
    match name.strip_prefix("all of ") {
        Some(library) => library.as_bytes()[0].to_ascii_uppercase(),
        None => name.as_bytes()[1] - b'a',
    }
}

fn path(tree: &Tree, node: usize) -> Vec<u8> {
    let mut way = Vec::new();
    let mut here = node;
    while here != 0 {
        way.push(letter(&tree.frames[tree.frame_of[here] as usize].name));
        here = tree.parent[here] as usize;
    }
    way.reverse();
    way
}

/// The stacks of a tree and how often each was seen, without those that were not.
fn counts(tree: &Tree) -> Counts {
    let own = (0..tree.len()).filter(|&at| tree.own[at] > 0);
    own.map(|at| (path(tree, at), tree.own[at])).collect()
}

fn sums(stacks: impl IntoIterator<Item = (Vec<u8>, u64)>) -> Counts {
    let mut sums = Counts::new();
    for (stack, count) in stacks {
        *sums.entry(stack).or_default() += count;
    }
    sums.retain(|_, count| *count > 0);
    sums
}

fn stacks() -> impl Strategy<Value = Drawn> {
    vec((vec(0u8..8, 1..7), 1u64..50), 1..60)
}

fn key(tree: &Tree, letter: u8) -> u64 {
    let name = function(letter).name;
    let at = tree.frames.iter().position(|frame| frame.name == name);
    at.map_or(7, |at| tree.frame_keys[at])
}

const SCALE: Scale = Scale {
    samples: 1_000,
    seconds_per_sample: 0.01,
};

/// What must be so of every drawing: children stand inside of their parents, side by side, and nothing is lost.
fn holds(tree: &Tree, drawn: &Flame) {
    let all = &drawn.rectangles;
    let mut inside = vec![0u64; all.key.len()];
    let mut ends: BTreeMap<u32, u64> = BTreeMap::new();
    for (at, &small) in all.small.iter().enumerate() {
        let end = ends.entry(all.depth[at]).or_default();
        assert!(all.x[at] >= *end, "rectangles of a row lie on each other");
        *end = all.x[at] + all.total[at];
        if small > 0 {
            assert_eq!(all.own[at], 0);
        }
        let Ok(parent) = usize::try_from(all.parent[at]) else {
            continue;
        };
        assert!(parent < at && all.depth[at] == all.depth[parent] + 1);
        assert!(all.x[at] >= all.x[parent]);
        assert!(all.x[at] + all.total[at] <= all.x[parent] + all.total[parent]);
        inside[parent] += all.total[at];
    }
    for (at, inside) in inside.into_iter().enumerate() {
        if all.small[at] == 0 {
            assert_eq!(all.own[at] + inside, all.total[at], "something is lost");
        }
    }
    let nodes: u64 = (0..all.key.len())
        .map(|at| all.small[at].max(u64::from(all.run[at])))
        .sum();
    if drawn.way.is_empty() && all.small.first() == Some(&0) {
        assert_eq!(nodes, tree.len() as u64, "every frame is drawn or counted");
    }
}

proptest! {
    #[test]
    fn a_merged_tree_is_the_sum_of_its_stacks(stacks in stacks()) {
        let tree = tree(&stacks);
        prop_assert_eq!(counts(&tree), sums(stacks.clone()));
        prop_assert_eq!(tree.total[0], stacks.iter().map(|(_, count)| count).sum::<u64>());
        for node in 0..tree.len() {
            let children: Vec<usize> = tree.children(node).collect();
            let below: u64 = children.iter().map(|&child| tree.total[child]).sum();
            prop_assert_eq!(tree.total[node], tree.own[node] + below);
            prop_assert!(children.windows(2).all(|pair| tree.frame_of[pair[0]] < tree.frame_of[pair[1]]));
        }
        let keys: BTreeSet<u64> = tree.keys.iter().copied().collect();
        prop_assert_eq!(keys.len(), tree.len());
    }

    #[test]
    fn functions_count_a_sample_once(stacks in stacks()) {
        let tree = tree(&stacks);
        for (frame, (own, total)) in tree.functions().into_iter().enumerate() {
            let letter = letter(&tree.frames[frame].name);
            let seen = |wanted: &dyn Fn(&[u8]) -> bool| -> u64 {
                stacks.iter().filter(|(stack, _)| wanted(stack)).map(|(_, count)| count).sum()
            };
            prop_assert_eq!(own, seen(&|stack| stack.last() == Some(&letter)));
            prop_assert_eq!(total, seen(&|stack| stack.contains(&letter)));
        }
    }

    #[test]
    fn drawings_lose_nothing(
        stacks in stacks(), width in 1u32..60, smallest in 0.0f64..9.0, runs: bool, heavy: bool, pick: prop::sample::Index
    ) {
        let tree = tree(&stacks);
        let order = if heavy { FlameOrder::LeftHeavy } else { FlameOrder::Alphabetical };
        let view = FlameView { width, smallest, runs, order, ..FlameView::default() };
        let all = flame(&tree, &view, None, SCALE);
        holds(&tree, &all);
        prop_assert_eq!(all.total, tree.total[0]);
        prop_assert!(all.rectangles.small.iter().zip(&all.rectangles.total).skip(1).all(|(&small, &total)| small > 0 || total >= all.smallest));
        // Any node takes the whole width when it is asked for.
        let node = pick.index(tree.len());
        let part = flame(&tree, &FlameView { root: Some(tree.keys[node]), ..view.clone() }, None, SCALE);
        holds(&tree, &part);
        prop_assert!(part.root_found);
        prop_assert_eq!(part.total, tree.total[node]);
        prop_assert_eq!(part.way.len(), path(&tree, node).len());
        // Every block opens to what it stood for.
        for at in 0..all.rectangles.key.len() {
            if all.rectangles.small[at] == 0 {
                continue;
            }
            let view = FlameView {
                root: Some(all.rectangles.key[at]), below: Some(all.smallest), width: 20_000, smallest: 0.0, ..view.clone()
            };
            let opened = flame(&tree, &view, None, SCALE);
            holds(&tree, &opened);
            prop_assert_eq!(opened.total, all.rectangles.total[at]);
            prop_assert_eq!(opened.way.last().map(|step| step.key), Some(all.rectangles.key[at]));
            let frames: u64 = opened.rectangles.run.iter().skip(1).map(|&run| u64::from(run)).sum();
            prop_assert_eq!(frames, all.rectangles.small[at]);
        }
    }

    #[test]
    fn a_part_of_the_width_is_what_stands_there_in_the_whole(stacks in stacks(), a in 0.0f64..1.0, b in 0.0f64..1.0) {
        let tree = tree(&stacks);
        let whole = FlameView { width: 20_000, smallest: 0.0, ..FlameView::default() };
        let (from, to) = if a < b { (a, b) } else { (b, a) };
        let seen = |drawn: &Flame, from: f64, to: f64| -> BTreeSet<(u32, u64, u64)> {
            let all = &drawn.rectangles;
            (0..all.key.len()).filter(|&at| {
                (all.x[at] + all.total[at]) as f64 >= from && all.x[at] as f64 <= to
            }).map(|at| (all.depth[at], all.x[at], all.key[at])).collect()
        };
        let all = flame(&tree, &whole, None, SCALE);
        let some = flame(&tree, &FlameView { from, to, ..whole }, None, SCALE);
        let total = tree.total[0] as f64;
        prop_assert_eq!(seen(&all, from * total, to * total), seen(&some, 0.0, total));
    }

    #[test]
    fn a_search_finds_what_looking_at_every_stack_finds(stacks in stacks(), wanted in 0u8..8) {
        let tree = tree(&stacks);
        let text = format!("fn:{}", function(wanted).name);
        let search = Search::read(&text).unwrap().unwrap();
        let found = Matches::find(&tree, &search);
        let by_hand: u64 = stacks.iter().filter(|(stack, _)| stack.contains(&wanted)).map(|(_, count)| count).sum();
        prop_assert_eq!(found.total, by_hand);
        prop_assert_eq!(found.functions, u64::from(by_hand > 0));
        // With a narrow drawing, blocks tell whether something is in them.
        let drawn = flame(&tree, &FlameView { width: 9, ..FlameView::default() }, Some(&found), SCALE);
        prop_assert_eq!(drawn.rectangles.found.iter().any(|&found| found), by_hand > 0);
    }

    #[test]
    fn transforms_are_what_they_are_to_each_stack(stacks in stacks(), of in 0u8..8) {
        let tree = tree(&stacks);
        let key = key(&tree, of);
        let made = |change: FlameTransform| counts(&transform(&tree, &change).unwrap_or_else(|| tree.clone()));
        let each = |change: &dyn Fn(Vec<u8>) -> Option<Vec<u8>>| {
            sums(stacks.iter().filter_map(|(stack, count)| Some((change(stack.clone())?, *count))))
        };
        let here = stacks.iter().any(|(stack, _)| stack.contains(&of));
        if here {
            prop_assert_eq!(made(FlameTransform::Focus { function: key }), each(&|stack| {
                let at = stack.iter().position(|&one| one == of)?;
                Some(stack[at..].to_vec())
            }));
        }
        prop_assert_eq!(made(FlameTransform::Drop { function: key }), each(&|stack| (!stack.contains(&of)).then_some(stack)));
        prop_assert_eq!(made(FlameTransform::Merge { function: key }), each(&|mut stack| {
            stack.retain(|&one| one != of);
            Some(stack)
        }));
        prop_assert_eq!(made(FlameTransform::Collapse { function: key }), each(&|mut stack| {
            let end = stack.iter().position(|&one| one == of).map_or(stack.len(), |at| at + 1);
            stack.truncate(end);
            Some(stack)
        }));
        prop_assert_eq!(made(FlameTransform::CollapseRecursion { function: key }), each(&|stack| {
            let first = stack.iter().position(|&one| one == of);
            let last = stack.iter().rposition(|&one| one == of);
            let (Some(first), Some(last)) = (first, last) else { return Some(stack) };
            Some([&stack[..first], &stack[last..]].concat())
        }));
        prop_assert_eq!(made(FlameTransform::CollapseLibrary { library: "pandas".into() }), each(&|stack| {
            let mut stack: Vec<u8> = stack.into_iter().map(|one| if one % 3 == 1 { b'P' } else { one }).collect();
            stack.dedup_by(|a, b| *a == b'P' && *b == b'P');
            Some(stack)
        }));
    }

    #[test]
    fn what_stands_beside_a_function_adds_up_to_it(stacks in stacks(), of in 0u8..8) {
        let tree = tree(&stacks);
        let Some(frame) = tree.frame_with_key(key(&tree, of)) else { return Ok(()) };
        for callees in [true, false] {
            let part = if callees { focus(&tree, frame) } else { callers(&tree, frame, 1).0 };
            let (counts, rest) = beside(&part, callees);
            let mut by_hand = BTreeMap::new();
            for (stack, count) in &stacks {
                let Some(at) = stack.iter().position(|&one| one == of) else { continue };
                let next = if callees { stack.get(at + 1) } else { at.checked_sub(1).map(|at| &stack[at]) };
                *by_hand.entry(next.copied()).or_default() += *count;
            }
            let told = part.frames.iter().zip(&counts).filter(|(_, (_, total))| *total > 0);
            let mut told: BTreeMap<Option<u8>, u64> = told.map(|(frame, (_, total))| (Some(letter(&frame.name)), *total)).collect();
            if rest > 0 {
                told.insert(None, rest);
            }
            prop_assert_eq!(told, by_hand);
        }
    }

    #[test]
    fn changes_to_one_node_leave_its_function_elsewhere(stacks in stacks(), pick: prop::sample::Index) {
        let tree = tree(&stacks);
        let node = 1 + pick.index(tree.len() - 1);
        let way = path(&tree, node);
        let made = |change: FlameTransform| counts(&transform(&tree, &change).unwrap());
        let node = tree.keys[node];
        prop_assert_eq!(made(FlameTransform::FocusSubtree { node }), sums(stacks.iter().filter(|(stack, _)| stack.starts_with(&way)).map(|(stack, count)| {
            (stack[way.len() - 1..].to_vec(), *count)
        })));
        prop_assert_eq!(made(FlameTransform::MergeNode { node }), sums(stacks.iter().map(|(stack, count)| {
            let mut stack = stack.clone();
            if stack.starts_with(&way) {
                stack.remove(way.len() - 1);
            }
            (stack, *count)
        })));
        // All of it is no node that could be taken out.
        let all = FlameTransform::MergeNode { node: 0 };
        prop_assert!(transform(&tree, &all).is_none());
    }

    #[test]
    fn callers_are_the_stacks_upside_down(stacks in stacks(), of in 0u8..8, levels in 1u32..6) {
        let tree = tree(&stacks);
        let Some(frame) = tree.frame_with_key(key(&tree, of)) else { return Ok(()) };
        let by_hand = sums(stacks.iter().filter_map(|(stack, count)| {
            let at = stack.iter().position(|&one| one == of)?;
            let way: Vec<u8> = stack[..=at].iter().rev().copied().take(levels as usize + 1).collect();
            Some((way, *count))
        }));
        let (upside_down, truncated) = callers(&tree, frame, levels);
        prop_assert!(!truncated);
        prop_assert_eq!(counts(&upside_down), by_hand);
        prop_assert_eq!(upside_down.total[0], focus(&tree, frame).total[0]);
    }

    #[test]
    fn a_difference_has_what_both_have(before in stacks(), after in stacks(), smallest in 0.0f64..6.0) {
        let (old, new) = (tree(&before), tree(&after));
        let wholes = [old.total[0], new.total[0]];
        let sides = [
            Side { tree: &old, unit: 1.0 / wholes[0] as f64 },
            Side { tree: &new, unit: 1.0 / wholes[1] as f64 },
        ];
        let (both_tree, both) = overlay(&sides);
        let view = FlameView { width: 100, smallest, ..FlameView::default() };
        let request = FlameDifferenceRequest { view, threshold: 0.05, ..FlameDifferenceRequest::default() };
        let made = difference(&both_tree, &both, &request, None);
        holds(&both_tree, &made.flame);
        let (all, changes) = (&made.flame.rectangles, &made.changes);
        prop_assert_eq!([changes.before_samples[0], changes.after_samples[0]], wholes);
        prop_assert!(all.error.iter().all(|&error| error == 0.0));
        // What stands inside of a rectangle is of its samples, on both sides.
        let mut inside = vec![[0u64; 2]; all.key.len()];
        for at in 1..all.key.len() {
            let parent = all.parent[at] as usize;
            inside[parent][0] += changes.before_samples[at];
            inside[parent][1] += changes.after_samples[at];
        }
        for (at, inside) in inside.iter().enumerate() {
            prop_assert!(inside[0] <= changes.before_samples[at] && inside[1] <= changes.after_samples[at]);
            let a = changes.before_samples[at] as f64 * sides[0].unit;
            let b = changes.after_samples[at] as f64 * sides[1].unit;
            prop_assert_eq!(changes.change[at], match (changes.before_samples[at], changes.after_samples[at]) {
                (0, 0) => FlameChange::Same,
                (0, _) => FlameChange::New,
                (_, 0) => FlameChange::Vanished,
                _ if (a - b).abs() < 0.05 => FlameChange::Same,
                _ if b > a => FlameChange::MoreTime,
                _ => FlameChange::LessTime,
            });
        }
        for one in &made.functions {
            let by = [one.after_own - one.before_own, one.after_total - one.before_total];
            prop_assert!(by.iter().any(|by| by.abs() > 0.05 - 1e-9), "{one:?}");
        }
        let names = |stacks: &Drawn| -> BTreeSet<u8> { stacks.iter().flat_map(|(stack, _)| stack.clone()).collect() };
        let gone: BTreeSet<u8> = made.vanished.iter().map(|one| letter(&one.name)).collect();
        prop_assert_eq!(gone, names(&before).difference(&names(&after)).copied().collect::<BTreeSet<_>>());
        let new: BTreeSet<u8> = made.new.iter().map(|one| letter(&one.name)).collect();
        prop_assert_eq!(new, names(&after).difference(&names(&before)).copied().collect::<BTreeSet<_>>());
    }

    #[test]
    fn no_search_brings_the_reader_down(text in ".{0,40}") {
        if let Ok(Some(search)) = Search::read(&text) {
            search.finds(&function(1));
        }
    }
}

#[test]
fn runs_of_the_same_weight_become_one_with_a_count() {
    let tree = tree(&[(vec![0, 1, 2, 3], 5), (vec![0, 1, 2, 4], 4), (vec![0], 1)]);
    let view = FlameView {
        runs: true,
        ..FlameView::default()
    };
    let drawn = flame(&tree, &view, None, SCALE);
    let name = |place: i32| match usize::try_from(place) {
        Ok(place) => drawn.frames.name[place].as_str(),
        Err(_) => "all",
    };
    let all = &drawn.rectangles;
    let shown: Vec<_> = (0..all.key.len())
        .map(|at| {
            (
                name(all.frame[at]),
                name(all.last[at]),
                all.run[at],
                all.total[at],
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("all", "all", 1, 10),
            ("fa", "fa", 1, 10),
            ("fb", "fc", 2, 9),
            ("fd", "fd", 1, 5),
            ("fe", "fe", 1, 4)
        ]
    );
}

#[test]
fn a_node_that_is_gone_shows_all_and_says_so() {
    let tree = tree(&[(vec![0], 3)]);
    let view = FlameView {
        root: Some(12),
        ..FlameView::default()
    };
    let drawn = flame(&tree, &view, None, SCALE);
    assert!(!drawn.root_found);
    assert_eq!(drawn.total, 3);
}

#[test]
fn searches_read_terms_fields_and_expressions() {
    let frame = |name: &str, file: &str| StackFrame {
        name: name.into(),
        file: file.into(),
        line: None,
    };
    let read = frame(
        "read_table",
        "/env/lib/python3.11/site-packages/pyarrow/parquet/core.py",
    );
    let finds = |text: &str| {
        Search::read(text)
            .unwrap()
            .is_none_or(|one| one.finds(&read))
    };
    for text in [
        "",
        "  ",
        "READ",
        "parquet",
        "fn:read",
        "file:core.py",
        "mod:pyarrow.parquet",
        "read -pandas",
        "nothing, table",
        "/^read_t/",
        "fn:/table$/",
        "-/^write/",
        "\"read_table\"",
        "/env/lib",
    ] {
        assert!(finds(text), "{text}");
    }
    for text in [
        "-read",
        "fn:parquet",
        "file:read_",
        "mod:pandas",
        "read write",
        "fn:/^table/",
        "/^core/",
    ] {
        assert!(!finds(text), "{text}");
    }
    let refused = Search::read("/(/").err().unwrap().to_string();
    assert!(
        refused.starts_with("search: /(/ cannot be used: unclosed group"),
        "{refused}"
    );
    // Expressions of any size take little memory and time.
    assert!(Search::read("/((a{100}){100}){100}/").is_err());
    let search = Search::read("/(a*)*b/").unwrap().unwrap();
    assert!(!search.finds(&frame(&"a".repeat(10_000), "")));
}

#[test]
fn libraries_and_modules_are_told_by_paths() {
    use super::library::{library, module};
    for (file, is) in [
        (
            "/opt/env/lib/python3.11/site-packages/pandas/core/frame.py",
            "pandas",
        ),
        ("C:\\env\\Lib\\site-packages\\dask\\core.py", "dask"),
        ("/usr/lib/python3/dist-packages/six.py", "six"),
        ("/usr/lib/python3.11/threading.py", "python"),
        ("C:\\Python\\Lib\\json\\decoder.py", "python"),
        ("<frozen importlib._bootstrap>", "python"),
        ("<ipython-input-4>", "notebook"),
        ("/tmp/ipykernel_88/3.py", "notebook"),
        ("/home/ana/etl/clean.py", "your code"),
        ("clean.py", "unknown"),
        ("", "unknown"),
    ] {
        assert_eq!(library(file), is, "{file}");
    }
    assert_eq!(
        module("/env/site-packages/pandas/core/__init__.py"),
        "pandas.core"
    );
    assert_eq!(
        module("/usr/lib/python3.11/json/decoder.py"),
        "json.decoder"
    );
}

#[test]
fn a_function_that_moved_in_its_file_is_the_same() {
    let at = |line, folder: &str| {
        let mut growing = Growing::default();
        let frame = growing.frame(&StackFrame {
            name: "merge".into(),
            file: format!("{folder}/lib/python3.11/site-packages/pandas/merge.py"),
            line: Some(line),
        });
        let node = growing.node(Growing::ROOT, frame);
        growing.add(node, 10);
        growing.finish()
    };
    let (old, new) = (at(10, "/home/a"), at(14, "/home/b"));
    let (tree, both) = overlay(&[
        Side {
            tree: &old,
            unit: 1.0,
        },
        Side {
            tree: &new,
            unit: 1.0,
        },
    ]);
    let made = difference(&tree, &both, &FlameDifferenceRequest::default(), None);
    assert_eq!(
        (made.vanished_total, made.new_total, made.functions_total),
        (0, 0, 0)
    );
    assert_eq!(made.changes.change, [FlameChange::Same, FlameChange::Same]);
    assert_eq!(made.flame.frames.line, [Some(14)], "as it is by now");
}

#[test]
fn a_function_that_does_itself_what_it_called_before_takes_more_time() {
    let (old, new) = (tree(&[(vec![0, 1], 10)]), tree(&[(vec![0], 10)]));
    let (tree, both) = overlay(&[
        Side {
            tree: &old,
            unit: 0.1,
        },
        Side {
            tree: &new,
            unit: 0.1,
        },
    ]);
    let request = FlameDifferenceRequest {
        threshold: 0.05,
        ..FlameDifferenceRequest::default()
    };
    let made = difference(&tree, &both, &request, None);
    let told = made
        .functions
        .iter()
        .map(|one| format!("{} {:?}", one.name, one.change));
    assert_eq!(told.collect::<Vec<_>>(), ["fb Vanished", "fa MoreTime"]);
}

#[test]
fn the_error_is_that_of_a_share() {
    // A quarter of 10,000 samples: 1.96 × √(0.25 × 0.75 ÷ 10,000) of them all.
    assert!((columns::error(2_500, 10_000) - 84.87).abs() < 0.01);
    assert_eq!(columns::error(2_500, 10_000), 84.87, "without more digits");
    assert_eq!(columns::error(10, 10), 0.0);
    assert_eq!(columns::error(0, 0), 0.0);
}

#[test]
fn tables_are_ordered_and_cut() {
    let tree = tree(&[
        (vec![0, 1], 5),
        (vec![0, 2], 5),
        (vec![0], 1),
        (vec![3, 3], 2),
    ]);
    let counts = tree.functions();
    let rows = |order, direction, search: &str, limit| {
        let request = FlameTableRequest {
            order,
            direction,
            limit,
            ..FlameTableRequest::default()
        };
        let search = Search::read(search).unwrap();
        let page = table(&tree, &counts, &request, search.as_ref());
        let names = page.rows.iter().map(|(_, row)| row.name.clone());
        (
            names.collect::<Vec<_>>().join(" "),
            page.matching,
            page.functions,
        )
    };
    use Direction::{Ascending, Descending};
    let told = |text: &str, matching| (text.to_owned(), matching, 4);
    assert_eq!(
        rows(FlameColumn::Own, Descending, "", 0),
        told("fb fc fd fa", 4)
    );
    assert_eq!(
        rows(FlameColumn::Total, Descending, "", 2),
        told("fa fb", 4)
    );
    assert_eq!(
        rows(FlameColumn::Function, Ascending, "-fc", 0),
        told("fa fb fd", 3)
    );
    assert_eq!(
        rows(FlameColumn::File, Ascending, "pandas", 0),
        told("fb", 1)
    );
}

#[test]
fn callers_stop_where_no_more_fit_and_lose_no_sample() {
    let tree = tree(&[(vec![0, 1, 2, 7], 5), (vec![3, 4, 5, 7], 4)]);
    let frame = tree.frame_with_key(key(&tree, 7)).unwrap();
    let (cut, truncated) = transform::callers_within(&tree, frame, 3, 4);
    assert!(truncated);
    assert_eq!((cut.total[0], cut.len()), (9, 6));
    let (whole, truncated) = callers(&tree, frame, 3);
    assert!(!truncated);
    assert_eq!((whole.total[0], whole.len()), (9, 8));
}

#[test]
fn a_drawing_is_bounded_whatever_is_asked() {
    let mut growing = Growing::default();
    let main = growing.frame(&function(0));
    let main = growing.node(Growing::ROOT, main);
    for at in 0..30_000 {
        let frame = growing.frame(&StackFrame {
            name: format!("fa{at}"),
            ..function(0)
        });
        let node = growing.node(main, frame);
        growing.add(node, 1 + at % 3);
    }
    let tree = growing.finish();
    let view = |width, smallest| FlameView {
        width,
        smallest,
        ..FlameView::default()
    };
    let largest = flame(&tree, &view(u32::MAX, -1.0), None, SCALE);
    holds(&tree, &largest);
    let rectangles = largest.rectangles.key.len();
    assert!(
        (10_000..=draw::MOST_OF_ALL).contains(&rectangles),
        "{rectangles}"
    );
    // Of what is smaller than half a pixel, none is drawn.
    let narrow = flame(&tree, &view(1_000, 0.0), None, SCALE);
    assert_eq!((narrow.smallest, narrow.rectangles.key.len()), (30, 3));
}
