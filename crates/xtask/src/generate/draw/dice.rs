//! Drawn numbers: the same seed gives the same store.

use std::f64::consts::TAU;

/// A die of its own for each cluster, so that clusters can be made in any order and by several threads.
pub struct Dice(fastrand::Rng);

impl Dice {
    /// The die of the thing with this number, in the store with this seed.
    pub fn new(seed: u64, number: u64) -> Self {
        // Two neighbours shall have nothing in common: the multiplier is 2^64 divided by the golden ratio.
        Self(fastrand::Rng::with_seed(
            seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        ))
    }

    /// The die of what has this name, in the store with this seed.
    pub fn named(seed: u64, name: &str) -> Self {
        // FNV-1a. Clusters count from one end of the numbers and members from the other: names lie in between.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self::new(seed, hash)
    }

    pub fn chance(&mut self, share: f64) -> bool {
        self.0.f64() < share
    }

    /// A whole number below `end`; 0 where there is none.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { self.0.usize(..end) }
    }

    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.0.f64()
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// By Box and Muller.
    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.0.f64()).ln()).sqrt() * (TAU * self.0.f64()).cos()
    }

    /// Half of them are below `median`; one in a hundred is above `median * exp(2.33 sigma)`.
    pub fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        median * (sigma * self.normal()).exp()
    }

    /// The place in `weights`, each as often as it weighs.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.0.f64() * weights.iter().sum::<f64>();
        for (place, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return place;
            }
        }
        weights.len().saturating_sub(1)
    }

    /// 32 hexadecimal digits, as in Dask's keys and ids.
    pub fn hex(&mut self) -> String {
        format!("{:032x}", self.0.u128(..))
    }
}

/// How often each of `count` comes up where the first is most popular, after Zipf.
pub fn zipf(count: usize) -> Vec<f64> {
    (1..=count).map(|rank| 1.0 / rank as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_draws_the_same_and_its_neighbour_does_not() {
        let drawn = |number| {
            let mut dice = Dice::new(1, number);
            (dice.hex(), dice.log_normal(40.0, 1.68))
        };
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
    }

    #[test]
    fn numbers_are_spread_as_they_say() {
        let mut dice = Dice::new(2, 0);
        let mut drawn: Vec<f64> = (0..20_000).map(|_| dice.log_normal(40.0, 1.68)).collect();
        drawn.sort_by(f64::total_cmp);
        assert!((drawn[10_000] / 40.0 - 1.0).abs() < 0.05);
        assert!((drawn[19_800] / 2_000.0 - 1.0).abs() < 0.2);
        let mut counts = [0.0f64; 3];
        for _ in 0..30_000 {
            counts[dice.weighted(&zipf(3))] += 1.0;
        }
        assert!((counts[0] / counts[2] - 3.0).abs() < 0.3);
    }
}
