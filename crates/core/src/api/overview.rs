//! The overview, its heat-map, and the clusters behind a selection.

use rusqlite::Connection;

use super::burning::burning;
use super::{
    App, ClusterUse, ClusterUses, ClusterUsesRequest, HeatMap, HeatMapRequest, Overview,
    OverviewRequest,
};
use crate::insight::answers::{Known, Largest, answers};
use crate::insight::cost::Bill;
use crate::insight::usage::{
    self, About, ClusterFold, Clusters, Edges, Selection, UsageFold, first_hour, totals, trends,
    usual_rows,
};
use crate::insight::{neediest, shown, time_left, with_evidence};
use crate::model::{ClusterState, Micros};
use crate::query::types::{PriceBook, UsageTotals};
use crate::query::{self, Counted, HourUse};
use crate::store::read_once;
use crate::{Error, Result};

/// The period that is shown when none is named.
const PERIOD: i64 = 28 * 24 * Micros::HOUR;
/// No period is longer: ten years.
const LONGEST: i64 = 3_700 * 24 * Micros::HOUR;
/// Rows of a heat-map, and clusters behind a selection.
const ROWS: u32 = 40;
const MOST_ROWS: u32 = 200;
const CLUSTERS: u32 = 50;
const MOST_CLUSTERS: u32 = 500;

/// The period of a request.
///
/// # Errors
/// [`Error::Invalid`] if it ends before it begins, or is longer than ten years.
pub(super) fn period(
    now: Micros,
    from: Option<Micros>,
    to: Option<Micros>,
) -> Result<(Micros, Micros)> {
    let to = to.unwrap_or(Micros(now.0 + 1));
    let from = from.unwrap_or(Micros(to.0.saturating_sub(PERIOD).max(0)));
    let invalid = |reason: &str| Error::Invalid {
        what: "period",
        value: format!("{} to {}", from.0, to.0),
        reason: reason.into(),
    };
    if let Some(reason) = Micros::no_time_between(from, to) {
        return Err(invalid(reason));
    }
    if to.0 - from.0 > LONGEST {
        return Err(invalid("it is longer than ten years"));
    }
    Ok((from, to))
}

/// The hours of some stretch of time of the clusters that count, which are known from then on.
fn hours(
    db: &Connection,
    counted: &Counted,
    clusters: &mut Clusters<'_>,
    from: Micros,
    to: Micros,
) -> Result<Vec<HourUse>> {
    let found = query::hours(db, counted, first_hour(from), first_hour(to))?;
    clusters.meet((&found.hours, &found.named), |ids| query::who_of(db, ids))?;
    clusters.part(found.hours, |ids| query::span_uses(db, ids))
}

/// Hands on the same, priced by the book, to what adds them up.
pub(super) fn add_up<'book>(
    db: &Connection,
    counted: &Counted,
    (book, about): (&'book PriceBook, About),
    (from, to): (Micros, Micros),
    mut add: impl FnMut(&HourUse, &Clusters<'book>),
) -> Result<()> {
    let mut clusters = Clusters::new(book, about);
    for hour in hours(db, counted, &mut clusters, from, to)? {
        add(&hour, &clusters);
    }
    Ok(())
}

pub(super) fn overview(app: &App, request: OverviewRequest) -> Result<Overview> {
    let now = app.now();
    let period = period(now, request.from_micros, request.to_micros)?;
    let selection = Selection::new(request.by, &request.cells)?;
    let edges = Edges::new(&request.edges)?;
    // What is selected is compared with what lies as long before; without a selection, with the period before.
    let (from, to) = selection.span().unwrap_or(period);
    if to.0 - from.0 > LONGEST {
        return Err(Error::Invalid {
            what: "selection",
            value: format!("{} to {}", from.0, to.0),
            reason: "it is longer than ten years".into(),
        });
    }
    let back = to.0 - from.0;
    let before = (Micros(period.0.0 - back), Micros(period.1.0 - back));
    app.read(|db| {
        let counted = app.counted(db)?;
        let book = query::price_book(db, false)?;
        let mut clusters = Clusters::new(&book, selection.about());
        let mut fold = UsageFold::new(selection, edges, period, before);
        let earliest = before.0.min(period.0);
        for hour in hours(db, &counted, &mut clusters, earliest, period.1)? {
            fold.add(&hour, &clusters);
        }
        let alive = query::alive(db, now, &counted)?;
        let burning = burning(db, alive.iter().map(|one| one.id))?;
        let live: Vec<_> = query::by_ids(db, now, &shown(&alive))?
            .into_iter()
            .map(|found| with_evidence(found, now))
            .collect();
        // It may have run for so long that it is none of those that are shown.
        let neediest = neediest(&alive)
            .map(|one| query::find_by_id(db, now, one.id))
            .transpose()?
            .map(|found| with_evidence(found, now));
        let left = live
            .iter()
            .map(|row| match row.state {
                // All its groups are read, and few are kept: its next report makes every reader forget what it has kept.
                ClusterState::Running => Ok(time_left(&read_once(db, || query::todo(db, row.id))?)),
                _ => Ok(None),
            })
            .collect::<Result<_>>()?;
        let told = fold.period.totals(&book);
        let (first, end) = (from.max(period.0), to.min(period.1));
        let exceptions = query::exceptions_seen(db, first, end, |cluster, at| {
            fold.holds(at, cluster, &clusters)
        })?;
        let used = &fold.by_cluster;
        let known = Known {
            now,
            period: &told,
            states: query::states(db, now, used.len() as u64, |id| used.contains_key(&id))?,
            exceptions: &exceptions,
            largest: largest(db, &fold)?,
            alive: alive.len() as u64,
            neediest: neediest.as_ref().map(|row| (row, burning.of(row.id))),
            currency: &book.currency,
        };
        let answers = answers(&known);
        let before = fold.before.totals(&book);
        Ok(Overview {
            now_micros: now,
            from_micros: from,
            to_micros: to,
            trends: trends(&told, &before),
            before,
            before_from_micros: Micros(from.0 - back),
            before_to_micros: Micros(to.0 - back),
            ever: ever(db, &counted, &book, &clusters)?,
            series: fold.series(),
            period: told,
            burning: live.iter().map(|row| burning.of(row.id)).collect(),
            live,
            live_total: alive.len() as u64,
            live_burning: burning.total(),
            live_priced: burning.priced(),
            left,
            currency: book.currency.clone(),
            answers,
        })
    })
}

/// What was ever used. Where one price may fit all, its sum is kept; else each cluster is asked for its own.
fn ever(
    db: &Connection,
    counted: &Counted,
    book: &PriceBook,
    clusters: &Clusters<'_>,
) -> Result<UsageTotals> {
    let (count, used, workers_peak) = query::ever(db, counted)?;
    let mut bill = Bill::new();
    match clusters.price_for_all() {
        Some(price) if count > 0 => bill.add(price, &used),
        Some(_) => {}
        None => query::each_ever(db, counted, |who, used| {
            bill.add(clusters.price_for(who), used);
        })?,
    }
    Ok(totals(&used, count, workers_peak, &bill, book))
}

/// The cluster that computed most, and its largest prefix.
fn largest(db: &Connection, fold: &UsageFold) -> Result<Option<Largest>> {
    let all = fold.period.used.compute_micros;
    let most = fold
        .by_cluster
        .iter()
        .map(|(id, of)| (of.compute_micros, *id))
        .max()
        .filter(|(computed, _)| *computed > 0 && all > 0);
    let Some((computed, id)) = most else {
        return Ok(None);
    };
    let who = query::who_of(db, &[id])?.pop().unwrap_or_default();
    Ok(Some(Largest {
        id,
        name: who.name,
        share: computed as f64 / all as f64,
        prefix: query::largest_prefix(db, id)?.map(|largest| (largest.prefix, largest.share)),
    }))
}

pub(super) fn heat_map(app: &App, request: HeatMapRequest) -> Result<HeatMap> {
    app.read(|db| {
        let counted = app.counted(db)?;
        let book = query::price_book(db, false)?;
        let mut clusters = Clusters::new(&book, About::rows(request.by));
        let (Some(from), Some(to)) = (request.edges.first(), request.edges.last()) else {
            return Err(Error::Invalid {
                what: "edges",
                value: "none".into(),
                reason: "a heat map needs at least two".into(),
            });
        };
        let (from, to) = period(app.now(), Some(*from), Some(*to))?;
        let hours = hours(db, &counted, &mut clusters, from, to)?;
        let by = request.by.unwrap_or_else(|| usual_rows(clusters.all()));
        let most = match request.rows {
            0 => ROWS,
            asked => asked.clamp(2, MOST_ROWS),
        };
        usage::heat_map(
            &request,
            by,
            most as usize,
            &book.currency,
            (&hours, &clusters),
        )
    })
}

pub(super) fn cluster_uses(app: &App, request: ClusterUsesRequest) -> Result<ClusterUses> {
    let now = app.now();
    let (from, to) = period(now, request.from_micros, request.to_micros)?;
    let selection = Selection::new(request.by, &request.cells)?;
    app.read(|db| {
        let counted = app.counted(db)?;
        let book = query::price_book(db, false)?;
        let about = selection.about();
        let mut fold = ClusterFold::new(selection);
        add_up(
            db,
            &counted,
            (&book, about),
            (from, to),
            |hour, clusters| fold.add(hour, clusters),
        )?;
        let used = fold.clusters;
        let mut found: Vec<(f64, i64)> = used
            .iter()
            .map(|(id, sums)| (sums.weight(request.measure), *id))
            .collect();
        found.sort_unstable_by(|one, two| two.0.total_cmp(&one.0).then(two.1.cmp(&one.1)));
        let total = found.len() as u64;
        let limit = match request.limit {
            0 => CLUSTERS,
            asked => asked.min(MOST_CLUSTERS),
        };
        found.truncate(limit as usize);
        let ids: Vec<i64> = found.into_iter().map(|(_, id)| id).collect();
        let rows: Vec<ClusterUse> = query::by_ids(db, now, &ids)?
            .into_iter()
            .filter_map(|row| {
                let sums = used.get(&row.row.id)?;
                Some(ClusterUse {
                    cluster: with_evidence(row, now),
                    used: sums.totals(&book),
                    memory_peak_bytes: sums.memory_peak_bytes,
                })
            })
            .collect();
        Ok(ClusterUses {
            truncated: (rows.len() as u64) < total,
            rows,
            total,
            currency: book.currency.clone(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_period_is_28_days_unless_named_and_one_that_makes_no_sense_is_refused() {
        let now = Micros(1_700_000_000_000_000);
        assert_eq!(
            period(now, None, None).unwrap(),
            (Micros(now.0 + 1 - PERIOD), Micros(now.0 + 1))
        );
        for (from, to) in [
            (Some(5), Some(5)),
            (Some(9), Some(5)),
            (Some(-1), Some(5)),
            (Some(0), Some(i64::MAX)),
            (Some(0), None),
            (None, Some(i64::MIN)),
        ] {
            assert!(
                period(now, from.map(Micros), to.map(Micros)).is_err(),
                "{from:?} {to:?}"
            );
        }
    }
}
