//! Clusters with who they are and what they cost.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use super::spans::Spans;
use crate::Result;
use crate::model::Micros;
use crate::query::types::{AppliesTo, HeatRows, Price, PriceBook};
use crate::query::{HourUse, Mixed, Named, Rates, SpanUse, Who, price_of};

type Met<'book> = (Who, Option<&'book Price>);

/// What a question is about, beyond what clusters call their user, host and project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    /// The name, tags or beginning of each cluster.
    pub(crate) each: bool,
    /// Its spans.
    pub(crate) spans: bool,
}

impl About {
    pub(crate) fn rows(by: Option<HeatRows>) -> Self {
        Self {
            each: by == Some(HeatRows::Name),
            spans: by == Some(HeatRows::Span),
        }
    }
}

/// Clusters that were met, with their prices. Of most questions only what they call their user, host and project matters,
/// which comes with their hours; each by itself is looked up only where its name, tags or beginning do.
pub(crate) struct Clusters<'book> {
    book: &'book [Price],
    about: About,
    spans: Spans,
    rates: HashMap<i64, Rates, BuildHasherDefault<Mixed>>,
    /// By the places that hours have for them; nothing else is known of these.
    named: Vec<Met<'book>>,
    known: HashMap<i64, Met<'book>, BuildHasherDefault<Mixed>>,
}

impl<'book> Clusters<'book> {
    pub(crate) fn new(book: &'book PriceBook, about: About) -> Self {
        Self {
            book: &book.prices,
            about: About {
                each: about.each || book.prices.iter().any(is_of_each),
                ..about
            },
            spans: Spans::default(),
            rates: book
                .prices
                .iter()
                .map(|price| (price.id, Rates::of(&price.terms.rate)))
                .collect(),
            named: Vec::new(),
            known: HashMap::default(),
        }
    }

    /// Makes the clusters of some hours known; where each matters, by what `find` gives for those that are not.
    ///
    /// # Errors
    /// Those of `find`.
    pub(crate) fn meet(
        &mut self,
        (hours, named): (&[HourUse], &[Named]),
        find: impl FnOnce(&[i64]) -> Result<Vec<Who>>,
    ) -> Result<()> {
        if !self.about.each {
            self.named = named
                .iter()
                .map(|named| {
                    let who = Who {
                        user: named.user.clone(),
                        host: named.host.clone(),
                        project: named.project.clone(),
                        ..Who::default()
                    };
                    let price = price_of(self.book, &who);
                    (who, price)
                })
                .collect();
            return Ok(());
        }
        let ids = hours.iter().map(|hour| hour.cluster);
        let mut missing: Vec<i64> = ids.filter(|id| !self.known.contains_key(id)).collect();
        missing.sort_unstable();
        missing.dedup();
        if !missing.is_empty() {
            self.known.reserve(missing.len());
            for who in find(&missing)? {
                let price = price_of(self.book, &who);
                self.known.insert(who.id, (who, price));
            }
        }
        Ok(())
    }

    /// The hours as the question needs them: in parts where it is about spans, which `find` gives for some clusters.
    ///
    /// # Errors
    /// Those of `find`.
    pub(crate) fn part(
        &mut self,
        hours: Vec<HourUse>,
        find: impl FnOnce(&[i64]) -> Result<Vec<SpanUse>>,
    ) -> Result<Vec<HourUse>> {
        if !self.about.spans {
            return Ok(hours);
        }
        let mut ids: Vec<i64> = hours.iter().map(|hour| hour.cluster).collect();
        ids.sort_unstable();
        ids.dedup();
        self.spans = Spans::new(find(&ids)?);
        Ok(self.spans.part(&hours))
    }

    fn met(&self, cluster: i64, named: u32) -> Option<&Met<'book>> {
        match self.about.each {
            true => self.known.get(&cluster),
            false => self.named.get(named as usize),
        }
    }

    pub(crate) fn who(&self, cluster: i64, named: u32) -> Option<&Who> {
        self.met(cluster, named).map(|(who, _)| who)
    }

    /// The row in which an hour is, by its place among `rows`; none if its cluster is gone.
    pub(super) fn place(&self, by: HeatRows, hour: &HourUse, rows: &mut Rows) -> Option<usize> {
        let who = self.who(hour.cluster, hour.named)?;
        Some(match by {
            HeatRows::Span => rows.place(i64::from(hour.span), || self.spans.label(hour.span)),
            _ => rows.place(self.key(hour), || row_of(by, who)),
        })
    }

    /// What that row is called.
    pub(super) fn row(&self, by: HeatRows, hour: &HourUse) -> Option<Option<&str>> {
        match by {
            HeatRows::Span => Some(self.spans.label(hour.span)),
            _ => self.row_of(by, hour.cluster, hour.named),
        }
    }

    /// The row in which a whole cluster is, by what it calls itself.
    pub(super) fn row_of(&self, by: HeatRows, cluster: i64, named: u32) -> Option<Option<&str>> {
        self.who(cluster, named).map(|who| row_of(by, who))
    }

    /// The same for all hours of whom nothing tells apart here.
    pub(super) fn key(&self, hour: &HourUse) -> i64 {
        match self.about.each {
            true => hour.cluster,
            false => i64::from(hour.named),
        }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Who> {
        let known = self.known.values();
        known.chain(&self.named).map(|(who, _)| who)
    }

    pub(super) fn price(&self, hour: &HourUse) -> Option<(&'book Price, &Rates)> {
        let price = self.met(hour.cluster, hour.named)?.1?;
        Some((price, self.rates.get(&price.id)?))
    }

    /// What all clusters cost, where no price depends on who they are.
    pub(crate) fn price_for_all(&self) -> Option<Option<(&'book Price, &Rates)>> {
        let only = only_price(self.book)?;
        Some(only.and_then(|price| Some((price, self.rates.get(&price.id)?))))
    }

    /// Of any cluster.
    pub(crate) fn price_for(&self, who: &Who) -> Option<(&'book Price, &Rates)> {
        let price = price_of(self.book, who)?;
        Some((price, self.rates.get(&price.id)?))
    }
}

/// Whether a price depends on the beginning of a cluster, or on its tags.
fn is_of_each(price: &Price) -> bool {
    let terms = &price.terms;
    terms.from_micros > Micros(0)
        || terms.to_micros.is_some()
        || matches!(terms.applies_to, AppliesTo::Tag { .. })
}

/// The price that holds for every cluster whenever it began; `Some(None)` without any, `None` where prices differ.
fn only_price(prices: &[Price]) -> Option<Option<&Price>> {
    match prices {
        [] => Some(None),
        [price] if price.terms.applies_to == AppliesTo::Everything && !is_of_each(price) => {
            Some(Some(price))
        }
        _ => None,
    }
}

/// Rows by what they are called. Hours are many and rows are few: a row is found by its name only when somebody is met
/// first.
#[derive(Default)]
pub(super) struct Rows {
    labels: Vec<Option<String>>,
    by_label: HashMap<Option<String>, usize>,
    by_key: HashMap<i64, usize, BuildHasherDefault<Mixed>>,
}

impl Rows {
    /// The place of the row of those with this key, who are called so; the next place for a new row.
    pub(super) fn place<'a>(&mut self, key: i64, label: impl FnOnce() -> Option<&'a str>) -> usize {
        let (labels, by_label) = (&mut self.labels, &mut self.by_label);
        *self.by_key.entry(key).or_insert_with(|| {
            let label = label().map(str::to_owned);
            *by_label.entry(label).or_insert_with_key(|label| {
                labels.push(label.clone());
                labels.len() - 1
            })
        })
    }

    /// In the order of their places.
    pub(super) fn into_labels(self) -> Vec<Option<String>> {
        self.labels
    }
}

/// The row of the heat-map in which a whole cluster is.
pub(super) fn row_of(by: HeatRows, who: &Who) -> Option<&str> {
    let text = match by {
        HeatRows::User => who.user.as_deref(),
        HeatRows::Project => who.project.as_deref(),
        HeatRows::Host => who.host.as_deref(),
        HeatRows::Name => Some(who.name.as_str()),
        HeatRows::Span | HeatRows::Everything => None,
    };
    text.filter(|text| !text.is_empty())
}

/// Users where there are several, else projects: alone on a laptop, rows of one's own projects say more.
pub(crate) fn usual_rows<'a>(who: impl Iterator<Item = &'a Who>) -> HeatRows {
    let users: HashSet<&str> = who.filter_map(|who| row_of(HeatRows::User, who)).collect();
    match users.len() {
        0 | 1 => HeatRows::Project,
        _ => HeatRows::User,
    }
}
