//! The time and the cost of a cluster, shared out exactly to its groups, to what is not on the record, and to idleness.

use std::collections::HashMap;

use super::Bill;
use super::split::{split, split_money};
use crate::query::types::{
    ComputationMoney, Cost, GroupCosts, GroupMoney, Money, Price, PriceBook,
};
use crate::query::{ClusterUsed, GroupTime, Rates, price_of};

/// Groups and computations that are told.
const GROUPS: usize = 5_000;
const COMPUTATIONS: usize = 1_000;

pub(super) struct Shares<'a> {
    pub(super) price: Option<&'a Price>,
    pub(super) rates: Option<Rates>,
    /// None without a price, or where nothing was heard of its threads.
    pub(super) cost: Option<Cost>,
    pub(super) thread_micros: i64,
    /// Work of groups that are not on the record.
    pub(super) unrecorded: i64,
    /// What all work claims, which may be more than there was.
    pub(super) busy: i64,
    /// That of each group, in their order; of what is not on the record; and what was idle.
    pub(super) times: Vec<i64>,
    pub(super) moneys: Vec<Option<Money>>,
}

/// Thread-time × rate: the price of the whole cluster (cores, memory, machines) is shared out by time of threads. What
/// groups claim may be more than there was, since transfers and disk run beside computing: then all are scaled down, and
/// nothing was idle.
pub(super) fn shares<'a>(
    cluster: &ClusterUsed,
    groups: &[GroupTime],
    book: &'a PriceBook,
) -> Shares<'a> {
    let price = price_of(&book.prices, &cluster.who);
    let rates = price.map(|price| Rates::of(&price.terms.rate));
    let mut bill = Bill::new();
    bill.add(price.zip(rates.as_ref()), &cluster.used);
    let thread_micros = cluster.used.thread_micros.max(0);
    let cost = (thread_micros > 0)
        .then(|| bill.cost(&book.prices, &book.currency))
        .flatten();

    let told: Vec<i64> = groups
        .iter()
        .map(|group| {
            group
                .compute_micros
                .max(0)
                .saturating_add(group.other_micros.max(0))
        })
        .collect();
    let told_sum = told
        .iter()
        .fold(0, |sum: i64, micros| sum.saturating_add(*micros));
    let unrecorded = (cluster.used.busy_micros() - told_sum).max(0);
    // A sample and the groups are not of the same moment: seconds of a running cluster are not work of lost groups.
    let unrecorded = if unrecorded > thread_micros / 100 {
        unrecorded
    } else {
        0
    };
    let busy = told_sum.saturating_add(unrecorded);
    let paid = busy.min(thread_micros);
    // The weights of all operations: each group's time, what is not on the record, what is idle.
    let mut weights = told;
    weights.push(unrecorded);
    let mut times = split(paid, &weights);
    times.push(thread_micros - times.iter().sum::<i64>());
    let moneys: Vec<Option<Money>> = match &cost {
        Some(cost) => split_money(cost.total, &times)
            .into_iter()
            .map(Some)
            .collect(),
        None => vec![None; times.len()],
    };
    Shares {
        price,
        rates,
        cost,
        thread_micros,
        unrecorded,
        busy,
        times,
        moneys,
    }
}

/// What each group cost, by its id: nothing without a price, or where nothing was heard of threads.
pub(crate) fn moneys<'a>(
    cluster: &ClusterUsed,
    groups: &'a [GroupTime],
    book: &PriceBook,
) -> HashMap<&'a str, Money> {
    let shares = shares(cluster, groups, book);
    groups
        .iter()
        .zip(shares.moneys)
        .filter_map(|(group, money)| Some((&*group.group_id, money?)))
        .collect()
}

/// What each group cost, and each computation by its groups: a group of two computations counts in both.
///
/// `computations`: ids with their groups, newest first.
pub(crate) fn group_costs(
    cluster: &ClusterUsed,
    groups: &[GroupTime],
    computations: Vec<(String, Vec<String>)>,
    book: &PriceBook,
) -> GroupCosts {
    let of = moneys(cluster, groups, book);
    let mut told: Vec<GroupMoney> = of
        .iter()
        .map(|(group_id, money)| GroupMoney {
            group_id: (*group_id).to_owned(),
            money: *money,
        })
        .collect();
    told.sort_by(|a, b| (b.money.high_nanos, &a.group_id).cmp(&(a.money.high_nanos, &b.group_id)));
    let truncated = told.len() > GROUPS || computations.len() > COMPUTATIONS;
    told.truncate(GROUPS);
    let computations = match of.is_empty() {
        true => Vec::new(),
        false => computations
            .into_iter()
            .take(COMPUTATIONS)
            .map(|(computation_id, groups)| {
                let moneys = groups.iter().filter_map(|id| of.get(&**id));
                let money = moneys.fold(Money::default(), |sum, money| Money {
                    low_nanos: sum.low_nanos + money.low_nanos,
                    high_nanos: sum.high_nanos + money.high_nanos,
                });
                ComputationMoney {
                    computation_id,
                    money,
                }
            })
            .collect(),
    };
    GroupCosts {
        currency: book.currency.clone(),
        groups: told,
        computations,
        truncated,
    }
}
