//! Hours of clusters parted by spans: what a cluster used in an hour is divided as its spans computed then, so that the parts
//! add up to the hour exactly.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::begins;
use crate::model::Micros;
use crate::query::{HourUse, Mixed, SpanUse, Used};

/// The spans of some clusters. Place 0 is no span.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    labels: Vec<String>,
    of: HashMap<i64, Vec<Part>, BuildHasherDefault<Mixed>>,
}

#[derive(Debug)]
struct Part {
    place: u32,
    from: i64,
    to: i64,
    seconds: f64,
}

impl Part {
    /// Seconds computed in the hour that begins then, as if it had computed evenly.
    fn within(&self, begins: i64) -> f64 {
        let (from, to) = (self.from, self.to.max(self.from + 1));
        let both = to.min(begins + Micros::HOUR) - from.max(begins);
        self.seconds * both.max(0) as f64 / (to - from) as f64
    }
}

impl Spans {
    pub(crate) fn new(found: Vec<SpanUse>) -> Self {
        let mut places: HashMap<String, u32> = HashMap::new();
        let mut spans = Self::default();
        for span in found {
            let labels = &mut spans.labels;
            let place = *places.entry(span.path).or_insert_with_key(|path| {
                labels.push(path.clone());
                labels.len() as u32
            });
            spans.of.entry(span.cluster).or_default().push(Part {
                place,
                from: span.from.0,
                to: span.to.0,
                seconds: span.compute_seconds,
            });
        }
        spans
    }

    /// What is called so that has this place; none of no span.
    pub(super) fn label(&self, place: u32) -> Option<&str> {
        let at = (place as usize).checked_sub(1)?;
        self.labels.get(at).map(String::as_str)
    }

    /// The hours in parts. One in which no span of its cluster computed is divided as they did altogether: what ran before is
    /// told late.
    pub(crate) fn part(&self, hours: &[HourUse]) -> Vec<HourUse> {
        let mut parted = Vec::with_capacity(hours.len());
        let mut shares: Vec<(u32, f64)> = Vec::new();
        for hour in hours {
            let parts = self.of.get(&hour.cluster).map_or(&[][..], Vec::as_slice);
            let begins = begins(hour.hour);
            shares_of(&mut shares, parts, |part| part.within(begins));
            if shares.is_empty() {
                shares_of(&mut shares, parts, |part| part.seconds);
            }
            let all: f64 = shares.iter().map(|(_, share)| share).sum();
            let (mut so_far, mut told) = (0.0, Used::default());
            for (at, (span, share)) in shares.iter().enumerate() {
                so_far += share;
                let until = match at + 1 == shares.len() {
                    true => hour.used,
                    false => hour.used.scaled(so_far / all),
                };
                parted.push(HourUse {
                    span: *span,
                    used: until.less(&told),
                    ..*hour
                });
                told = until;
            }
            if shares.is_empty() {
                parted.push(*hour);
            }
        }
        parted
    }
}

/// By place, in order, what is more than nothing.
fn shares_of(shares: &mut Vec<(u32, f64)>, parts: &[Part], of: impl Fn(&Part) -> f64) {
    shares.clear();
    shares.extend(parts.iter().map(|part| (part.place, of(part))));
    shares.retain(|(_, share)| *share > 0.0);
    shares.sort_unstable_by_key(|(place, _)| *place);
    shares.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 += later.1;
        }
        same
    });
}
