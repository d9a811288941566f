//! What an hour of each thing costs, and what was used with it.

use crate::model::Micros;
use crate::query::Used;
use crate::query::types::{Money, Range, Rate};

/// What an hour of each thing costs, whatever the kind of price.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rates {
    pub(crate) core_hour: Range,
    pub(crate) memory_gib_hour: Range,
    pub(crate) worker_hour: Range,
}

impl Rates {
    pub(crate) fn of(rate: &Rate) -> Self {
        match rate {
            Rate::Own {
                watts_per_core,
                kilowatt_hour,
            } => Self {
                core_hour: Range {
                    low: watts_per_core.low / 1_000.0 * kilowatt_hour.low,
                    high: watts_per_core.high / 1_000.0 * kilowatt_hour.high,
                },
                ..Self::default()
            },
            Rate::Rented {
                core_hour,
                memory_gib_hour,
                machine_hour,
                workers_per_machine,
            } => {
                let workers = f64::from((*workers_per_machine).max(1));
                Self {
                    core_hour: *core_hour,
                    memory_gib_hour: *memory_gib_hour,
                    worker_hour: Range {
                        low: machine_hour.low / workers,
                        high: machine_hour.high / workers,
                    },
                }
            }
        }
    }

    /// What was used costs so much.
    pub(crate) fn cost(&self, used: &Used) -> Range {
        let core_hours = used.thread_micros as f64 / Micros::HOUR as f64;
        let worker_hours = used.worker_micros as f64 / Micros::HOUR as f64;
        let gib_hours = used.memory_mib_seconds as f64 / (1_024.0 * 3_600.0);
        let sum =
            |core, memory, worker| core_hours * core + gib_hours * memory + worker_hours * worker;
        Range {
            low: sum(
                self.core_hour.low,
                self.memory_gib_hour.low,
                self.worker_hour.low,
            ),
            high: sum(
                self.core_hour.high,
                self.memory_gib_hour.high,
                self.worker_hour.high,
            ),
        }
    }

    /// What a cluster of this size costs in an hour.
    pub(crate) fn an_hour(&self, threads: u64, workers: u64, memory_bytes: u64) -> Money {
        let micros =
            |size: u64| (i64::try_from(size).unwrap_or(i64::MAX)).saturating_mul(Micros::HOUR);
        money(self.cost(&Used {
            thread_micros: micros(threads),
            worker_micros: micros(workers),
            memory_mib_seconds: ((memory_bytes >> 20) as i64).saturating_mul(3_600),
            ..Used::default()
        }))
    }
}

/// In whole billionths.
pub(crate) fn money(amount: Range) -> Money {
    Money {
        low_nanos: (amount.low * 1e9).round() as i64,
        high_nanos: (amount.high * 1e9).round() as i64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_of_each_thing_has_its_price() {
        let rate = Rate::Rented {
            core_hour: Range {
                low: 0.04,
                high: 0.05,
            },
            memory_gib_hour: Range {
                low: 0.005,
                high: 0.006,
            },
            machine_hour: Range {
                low: 0.1,
                high: 0.2,
            },
            workers_per_machine: 2,
        };
        // 8 threads, 2 workers, 32 GiB.
        let hour = Rates::of(&rate).an_hour(8, 2, 32 << 30);
        assert_eq!(
            (hour.low_nanos, hour.high_nanos),
            (580_000_000, 792_000_000)
        );
        let own = Rate::Own {
            watts_per_core: Range {
                low: 5.0,
                high: 10.0,
            },
            kilowatt_hour: Range {
                low: 0.2,
                high: 0.4,
            },
        };
        let hour = Rates::of(&own).an_hour(8, 2, 32 << 30);
        assert_eq!((hour.low_nanos, hour.high_nanos), (8_000_000, 32_000_000));
    }
}
