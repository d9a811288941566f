//! The price book, and what a cluster cost.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::Connection;

use super::flame::{merged_with_lines, text, text_at};
use super::lines::lines;
use super::overview::{add_up, period};
use super::{
    App, ClusterCost, ClusterRequest, ClusterRow, CostTable, CostTableRequest, Empty, LineCosts,
    PriceBook, ProfileSelection, Range, RemovePriceRequest, SetCurrencyRequest, SetPriceRequest,
};
use crate::Result;
use crate::insight::cost::{self, Computed, Weighing};
use crate::insight::usage::{By, ByFold};
use crate::model::{ClusterState, Micros};
use crate::query::{self, Rates, StackFrame};

/// Names of tags that are told.
const TAGS: usize = 100;
/// Prefixes whose profiles are merged for the dearest lines.
const PREFIXES: usize = 12;
/// Clusters whose time is read at once, and those whose lines of source are looked at.
const CLUSTERS: usize = 500;
const WITH_LINES: usize = 50;

pub(super) fn prices(app: &App, _: Empty) -> Result<PriceBook> {
    let book = app.read(|db| query::price_book(db, true))?;
    Ok(PriceBook {
        known: cost::known(),
        ..book
    })
}

pub(super) fn set_price(app: &App, request: SetPriceRequest) -> Result<PriceBook> {
    let now = app.now();
    let terms = cost::check(request.terms)?;
    app.write(move |db| query::set_price(db, now, request.id, &terms))?;
    prices(app, Empty {})
}

pub(super) fn remove_price(app: &App, request: RemovePriceRequest) -> Result<PriceBook> {
    let now = app.now();
    app.write(move |db| query::remove_price(db, now, request.id))?;
    prices(app, Empty {})
}

pub(super) fn set_currency(app: &App, request: SetCurrencyRequest) -> Result<PriceBook> {
    let now = app.now();
    let currency = cost::check_currency(&request.currency)?;
    app.write(move |db| query::set_currency(db, now, &currency))?;
    prices(app, Empty {})
}

pub(super) fn cluster_cost(app: &App, request: ClusterRequest) -> Result<ClusterCost> {
    let now = app.now();
    app.read(|db| {
        let row = query::find_by_id(db, now, request.id)?.row;
        cost_of(db, now, &row)
    })
}

/// What a cluster cost, by operation.
pub(super) fn cost_of(db: &Connection, now: Micros, row: &ClusterRow) -> Result<ClusterCost> {
    let cluster = query::cluster_used(db, row.id)?;
    let groups = query::group_times(db, row.id)?;
    let book = query::price_book(db, false)?;
    let alive = !matches!(row.state, ClusterState::Finished | ClusterState::Lost);
    let stalled = query::stalled_micros(db, row.id)?;
    Ok(cost::cluster_cost(
        now, &cluster, groups, &book, alive, stalled,
    ))
}

/// What clusters cost in a period, by whom.
pub(super) fn cost_table(app: &App, request: CostTableRequest) -> Result<CostTable> {
    let (from, to) = period(app.now(), request.from_micros, request.to_micros)?;
    app.read(|db| {
        let book = query::price_book(db, false)?;
        let mut fold = ByFold::new(request.by.clone(), request.across.clone());
        let about = fold.about();
        add_up(
            db,
            &app.counted(db)?,
            (&book, about),
            (from, to),
            |hour, clusters| fold.add(hour, clusters),
        )?;
        let By {
            rows,
            rows_total,
            columns,
            columns_total,
            others,
            cells,
            all,
        } = fold.finish(&book);
        Ok(CostTable {
            from_micros: from,
            to_micros: to,
            currency: book.currency.clone(),
            rows,
            rows_total,
            all,
            columns,
            columns_total,
            others,
            cells,
            tags: query::tag_names(db, TAGS)?,
        })
    })
}

/// A question of its own: the profiles are merged in short pieces, and the cost does not wait for them. A prefix’s time
/// is that of whole clusters, each at its own price; its samples are those of all of them together.
pub(super) fn line_costs(app: &App, selection: ProfileSelection) -> Result<LineCosts> {
    let now = app.now();
    let (selected, prefixes, currency) = app.read(|db| {
        let selected = query::select(db, now, &selection)?;
        let prefixes = query::profiles(db, &selected)?.prefixes;
        Ok((selected, prefixes, query::price_book(db, false)?.currency))
    })?;
    let prefixes = prefixes
        .into_iter()
        .map(|known| (known.prefix, known.samples))
        .collect();
    let prefixes: Vec<String> = cost::worth(prefixes, PREFIXES)
        .into_iter()
        .flatten()
        .collect();
    let mut computed: HashMap<Option<String>, Computed> = HashMap::new();
    let mut is_priced = false;
    for some in selected.ids.chunks(CLUSTERS) {
        app.read(|db| {
            let book = query::price_book(db, false)?;
            let mut seconds = HashMap::new();
            for time in query::prefix_times(db, some, &prefixes)? {
                let second = match seconds.entry(time.cluster) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(place) => *place.insert(second(db, &book, time.cluster)?),
                };
                is_priced |= second.is_some();
                let sum = computed.entry(time.prefix).or_default();
                sum.add(time.compute_micros, second);
            }
            Ok(())
        })?;
    }
    let mut parts: Vec<(Vec<String>, Computed)> = prefixes
        .iter()
        .map(|prefix| {
            let known = computed.get(&Some(prefix.clone()));
            (vec![prefix.clone()], known.copied().unwrap_or_default())
        })
        .collect();
    if parts.is_empty() {
        // Not split by prefix: the samples stand for all that was computed.
        parts.push((Vec::new(), computed.remove(&None).unwrap_or_default()));
    }
    let mut weighing = Weighing::default();
    for (prefixes, computed) in parts {
        let part = ProfileSelection {
            prefixes,
            ..selection.clone()
        };
        let held = merged_with_lines(app, &part)?;
        let samples = held.samples()?;
        weighing.add(held.functions(), held.counted_lines(), samples, computed);
    }
    let mut costs = weighing.costs(is_priced);
    // The newest tell what a line says now.
    let newest = selected.ids.iter().rev().take(WITH_LINES);
    let lines: Vec<_> = lines(app, newest.copied()).collect();
    for row in &mut costs.rows {
        let frame = StackFrame {
            name: row.function.clone(),
            file: row.file.clone(),
            line: row.line,
        };
        row.text = match row.at_line {
            Some(line) => text_at(&lines, &frame, line),
            None => text(&lines, &frame),
        };
    }
    costs.clusters = selected.ids.len() as u64;
    costs.truncated = selected.truncated;
    costs.currency = currency;
    Ok(costs)
}

/// What a second of a thread costs in a cluster, memory and machines included.
fn second(db: &Connection, book: &PriceBook, id: i64) -> Result<Option<Range>> {
    let cluster = query::cluster_used(db, id)?;
    Ok(query::price_of(&book.prices, &cluster.who)
        .and_then(|price| cost::core_second(&Rates::of(&price.terms.rate), &cluster.used)))
}
