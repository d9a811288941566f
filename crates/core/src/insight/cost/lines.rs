//! What single lines of code cost, and functions whose lines were not counted: share of the profile's samples × time that the
//! threads computed × price.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::insight::flame::untold;
use crate::query::types::{LineCost, LineCosts, Money, Range};
use crate::query::{self, CountedLines, Rates, StackFrame, Used};

/// Lines that are listed, and those of one profile that are weighed.
const ROWS: usize = 50;
const PLACES: usize = 10_000;
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

/// A line of a function. Without a number: the function, or its other lines.
type At = (StackFrame, Option<u32>);

/// The lines of profiles, weighed by the time that the threads computed which each profile is of.
#[derive(Default)]
pub(crate) struct Weighing {
    /// In itself, and with what it calls.
    lines: HashMap<At, (Weighed, Weighed)>,
    /// Functions of which some lines have a number.
    by_line: HashSet<StackFrame>,
    samples: u64,
    all: Computed,
    /// Lines of few samples that were not weighed.
    too_few: u64,
}

impl Weighing {
    /// Adds a profile: each function with its samples, and with those of what it calls; and what is known of its lines.
    pub(crate) fn add<'a>(
        &mut self,
        functions: impl Iterator<Item = (&'a StackFrame, (u64, u64))>,
        lines: &CountedLines,
        samples: u64,
        computed: Computed,
    ) {
        self.samples = self.samples.saturating_add(samples);
        self.all.micros += computed.micros;
        self.all.money.low += computed.money.low;
        self.all.money.high += computed.money.high;
        let untold = untold();
        let mut places = Vec::new();
        for (frame, counts) in functions.filter(|(frame, _)| **frame != untold) {
            let parts = lines.split(frame, counts).into_iter();
            places.extend(parts.map(|(line, counts)| ((frame, line), counts)));
        }
        if places.len() > PLACES {
            self.too_few += (places.len() - PLACES) as u64;
            places.select_nth_unstable_by_key(PLACES, |(_, counts)| Reverse(*counts));
            places.truncate(PLACES);
        }
        for ((frame, line), (own_count, total_count)) in places {
            if line.is_some() && !self.by_line.contains(frame) {
                self.by_line.insert(frame.clone());
            }
            let (own, with_calls) = self.lines.entry((frame.clone(), line)).or_default();
            own.add(own_count, samples, computed);
            with_calls.add(total_count, samples, computed);
        }
    }

    /// The dearest lines; without money where nothing `is_priced`.
    pub(crate) fn costs(self, is_priced: bool) -> LineCosts {
        let Weighing {
            lines,
            by_line,
            samples,
            all,
            too_few,
        } = self;
        let known = lines.len();
        let mut priced: Vec<_> = lines
            .into_iter()
            .filter(|(at, (own, with_calls))| {
                own.is_priced() || ((own.samples > 0 || is_own_line(at)) && with_calls.is_priced())
            })
            .collect();
        let too_few = too_few + (known - priced.len()) as u64;
        priced.sort_by(|(a, one), (b, two)| {
            let micros = |at: &At, (own, with_calls): &(Weighed, Weighed)| {
                let counted = if is_own_line(at) { with_calls } else { own };
                counted.micros.value
            };
            let place =
                |(frame, line): &At| (frame.name.clone(), frame.file.clone(), frame.line, *line);
            micros(b, two)
                .total_cmp(&micros(a, one))
                .then_with(|| place(a).cmp(&place(b)))
        });
        priced.truncate(ROWS);
        let rows = priced
            .into_iter()
            .map(|((frame, at_line), (own, with_calls))| {
                let (seconds, with_calls_seconds) = (own.seconds(all), with_calls.seconds(all));
                LineCost {
                    library: is_library(&frame.file),
                    other_lines: at_line.is_none() && by_line.contains(&frame),
                    at_line,
                    function: frame.name,
                    file: frame.file,
                    line: frame.line,
                    text: None,
                    samples: with_calls.samples,
                    share: Range {
                        low: with_calls_seconds.low * 1e6 / all.micros,
                        high: with_calls_seconds.high * 1e6 / all.micros,
                    },
                    money: is_priced.then(|| own.money(all)),
                    seconds,
                    with_calls_money: is_priced.then(|| with_calls.money(all)),
                    with_calls_seconds,
                }
            })
            .collect();
        let by_line = !by_line.is_empty();
        LineCosts {
            rows,
            by_line,
            too_few,
            samples,
            clusters: 0,
            truncated: false,
            currency: String::new(),
            words: format!("{FIGURES} {}", if by_line { LINES } else { FUNCTIONS }),
        }
    }
}

/// Whether it is a line, and not of a library: then what it calls is its work, too.
fn is_own_line((frame, line): &At) -> bool {
    line.is_some() && !is_library(&frame.file)
}

const FIGURES: &str = "Share p of a prefix’s n samples × its threads’ compute time × price per second. The range covers the \
    price’s and the sampling error, ±1.96·√(p(1−p)/n). A row with fewer than 16 samples, or whose error is more than half of \
    its share, has no price.";
const LINES: &str = "Lines of your code are ranked with what they call, all others by themselves.";
const FUNCTIONS: &str = "These profiles have no samples by line, so each row is a function: the plugin was older, or code was \
    off, or the profile came from another program.";

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
        weighing.add(rows, &CountedLines::default(), samples, computed);
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
    fn a_line_of_your_code_pays_for_what_it_calls_and_one_of_a_library_for_itself() {
        let frame = |file: &str| StackFrame {
            name: "f".into(),
            file: file.into(),
            line: Some(1),
        };
        let (mine, library) = (frame("clean.py"), frame("/x/site-packages/pandas/core.py"));
        let counted = [
            (&mine, 8, (0, 7_500)),
            (&mine, 9, (2_000, 2_500)),
            (&library, 30, (0, 1_000)),
            (&library, 40, (6_000, 6_000)),
        ];
        let lines = counted
            .into_iter()
            .map(|(frame, line, counts)| (frame.clone(), Some(line), counts))
            .collect();
        let mut weighing = Weighing::default();
        let counts = [(&mine, (2_000, 10_000)), (&library, (6_500, 7_500))];
        let mut computed = Computed::default();
        computed.add(10_000_000, None);
        weighing.add(counts.into_iter(), &lines, 10_000, computed);
        let costs = weighing.costs(false);
        let told: Vec<_> = costs
            .rows
            .iter()
            .map(|row| (row.library, row.at_line, row.other_lines, row.samples))
            .collect();
        // 500 samples of the library's function were at none of the lines that are known, and ended there.
        assert_eq!(
            told,
            [
                (false, Some(8), false, 7_500),
                (true, Some(40), false, 6_000),
                (false, Some(9), false, 2_500),
                (true, None, true, 500),
            ]
        );
        let share = costs.rows[0].share;
        assert!((share.low - 0.7415).abs() < 0.001 && (share.high - 0.7585).abs() < 0.001);
        assert!(costs.by_line && costs.words.contains("with what they call"));
    }

    #[test]
    fn what_was_counted_by_no_line_is_its_functions() {
        let mut weighing = Weighing::default();
        add(&mut weighing, 1_000, 1_000_000, None, "f:1000+1000");
        let costs = weighing.costs(false);
        assert_eq!((costs.rows[0].at_line, costs.by_line), (None, false));
        assert!(!costs.rows[0].other_lines && costs.words.contains("each row is a function"));
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
            &CountedLines::default(),
            0,
            Computed::default(),
        );
        let costs = weighing.costs(false);
        let told: Vec<_> = costs
            .rows
            .iter()
            .map(|row| (row.function.as_str(), row.samples))
            .collect();
        assert_eq!(told, [("a", 1_100), ("b", 1_000)]);
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
        let functions = [(&frame, (50_000, 50_000))].into_iter();
        weighing.add(functions, &CountedLines::default(), 100_000, computed);
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
