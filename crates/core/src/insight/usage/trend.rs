//! How totals changed since as long before, in words.

use crate::insight::words::times;
use crate::query::types::{Cost, Money, Trend, UsageTotals, UsageTrends, Way};

/// How each total changed; none where nothing was reported before.
pub(crate) fn trends(now: &UsageTotals, before: &UsageTotals) -> Option<UsageTrends> {
    let counted = |of: fn(&UsageTotals) -> u64| trend(of(now) as f64, of(before) as f64);
    let paid = |of: fn(&Cost) -> Money| {
        let middle = |totals: &UsageTotals| totals.cost.as_ref().map(|cost| middle(of(cost)));
        trend(middle(now)?, middle(before)?)
    };
    (before.clusters > 0).then(|| UsageTrends {
        clusters: counted(|of| of.clusters),
        thread_seconds: trend(now.thread_seconds, before.thread_seconds),
        compute_seconds: trend(now.compute_seconds, before.compute_seconds),
        efficiency: now
            .efficiency
            .zip(before.efficiency)
            .map(|(now, before)| points(now, before)),
        tasks_completed: counted(|of| of.tasks_completed),
        tasks_erred: counted(|of| of.tasks_erred),
        result_bytes: counted(|of| of.result_bytes),
        workers_peak: counted(|of| of.workers_peak),
        cost: paid(|cost| cost.total),
        idle_cost: paid(|cost| cost.idle),
    })
}

/// Nothing is made of nothing.
fn trend(now: f64, before: f64) -> Option<Trend> {
    if before == 0.0 {
        return (now > 0.0).then(|| said(Way::Up, "none before".into()));
    }
    let ratio = now / before;
    let change = (ratio - 1.0).abs();
    let percent = (change * 100.0).round().max(1.0);
    Some(if change < 0.005 {
        said(Way::Level, "no change".into())
    } else if ratio >= 100.0 {
        said(Way::Up, "> 100 times".into())
    } else if ratio >= 3.0 {
        said(Way::Up, times(ratio))
    } else if ratio > 1.0 {
        said(Way::Up, format!("+{percent} %"))
    } else {
        said(Way::Down, format!("−{percent} %"))
    })
}

/// Shares as they are shown, in points of a hundred.
fn points(now: f64, before: f64) -> Trend {
    let points = |share: f64| (share * 100.0).round() as i64;
    let change = points(now) - points(before);
    let words = match change.abs() {
        0 => return said(Way::Level, "no change".into()),
        1 => "1 point".into(),
        many => format!("{many} points"),
    };
    if change > 0 {
        said(Way::Up, format!("+{words}"))
    } else {
        said(Way::Down, format!("−{words}"))
    }
}

fn middle(money: Money) -> f64 {
    (money.low_nanos as f64 + money.high_nanos as f64) / 2.0
}

fn said(way: Way, words: String) -> Trend {
    Trend { words, way }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::types::TimeParts;

    fn totals(compute_seconds: f64, cost: Option<(i64, i64)>) -> UsageTotals {
        let money = |high_nanos| Money {
            low_nanos: high_nanos / 2,
            high_nanos,
        };
        UsageTotals {
            clusters: 1,
            thread_seconds: 100.0,
            compute_seconds,
            efficiency: Some(compute_seconds / 100.0),
            parts: TimeParts::default(),
            tasks_completed: 10,
            tasks_erred: 0,
            result_bytes: 0,
            workers_peak: 4,
            cost: cost.map(|(total, idle)| Cost {
                currency: "EUR".into(),
                total: money(total),
                idle: money(idle),
                stalled: Money::default(),
                unpriced_seconds: 0.0,
                words: String::new(),
            }),
        }
    }

    #[test]
    fn a_change_is_said_with_its_way_and_nothing_is_made_of_nothing() {
        for (now, before, words) in [
            (112.0, 100.0, Some("+12 %")),
            (88.0, 100.0, Some("−12 %")),
            (0.0, 5.0, Some("−100 %")),
            (100.2, 100.0, Some("no change")),
            (100.6, 100.0, Some("+1 %")),
            (350.0, 100.0, Some("3.5 times")),
            (1e6, 1.0, Some("> 100 times")),
            (5.0, 0.0, Some("none before")),
            (0.0, 0.0, None),
        ] {
            let told = trend(now, before);
            assert_eq!(told.as_ref().map(|told| told.words.as_str()), words);
            let way = told.map(|told| told.way);
            match words {
                None => assert_eq!(way, None),
                Some("no change") => assert_eq!(way, Some(Way::Level)),
                Some(_) if now > before => assert_eq!(way, Some(Way::Up)),
                Some(_) => assert_eq!(way, Some(Way::Down)),
            }
        }
    }

    #[test]
    fn each_total_is_compared_with_its_own_and_efficiency_by_points() {
        let before = totals(40.0, Some((40, 40)));
        let words = |trend: Option<Trend>| trend.unwrap().words;
        let told = trends(&totals(50.0, Some((80, 40))), &before).unwrap();
        assert_eq!(words(told.compute_seconds), "+25 %");
        assert_eq!(words(told.efficiency), "+10 points");
        assert_eq!(words(told.cost), "+100 %");
        assert_eq!(words(told.idle_cost), "no change");
        assert_eq!(words(told.workers_peak), "no change");
        assert_eq!(told.tasks_erred, None);
        let back = trends(&totals(39.0, None), &before).unwrap();
        assert_eq!(words(back.efficiency), "−1 point");
        assert_eq!(back.cost, None, "it is not known in both");
    }

    #[test]
    fn what_begins_has_no_trend() {
        let mut before = totals(0.0, None);
        before.clusters = 0;
        assert_eq!(trends(&totals(50.0, None), &before), None);
        let mut idle = totals(50.0, None);
        idle.efficiency = None;
        let told = trends(&totals(50.0, None), &idle).unwrap();
        assert_eq!(told.efficiency, None);
    }
}
