//! A time in bins of equal length, and what lies in each of them.

/// A time in bins of equal length.
pub(super) struct Bins {
    from: i64,
    pub(super) to: i64,
    pub(super) count: usize,
}

impl Bins {
    /// Never shorter than a microsecond.
    pub(super) fn new(from: i64, to: i64, wanted: usize) -> Self {
        let most = usize::try_from(to - from).unwrap_or(usize::MAX);
        Self {
            from,
            to,
            count: wanted.min(most).max(1),
        }
    }

    pub(super) fn start(&self, at: usize) -> i64 {
        let length = i128::from(self.to - self.from);
        self.from + (length * at as i128 / self.count as i128) as i64
    }

    pub(super) fn end(&self, at: usize) -> i64 {
        self.start(at + 1)
    }

    /// In microseconds.
    pub(super) fn length(&self, at: usize) -> f64 {
        (self.end(at) - self.start(at)).max(1) as f64
    }

    /// Which share of the time from `from` to `to` lies in any bin.
    pub(super) fn share(&self, from: i64, to: i64) -> f64 {
        let inside = to.min(self.to) - from.max(self.from);
        inside.max(0) as f64 / (to - from) as f64
    }

    /// Tells each bin which share of the time from `from` to `to` lies in it.
    pub(super) fn spread(&self, from: i64, to: i64, mut each: impl FnMut(usize, f64)) {
        let (low, high) = (from.max(self.from), to.min(self.to));
        if low >= high {
            return;
        }
        let length = i128::from(self.to - self.from);
        let place =
            |moment: i64| (i128::from(moment - self.from) * self.count as i128 / length) as usize;
        // Bounds of bins are whole microseconds: a moment may lie in the bin behind the one that it divides to.
        for at in place(low)..=(place(high - 1) + 1).min(self.count - 1) {
            let inside = high.min(self.end(at)) - low.max(self.start(at));
            if inside > 0 {
                each(at, inside as f64 / (to - from) as f64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bins;

    #[test]
    fn shares_of_bins_make_up_the_whole() {
        let mut seed = 7_u64;
        let mut dice = |most: i64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as i64 % most
        };
        for _ in 0..2_000 {
            let from = dice(1_000);
            let bins = Bins::new(from, from + 1 + dice(1_000), 1 + dice(50) as usize);
            let (low, length) = (dice(2_500) - 200, 1 + dice(900));
            let mut shared = 0.0;
            bins.spread(low, low + length, |at, share| {
                assert!(at < bins.count && share > 0.0);
                shared += share;
            });
            let inside = ((low + length).min(bins.to) - low.max(bins.from)).max(0);
            assert!((shared - inside as f64 / length as f64).abs() < 1e-9);
        }
    }
}
