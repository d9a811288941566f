//! Hours summed, against small stories.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::spans::Spans;
use super::sums::Sums;
use super::*;
use crate::query::types::{
    AppliesTo, HeatMap, HeatMapRequest, HeatOrder, HeatRows, Measure, Price, PriceBook, PriceTerms,
    Range, Rate, SelectedCells,
};
use crate::query::{HourUse, Named, SpanUse, Used, Who};

fn book() -> PriceBook {
    let price = |id, core_hour, applies_to| Price {
        id,
        terms: PriceTerms {
            name: format!("price {id}"),
            provenance: String::new(),
            from_micros: Micros(0),
            to_micros: None,
            applies_to,
            rate: Rate::Rented {
                core_hour: Range {
                    low: core_hour,
                    high: core_hour,
                },
                memory_gib_hour: Range::default(),
                machine_hour: Range::default(),
                workers_per_machine: 1,
            },
        },
    };
    PriceBook {
        currency: "EUR".into(),
        prices: vec![
            price(1, 1.0, AppliesTo::Everything),
            price(
                2,
                10.0,
                AppliesTo::Project {
                    pattern: "dear".into(),
                },
            ),
        ],
        changes: Vec::new(),
        known: Vec::new(),
    }
}

/// One line a cluster, `user project` and a letter an hour: `.` nothing reported, else so many core-hours of which half
/// were computed; `e` is one that failed.
fn story(text: &str) -> (Vec<Who>, Vec<HourUse>) {
    let mut who = Vec::new();
    let mut hours = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let id = at as i64 + 1;
        let known = |word: &str| (word != "-").then(|| word.to_owned());
        who.push(Who {
            id,
            user: known(words[0]),
            project: known(words[1]),
            name: format!("cluster {id}"),
            ..Who::default()
        });
        for (hour, letter) in words[2]
            .chars()
            .enumerate()
            .filter(|(_, letter)| *letter != '.')
        {
            let core_hours = i64::from(letter.to_digit(10).unwrap_or(1));
            hours.push(HourUse {
                hour: hour as i64,
                cluster: id,
                named: at as u32,
                span: 0,
                used: Used {
                    thread_micros: core_hours * Micros::HOUR,
                    compute_micros: core_hours * Micros::HOUR / 2,
                    tasks_erred: i64::from(letter == 'e'),
                    ..Used::default()
                },
                workers_peak: 1,
                memory_peak_bytes: (letter != 'e').then_some(core_hours as u64),
            });
        }
    }
    hours.sort_by_key(|hour| (hour.hour, hour.cluster));
    (who, hours)
}

/// `each`: as where the names of clusters matter.
fn met<'book>(
    book: &'book PriceBook,
    (who, hours): (&[Who], &[HourUse]),
    each: bool,
) -> Clusters<'book> {
    let about = About {
        each,
        ..About::default()
    };
    let mut clusters = Clusters::new(book, about);
    let named: Vec<Named> = who
        .iter()
        .map(|who| Named {
            user: who.user.clone(),
            host: who.host.clone(),
            project: who.project.clone(),
        })
        .collect();
    let found = |ids: &[i64]| {
        Ok(who
            .iter()
            .filter(|who| ids.contains(&who.id))
            .cloned()
            .collect())
    };
    clusters.meet((hours, &named), found).unwrap();
    clusters
}

fn hour(at: i64) -> Micros {
    Micros(at * Micros::HOUR)
}

fn edges(at: &[i64]) -> Vec<Micros> {
    at.iter().map(|at| hour(*at)).collect()
}

fn heat(text: &str, request: &HeatMapRequest) -> HeatMap {
    let (who, hours) = story(text);
    let book = book();
    let each = request.by == Some(HeatRows::Name);
    let clusters = met(&book, (&who, &hours), each);
    let (by, most) = (request.by.unwrap(), request.rows as usize);
    heat_map(request, by, most, "EUR", (&hours, &clusters)).unwrap()
}

fn request(by: HeatRows, measure: Measure, edges: Vec<Micros>) -> HeatMapRequest {
    HeatMapRequest {
        by: Some(by),
        measure,
        edges,
        columns: Vec::new(),
        order: HeatOrder::Total,
        rows: 40,
    }
}

const TWO_DAYS: &str = "ana dear 1.2e\nana -    ..0.\nbob etl  4444";

#[test]
fn rows_and_columns_are_summed_and_nothing_is_not_zero() {
    let map = heat(
        TWO_DAYS,
        &request(HeatRows::User, Measure::Cluster, edges(&[0, 1, 2, 3, 4])),
    );
    let told: Vec<_> = map
        .rows
        .iter()
        .map(|row| (row.key.as_deref(), row.total))
        .collect();
    assert_eq!(
        told,
        [(Some("bob"), Some(57_600.0)), (Some("ana"), Some(14_400.0))]
    );
    assert_eq!(
        map.rows[1].values,
        [Some(3_600.0), None, Some(7_200.0), Some(3_600.0)]
    );
    assert_eq!(map.rows[1].clusters, [1, 0, 2, 1]);
    let by_project = heat(
        TWO_DAYS,
        &request(HeatRows::Project, Measure::Cost, edges(&[0, 2, 4])),
    );
    let told: Vec<_> = by_project
        .rows
        .iter()
        .map(|row| (row.key.as_deref(), row.values.clone()))
        .collect();
    assert_eq!(
        told,
        [
            (Some("dear"), vec![Some(10.0), Some(30.0)]),
            (Some("etl"), vec![Some(8.0), Some(8.0)]),
            (None, vec![None, Some(0.0)]),
        ]
    );
}

#[test]
fn what_was_not_told_is_neither_zero_nor_nothing() {
    let map = heat(
        "ana dear 1.e",
        &request(HeatRows::User, Measure::MemoryPeak, edges(&[0, 1, 2, 3])),
    );
    assert_eq!(map.rows[0].values, [Some(1.0), None, None]);
    assert_eq!(
        (map.rows[0].clusters.as_slice(), map.rows[0].total),
        (&[1, 0, 1][..], Some(1.0))
    );
    let failures = heat(
        "ana dear 1.e",
        &request(HeatRows::User, Measure::Failures, edges(&[0, 1, 2, 3])),
    );
    assert_eq!(failures.rows[0].values, [Some(0.0), None, Some(1.0)]);
}

#[test]
fn what_stalled_is_a_measure_of_its_own_and_not_idle() {
    let (who, mut hours) = story("ana dear 224");
    // Half an hour of a thread in the first hour; the second is overdrawn by a task that was told late.
    hours[0].used.stalled_micros = Micros::HOUR / 2;
    hours[1].used.compute_micros = 3 * Micros::HOUR;
    let book = book();
    let clusters = met(&book, (&who, &hours), false);
    let told = |measure| {
        let asked = request(HeatRows::User, measure, edges(&[0, 1, 2, 3]));
        let map = heat_map(&asked, HeatRows::User, 40, "EUR", (&hours, &clusters)).unwrap();
        let half_hours = |seconds: f64| seconds / 1_800.0;
        let row = &map.rows[0];
        let values = row.values.iter().map(|value| half_hours(value.unwrap()));
        (values.collect::<Vec<f64>>(), half_hours(row.total.unwrap()))
    };
    assert_eq!(told(Measure::Idle), (vec![1.0, 0.0, 4.0], 3.0));
    assert_eq!(told(Measure::Stalled), (vec![1.0, 0.0, 0.0], 1.0));
}

#[test]
fn stretches_fold_into_columns_so_that_a_night_with_an_hour_twice_is_one_day() {
    // Three stretches of which the first and the last are the same hour of the week.
    let mut asked = request(HeatRows::User, Measure::Cluster, edges(&[0, 1, 3, 4]));
    asked.columns = vec![0, 1, 0];
    let map = heat("ana dear 1234", &asked);
    assert_eq!(
        map.rows[0].values,
        [Some(5.0 * 3_600.0), Some(5.0 * 3_600.0)]
    );
    assert_eq!(map.rows[0].clusters, [1, 1]);
}

#[test]
fn rows_beyond_the_most_are_others() {
    let lines: Vec<String> = (0..9).map(|at| format!("u{at} - {}", 9 - at)).collect();
    let mut asked = request(HeatRows::User, Measure::Cluster, edges(&[0, 1]));
    asked.rows = 4;
    asked.order = HeatOrder::Name;
    let map = heat(&lines.join("\n"), &asked);
    let told: Vec<_> = map
        .rows
        .iter()
        .map(|row| (row.key.as_deref(), row.others))
        .collect();
    assert_eq!(
        told,
        [(Some("u0"), 0), (Some("u1"), 0), (Some("u2"), 0), (None, 6)]
    );
    assert_eq!(map.rows[3].total, Some(21.0 * 3_600.0));
    assert_eq!(map.rows[3].clusters, [6]);
}

#[test]
fn a_heat_map_that_makes_no_sense_is_refused() {
    for (edges, columns) in [
        (vec![], vec![]),
        (edges(&[1]), vec![]),
        (edges(&[1, 1]), vec![]),
        (edges(&[2, 1]), vec![]),
        (edges(&[1, 2]), vec![0, 1]),
        (edges(&[1, 2]), vec![u32::MAX]),
    ] {
        let mut asked = request(HeatRows::User, Measure::Compute, edges);
        asked.columns = columns;
        let (book, none) = (book(), (&[][..], &[][..]));
        let clusters = met(&book, none, false);
        let map = heat_map(&asked, HeatRows::User, 40, "EUR", (&[], &clusters));
        assert!(map.is_err(), "{asked:?}");
    }
}

#[test]
fn of_more_cells_than_can_be_held_the_smallest_rows_are_one_from_the_start() {
    let edges = edges(&(0..=10_000).collect::<Vec<_>>());
    let asked = request(HeatRows::User, Measure::Cluster, edges);
    // The largest comes last.
    let lines: Vec<String> = (0..21)
        .map(|user| format!("u{user} - {}", 1 + user % 9))
        .collect();
    let (who, used) = story(&lines.join("\n"));
    let all: Vec<HourUse> = (0..10_000)
        .flat_map(|hour| used.iter().map(move |of| HourUse { hour, ..*of }))
        .collect();
    let book = book();
    let clusters = met(&book, (&who, &used), false);
    let map = |most| heat_map(&asked, HeatRows::User, most, "EUR", (&all, &clusters));
    let map_of_four = map(4).unwrap();
    let told: Vec<_> = map_of_four
        .rows
        .iter()
        .map(|row| (row.key.as_deref(), row.others, row.total))
        .collect();
    let hours = |each: f64| Some(each * 10_000.0 * 3_600.0);
    assert_eq!(
        told,
        [
            (Some("u17"), 0, hours(9.0)),
            (Some("u8"), 0, hours(9.0)),
            (Some("u16"), 0, hours(8.0)),
            (None, 18, hours(70.0)),
        ]
    );
    assert_eq!(map_of_four.rows[3].values[9_999], Some(70.0 * 3_600.0));
    assert_eq!(map_of_four.rows[3].clusters[0], 18);
    // More than can be held where they are all wanted.
    assert!(matches!(map(40), Err(Error::Invalid { .. })));
}

#[test]
fn what_idleness_cost_over_time_is_by_the_price_of_each() {
    let fold = fold("ana dear 1.\nbob - .2", HeatRows::Everything, &[], (0, 2));
    assert_eq!(fold.series().idle_cost, [5.0, 1.0]);
    assert_eq!(fold.series().cost, [10.0, 2.0]);
}

fn fold(text: &str, by: HeatRows, cells: &[SelectedCells], period: (i64, i64)) -> UsageFold {
    let (who, hours) = story(text);
    let book = book();
    let clusters = met(&book, (&who, &hours), by == HeatRows::Name);
    let selection = Selection::new(Some(by), cells).unwrap();
    let long = period.1 - period.0;
    let (now, before) = (
        (hour(period.0), hour(period.1)),
        (hour(period.0 - long), hour(period.0)),
    );
    let each = Edges::new(&edges(&(period.0..=period.1).collect::<Vec<_>>())).unwrap();
    let mut fold = UsageFold::new(selection, each, now, before);
    for hour in &hours {
        fold.add(hour, &clusters);
    }
    fold
}

fn cell(row: Option<&str>, from: i64, to: i64) -> SelectedCells {
    SelectedCells {
        row: row.map(Into::into),
        every_row: false,
        from_micros: hour(from),
        to_micros: hour(to),
    }
}

#[test]
fn a_selection_is_its_cells_and_nothing_else() {
    let core_hours = |fold: &UsageFold| fold.period.used.thread_micros / Micros::HOUR;
    let all = fold(TWO_DAYS, HeatRows::User, &[], (2, 4));
    assert_eq!((core_hours(&all), all.period.clusters.len()), (11, 3));
    assert_eq!(all.before.used.thread_micros / Micros::HOUR, 9);
    let ana = fold(TWO_DAYS, HeatRows::User, &[cell(Some("ana"), 2, 3)], (2, 4));
    assert_eq!((core_hours(&ana), ana.period.clusters.len()), (2, 2));
    // A toggled cell beside another, and overlapping parts count once.
    let cells = [
        cell(Some("ana"), 3, 4),
        cell(Some("bob"), 2, 3),
        cell(Some("bob"), 2, 3),
    ];
    let toggled = fold(TWO_DAYS, HeatRows::User, &cells, (0, 4));
    assert_eq!(core_hours(&toggled), 5);
    let nameless = fold(TWO_DAYS, HeatRows::Project, &[cell(None, 0, 4)], (0, 4));
    assert_eq!(
        (core_hours(&nameless), nameless.period.clusters.len()),
        (0, 1)
    );
    let every = SelectedCells {
        every_row: true,
        ..cell(None, 0, 1)
    };
    let every = fold(TWO_DAYS, HeatRows::User, &[every], (0, 4));
    assert_eq!(
        (core_hours(&every), every.series().thread_seconds),
        (5, vec![18_000.0, 0.0, 0.0, 0.0])
    );
    assert!(Selection::new(None, &[cell(None, 2, 2)]).is_err());
}

#[test]
fn parts_of_a_selection_are_in_order_and_do_not_touch() {
    let cells = [
        cell(Some("ana"), 7, 8),
        cell(Some("ana"), 2, 4),
        cell(Some("ana"), 0, 1),
        cell(Some("ana"), 3, 5),
        cell(Some("ana"), 5, 6),
        cell(Some("ana"), 2, 3),
    ];
    let selection = Selection::new(Some(HeatRows::User), &cells).unwrap();
    let parts = &selection.of_row[&Some("ana".into())];
    let hours: Vec<_> = parts
        .iter()
        .map(|(from, to)| (from / Micros::HOUR, to / Micros::HOUR))
        .collect();
    assert_eq!(hours, [(0, 1), (2, 6), (7, 8)]);
    let held: Vec<i64> = (0..9)
        .filter(|at| selection.holds(begins(*at), Some(Some("ana"))))
        .collect();
    assert_eq!(held, [0, 2, 3, 4, 5, 7]);
}

#[test]
fn alone_rows_are_projects() {
    let rows = |text| usual_rows(story(text).0.iter());
    assert_eq!(rows("ana a 1\nana b 1"), HeatRows::Project);
    assert_eq!(rows("- a 1"), HeatRows::Project);
    assert_eq!(rows("ana a 1\nbob a 1"), HeatRows::User);
}

proptest! {
    /// In whatever order hours come, and however they are put together.
    #[test]
    fn each_cluster_is_counted_once(clusters in prop::collection::vec(1_i64..20, 0..40)) {
        let (mut all, mut odd) = (Sums::new(), Sums::new());
        for (at, cluster) in clusters.iter().enumerate() {
            let hour = HourUse { cluster: *cluster, ..HourUse::default() };
            let sums = if at % 2 == 0 { &mut all } else { &mut odd };
            sums.add(&hour, None);
        }
        all.merge(odd);
        let different: BTreeSet<i64> = clusters.into_iter().collect();
        prop_assert_eq!(all.clusters.len(), different.len());
    }

    /// Whatever spans there are: what they add up to is what was there, and no part is less than nothing.
    #[test]
    fn parts_of_an_hour_are_all_of_it(
        spans in prop::collection::vec((1_i64..4, "[ab]", 0_i64..12, 0_i64..5, 0.0_f64..9.0), 0..8),
        used in prop::collection::vec((0_i64..12, 1_i64..4, 0_i64..100, 0_i64..1_000_000_007), 1..12),
    ) {
        let spans = spans.into_iter().map(|(cluster, path, from, long, compute_seconds)| SpanUse {
            cluster, path, from: hour(from), to: hour(from + long), compute_seconds,
        });
        let hours: Vec<HourUse> = used.into_iter().map(|(hour, cluster, tasks_completed, thread_micros)| HourUse {
            hour, cluster, used: Used { tasks_completed, thread_micros, ..Used::default() }, ..HourUse::default()
        }).collect();
        let parts = Spans::new(spans.collect()).part(&hours);
        for part in &parts {
            prop_assert!(part.used.tasks_completed >= 0 && part.used.thread_micros >= 0);
        }
        let all = |hours: &[HourUse]| hours.iter().map(|hour| hour.used.thread_micros).sum::<i64>();
        prop_assert_eq!(all(&parts), all(&hours));
        let tasks = |hours: &[HourUse]| hours.iter().map(|hour| hour.used.tasks_completed).sum::<i64>();
        prop_assert_eq!(tasks(&parts), tasks(&hours));
    }

    /// Whatever the rows, the columns and the number of rows: no second is lost, and none is counted twice.
    #[test]
    fn cells_rows_series_and_totals_agree(
        lines in prop::collection::vec("[abc-] [xyz-] [.0-9e]{12}", 1..12),
        rows in 1_u32..6,
        wide in 1_i64..5,
    ) {
        let text = lines.join("\n");
        let starts: Vec<i64> = (0..=12).filter(|at| at % wide == 0 || *at == 12).collect();
        let all = fold(&text, HeatRows::User, &[], (0, 12));
        for by in [HeatRows::User, HeatRows::Project, HeatRows::Name] {
            let mut asked = request(by, Measure::Cluster, edges(&starts));
            asked.rows = rows;
            let map = heat(&text, &asked);
            let cells: f64 = map.rows.iter().flat_map(|row| row.values.iter().flatten()).sum();
            let totals: f64 = map.rows.iter().filter_map(|row| row.total).sum();
            prop_assert_eq!(cells, all.period.used.thread_micros as f64 / 1e6);
            prop_assert_eq!(totals, cells);
            prop_assert!(map.rows.len() <= rows as usize);
        }
        let series: f64 = all.series().thread_seconds.iter().sum();
        prop_assert_eq!(series, all.period.used.thread_micros as f64 / 1e6);
    }
}
