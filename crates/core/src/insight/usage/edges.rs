//! Stretches of time.

use super::{begins, invalid};
use crate::Result;
use crate::model::Micros;

const STRETCHES: usize = 90_000;

/// Moments at which stretches of time part.
pub(crate) struct Edges(Vec<i64>);

impl Edges {
    /// # Errors
    /// [`crate::Error::Invalid`] if they do not rise, or there are too many.
    pub(crate) fn new(edges: &[Micros]) -> Result<Self> {
        if edges.len() > STRETCHES + 1 {
            return Err(invalid("edges", edges.len(), "there are more than 90,000"));
        }
        if let Some(pair) = edges.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(invalid(
                "edges",
                format!("{} and {}", pair[0].0, pair[1].0),
                "they must be in ascending order",
            ));
        }
        Ok(Self(edges.iter().map(|edge| edge.0).collect()))
    }

    pub(crate) fn stretches(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The stretch in which an hour begins.
    pub(super) fn of(&self, hour: i64) -> Option<usize> {
        let at = begins(hour);
        let after = self.0.partition_point(|edge| *edge <= at);
        (1..self.0.len()).contains(&after).then(|| after - 1)
    }
}
