//! What each operation of a cluster cost. They sum exactly to the cluster, and the groups of each exactly to it.

use std::collections::BTreeMap;

use super::assumptions;
use super::shares::{Shares, shares};
use super::split::split_money;
use crate::model::Micros;
use crate::query::types::{ClusterCost, GroupCost, Money, Operation, OperationCost, PriceBook};
use crate::query::{ClusterUsed, GroupTime};

/// Operations and groups that are listed.
const OPERATIONS: usize = 500;
const GROUPS: usize = 100;

/// The cost of a cluster by operation; `alive` says whether it still costs something, `stalled` for how long of the idle
/// time of threads it hung.
pub(crate) fn cluster_cost(
    now: Micros,
    cluster: &ClusterUsed,
    groups: Vec<GroupTime>,
    book: &PriceBook,
    alive: bool,
    stalled: i64,
) -> ClusterCost {
    let Shares {
        price,
        rates,
        cost,
        thread_micros,
        unrecorded,
        busy,
        times,
        moneys,
    } = shares(cluster, &groups, book);
    let mut said = match (&cost, price) {
        (Some(cost), Some(price)) => assumptions(price, &cluster.used, cost.total, &book.currency),
        _ => Vec::new(),
    };
    if busy > thread_micros && thread_micros > 0 {
        said.push(format!(
            "Activities add up to {:.0} % of thread time, because transfers and disk overlap with computing: all are scaled down equally",
            busy as f64 / thread_micros as f64 * 100.0
        ));
    }
    let idle_at = times.len() - 1;
    let single = |operation, at: usize| OperationCost {
        operation,
        tasks: 0,
        thread_micros: times[at],
        money: moneys[at],
        groups: Vec::new(),
        groups_total: 0,
    };
    let mut by_prefix: BTreeMap<String, Vec<GroupCost>> = BTreeMap::new();
    for (at, group) in groups.into_iter().enumerate() {
        by_prefix.entry(group.prefix).or_default().push(GroupCost {
            group_id: group.group_id,
            name: group.name,
            tasks: group.tasks,
            thread_micros: times[at],
            money: moneys[at],
        });
    }
    let mut operations: Vec<OperationCost> = by_prefix.into_iter().map(of_prefix).collect();
    if unrecorded > 0 {
        operations.push(single(Operation::Unrecorded, idle_at - 1));
    }
    operations.sort_by_key(|operation| std::cmp::Reverse(operation.thread_micros));
    if operations.len() > OPERATIONS {
        let rest = operations.split_off(OPERATIONS);
        operations.push(others(&rest));
    }
    let nothing = idle_and_stalled(single(Operation::Idle, idle_at), stalled);
    let money_of = |operation: Operation| {
        let row = nothing.iter().find(|row| row.operation == operation);
        row.and_then(|row| row.money).unwrap_or_default()
    };
    // The share by operation is the exact one; a bill sums it from what samples told.
    let cost = cost.map(|cost| super::Cost {
        idle: money_of(Operation::Idle),
        stalled: money_of(Operation::Stalled),
        ..cost
    });
    if thread_micros > 0 {
        operations.extend(nothing);
        operations.sort_by_key(|operation| std::cmp::Reverse(operation.thread_micros));
    }
    ClusterCost {
        now_micros: now,
        an_hour: rates
            .filter(|_| alive)
            .map(|rates| rates.an_hour(cluster.threads, cluster.workers, cluster.memory_bytes)),
        price: price.cloned(),
        cost,
        thread_micros,
        assumptions: said,
        operations,
    }
}

/// What was idle, without what of it is known to have stalled: that is an operation of its own.
fn idle_and_stalled(idle: OperationCost, stalled: i64) -> Vec<OperationCost> {
    let stalled = stalled.clamp(0, idle.thread_micros);
    if stalled == 0 {
        return vec![idle];
    }
    let times = [stalled, idle.thread_micros - stalled];
    let mut moneys = idle
        .money
        .map(|money| split_money(money, &times))
        .unwrap_or_default()
        .into_iter();
    [Operation::Stalled, Operation::Idle]
        .into_iter()
        .zip(times)
        .map(|(operation, thread_micros)| OperationCost {
            operation,
            thread_micros,
            money: moneys.next(),
            ..idle.clone()
        })
        .collect()
}

fn of_prefix((prefix, mut groups): (String, Vec<GroupCost>)) -> OperationCost {
    groups.sort_by_key(|group| std::cmp::Reverse(group.thread_micros));
    let sum = sum_of(
        groups
            .iter()
            .map(|group| (group.tasks, group.thread_micros, group.money)),
    );
    let groups_total = groups.len() as u64;
    groups.truncate(GROUPS);
    OperationCost {
        operation: Operation::Prefix { prefix },
        tasks: sum.0,
        thread_micros: sum.1,
        money: sum.2,
        groups,
        groups_total,
    }
}

fn others(rest: &[OperationCost]) -> OperationCost {
    let sum = sum_of(
        rest.iter()
            .map(|row| (row.tasks, row.thread_micros, row.money)),
    );
    OperationCost {
        operation: Operation::Others {
            prefixes: rest.len() as u64,
        },
        tasks: sum.0,
        thread_micros: sum.1,
        money: sum.2,
        groups: Vec::new(),
        groups_total: rest.iter().map(|row| row.groups_total).sum(),
    }
}

type Sum = (u64, i64, Option<Money>);

fn sum_of(parts: impl Iterator<Item = Sum>) -> Sum {
    parts.fold((0, 0, None), |sum, part| {
        let money = match (sum.2, part.2) {
            (Some(a), Some(b)) => Some(Money {
                low_nanos: a.low_nanos + b.low_nanos,
                high_nanos: a.high_nanos + b.high_nanos,
            }),
            (None, other) => other,
            (some, None) => some,
        };
        (sum.0.saturating_add(part.0), sum.1 + part.1, money)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::query::Used;
    use crate::query::types::{AppliesTo, Price, PriceTerms, Range, Rate};

    fn book(core_hour: f64) -> PriceBook {
        PriceBook {
            currency: "EUR".into(),
            prices: vec![Price {
                id: 1,
                terms: PriceTerms {
                    name: "rented".into(),
                    provenance: "a bill".into(),
                    from_micros: Micros(0),
                    to_micros: None,
                    applies_to: AppliesTo::Everything,
                    rate: Rate::Rented {
                        core_hour: Range {
                            low: core_hour,
                            high: core_hour * 1.5,
                        },
                        memory_gib_hour: Range::default(),
                        machine_hour: Range::default(),
                        workers_per_machine: 1,
                    },
                },
            }],
            changes: Vec::new(),
            known: Vec::new(),
        }
    }

    fn cluster(thread: i64, compute: i64) -> ClusterUsed {
        ClusterUsed {
            used: Used {
                thread_micros: thread,
                compute_micros: compute,
                ..Used::default()
            },
            ..ClusterUsed::default()
        }
    }

    /// `prefix compute other`, in hours.
    fn groups(text: &str) -> Vec<GroupTime> {
        text.split(';')
            .enumerate()
            .map(|(at, line)| {
                let words: Vec<&str> = line.split_whitespace().collect();
                let hours = |at: usize| (words[at].parse::<f64>().unwrap() * 3.6e9) as i64;
                GroupTime {
                    group_id: format!("g{at}"),
                    name: words[0].into(),
                    prefix: words[0].into(),
                    tasks: 10,
                    compute_micros: hours(1),
                    other_micros: hours(2),
                }
            })
            .collect()
    }

    /// Operation, hours, and the lower end in cents.
    fn told(cost: &ClusterCost) -> Vec<(String, f64, i64)> {
        cost.operations
            .iter()
            .map(|row| {
                let name = match &row.operation {
                    Operation::Prefix { prefix } => prefix.clone(),
                    other => format!("{other:?}"),
                };
                let cents = row.money.map_or(-1, |money| money.low_nanos / 10_000_000);
                (name, row.thread_micros as f64 / 3.6e9, cents)
            })
            .collect()
    }

    #[test]
    fn each_operation_pays_for_its_time_and_idleness_is_one_of_them() {
        let hour = Micros::HOUR;
        let cost = cluster_cost(
            Micros(0),
            &cluster(10 * hour, 4 * hour),
            groups("inc 2 0.5; sum 1 0; inc 1 0.5"),
            &book(0.1),
            false,
            0,
        );
        assert_eq!(
            told(&cost),
            [
                ("Idle".into(), 5.0, 50),
                ("inc".into(), 4.0, 40),
                ("sum".into(), 1.0, 10)
            ]
        );
        assert_eq!(cost.cost.as_ref().unwrap().idle.low_nanos, 500_000_000);
        assert_eq!(cost.operations[1].groups[0].group_id, "g0");
        assert_eq!((cost.operations[1].tasks, cost.an_hour), (20, None));
    }

    #[test]
    fn more_time_than_there_was_is_scaled_down_and_work_without_a_group_is_told() {
        let hour = Micros::HOUR;
        let over = cluster_cost(
            Micros(0),
            &cluster(4 * hour, 4 * hour),
            groups("inc 4 2; sum 2 0"),
            &book(0.1),
            false,
            0,
        );
        assert_eq!(
            told(&over),
            [
                ("inc".into(), 3.0, 30),
                ("sum".into(), 1.0, 10),
                ("Idle".into(), 0.0, 0)
            ]
        );
        assert!(over.assumptions.iter().any(|said| said.contains("200 %")));
        let lost = cluster_cost(
            Micros(0),
            &cluster(10 * hour, 6 * hour),
            groups("inc 2 0"),
            &book(0.1),
            true,
            0,
        );
        assert_eq!(
            told(&lost),
            [
                ("Unrecorded".into(), 4.0, 40),
                ("Idle".into(), 4.0, 40),
                ("inc".into(), 2.0, 20)
            ]
        );
        let unpriced = PriceBook {
            prices: Vec::new(),
            ..book(0.1)
        };
        let unpriced = cluster_cost(Micros(0), &cluster(hour, 0), Vec::new(), &unpriced, true, 0);
        assert_eq!((unpriced.cost, unpriced.an_hour), (None, None));
        assert_eq!(unpriced.operations[0].money, None);
    }

    proptest! {
        #[test]
        fn operations_and_their_groups_sum_exactly_to_the_cluster(
            thread in 1_i64..1 << 50,
            times in prop::collection::vec((0_i64..1 << 46, 0_i64..1 << 44, 0..5_u8), 0..60),
            core_hour in 0.000_001..3.0_f64,
            stalled in 0_i64..1 << 50,
        ) {
            let groups: Vec<GroupTime> = times
                .iter()
                .enumerate()
                .map(|(at, (compute_micros, other_micros, prefix))| GroupTime {
                    group_id: at.to_string(),
                    prefix: prefix.to_string(),
                    compute_micros: *compute_micros,
                    other_micros: *other_micros,
                    ..GroupTime::default()
                })
                .collect();
            let cost = cluster_cost(Micros(0), &cluster(thread, 7), groups, &book(core_hour), false, stalled);
            let total = cost.cost.unwrap().total;
            let sum = sum_of(cost.operations.iter().map(|row| (0, row.thread_micros, row.money)));
            prop_assert_eq!((sum.1, sum.2), (thread, Some(total)));
            for row in &cost.operations {
                let parts = sum_of(row.groups.iter().map(|group| (0, group.thread_micros, group.money)));
                prop_assert!(row.groups.is_empty() || (parts.1, parts.2) == (row.thread_micros, row.money));
            }
        }
    }
}
