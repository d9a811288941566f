//! What a bench must keep to: beyond, it fails.

use super::{
    figure::{Figure, median, number},
    size::Size,
};
use crate::process::{Failure, Result};

/// What the median of a metric may be.
#[derive(Clone, Copy)]
pub struct Promise {
    /// The name of a metric, or the end of the names of several.
    pub metric: &'static str,
    each: bool,
    /// The most that it may be; or the least, by itself or as a part of what the peer comes to.
    pub limit: f64,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Most,
    /// The most itself is too much.
    Below,
    Least,
    OfPeer,
}

impl Promise {
    const fn new(kind: Kind, metric: &'static str, limit: f64) -> Self {
        Self {
            metric,
            each: false,
            limit,
            kind,
        }
    }

    pub const fn most(metric: &'static str, limit: f64) -> Self {
        Self::new(Kind::Most, metric, limit)
    }

    /// Of each metric whose name ends in this.
    pub const fn most_of_each(end: &'static str, limit: f64) -> Self {
        Self {
            each: true,
            ..Self::most(end, limit)
        }
    }

    pub const fn below(metric: &'static str, limit: f64) -> Self {
        Self::new(Kind::Below, metric, limit)
    }

    pub const fn least(metric: &'static str, limit: f64) -> Self {
        Self::new(Kind::Least, metric, limit)
    }

    /// At least this part of what the peer comes to: a slow machine slows both.
    pub const fn of_peer(metric: &'static str, limit: f64) -> Self {
        Self::new(Kind::OfPeer, metric, limit)
    }

    fn is_of(&self, figure: &Figure) -> bool {
        match self.each {
            true => figure.metric.ends_with(self.metric),
            false => figure.metric == self.metric,
        }
    }

    /// What is wrong with a figure, if anything is.
    fn broken(self, figure: &Figure) -> Option<String> {
        let Self { limit, kind, .. } = self;
        let metric = &figure.metric;
        let (value, unit) = (median(&figure.values), &figure.unit);
        let (kept, is) = match kind {
            Kind::Most => (
                value <= limit,
                format!("{} {unit}, and at most {}", number(value), number(limit)),
            ),
            Kind::Below => (
                value < limit,
                format!("{} {unit}, and below {}", number(value), number(limit)),
            ),
            Kind::Least => (
                value >= limit,
                format!("{} {unit}, and at least {}", number(value), number(limit)),
            ),
            Kind::OfPeer => {
                let peer = figure.peer.as_ref().map(|(_, values)| median(values));
                let ratio = value / peer.unwrap_or(f64::NAN);
                (
                    ratio >= limit,
                    format!("{ratio:.3} of its peer's, and at least {limit}"),
                )
            }
        };
        (!kept).then(|| format!("{metric} is {is} was promised"))
    }
}

/// # Errors
/// A promise is broken; what was not measured is not held against one, but what is no number is.
pub fn kept(figures: &[Figure], promises: &[Promise]) -> Result {
    let broken: Vec<String> = figures
        .iter()
        .filter_map(|figure| {
            let promise = promises.iter().find(|one| one.is_of(figure))?;
            promise.broken(figure)
        })
        .collect();
    if broken.is_empty() {
        return Ok(());
    }
    Err(Failure::new(broken.join("; ")))
}

/// As [`kept`] at full size: less says too little of a machine.
///
/// # Errors
/// As [`kept`].
pub fn kept_at_full_size(figures: &[Figure], promises: &[Promise], size: Size) -> Result {
    match size {
        Size::Full => kept(figures, promises),
        Size::Quick | Size::Smoke => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_peer_is_promised_whatever_the_machine() {
        let figure = |value, peer: Option<f64>| {
            [Figure {
                bench: "store",
                metric: "batches_per_s".into(),
                unit: "1/s".into(),
                values: vec![value],
                peer: peer.map(|peer| ("raw".into(), vec![peer])),
            }]
        };
        let promises = [Promise::of_peer("batches_per_s", 0.5)];
        for (value, peer) in [(50.0, 100.0), (5_000.0, 9_000.0)] {
            assert!(kept(&figure(value, Some(peer)), &promises).is_ok());
        }
        let broken = kept(&figure(49.0, Some(100.0)), &promises).unwrap_err();
        assert!(
            broken
                .to_string()
                .contains("batches_per_s is 0.490 of its peer's, and at least 0.5 was promised")
        );
        assert!(kept(&figure(50.0, None), &promises).is_err());
        let each = [Promise::most_of_each("_per_s", 60.0)];
        assert!(kept(&figure(60.0, None), &each).is_ok());
        assert!(kept(&figure(61.0, None), &each).is_err());
        assert!(kept(&figure(f64::NAN, Some(100.0)), &promises).is_err());
        let least = [Promise::least("batches_per_s", 60.0)];
        assert!(kept(&figure(60.0, None), &least).is_ok());
        assert!(kept(&figure(59.0, None), &least).is_err());
        assert!(kept_at_full_size(&figure(59.0, None), &least, Size::Full).is_err());
        assert!(kept_at_full_size(&figure(59.0, None), &least, Size::Quick).is_ok());
    }
}
