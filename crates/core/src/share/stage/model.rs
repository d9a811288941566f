//! A stage in memory: every text with what was decided of it and what is told of it, and the batches that are made of them.
//!
//! A decision changes the texts that it is about at once; batches that hold one of them are made anew, one by one, and no
//! others ([`filing`]).

mod filing;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

pub(super) use self::filing::Filing;
use self::filing::Made;
use super::base::Base;
use super::category::left_out;
use super::record::Text;
use super::view::{Category, Decision, FindingState, ItemState};
use crate::Result;
use crate::hex::hexadecimal;
use crate::scan::{self, Found, OwnWord, Rule, Scanner, replaced};
use crate::seal::FingerprintKey;
use crate::share::FieldClass;
use crate::share::aliases::{Aliases, Numbers};
use crate::share::policy::Policy;

/// What holds for a destination.
pub(super) struct Terms {
    pub(super) policy: Option<Policy>,
    pub(super) decisions: BTreeMap<(Category, String), Decision>,
    pub(super) settled: BTreeMap<String, FindingState>,
    /// Whether that was approved: what nobody decided upon then was not found then.
    pub(super) approved: bool,
    /// By value: what was told of it before.
    pub(super) shared: BTreeMap<String, String>,
}

/// A value of a category: the texts of all fields that say it.
pub(super) struct Entry {
    pub(super) item: String,
    pub(super) category: Category,
    /// The first that says it: what it is, which is the same in all of them.
    pub(super) text: usize,
    pub(super) texts: Vec<u32>,
    pub(super) count: u64,
}

/// What is told of a text.
#[derive(Clone, Default)]
pub(super) struct Shown {
    /// As it stands in its line.
    fragment: String,
    /// None where nothing is told.
    pub(super) text: Option<String>,
    pub(super) effect: Option<Decision>,
    /// What looks like a secret in it, by name.
    pub(super) found: Vec<Sighting>,
    /// The rule that decided over a person.
    pub(super) rule: Option<String>,
}

/// Something that looks like a secret, in a text before it was replaced.
#[derive(Clone)]
pub(super) struct Sighting {
    pub(super) finding: String,
    pub(super) found: Found,
    pub(super) state: FindingState,
    /// The text that it was found in.
    pub(super) within: Arc<str>,
}

pub(super) struct Model {
    pub(super) base: Base,
    pub(super) terms: Terms,
    pub(super) entries: Vec<Entry>,
    by_item: HashMap<(Category, String), usize>,
    entry_of: Vec<u32>,
    /// How often each text stands in each cluster.
    told: Vec<(u32, u32, u64)>,
    pub(super) shown: Vec<Shown>,
    batches_of: Vec<Vec<u32>>,
    pub(super) made: Vec<Made>,
    /// The version that each batch has to have.
    wanted: Vec<u64>,
    /// Counts what was decided.
    version: u64,
    /// The version that the file follows.
    filed: u64,
    /// The hash of that file; empty before the first.
    filed_sha256: String,
    /// Whether the file could not be written after the last decision.
    pub(super) failed: bool,
    scanner: Scanner,
    key: FingerprintKey,
    pub(super) numbers: RefCell<Numbers>,
}

/// How a value is named in decisions.
pub(super) fn item_name(key: &FingerprintKey, category: Category, real: &str) -> String {
    short(&key.fingerprint(&format!("item\0{}\0{real}", category.word())))
}

/// How something that looks like a secret is named.
pub(super) fn finding_name(key: &FingerprintKey, secret: &str) -> String {
    hexadecimal(&scan::fingerprint(key, secret))
}

fn short(fingerprint: &[u8]) -> String {
    hexadecimal(&fingerprint[..8])
}

impl Model {
    pub(super) fn new(
        base: Base,
        terms: Terms,
        scanner: Scanner,
        key: FingerprintKey,
        numbers: Numbers,
    ) -> Self {
        let texts = base.texts.len();
        let mut counts = vec![0; texts];
        let mut batches_of = vec![Vec::new(); texts];
        let mut told = BTreeMap::new();
        for (place, batch) in base.batches.iter().enumerate() {
            for (_, text) in &batch.spots {
                *told.entry((batch.cluster, *text)).or_default() += 1;
                counts[*text as usize] += 1;
                let batches: &mut Vec<u32> = &mut batches_of[*text as usize];
                if batches.last() != Some(&(place as u32)) {
                    batches.push(place as u32);
                }
            }
        }
        let (mut entries, mut by_item) = (Vec::<Entry>::new(), HashMap::new());
        let mut entry_of = Vec::with_capacity(texts);
        for (place, text) in base.texts.iter().enumerate() {
            let category = Category::of(&text.field, &text.noun);
            let item = item_name(&key, category, &text.real);
            let entry = *by_item.entry((category, item.clone())).or_insert_with(|| {
                entries.push(Entry {
                    item,
                    category,
                    text: place,
                    texts: Vec::new(),
                    count: 0,
                });
                entries.len() - 1
            });
            entries[entry].texts.push(place as u32);
            entries[entry].count += counts[place];
            entry_of.push(entry as u32);
        }
        let batches = base.batches.len();
        let mut model = Self {
            shown: vec![Shown::default(); texts],
            made: vec![Made::default(); batches],
            wanted: vec![1; batches],
            version: 1,
            filed: 0,
            filed_sha256: String::new(),
            failed: false,
            numbers: RefCell::new(numbers),
            base,
            terms,
            entries,
            by_item,
            entry_of,
            batches_of,
            told: told
                .into_iter()
                .map(|((cluster, text), count)| (cluster, text, count))
                .collect(),
            scanner,
            key,
        };
        for text in 0..texts {
            model.shown[text] = model.look(text);
        }
        model
    }

    /// Decides upon a value, or upon a category where `item` is empty; whether there is such a value.
    pub(super) fn decide(&mut self, category: Category, item: &str, decision: Option<Decision>) {
        let key = (category, item.to_owned());
        match decision {
            Some(decision) => self.terms.decisions.insert(key, decision),
            None => self.terms.decisions.remove(&key),
        };
        let texts: Vec<u32> = self
            .entries
            .iter()
            .filter(|entry| entry.category == category && (item.is_empty() || entry.item == item))
            .flat_map(|entry| entry.texts.iter().copied())
            .collect();
        self.look_again(&texts);
    }

    /// The category of a value.
    pub(super) fn category_of(&self, item: &str) -> Option<Category> {
        Category::ALL
            .into_iter()
            .find(|category| self.by_item.contains_key(&(*category, item.to_owned())))
    }

    /// Whether something that looks like a secret is called so.
    pub(super) fn has_finding(&self, finding: &str) -> bool {
        self.texts_with(finding).next().is_some()
    }

    fn texts_with<'a>(&'a self, finding: &'a str) -> impl Iterator<Item = u32> + 'a {
        (0..self.shown.len() as u32).filter(move |text| {
            self.shown[*text as usize]
                .found
                .iter()
                .any(|one| one.finding == finding)
        })
    }

    /// Decides upon something that looks like a secret.
    pub(super) fn settle(&mut self, finding: &str, state: FindingState) {
        match state {
            FindingState::Open => self.terms.settled.remove(finding),
            state => self.terms.settled.insert(finding.into(), state),
        };
        let texts: Vec<u32> = self.texts_with(finding).collect();
        self.look_again(&texts);
    }

    fn look_again(&mut self, texts: &[u32]) {
        self.version += 1;
        self.failed = false;
        for &text in texts {
            let shown = self.look(text as usize);
            if shown.fragment != self.shown[text as usize].fragment
                || shown.effect != self.shown[text as usize].effect
            {
                for &batch in &self.batches_of[text as usize] {
                    self.wanted[batch as usize] = self.version;
                }
            }
            self.shown[text as usize] = shown;
        }
    }

    /// What the category's or the value's own decision says, as far as the policy lets it be.
    fn decision(&self, entry: &Entry) -> (Option<Decision>, Option<String>) {
        let own = |item: &str| {
            self.terms
                .decisions
                .get(&(entry.category, item.to_owned()))
                .copied()
        };
        let said = own(&entry.item).or_else(|| own(""));
        let Some(policy) = &self.terms.policy else {
            return (said, None);
        };
        let said = match said {
            Some(Decision::Keep) if !policy.lets_keep(entry.category) => None,
            said => said,
        };
        match policy.least(entry.category, &self.base.texts[entry.text].real) {
            Some((least, rule)) if said.is_none_or(|said| said < least) => {
                (Some(least), Some(rule))
            }
            _ => (said, None),
        }
    }

    /// What is told of a text.
    fn look(&self, place: usize) -> Shown {
        let text = &self.base.texts[place];
        let entry = &self.entries[self.entry_of[place] as usize];
        let (decision, rule) = self.decision(entry);
        let category = entry.category;
        let alias = || self.alias(category, &text.noun, &text.real);
        let mut shown = match decision {
            None => self.told(text, category, &text.told),
            Some(Decision::Keep) => self.told(text, category, &text.real),
            Some(Decision::Mask)
                if text.told != text.real && category.class() == FieldClass::Identity =>
            {
                // What the level tells of an identity is an alias, or the part that is nobody's.
                self.told(text, category, &text.told)
            }
            Some(Decision::Mask) => Shown::of(alias(), Decision::Mask),
            Some(Decision::Drop) if category.links() => Shown {
                effect: Some(Decision::Drop),
                ..Shown::of(alias(), Decision::Mask)
            },
            Some(Decision::Drop) => Shown::dropped(&text.field, self.entry_of[place]),
        };
        shown.rule = rule.or(shown.rule);
        shown
    }

    /// What stands for something that a text of a category says: what the store keeps sealed is only recognised by it.
    fn alias(&self, category: Category, noun: &str, value: &str) -> String {
        let aliases = Aliases::counting(&self.key, &self.numbers);
        match category.class() {
            FieldClass::ErrorText | FieldClass::Code | FieldClass::Payload => {
                aliases.of_sealed(noun, value)
            }
            FieldClass::Metric | FieldClass::Name | FieldClass::Identity => aliases.of(noun, value),
        }
    }

    /// What stands in the place of what was found in a text.
    fn instead(&self, category: Category, found: &Found, told: &str) -> String {
        match found.rule.is_identity() {
            true => {
                let named = told[found.at.clone()].to_lowercase();
                format!("‹{}›", self.alias(category, found.rule.word(), &named))
            }
            false => instead_of(found.rule),
        }
    }

    /// A text as it is to be told, with secrets and what says who somebody is replaced. One that cannot be looked at is not told.
    fn told(&self, text: &Text, category: Category, told: &str) -> Shown {
        let effect = match told == text.real {
            true => Decision::Keep,
            false => Decision::Mask,
        };
        let found = match &text.behind {
            Some(key) => self.scanner.scan_behind(key, told),
            None => self.scanner.scan(told),
        };
        let found = match found {
            Ok(found) if category.may_name() => scan::identities(told, found),
            Ok(found) => found,
            Err(_) => {
                return Shown {
                    rule: Some("it is too long to check for secrets".into()),
                    ..Shown::dropped(&text.field, 0)
                };
            }
        };
        if found.is_empty() {
            let fragment = match text.json {
                true => told.to_owned(),
                false => quoted(told),
            };
            return Shown {
                fragment,
                text: Some(told.to_owned()),
                effect: Some(effect),
                ..Shown::default()
            };
        }
        let within: Arc<str> = told.into();
        let found: Vec<Sighting> = found
            .into_iter()
            .map(|found| {
                let finding = finding_name(&self.key, &told[found.at.clone()]);
                let settled = self.terms.settled.get(&finding).copied();
                let proposed = match found.rule.is_identity() {
                    // Of an address it is known what to do.
                    true => FindingState::Replaced,
                    // It is looked for since, and stands in the bytes.
                    false if self.terms.approved => FindingState::NoSecret,
                    false => FindingState::Open,
                };
                let state = match settled.unwrap_or(proposed) {
                    FindingState::NoSecret if found.rule.is_fatal() => FindingState::Replaced,
                    state => state,
                };
                Sighting {
                    finding,
                    found,
                    state,
                    within: Arc::clone(&within),
                }
            })
            .collect();
        let gone: Vec<Found> = found
            .iter()
            .filter(|one| one.state != FindingState::NoSecret)
            .map(|one| one.found.clone())
            .collect();
        let shown = replaced(told, &gone, |found| self.instead(category, found, told));
        let whole = !text.json || serde_json::from_str::<serde::de::IgnoredAny>(&shown).is_ok();
        let effect = match gone.is_empty() {
            true => effect,
            false => Decision::Mask,
        };
        match whole {
            true => Shown {
                fragment: match text.json {
                    true => shown.clone(),
                    false => quoted(&shown),
                },
                text: Some(shown),
                effect: Some(effect),
                found,
                rule: None,
            },
            // It reached over the end of a text in the value.
            false => Shown {
                found,
                ..Shown::of(instead_of(Rule::Keyword), Decision::Mask)
            },
        }
    }

    /// Whether a value was told before, and the same of it.
    pub(super) fn state(&self, entry: &Entry) -> ItemState {
        match self.terms.shared.get(&entry.item) {
            None => ItemState::New,
            Some(before) if *before == self.told_name(entry) => ItemState::Unchanged,
            Some(_) => ItemState::Changed,
        }
    }

    /// What is told of a value in each of its texts.
    pub(super) fn shown_of<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = &'a Shown> {
        entry.texts.iter().map(|text| &self.shown[*text as usize])
    }

    /// What becomes of a value where most is told of it: one field may tell what another masks, and one cluster knows a user
    /// whom another does not.
    pub(super) fn effect(&self, entry: &Entry) -> Decision {
        let effects = self
            .shown_of(entry)
            .map(|shown| shown.effect.unwrap_or(Decision::Drop));
        effects.min().unwrap_or(Decision::Drop)
    }

    /// The value of a category that is called so.
    pub(super) fn entry(&self, category: Category, item: &str) -> Option<&Entry> {
        let place = self.by_item.get(&(category, item.to_owned()))?;
        self.entries.get(*place)
    }

    /// What the bytes tell of a value, where most is told of it: more than one text where several fields or clusters tell as much.
    pub(super) fn most_told(&self, entry: &Entry) -> Option<String> {
        let effect = Some(self.effect(entry));
        let mut texts: Vec<&str> = Vec::new();
        for shown in self.shown_of(entry).filter(|one| one.effect == effect) {
            if let Some(text) = shown.text.as_deref().filter(|text| !texts.contains(text)) {
                texts.push(text);
            }
        }
        (!texts.is_empty()).then(|| texts.join(" | "))
    }

    /// A fingerprint of all that is told of a value.
    pub(super) fn told_name(&self, entry: &Entry) -> String {
        let shown: BTreeSet<&str> = self
            .shown_of(entry)
            .map(|shown| shown.text.as_deref().unwrap_or("\0"))
            .collect();
        let shown: Vec<&str> = shown.into_iter().collect();
        short(
            &self
                .key
                .fingerprint(&format!("shown\0{}", shown.join("\0"))),
        )
    }

    /// Open findings in the texts of a value.
    pub(super) fn open_in(&self, entry: &Entry) -> u64 {
        let open: BTreeSet<&str> = self
            .shown_of(entry)
            .flat_map(|shown| &shown.found)
            .filter(|one| one.state == FindingState::Open)
            .map(|one| one.finding.as_str())
            .collect();
        open.len() as u64
    }

    /// Whether a value is told as it is that the level would not tell so.
    pub(super) fn told_more(&self) -> bool {
        let kept = |text: usize| self.shown[text].effect == Some(Decision::Keep);
        (0..self.shown.len())
            .any(|text| kept(text) && self.base.texts[text].told != self.base.texts[text].real)
    }

    /// What is told of the texts that do not name people and machines beside what they are about.
    pub(super) fn told_as_named(&self) -> HashSet<&str> {
        let shown = self.entries.iter().filter(|one| !one.category.may_name());
        let shown = shown.flat_map(|entry| self.shown_of(entry));
        shown.filter_map(|one| one.text.as_deref()).collect()
    }

    /// The own words that it looks for.
    pub(super) fn own_words(&self) -> &[OwnWord] {
        self.scanner.own_words()
    }

    /// What was found in a text of the staged bytes, behind its key, and nobody said may stand there. `named`: as
    /// [`Model::told_as_named`].
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] for a text that cannot be looked at.
    pub(super) fn unsettled(
        &self,
        key: &str,
        text: &str,
        named: &HashSet<&str>,
    ) -> Result<Option<&'static str>> {
        let secrets = self.scanner.scan_behind(key, text)?;
        let all = match named.contains(text) {
            true => secrets,
            false => scan::identities(text, secrets),
        };
        let found = all.into_iter().find(|found| {
            let name = finding_name(&self.key, &text[found.at.clone()]);
            found.rule.is_fatal() || self.terms.settled.get(&name) != Some(&FindingState::NoSecret)
        });
        Ok(found.map(|found| found.what))
    }
}

impl Shown {
    fn of(alias: String, effect: Decision) -> Self {
        Self {
            fragment: quoted(&alias),
            text: Some(alias),
            effect: Some(effect),
            ..Self::default()
        }
    }

    /// Nothing, as far as a record may lack it; else a word that says nothing.
    fn dropped(field: &str, entry: u32) -> Self {
        let (fragment, text) = match left_out(field) {
            Some(fragment) => (fragment.into(), None),
            None => {
                let word = format!("dropped-{}", entry + 1);
                (quoted(&word), Some(word))
            }
        };
        Self {
            fragment,
            text,
            effect: Some(Decision::Drop),
            ..Self::default()
        }
    }
}

/// What stands in the place of a secret; it tells nothing of its length.
pub(super) fn instead_of(rule: Rule) -> String {
    format!("‹secret:{}›", rule.word())
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
