//! What a bench must not exceed: beyond, it fails.

use super::figure::{Figure, median, number};
use crate::process::{Failure, Result};

/// The most that the median of a metric may be.
#[derive(Clone, Copy)]
pub struct Promise {
    pub metric: &'static str,
    pub most: f64,
    /// The most itself is too much.
    below: bool,
}

impl Promise {
    pub const fn most(metric: &'static str, most: f64) -> Self {
        Self {
            metric,
            most,
            below: false,
        }
    }

    pub const fn below(metric: &'static str, most: f64) -> Self {
        Self {
            metric,
            most,
            below: true,
        }
    }

    fn is_kept(self, value: f64) -> bool {
        if self.below {
            value < self.most
        } else {
            value <= self.most
        }
    }
}

/// # Errors
/// A promise is broken; what was not measured is not held against one, but what is no number is.
pub fn kept(figures: &[Figure], promises: &[Promise]) -> Result {
    let broken: Vec<String> = figures
        .iter()
        .filter_map(|figure| {
            let promise = promises.iter().find(|one| one.metric == figure.metric)?;
            let value = median(&figure.values);
            (!promise.is_kept(value)).then(|| {
                let limit = if promise.below { "below" } else { "at most" };
                let (metric, unit) = (promise.metric, &figure.unit);
                format!(
                    "{metric} is {} {unit}, and {limit} {} was promised",
                    number(value),
                    number(promise.most)
                )
            })
        })
        .collect();
    if broken.is_empty() {
        return Ok(());
    }
    Err(Failure::new(broken.join("; ")))
}
