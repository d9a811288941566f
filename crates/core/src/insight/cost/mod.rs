//! What things cost: by a price book, always a range, with what was assumed.

mod known;
mod lines;
mod operations;
mod price;
mod shares;
mod split;
mod words;

use crate::model::Micros;
use crate::query::types::{Cost, Money, Price, Range, Rate};
use crate::query::{Rates, Used, money};

pub(crate) use known::known;
pub(crate) use lines::{Computed, Weighing, core_second, worth};
pub(crate) use operations::cluster_cost;
pub(crate) use price::{check, check_currency};
pub(crate) use shares::{group_costs, moneys};
pub(crate) use split::parts;

pub use words::money_words;
pub(crate) use words::{core_time, day, number};

/// Costs that are being summed, with the prices that were used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bill {
    total: Range,
    /// What was paid for threads that did nothing, and of it while the cluster was stalled.
    nothing: Range,
    stalled: Range,
    unpriced_micros: i64,
    /// Time of threads by price, so that the largest is named first; in the order of prices, of which there are few.
    prices: Vec<(i64, i64)>,
    empty: bool,
}

impl Bill {
    pub(crate) fn new() -> Self {
        Self {
            empty: true,
            ..Self::default()
        }
    }

    /// Adds what was used at a price. Where a long task was reported late, more was done in an hour than there was time:
    /// that makes up for those before, in which nothing seemed to be done.
    pub(crate) fn add(&mut self, price: Option<(&Price, &Rates)>, used: &Used) {
        self.empty = false;
        let Some((price, rates)) = price else {
            self.unpriced_micros = self.unpriced_micros.saturating_add(used.thread_micros);
            return;
        };
        let cost = rates.cost(used);
        self.total.low += cost.low;
        self.total.high += cost.high;
        if used.thread_micros > 0 {
            let share = 1.0 - used.busy_micros() as f64 / used.thread_micros as f64;
            self.nothing.low += cost.low * share;
            self.nothing.high += cost.high * share;
            let share = used.stalled_micros as f64 / used.thread_micros as f64;
            self.stalled.low += cost.low * share;
            self.stalled.high += cost.high * share;
        }
        self.add_time(price.id, used.thread_micros);
    }

    fn add_time(&mut self, price: i64, micros: i64) {
        let found = self.prices.binary_search_by_key(&price, |(id, _)| *id);
        let at = found.unwrap_or_else(|at| {
            self.prices.insert(at, (price, 0));
            at
        });
        let time = &mut self.prices[at].1;
        *time = time.saturating_add(micros);
    }

    pub(crate) fn merge(&mut self, other: Bill) {
        self.empty &= other.empty;
        self.total.low += other.total.low;
        self.total.high += other.total.high;
        self.nothing.low += other.nothing.low;
        self.nothing.high += other.nothing.high;
        self.stalled.low += other.stalled.low;
        self.stalled.high += other.stalled.high;
        self.unpriced_micros = self.unpriced_micros.saturating_add(other.unpriced_micros);
        for (price, micros) in other.prices {
            self.add_time(price, micros);
        }
    }

    /// In the middle of its range; none where nothing could be priced.
    pub(crate) fn middle(&self) -> Option<f64> {
        self.is_known()
            .then_some((self.total.low + self.total.high) / 2.0)
    }

    /// The same of what idleness cost.
    pub(crate) fn middle_of_idle(&self) -> Option<f64> {
        let (idle, _) = self.idle_and_stalled();
        self.is_known().then_some((idle.low + idle.high) / 2.0)
    }

    /// What was paid for threads that had nothing to do, and for those that stalled: neither less than nothing, nor together
    /// more than all.
    fn idle_and_stalled(&self) -> (Range, Range) {
        let within = |part: f64, whole: f64| part.clamp(0.0, whole.max(0.0));
        let parted = |nothing: f64, stalled: f64, total: f64| {
            let nothing = within(nothing, total);
            let stalled = within(stalled, nothing);
            (nothing - stalled, stalled)
        };
        let low = parted(self.nothing.low, self.stalled.low, self.total.low);
        let high = parted(self.nothing.high, self.stalled.high, self.total.high);
        let range = |low, high| Range { low, high };
        (range(low.0, high.0), range(low.1, high.1))
    }

    fn is_known(&self) -> bool {
        self.empty || !self.prices.is_empty()
    }

    /// The sum, and which prices it is made of.
    pub(crate) fn cost(&self, book: &[Price], currency: &str) -> Option<Cost> {
        if !self.is_known() {
            return None;
        }
        let (idle, stalled) = self.idle_and_stalled();
        Some(Cost {
            currency: currency.into(),
            total: money(self.total),
            idle: money(idle),
            stalled: money(stalled),
            unpriced_seconds: self.unpriced_micros as f64 / 1e6,
            words: self.words(book),
        })
    }

    fn words(&self, book: &[Price]) -> String {
        let mut ids = self.prices.clone();
        ids.sort_by_key(|(id, micros)| (std::cmp::Reverse(*micros), *id));
        let names: Vec<String> = ids
            .iter()
            .filter_map(|(id, _)| book.iter().find(|price| price.id == *id))
            .map(price_words)
            .collect();
        match names.len() {
            0 => "nothing to pay for".into(),
            1..=3 => names.join("; "),
            more => format!("{}; {} other prices", names[..2].join("; "), more - 2),
        }
    }
}

/// `My own machine, price of 2026-03-01`
fn price_words(price: &Price) -> String {
    match price.terms.from_micros {
        Micros(0) => price.terms.name.clone(),
        from => format!("{}, price of {}", price.terms.name, day(from)),
    }
}

/// What is assumed where a price is applied, a sentence each.
fn assumptions(price: &Price, used: &Used, total: Money, currency: &str) -> Vec<String> {
    let between = |range: Range| match range.low == range.high {
        true => number(range.low),
        false => format!("{} to {}", number(range.low), number(range.high)),
    };
    let core_hours = used.thread_micros as f64 / Micros::HOUR as f64;
    let mut said = vec![format!("≈ {}", money_words(total, currency))];
    match &price.terms.rate {
        Rate::Own {
            watts_per_core,
            kilowatt_hour,
        } => said.push(format!(
            "{} core-hours at {} W a core and {} {currency} per kilowatt-hour: electricity only, busy or idle",
            number(core_hours),
            between(*watts_per_core),
            between(*kilowatt_hour),
        )),
        Rate::Rented {
            core_hour,
            memory_gib_hour,
            machine_hour,
            workers_per_machine,
        } => {
            if core_hour.high > 0.0 {
                said.push(format!(
                    "{} core-hours at {} {currency}; each thread counts as a core",
                    number(core_hours),
                    between(*core_hour)
                ));
            }
            if memory_gib_hour.high > 0.0 {
                said.push(format!(
                    "{} GiB-hours of worker memory limits at {} {currency}",
                    number(used.memory_mib_seconds as f64 / (1_024.0 * 3_600.0)),
                    between(*memory_gib_hour)
                ));
            }
            if machine_hour.high > 0.0 {
                let workers = f64::from((*workers_per_machine).max(1));
                said.push(format!(
                    "{} machine-hours at {} {currency}, with {} per machine",
                    number(used.worker_micros as f64 / Micros::HOUR as f64 / workers),
                    between(*machine_hour),
                    match workers_per_machine {
                        0 | 1 => "one worker".into(),
                        more => format!("{more} workers"),
                    },
                ));
            }
        }
    }
    said.push(format!("Price: {}", price_words(price)));
    if !price.terms.provenance.is_empty() {
        said.push(price.terms.provenance.clone());
    }
    said.push("Excludes the scheduler and its machine".into());
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::types::{AppliesTo, PriceTerms};

    fn price(id: i64, core_hour: f64) -> Price {
        Price {
            id,
            terms: PriceTerms {
                name: format!("price {id}"),
                provenance: String::new(),
                from_micros: Micros(0),
                to_micros: None,
                applies_to: AppliesTo::Everything,
                rate: Rate::Rented {
                    core_hour: Range {
                        low: core_hour,
                        high: 2.0 * core_hour,
                    },
                    memory_gib_hour: Range::default(),
                    machine_hour: Range::default(),
                    workers_per_machine: 1,
                },
            },
        }
    }

    fn hours(thread: i64, compute: i64) -> Used {
        Used {
            thread_micros: thread * Micros::HOUR,
            compute_micros: compute * Micros::HOUR,
            ..Used::default()
        }
    }

    #[test]
    fn a_bill_sums_prices_and_knows_what_was_idle() {
        let book = [price(1, 0.01), price(2, 0.5)];
        let rates: Vec<Rates> = book
            .iter()
            .map(|price| Rates::of(&price.terms.rate))
            .collect();
        let mut bill = Bill::new();
        assert_eq!(bill.cost(&book, "EUR").unwrap().total, Money::default());
        // A long task is reported in its second hour: the first looked idle.
        bill.add(Some((&book[0], &rates[0])), &hours(10, 0));
        bill.add(Some((&book[0], &rates[0])), &hours(10, 15));
        let hung = Used {
            stalled_micros: Micros::HOUR / 2,
            ..hours(2, 1)
        };
        bill.add(Some((&book[1], &rates[1])), &hung);
        bill.add(None, &hours(1, 1));
        let cost = bill.cost(&book, "EUR").unwrap();
        assert_eq!(
            cost.total,
            money(Range {
                low: 1.2,
                high: 2.4
            })
        );
        assert_eq!(
            cost.idle,
            money(Range {
                low: 0.3,
                high: 0.6
            })
        );
        assert_eq!(
            cost.stalled,
            money(Range {
                low: 0.25,
                high: 0.5
            })
        );
        assert_eq!(cost.unpriced_seconds, 3_600.0);
        assert_eq!(cost.words, "price 1; price 2");
        let mut unpriced = Bill::new();
        unpriced.add(None, &hours(1, 1));
        assert_eq!(
            (unpriced.cost(&book, "EUR"), unpriced.middle()),
            (None, None)
        );
    }

    #[test]
    fn bills_put_together_are_the_bill_of_all_in_whatever_order() {
        let book = [price(1, 0.01), price(2, 0.5), price(3, 1.0)];
        let bill = |places: &[usize]| {
            let mut bill = Bill::new();
            for &at in places {
                let rates = Rates::of(&book[at].terms.rate);
                bill.add(Some((&book[at], &rates)), &hours(at as i64 + 1, 1));
            }
            bill
        };
        let all = bill(&[0, 1, 2, 2]).cost(&book, "EUR").unwrap();
        assert_eq!(all.words, "price 3; price 2; price 1");
        let mut merged = bill(&[2, 0]);
        merged.merge(bill(&[1, 2]));
        assert_eq!(merged.cost(&book, "EUR").unwrap(), all);
    }

    #[test]
    fn a_figure_says_what_it_is_made_of() {
        let said = assumptions(
            &price(1, 0.0125),
            &hours(32, 20),
            Money {
                low_nanos: 420_000_000,
                high_nanos: 610_000_000,
            },
            "EUR",
        );
        assert_eq!(said[0], "≈ 0.42–0.61 €");
        assert_eq!(
            said[1],
            "32 core-hours at 0.0125 to 0.025 EUR; each thread counts as a core"
        );
        assert_eq!(said[2], "Price: price 1");
        assert_eq!(
            said.last().unwrap(),
            "Excludes the scheduler and its machine"
        );
    }
}
