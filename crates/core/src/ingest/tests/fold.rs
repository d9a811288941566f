//! Old reports are folded into fewer rows at any point, and the tables are the same, whatever comes again.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use super::order::{story, tables};
use crate::api::{App, Role};
use crate::model::Micros;
use crate::retain::fold_everything;
use crate::testing::*;
use crate::wire::Batch;

/// What happens, one after the other.
#[derive(Clone, Debug)]
enum Act {
    Send(usize),
    /// Batches from one on, as one of other bytes: the first lines left out, and so many batches.
    Other(usize, usize, usize),
    Fold,
}

/// Batches of the story of one instance, put together anew.
fn other(story: &[Batch], from: usize, skipped: usize, batches: usize) -> Option<Batch> {
    let first = &story[from];
    let same = |one: &&Batch| {
        one.header.cluster_id == first.header.cluster_id
            && one.header.instance_id == first.header.instance_id
    };
    let mut batch = first.clone();
    let lines = story[from..].iter().take(batches).take_while(same);
    batch.lines = lines
        .flat_map(|one| one.lines.iter().cloned())
        .skip(skipped)
        .collect();
    batch.header.first_seq += skipped as u64;
    batch.digest = [skipped as u8 + 1; 32];
    (!batch.lines.is_empty()).then_some(batch)
}

const LOSSES: &str = "select i.instance_id, i.conflicts, sum(b.refused), sum(b.kept), sum(b.batches), min(b.first_seq),
    min(b.first_at_micros), max(b.last_at_micros) from instance i join batch b on b.instance_id = i.id group by 1 order by 1";

type Tables = Vec<BTreeMap<String, String>>;

/// What there is after all acts, and how many rows of reports; `folds` says whether any is followed that folds.
fn after(bench: &Bench, app: &App, acts: &[Act], folds: bool) -> (Tables, Vec<String>, i64) {
    let story = story();
    for act in acts {
        match act {
            Act::Send(at) => drop(app.ingest(story[*at].clone()).unwrap()),
            Act::Other(from, skipped, batches) => {
                if let Some(batch) = other(&story, *from, *skipped, *batches) {
                    app.ingest(batch).unwrap();
                }
            }
            Act::Fold if folds => {
                let now = Micros(at(8 * 86_400));
                app.write(move |db| fold_everything(db, now)).unwrap();
            }
            Act::Fold => {}
        }
    }
    let _ = bench;
    let rows = app
        .read(|db| Ok(db.query_one("select count(*) from batch", [], |row| row.get(0))?))
        .unwrap();
    let losses = app
        .read(|db| {
            let mut losses = db.prepare(LOSSES)?;
            let told = losses.query_map([], |row| {
                let cells = (0..8).map(|at| Ok(format!("{:?}", row.get_ref(at)?)));
                cells.collect::<rusqlite::Result<Vec<_>>>()
            })?;
            Ok(told
                .map(|row| Ok(row?.join(" ")))
                .collect::<rusqlite::Result<Vec<_>>>()?)
        })
        .unwrap();
    (tables(app), losses, rows)
}

/// The same with and without folding, under one key for fingerprints.
fn both(acts: &[Act]) -> [(Tables, Vec<String>, i64); 2] {
    const KEY: &str = "fingerprint_key";
    let bench = Bench::new();
    let dir = tempfile::tempdir().unwrap();
    let private = std::fs::metadata(bench.path()).unwrap().permissions();
    std::fs::set_permissions(dir.path(), private).unwrap();
    std::fs::copy(bench.path().join(KEY), dir.path().join(KEY)).unwrap();
    let clock = Arc::clone(&bench.clock);
    let second = App::open(dir.path(), Role::Owner, clock as _).unwrap();
    [
        after(&bench, &bench.app, acts, false),
        after(&bench, &second, acts, true),
    ]
}

#[test]
fn a_day_of_reports_becomes_one_row() {
    let acts: Vec<_> = (0..story().len())
        .map(Act::Send)
        .chain([Act::Fold])
        .collect();
    let [(unfolded, told, many), (folded, told_folded, few)] = both(&acts);
    assert_eq!(unfolded, folded);
    assert_eq!(told, told_folded);
    assert!(few * 4 < many, "{many} rows became {few}");
}

#[test]
fn what_comes_again_from_within_a_folded_row_is_counted_by_itself() {
    let bench = Bench::new();
    let send_all = || {
        for batch in story() {
            bench.app.ingest(batch).unwrap();
        }
    };
    let number = |sql: &str| -> u64 {
        let read = bench
            .app
            .read(|db| Ok(db.query_one(sql, [], |row| row.get(0))?));
        read.unwrap()
    };
    send_all();
    send_all();
    assert_eq!(number("select sum(unchecked) from instance"), 0);
    let now = Micros(at(8 * 86_400));
    bench.app.write(move |db| fold_everything(db, now)).unwrap();
    send_all();
    let folded = number("select sum(batches) from batch where batches > 1");
    assert!(folded > 0);
    assert_eq!(number("select sum(unchecked) from instance"), folded);
    assert_eq!(number("select sum(conflicts) from instance"), 0);
    let told = |id| {
        let page = crate::api::cluster(&bench.app, crate::api::ClusterRequest { id }).unwrap();
        page.losses.unchecked
    };
    let ids = number("select max(id) from cluster") as i64;
    assert_eq!((1..=ids).map(told).sum::<u64>(), folded);
}

fn acts(len: usize, others: bool) -> impl Strategy<Value = Vec<Act>> {
    let send = (0..len).prop_map(Act::Send);
    let again = match others {
        true => prop_oneof![
            2 => send.clone(),
            3 => (0..len, 0..4usize, 1..8usize).prop_map(|(from, skipped, batches)| Act::Other(from, skipped, batches)),
            1 => Just(Act::Fold),
        ]
        .boxed(),
        false => prop_oneof![4 => send, 1 => Just(Act::Fold)].boxed(),
    };
    let places = vec(0..len, 0..4);
    (Just(len), places, vec(again, 10..60)).prop_map(|(len, places, again)| {
        let mut acts: Vec<Act> = (0..len).map(Act::Send).collect();
        for place in places {
            acts.insert(place, Act::Fold);
        }
        acts.push(Act::Fold);
        acts.extend(again);
        acts.push(Act::Fold);
        acts
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(12), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn folded_at_any_point_any_batch_that_comes_again_changes_nothing(
        (acts, dropped) in (acts(story().len(), false), vec(any::<bool>(), story().len()))
    ) {
        // Some never come, and some only late: between what is folded there are gaps.
        let mut late = Vec::new();
        let mut in_time = Vec::new();
        for (at, act) in acts.into_iter().enumerate() {
            match act {
                Act::Send(which) if dropped[which] && which % 3 == 0 => {
                    if which % 2 == 0 && at < dropped.len() {
                        late.push(Act::Send(which));
                    }
                }
                act => in_time.push(act),
            }
        }
        in_time.extend(late);
        in_time.push(Act::Fold);
        let [one, two] = both(&in_time);
        let other = one.0.iter().zip(&two.0).find(|(one, two)| one != two);
        prop_assert!(one.0 == two.0, "{} and {} rows, first {other:#?}", one.0.len(), two.0.len());
        prop_assert_eq!(one.1, two.1);
    }

    #[test]
    fn what_reaches_beyond_folded_reports_is_stored_from_there_on(
        (acts, last) in (acts(story().len(), true), 20..70usize)
    ) {
        // Beyond a place only such batches come that are put together anew.
        let kept = |act: &Act| !matches!(act, Act::Send(at) if *at > last && *at < last + 6);
        let mut acts: Vec<_> = acts.into_iter().filter(kept).collect();
        acts.extend([Act::Other(last - 3, 1, 8), Act::Other(last - 1, 2, 9), Act::Fold, Act::Other(last - 2, 3, 9)]);
        let [one, two] = both(&acts);
        let other = one.0.iter().zip(&two.0).find(|(one, two)| one != two);
        prop_assert!(one.0 == two.0, "{} and {} rows, first {other:#?}", one.0.len(), two.0.len());
    }
}
