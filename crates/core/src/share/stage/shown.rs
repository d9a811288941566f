//! What the desk says of a stage, from what its bytes are made of.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use aho_corasick::AhoCorasick;
use serde_json::Value;

use super::ask::{StageItemsRequest, StagePart, StageTextRequest, StageWholeRequest};
use super::kept::Kept;
use super::model::{Entry, Model};
use super::view::{
    Blocker, BlockerKind, Category, Decision, FindingState, ItemOrder, ItemState, Stage,
    StageCategory, StageCluster, StageFinding, StageFindings, StageItem, StageItems, StageLine,
    StageText, StageWhole, Withheld,
};
use crate::share::fields;
use crate::share::looked::each;
use crate::{Error, Result};

/// Letters of a value or a line that are shown.
const LETTERS: usize = 4_000;
/// Letters of a piece of a value or a line that is opened.
const PIECE: u64 = 32_000;
/// Letters around a finding.
const AROUND: usize = 80;
/// Rows of an answer.
const ROWS: usize = 500;
/// Values of a category that are shown at once.
const FEW: usize = 3;

pub(super) fn stage(
    model: &Model,
    id: i64,
    kept: &Kept,
    before: Option<String>,
    path: &Path,
) -> Stage {
    let writing = model.is_stale() || kept.sha256.is_empty();
    let clusters = model.base.clusters.iter().map(|one| StageCluster {
        id: one.id,
        name: one
            .name
            .map(|text| model.base.texts[text as usize].real.clone()),
        shown: one
            .name
            .and_then(|text| model.shown[text as usize].text.clone()),
        level: model.base.level_of(one),
        started_micros: one.started,
        as_of_micros: one.said.as_of_micros,
        records: one.said.records.clone(),
    });
    let clusters: Vec<_> = clusters.collect();
    let mut records = BTreeMap::new();
    for (kind, count) in clusters.iter().flat_map(|one| &one.records) {
        *records.entry(kind.clone()).or_default() += count;
    }
    let open = open_findings(model);
    let mut blockers = Vec::new();
    if open > 0 {
        blockers.push(Blocker {
            kind: BlockerKind::OpenFindings,
            count: open,
        });
    }
    if writing {
        blockers.push(Blocker {
            kind: match model.failed {
                true => BlockerKind::NotWritten,
                false => BlockerKind::Writing,
            },
            count: 1,
        });
    }
    Stage {
        id,
        destination: kept.destination.clone(),
        choice: kept.choice,
        staged_micros: kept.staged,
        clusters,
        records,
        sha256: (!writing).then(|| kept.sha256.clone()),
        bytes: (!writing).then_some(kept.bytes),
        plain_bytes: model.made.iter().map(|made| made.plain.len() as u64).sum(),
        categories: categories(model),
        withheld: withheld(model),
        new_fields: model.base.held.iter().cloned().collect(),
        open_findings: open,
        blockers,
        approved_micros: kept.approved,
        before,
        policy: model.terms.policy.as_ref().map(crate::share::Policy::said),
        path: path.display().to_string(),
    }
}

fn categories(model: &Model) -> Vec<StageCategory> {
    let mut by = BTreeMap::<Category, Vec<&Entry>>::new();
    for entry in &model.entries {
        by.entry(entry.category).or_default().push(entry);
    }
    by.into_iter()
        .map(|(category, entries)| one_category(model, category, &entries))
        .collect()
}

fn one_category(model: &Model, category: Category, entries: &[&Entry]) -> StageCategory {
    let effects = |wanted: Decision| {
        let has = |entry: &&&Entry| model.effect(entry) == wanted;
        entries.iter().filter(has).count() as u64
    };
    let states: Vec<ItemState> = entries.iter().map(|entry| model.state(entry)).collect();
    let states = |wanted| states.iter().filter(|state| **state == wanted).count() as u64;
    let few = |mut sorted: Vec<&Entry>, key: &dyn Fn(&Entry) -> u64| {
        if sorted.len() > FEW {
            sorted.select_nth_unstable_by_key(FEW, |entry| key(entry));
            sorted.truncate(FEW);
        }
        sorted.sort_by_key(|entry| key(entry));
        sorted.into_iter().map(|entry| item(model, entry)).collect()
    };
    let length = |entry: &Entry| model.base.texts[entry.text].real.len() as u64;
    StageCategory {
        category,
        class: category.class(),
        items: entries.len() as u64,
        kept: effects(Decision::Keep),
        masked: effects(Decision::Mask),
        dropped: effects(Decision::Drop),
        count: entries.iter().map(|entry| entry.count).sum(),
        new: states(ItemState::New),
        changed: states(ItemState::Changed),
        decision: model
            .terms
            .decisions
            .get(&(category, String::new()))
            .copied(),
        rule: model
            .terms
            .policy
            .as_ref()
            .and_then(|policy| policy.least_of_all(category))
            .map(|(_, rule)| rule),
        open_findings: entries.iter().map(|entry| model.open_in(entry)).sum(),
        longest: few(entries.to_vec(), &|entry| u64::MAX - length(entry)),
        rarest: few(entries.to_vec(), &|entry| entry.count),
    }
}

fn withheld(model: &Model) -> Vec<Withheld> {
    let mut counts = BTreeMap::<&str, u64>::new();
    for (field, count) in model.base.clusters.iter().flat_map(|one| &one.said.fields) {
        if count.withheld > 0 {
            *counts.entry(field).or_default() += count.withheld;
        }
    }
    let classes: BTreeMap<String, _> = fields()
        .iter()
        .map(|field| (field.to_string(), field.class))
        .collect();
    let known = counts.into_iter().filter_map(|(field, values)| {
        Some(Withheld {
            field: field.into(),
            class: *classes.get(field)?,
            values,
            new: model.base.held.contains(field),
        })
    });
    known.collect()
}

fn item(model: &Model, entry: &Entry) -> StageItem {
    let real = &model.base.texts[entry.text].real;
    StageItem {
        item: entry.item.clone(),
        real: real.chars().take(LETTERS).collect(),
        shown: model
            .most_told(entry)
            .map(|text| text.chars().take(LETTERS).collect()),
        letters: real.chars().count() as u64,
        count: entry.count,
        state: model.state(entry),
        decision: model
            .terms
            .decisions
            .get(&(entry.category, entry.item.clone()))
            .copied(),
        effect: model.effect(entry),
        rule: model.shown_of(entry).find_map(|shown| shown.rule.clone()),
        open_findings: model.open_in(entry),
    }
}

pub(super) fn items(model: &Model, request: &StageItemsRequest) -> StageItems {
    let wanted = request.text.to_lowercase();
    let meets = |entry: &&Entry| {
        let has = |text: &str| text.to_lowercase().contains(&wanted);
        request
            .category
            .is_none_or(|category| category == entry.category)
            && (wanted.is_empty()
                || has(&model.base.texts[entry.text].real)
                || model
                    .shown_of(entry)
                    .any(|shown| shown.text.as_deref().is_some_and(has)))
    };
    let mut entries: Vec<&Entry> = model.entries.iter().filter(meets).collect();
    match request.order {
        ItemOrder::Often => entries.sort_by_key(|entry| std::cmp::Reverse(entry.count)),
        ItemOrder::Rare => entries.sort_by_key(|entry| entry.count),
        ItemOrder::Long => {
            entries.sort_by_key(|entry| std::cmp::Reverse(model.base.texts[entry.text].real.len()))
        }
        ItemOrder::New => entries.sort_by_cached_key(|entry| match model.state(entry) {
            ItemState::New => 0,
            ItemState::Changed => 1,
            ItemState::Unchanged => 2,
        }),
    }
    let rows = entries
        .iter()
        .skip(request.offset as usize)
        .take(ROWS.min(request.limit as usize));
    StageItems {
        items: rows.map(|entry| item(model, entry)).collect(),
        total: entries.len() as u64,
    }
}

pub(super) fn open_findings(model: &Model) -> u64 {
    let all = model.shown.iter().flat_map(|shown| &shown.found);
    let open: BTreeSet<&str> = all
        .filter(|one| one.state == FindingState::Open)
        .map(|one| one.finding.as_str())
        .collect();
    open.len() as u64
}

pub(super) fn findings(model: &Model) -> StageFindings {
    let mut by = BTreeMap::<&str, StageFinding>::new();
    for entry in &model.entries {
        let mut seen = HashSet::new();
        for one in model.shown_of(entry).flat_map(|shown| &shown.found) {
            if !seen.insert(&one.finding) {
                continue;
            }
            if let Some(known) = by.get_mut(one.finding.as_str()) {
                known.places += 1;
                continue;
            }
            let (at, within) = (&one.found.at, &one.within);
            let secret = &within[at.clone()];
            let before: Vec<char> = within[..at.start].chars().rev().take(AROUND).collect();
            by.insert(
                &one.finding,
                StageFinding {
                    finding: one.finding.clone(),
                    rule: one.found.rule,
                    what: one.found.what.into(),
                    category: entry.category,
                    item: entry.item.clone(),
                    before: before.into_iter().rev().collect(),
                    begins: secret.chars().take(4).collect(),
                    letters: secret.chars().count() as u64,
                    after: within[at.end..].chars().take(AROUND).collect(),
                    places: 1,
                    state: one.state,
                    fatal: one.found.rule.is_fatal(),
                    identity: one.found.rule.is_identity(),
                },
            );
        }
    }
    let mut findings: Vec<_> = by.into_values().collect();
    findings.sort_by_key(|one| (one.state != FindingState::Open, one.rule));
    StageFindings { findings }
}

/// Lines of the bytes as they are now.
///
/// # Errors
/// [`Error::Refused`] for a text that cannot be looked for.
pub(super) fn text(model: &Model, request: &StageTextRequest) -> Result<StageText> {
    let manifest = serde_json::to_string(&model.manifest())? + "\n";
    let finder = match request.text.is_empty() {
        true => None,
        false => Some(
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build([&request.text])
                .map_err(|error| Error::Refused(format!("cannot search for this: {error}")))?,
        ),
    };
    let (mut lines, mut total, mut matches) = (Vec::new(), 0, 0);
    let most = ROWS.min(request.limit as usize);
    let mut wanted = |line: u64, text: &str, at: usize| {
        if matches >= request.offset && lines.len() < most {
            lines.push(around(line, text, at));
        }
        matches += 1;
    };
    for block in std::iter::once(&*manifest).chain(model.made.iter().map(|made| &*made.plain)) {
        match &finder {
            None => {
                for (place, text) in block.lines().enumerate() {
                    wanted(total + place as u64, text, 0);
                }
            }
            Some(finder) => {
                // One pass over the block, and lines only where something is.
                let (mut from, mut line) = (0, total);
                while let Some(found) = finder.find(&block[from..]) {
                    let at = from + found.start();
                    line += block[from..at].matches('\n').count() as u64;
                    let begin = block[..at].rfind('\n').map_or(0, |end| end + 1);
                    let end = block[at..].find('\n').map_or(block.len(), |end| at + end);
                    wanted(line, &block[begin..end], at - begin);
                    line += 1;
                    from = block.len().min(end + 1);
                }
            }
        }
        total += block.matches('\n').count() as u64;
    }
    Ok(StageText {
        lines,
        total,
        matches,
    })
}

/// A piece of what lists show only the beginning of.
///
/// # Errors
/// [`Error::NotFound`]; those of writing the manifest.
pub(super) fn whole(model: &Model, request: &StageWholeRequest) -> Result<StageWhole> {
    let entry = |category: &Category, item: &str| {
        let found = model.entry(*category, item);
        found.ok_or_else(|| Error::NotFound {
            kind: "value",
            id: item.chars().take(80).collect(),
        })
    };
    let manifest;
    let told;
    let text = match &request.part {
        StagePart::Real { category, item } => &*model.base.texts[entry(category, item)?.text].real,
        StagePart::Told { category, item } => {
            told = model.most_told(entry(category, item)?).unwrap_or_default();
            &told
        }
        StagePart::Line { line } => {
            manifest = serde_json::to_string(&model.manifest())? + "\n";
            let blocks = model.made.iter().map(|made| &*made.plain);
            let mut lines = std::iter::once(&*manifest)
                .chain(blocks)
                .flat_map(str::lines);
            let found = usize::try_from(*line).ok().and_then(|line| lines.nth(line));
            found.ok_or_else(|| Error::NotFound {
                kind: "line",
                id: line.to_string(),
            })?
        }
    };
    let letters = text.chars().count() as u64;
    let from = request.offset.min(letters);
    let next = from + PIECE;
    Ok(StageWhole {
        text: text
            .chars()
            .skip(from as usize)
            .take(PIECE as usize)
            .collect(),
        offset: from,
        letters,
        next: (next < letters).then_some(next),
    })
}

/// What is shown of a line: around what was found in it.
fn around(line: u64, text: &str, at: usize) -> StageLine {
    let mut from = at.saturating_sub(LETTERS / 2);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    StageLine {
        line,
        text: text[from..].chars().take(LETTERS).collect(),
        letters: text.chars().count() as u64,
    }
}

/// Looks at what is in the file once more, as if nothing were known of how it came to be.
///
/// # Errors
/// [`Error::Refused`] for something that looks like a secret and that nobody said is none.
pub(super) fn check(model: &Model, plain: &str) -> Result<()> {
    let named = model.told_as_named();
    let mut seen = HashSet::new();
    for (line, text) in plain.lines().enumerate() {
        let value: Value = serde_json::from_str(text)?;
        each(&value, "", &mut |key, text| {
            if !seen.insert((key.to_owned(), text.to_owned())) {
                return Ok(());
            }
            match model.unsettled(key, text, &named)? {
                None => Ok(()),
                Some(what) => Err(Error::Refused(format!(
                    "line {} of the staged bytes still contains something without a decision: {what}",
                    line + 1
                ))),
            }
        })?;
    }
    Ok(())
}

/// RFC 4648, with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three
            .iter()
            .fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        for place in 0..4 {
            text.push(match place <= three.len() {
                true => char::from(LETTERS[(bits >> (18 - 6 * place)) as usize & 63]),
                false => '=',
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (plain, packed) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), packed);
        }
    }
}
