//! What single functions cost: share of the profile's samples × time that the threads computed × price.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::insight::flame::untold;
use crate::query::types::{LineCost, LineCosts, Money, Range};
use crate::query::{self, Rates, StackFrame, Used};

/// Functions that are listed, and those of one profile that are weighed.
const ROWS: usize = 50;
const FUNCTIONS: usize = 10_000;
/// Of a standard normal distribution, 95 % lie within this.
const Z: f64 = 1.96;
/// Where the error may be more than half of the figure, or is of fewer samples, there is none.
const WORST: f64 = 0.5;
const FEWEST: u64 = 16;

/// A sum that is estimated from samples.
#[derive(Clone, Copy, Default)]
struct Estimate {
    value: f64,
    /// Of the sampling error.
    variance: f64,
}

impl Estimate {
    /// Adds a share of a whole that is known exactly.
    fn add(&mut self, share: f64, variance: f64, whole: f64) {
        self.value += share * whole;
        self.variance += variance * whole * whole;
    }

    fn error(self) -> f64 {
        Z * self.variance.sqrt()
    }

    fn least(self) -> f64 {
        (self.value - self.error()).max(0.0)
    }

    fn most(self, whole: f64) -> f64 {
        (self.value + self.error()).min(whole)
    }
}

/// Time that threads computed, and what it cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Computed {
    pub(crate) micros: f64,
    /// In the book's currency; nothing of what has no price.
    pub(crate) money: Range,
}

impl Computed {
    /// Adds time at what a second of it costs.
    pub(crate) fn add(&mut self, micros: i64, second: Option<Range>) {
        let seconds = micros as f64 / 1e6;
        self.micros += micros as f64;
        if let Some(second) = second {
            self.money.low += seconds * second.low;
            self.money.high += seconds * second.high;
        }
    }
}

/// Samples of one function, and what they stand for, summed over profiles.
#[derive(Default)]
struct Weighed {
    samples: u64,
    micros: Estimate,
    low: Estimate,
    high: Estimate,
}

impl Weighed {
    fn add(&mut self, samples: u64, all: u64, computed: Computed) {
        if samples == 0 || all == 0 {
            return;
        }
        let n = all as f64;
        let share = (samples as f64 / n).min(1.0);
        self.samples = self.samples.saturating_add(samples);
        // Of a share that is counted in n samples. Where all are of one function the rule of succession keeps it from zero.
        let likely = (samples as f64 + 1.0) / (n + 2.0);
        let variance = likely * (1.0 - likely) / n;
        self.micros.add(share, variance, computed.micros);
        self.low.add(share, variance, computed.money.low);
        self.high.add(share, variance, computed.money.high);
    }

    fn is_priced(&self) -> bool {
        self.samples >= FEWEST
            && self.micros.value > 0.0
            && self.micros.error() <= WORST * self.micros.value
    }

    /// Seconds, no more than were computed.
    fn seconds(&self, all: Computed) -> Range {
        Range {
            low: self.micros.least() / 1e6,
            high: self.micros.most(all.micros) / 1e6,
        }
    }

    /// From the least at the lowest price to the most at the highest.
    fn money(&self, all: Computed) -> Money {
        query::money(Range {
            low: self.low.least(),
            high: self.high.most(all.money.high),
        })
    }
}

/// The functions of profiles, weighed by the time that the threads computed which each profile is of.
#[derive(Default)]
pub(crate) struct Weighing {
    /// In itself, and with what it calls.
    functions: HashMap<StackFrame, (Weighed, Weighed)>,
    samples: u64,
    all: Computed,
    /// Functions of few samples that were not weighed.
    too_few: u64,
}

impl Weighing {
    /// Adds a profile: each function with its samples, and with those of what it calls.
    pub(crate) fn add<'a>(
        &mut self,
        functions: impl Iterator<Item = (&'a StackFrame, (u64, u64))>,
        samples: u64,
        computed: Computed,
    ) {
        self.samples = self.samples.saturating_add(samples);
        self.all.micros += computed.micros;
        self.all.money.low += computed.money.low;
        self.all.money.high += computed.money.high;
        let untold = untold();
        let mut functions: Vec<_> = functions.filter(|(frame, _)| **frame != untold).collect();
        if functions.len() > FUNCTIONS {
            self.too_few += (functions.len() - FUNCTIONS) as u64;
            functions.select_nth_unstable_by_key(FUNCTIONS, |(_, counts)| Reverse(*counts));
            functions.truncate(FUNCTIONS);
        }
        for (frame, (own_count, total_count)) in functions {
            let (own, with_calls) = self.functions.entry(frame.clone()).or_default();
            own.add(own_count, samples, computed);
            with_calls.add(total_count, samples, computed);
        }
    }

    /// The dearest functions; without money where nothing `is_priced`.
    pub(crate) fn costs(self, is_priced: bool) -> LineCosts {
        let Weighing {
            functions,
            samples,
            all,
            too_few,
        } = self;
        let known = functions.len();
        let mut priced: Vec<_> = functions
            .into_iter()
            .filter(|(_, (own, with_calls))| {
                own.is_priced() || (own.samples > 0 && with_calls.is_priced())
            })
            .collect();
        let too_few = too_few + (known - priced.len()) as u64;
        priced.sort_by(|(a, (one, _)), (b, (two, _))| {
            let place = |frame: &StackFrame| (frame.name.clone(), frame.file.clone(), frame.line);
            two.micros
                .value
                .total_cmp(&one.micros.value)
                .then_with(|| place(a).cmp(&place(b)))
        });
        priced.truncate(ROWS);
        let rows = priced
            .into_iter()
            .map(|(frame, (own, with_calls))| {
                let (seconds, with_calls_seconds) = (own.seconds(all), with_calls.seconds(all));
                LineCost {
                    library: is_library(&frame.file),
                    function: frame.name,
                    file: frame.file,
                    line: frame.line,
                    text: None,
                    samples: own.samples,
                    share: Range {
                        low: seconds.low * 1e6 / all.micros,
                        high: seconds.high * 1e6 / all.micros,
                    },
                    money: is_priced.then(|| own.money(all)),
                    seconds,
                    with_calls_money: is_priced.then(|| with_calls.money(all)),
                    with_calls_seconds,
                }
            })
            .collect();
        LineCosts {
        rows,
        too_few,
        samples,
        clusters: 0,
        truncated: false,
        currency: String::new(),
        words: "Share p of a prefix’s n samples × its threads’ compute time × price per second. The range covers the price’s and \
                the sampling error, ±1.96·√(p(1−p)/n). A function with fewer than 16 samples, or whose error is more than \
                half of its share, has no price."
            .into(),
    }
    }
}

/// Whether a file is Python's own or of an installed package.
fn is_library(file: &str) -> bool {
    let file = file.replace('\\', "/");
    ["site-packages/", "dist-packages/", "/lib/python", "<frozen"]
        .iter()
        .any(|part| file.contains(part))
}

/// What a second of a thread costs in a cluster that used this.
pub(crate) fn core_second(rates: &Rates, used: &Used) -> Option<Range> {
    let seconds = used.thread_micros as f64 / 1e6;
    let cost = rates.cost(used);
    (seconds > 0.0).then(|| Range {
        low: cost.low / seconds,
        high: cost.high / seconds,
    })
}

/// The profiles of prefixes that are worth a look, by samples: the others together would be below the noise.
pub(crate) fn worth(mut prefixes: Vec<(Option<String>, u64)>, most: usize) -> Vec<Option<String>> {
    prefixes.retain(|(_, samples)| *samples >= 16);
    prefixes.sort_by_key(|(prefix, samples)| (Reverse(*samples), prefix.clone()));
    prefixes.truncate(most);
    prefixes.into_iter().map(|(prefix, _)| prefix).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `function:own+with_calls`, each in its own file.
    fn add(weighing: &mut Weighing, samples: u64, micros: i64, second: Option<Range>, text: &str) {
        let mut computed = Computed::default();
        computed.add(micros, second);
        let rows: Vec<(StackFrame, (u64, u64))> = text
            .split_whitespace()
            .map(|word| {
                let (name, counts) = word.split_once(':').unwrap();
                let (own, all) = counts.split_once('+').unwrap();
                let frame = StackFrame {
                    name: name.into(),
                    file: format!("{name}.py"),
                    line: Some(1),
                };
                (frame, (own.parse().unwrap(), all.parse().unwrap()))
            })
            .collect();
        let rows = rows.iter().map(|(frame, counts)| (frame, *counts));
        weighing.add(rows, samples, computed);
    }

    #[test]
    fn a_function_pays_for_its_share_with_the_sampling_error() {
        let mut weighing = Weighing::default();
        let rate = Range {
            low: 0.1 / 3_600.0,
            high: 0.2 / 3_600.0,
        };
        add(
            &mut weighing,
            10_000,
            36_000_000_000,
            Some(rate),
            "read:6100+6100 rare:15+15 main:0+10000",
        );
        let costs = weighing.costs(true);
        assert_eq!((costs.rows.len(), costs.too_few), (1, 2));
        let read = &costs.rows[0];
        // 61 % of ten core-hours, ± 1.96·√(0.61·0.39/10000) = 0.956 %.
        assert!(
            (read.seconds.low / 3_600.0 - 6.004).abs() < 0.001,
            "{:?}",
            read.seconds
        );
        assert!(
            (read.seconds.high / 3_600.0 - 6.196).abs() < 0.001,
            "{:?}",
            read.seconds
        );
        let money = read.money.unwrap();
        assert!((money.low_nanos - 600_400_000).abs() < 200_000, "{money:?}");
        assert!(
            (money.high_nanos - 1_239_200_000).abs() < 200_000,
            "{money:?}"
        );
    }

    #[test]
    fn prefixes_are_weighed_by_their_time_and_libraries_are_known() {
        // As many samples, but nine times as long.
        let mut weighing = Weighing::default();
        add(&mut weighing, 1_000, 9_000_000, None, "a:1000+1000");
        add(
            &mut weighing,
            1_000,
            1_000_000,
            None,
            "b:900+1000 a:100+100",
        );
        weighing.add(
            [(&untold(), (500, 500))].into_iter(),
            0,
            Computed::default(),
        );
        let costs = weighing.costs(false);
        let told: Vec<_> = costs
            .rows
            .iter()
            .map(|row| (row.function.as_str(), row.samples))
            .collect();
        assert_eq!(told, [("a", 1_100), ("b", 900)]);
        assert!(costs.rows[0].seconds.high <= 10.0 && costs.rows[0].share.low > 0.89);
        assert_eq!(costs.rows[0].money, None);
        assert!(is_library(
            "/opt/env/lib/python3.11/site-packages/pandas/core/frame.py"
        ));
        assert!(!is_library("/home/ana/clean.py"));
        assert!(Weighing::default().costs(false).rows.is_empty());
    }

    #[test]
    fn clusters_pay_their_own_prices() {
        // Ten core-hours at 1, ten at 3, and ten without a price, in which half was one function.
        let hours = |price: f64| Range {
            low: price / 3_600.0,
            high: price / 3_600.0,
        };
        let mut computed = Computed::default();
        for second in [Some(hours(1.0)), Some(hours(3.0)), None] {
            computed.add(36_000_000_000, second);
        }
        let frame = StackFrame {
            name: "f".into(),
            ..untold()
        };
        let mut weighing = Weighing::default();
        weighing.add([(&frame, (50_000, 50_000))].into_iter(), 100_000, computed);
        let row = weighing.costs(true).rows.remove(0);
        let money = row.money.unwrap();
        assert!(
            (row.seconds.low / 3_600.0 - 15.0).abs() < 0.1
                && (row.seconds.high / 3_600.0 - 15.0).abs() < 0.1
        );
        assert!(
            money.low_nanos < 20_000_000_000 && money.low_nanos > 19_800_000_000,
            "{money:?}"
        );
        assert!(
            money.high_nanos > 20_000_000_000 && money.high_nanos < 20_200_000_000,
            "{money:?}"
        );
    }

    #[test]
    fn the_error_of_a_drawn_profile_holds_the_truth_nineteen_times_of_twenty() {
        // Binomial draws by a plain generator with a fixed seed.
        let mut seed = 7_u64;
        let mut roll = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f64 / (1_u64 << 31) as f64
        };
        let held = (0..400)
            .filter(|_| {
                let n = (0..500).filter(|_| roll() < 0.3).count() as u64;
                let mut drawn = Weighing::default();
                add(&mut drawn, 500, 1_000_000, None, &format!("f:{n}+{n}"));
                let share = drawn.costs(false).rows[0].share;
                (share.low..=share.high).contains(&0.3)
            })
            .count();
        assert!((370..=392).contains(&held), "{held} of 400");
    }
}
