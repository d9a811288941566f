//! A record as somebody else may see it: each value as its class and the choice say, or as a policy does ([`ruled`]).

mod ruled;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::aliases::Aliases;
use super::class::{Choice, FieldClass, Identities, Level};
use super::policy::Policy;
use super::stage::{Category, Decision, Recorder};
use super::{text, vocabulary};
use crate::Result;
use crate::scan::{self, Found, Scanner};
use crate::wire::{ClusterRecord, CodeFrame};

/// One field of the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Field {
    /// The record or the part of one, such as `task_group` or `task_group.durations`.
    pub of: &'static str,
    pub name: &'static str,
    pub class: FieldClass,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.of, self.name)
    }
}

/// What became of the values of one field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FieldCount {
    /// Told as they are.
    pub told: u64,
    /// An alias or a part is told instead.
    pub masked: u64,
    /// Left out.
    pub withheld: u64,
}

/// By `record.field`.
pub type FieldCounts = BTreeMap<String, FieldCount>;

enum Outcome {
    Told,
    Masked,
    Withheld,
}

/// Looks at the records of one cluster.
pub(super) struct Lens<'a> {
    choice: Choice,
    aliases: &'a Aliases<'a>,
    counts: RefCell<BTreeMap<Field, FieldCount>>,
    /// Texts to be replaced wherever people wrote them, and by what.
    known: Vec<(String, String)>,
    /// Prefixes of groups whose names Dask made.
    dasks: BTreeSet<String>,
    /// Takes the texts that are told, where a person decides upon each of them.
    recorder: Option<&'a Recorder>,
    /// Fields that are not told whatever the level.
    held: BTreeSet<String>,
    /// Binds what is told where nobody decides upon each text.
    policy: Option<&'a Policy>,
    /// Finds whom people name in what they wrote, where nobody decides upon each text.
    names: Option<&'a Scanner>,
    /// Counts what is more than numbers and aliases, and tells nothing to anybody.
    looks: bool,
}

impl<'a> Lens<'a> {
    /// For the cluster that says this of itself. `groups` are the names and prefixes of its groups.
    pub(super) fn new(
        choice: Choice,
        aliases: &'a Aliases<'a>,
        cluster: &ClusterRecord,
        groups: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let said = [("user", &cluster.user), ("host", &cluster.host)];
        let mut known = Vec::new();
        if choice.identities == Identities::Aliases {
            for (noun, value) in said {
                if let Some(value) = value.as_deref().filter(|value| text::is_telling(value)) {
                    known.push((value.to_owned(), aliases.of(noun, value)));
                }
            }
        }
        Self {
            choice,
            aliases,
            counts: RefCell::default(),
            known,
            dasks: groups
                .into_iter()
                .filter(|(name, prefix)| {
                    text::before_token(name).is_some() && text::are_functions(prefix)
                })
                .map(|(_, prefix)| prefix)
                .collect(),
            recorder: None,
            held: BTreeSet::new(),
            policy: None,
            names: None,
            looks: false,
        }
    }

    /// One that looks at what somebody else told: as masked or withheld it counts what is neither a number nor an alias.
    pub(super) fn looking(aliases: &'a Aliases<'a>) -> Self {
        Self {
            choice: Choice {
                level: Level::Metrics,
                identities: Identities::Real,
            },
            aliases,
            counts: RefCell::default(),
            known: Vec::new(),
            dasks: BTreeSet::new(),
            recorder: None,
            held: BTreeSet::new(),
            policy: None,
            names: None,
            looks: true,
        }
    }

    /// One that tells no more than a policy allows.
    pub(super) fn under(self, policy: Option<&'a Policy>) -> Self {
        Self { policy, ..self }
    }

    /// One that has aliases for whom people named in what they wrote, by address or number, unless identities are real.
    pub(super) fn naming_nobody(self, names: &'a Scanner) -> Self {
        let aliases = self.choice.identities == Identities::Aliases;
        Self {
            names: aliases.then_some(names),
            ..self
        }
    }

    /// One that hands the texts that are told to `recorder`, and tells nothing of the fields in `held`.
    pub(super) fn recording(self, recorder: &'a Recorder, held: &BTreeSet<String>) -> Self {
        Self {
            recorder: Some(recorder),
            held: held.clone(),
            ..self
        }
    }

    /// Bytes of texts that the recorder took.
    pub(super) fn recorded_bytes(&self) -> usize {
        self.recorder.map_or(0, Recorder::bytes)
    }

    /// Counts a field that is not told whatever the level.
    fn is_held(&self, field: Field, value: &Value) -> bool {
        let held = !self.held.is_empty() && self.held.contains(&field.to_string());
        if held {
            self.count(field, value, Outcome::Withheld);
        }
        held
    }

    /// What became of the fields so far.
    pub(super) fn counts(self) -> FieldCounts {
        let named = |(field, count): (Field, _)| (field.to_string(), count);
        self.counts.into_inner().into_iter().map(named).collect()
    }

    pub(super) fn metric(&mut self, field: Field, value: &impl Serialize) -> Result<Value> {
        let value = serde_json::to_value(value)?;
        if self.is_held(field, &value) {
            return Ok(Value::Null);
        }
        self.count(field, &value, Outcome::Told);
        Ok(value)
    }

    /// A word that Dask or the plugin has, a list of them, or an object with such keys. It is told at every level, so what
    /// anybody else may have written there is not.
    pub(super) fn word(
        &mut self,
        field: Field,
        words: &'static str,
        value: &impl Serialize,
    ) -> Result<Value> {
        let before = serde_json::to_value(value)?;
        if self.is_held(field, &before) {
            return Ok(Value::Null);
        }
        let after = vocabulary::closed(words, &before);
        self.count_changed(field, &before, &after);
        Ok(after)
    }

    /// Ids that were drawn at random. Others, of programs that make them of names, have aliases.
    pub(super) fn id(&mut self, field: Field, value: &impl Serialize) -> Result<Value> {
        let before = serde_json::to_value(value)?;
        if self.is_held(field, &before) {
            return Ok(Value::Null);
        }
        let after = each_text(&before, &|id| self.id_of(id));
        self.count_changed(field, &before, &after);
        Ok(after)
    }

    /// The same for one id.
    pub(super) fn id_of(&self, id: &str) -> String {
        match text::is_random(id) {
            true => id.to_owned(),
            false => self.aliases.of("id", id),
        }
    }

    /// A unit that Bobbin knows; another one is a name.
    pub(super) fn unit(&mut self, field: Field, value: &String) -> Result<Value> {
        match ["seconds", "bytes", "count", "other"].contains(&value.as_str()) {
            true => self.metric(field, value),
            false => self.name(field, "unit", value),
        }
    }

    /// A word, a list of them, or an object of them. `noun` is what aliases are called.
    pub(super) fn name(
        &mut self,
        field: Field,
        noun: &'static str,
        value: &impl Serialize,
    ) -> Result<Value> {
        let value = serde_json::to_value(value)?;
        if self.choice.level.tells(FieldClass::Name) {
            return self.changed(field, noun, &value, &|text| self.without_known(text));
        }
        if self.recorder.is_some() && !value.is_object() {
            return self.changed(field, noun, &value, &|text| match text {
                // All topics.
                "*" => text.to_owned(),
                _ => self.aliases.of(noun, text),
            });
        }
        if self.policy.is_some() && !value.is_object() {
            let alias = |text: &str, _: Option<&str>| match text {
                "*" => text.to_owned(),
                _ => self.aliases.of(noun, text),
            };
            return Ok(self.by_policy(field, noun, &value, &alias));
        }
        if self.looks {
            return Ok(self.looked_at(field, value));
        }
        self.count(field, &value, Outcome::Masked);
        Ok(self.mask(noun, value))
    }

    /// Counts what is no alias in a value.
    fn looked_at(&self, field: Field, value: Value) -> Value {
        let after = each_text(&value, &|text| match text {
            // All topics.
            "*" => text.to_owned(),
            _ => self.aliases.of("", text),
        });
        // A payload is told as a whole.
        let whole = field.class == FieldClass::Payload && !value.is_string();
        match whole {
            true => self.count(field, &value, Outcome::Withheld),
            false => self.count_changed(field, &value, &after),
        }
        after
    }

    /// The prefix of keys: told where Dask made the keys, or where it is one function's name.
    pub(super) fn prefix(&mut self, field: Field, value: &impl Serialize) -> Result<Value> {
        let names = self.choice.level.tells(FieldClass::Name);
        self.part(field, "prefix", value, |lens, text| {
            match names && (text::is_function(text) || lens.dasks.contains(text)) {
                true => lens.without_known(text),
                false => lens.aliases.of("prefix", text),
            }
        })
    }

    pub(super) fn identity(
        &mut self,
        field: Field,
        noun: &'static str,
        value: &impl Serialize,
    ) -> Result<Value> {
        self.part(field, noun, value, |lens, text| {
            // What one field calls a worker, another calls its address.
            let noun = if text.contains("://") {
                "address"
            } else {
                noun
            };
            match text::is_random(text) || text::is_numbered(text) {
                true => text.to_owned(),
                false => lens.aliases.of(noun, text),
            }
        })
    }

    /// The key of a task, or of a group of them: Dask's own are told, what a person may have made up is not.
    pub(super) fn key(
        &mut self,
        field: Field,
        noun: &'static str,
        value: &impl Serialize,
    ) -> Result<Value> {
        let names = self.choice.level.tells(FieldClass::Name);
        self.part(field, noun, value, |lens, text| {
            let dasks = text::is_function(text) || text::before_token(text).is_some();
            match names && dasks {
                true => lens.without_known(text),
                false => lens.aliases.of(noun, text),
            }
        })
    }

    /// The path of a file.
    pub(super) fn path(&mut self, field: Field, value: &impl Serialize) -> Result<Value> {
        let names = self.choice.level.tells(FieldClass::Name);
        self.part(field, "file", value, |lens, path| match names {
            true => text::without_folders(path),
            false => lens.aliases.of("file", path),
        })
    }

    pub(super) fn error_text(&mut self, field: Field, value: &impl Serialize) -> Result<Value> {
        self.written(field, value)
    }

    pub(super) fn code(&mut self, field: Field, value: &impl Serialize) -> Result<Value> {
        self.written(field, value)
    }

    pub(super) fn payload(&mut self, field: Field, value: &impl Serialize) -> Result<Value> {
        let tells = self.choice.level.tells(field.class);
        let Some(recorder) = self.recorder.filter(|_| tells) else {
            let value = serde_json::to_value(value)?;
            let ruled = self.least(Category::Payloads, &value.to_string());
            if let Some(least) = ruled.filter(|_| tells && !value.is_null()) {
                let alias = || self.aliases.of("payload", &value.to_string()).into();
                let told = match least {
                    Decision::Drop => Value::Null,
                    Decision::Keep | Decision::Mask => alias(),
                };
                self.count_ruled(field, &value, &told);
                return Ok(told);
            }
            return self.written(field, &value);
        };
        let value = serde_json::to_value(value)?;
        if value.is_null() || self.is_held(field, &value) {
            return Ok(Value::Null);
        }
        // A payload is decided upon as a whole.
        let told = match self.choice.identities {
            Identities::Real => value.clone(),
            Identities::Aliases => each_text(&value, &|written| {
                self.without_known(&text::without_home_folders(written))
            }),
        };
        Ok(recorder.json(field, "payload", &value, &told).into())
    }

    /// A record in a record, or several.
    pub(super) fn nested(&mut self, _: Field, value: &impl Shared) -> Result<Value> {
        value.share(self)
    }

    /// The code of a computation: all of its frames or nothing.
    pub(super) fn frames(
        &mut self,
        field: Field,
        frames: &Option<Vec<CodeFrame>>,
    ) -> Result<Value> {
        if self.choice.level.tells(FieldClass::Code) {
            return frames.share(self);
        }
        if frames.is_some() {
            self.counts.borrow_mut().entry(field).or_default().withheld += 1;
        }
        Ok(Value::Null)
    }

    /// What people wrote: told without what is known of them, or left out.
    fn written(&mut self, field: Field, value: &impl Serialize) -> Result<Value> {
        let value = serde_json::to_value(value)?;
        if self.looks {
            return Ok(self.looked_at(field, value));
        }
        if !self.choice.level.tells(field.class) {
            self.count(field, &value, Outcome::Withheld);
            return Ok(Value::Null);
        }
        let noun = match field.class {
            FieldClass::Code if field.name == "text" => "line",
            _ => field.name,
        };
        let real = self.choice.identities == Identities::Real;
        self.changed(field, noun, &value, &|written| match real {
            true => written.to_owned(),
            false => self.without_known(&text::without_home_folders(written)),
        })
    }

    /// Without what is known of the cluster's own user and host.
    fn without_known(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (value, alias) in &self.known {
            text = text::replace_word(&text, value, alias);
        }
        text
    }

    /// Something of which a part may be told: all of it where identities are real.
    fn part(
        &mut self,
        field: Field,
        noun: &'static str,
        value: &impl Serialize,
        masked: impl Fn(&Self, &str) -> String,
    ) -> Result<Value> {
        let value = serde_json::to_value(value)?;
        let real = self.choice.identities == Identities::Real && self.choice.level > Level::Metrics;
        self.changed(field, noun, &value, &|text| match real {
            true => text.to_owned(),
            false => masked(self, text),
        })
    }

    /// A value with each of its texts changed, keys too; counted as masked where that made a difference.
    fn changed(
        &self,
        field: Field,
        noun: &'static str,
        before: &Value,
        change: &dyn Fn(&str) -> String,
    ) -> Result<Value> {
        if self.is_held(field, before) {
            return Ok(Value::Null);
        }
        if let Some(recorder) = self.recorder {
            let take = |text: &str, behind: Option<&str>| {
                recorder.text(field, noun, text, behind, || change(text))
            };
            return Ok(each_behind(before, None, &take));
        }
        let change =
            |text: &str, behind: Option<&str>| self.unnamed(field, noun, behind, change(text));
        if self.policy.is_some() {
            return Ok(self.by_policy(field, noun, before, &change));
        }
        let after = each_behind(before, None, &change);
        self.count_changed(field, before, &after);
        Ok(after)
    }

    /// A text that stands behind a key, with aliases of those whom people named in it.
    fn unnamed(&self, field: Field, noun: &str, behind: Option<&str>, told: String) -> String {
        let Some(scanner) = self.names else {
            return told;
        };
        // Most name nobody.
        if scan::identities(&told, Vec::new()).is_empty()
            || !Category::of(&field.to_string(), noun).may_name()
        {
            return told;
        }
        let secrets = match behind {
            Some(key) => scanner.scan_behind(key, &told),
            None => scanner.scan(&told),
        };
        // Where it is too long to be looked at for secrets, all that it names goes.
        let mut found = scan::identities(&told, secrets.unwrap_or_default());
        found.retain(|one| one.rule.is_identity());
        let alias = |one: &Found| {
            let named = told[one.at.clone()].to_lowercase();
            format!("‹{}›", self.aliases.of(one.rule.word(), &named))
        };
        scan::replaced(&told, &found, alias)
    }

    fn count_changed(&self, field: Field, before: &Value, after: &Value) {
        let outcome = match before == after {
            true => Outcome::Told,
            false => Outcome::Masked,
        };
        self.count(field, after, outcome);
    }

    fn mask(&self, noun: &str, value: Value) -> Value {
        match value {
            // Keys are names, too.
            Value::Object(_) => Value::Object(Default::default()),
            value => each_text(&value, &|text| match text {
                // All topics.
                "*" => text.to_owned(),
                _ => self.aliases.of(noun, text),
            }),
        }
    }

    fn count(&self, field: Field, value: &Value, outcome: Outcome) {
        let empty = match value {
            Value::Null => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(items) => items.is_empty(),
            Value::String(_) | Value::Number(_) | Value::Bool(_) => false,
        };
        if empty {
            return;
        }
        let mut counts = self.counts.borrow_mut();
        let count = counts.entry(field).or_default();
        match outcome {
            Outcome::Told => count.told += 1,
            Outcome::Masked => count.masked += 1,
            Outcome::Withheld => count.withheld += 1,
        }
    }

    /// A text of a table that several fields share.
    pub(super) fn text(&mut self, field: Field, text: &str) -> Result<Option<String>> {
        let shown = match field.class {
            FieldClass::Name => self.name(field, "function", &text)?,
            FieldClass::Identity => self.path(field, &text)?,
            FieldClass::Metric | FieldClass::ErrorText | FieldClass::Code | FieldClass::Payload => {
                self.written(field, &text)?
            }
        };
        Ok(shown.as_str().map(str::to_owned))
    }
}

/// What can be told through a lens.
pub(super) trait Shared {
    /// # Errors
    /// [`crate::Error::Json`].
    fn share(&self, lens: &mut Lens<'_>) -> Result<Value>;
}

impl<T: Shared> Shared for Option<T> {
    fn share(&self, lens: &mut Lens<'_>) -> Result<Value> {
        self.as_ref().map_or(Ok(Value::Null), |one| one.share(lens))
    }
}

impl<T: Shared> Shared for Vec<T> {
    fn share(&self, lens: &mut Lens<'_>) -> Result<Value> {
        self.iter().map(|one| one.share(lens)).collect()
    }
}

/// Changes a text, which is given with the key that it stands behind.
type Change<'a> = dyn Fn(&str, Option<&str>) -> String + 'a;

/// Changes every text of a value, and the keys themselves.
fn each_behind(value: &Value, behind: Option<&str>, change: &Change<'_>) -> Value {
    match value {
        Value::String(text) => Value::String(change(text, behind)),
        Value::Array(items) => items
            .iter()
            .map(|item| each_behind(item, behind, change))
            .collect(),
        Value::Object(items) => items
            .iter()
            .map(|(key, item)| (change(key, None), each_behind(item, Some(key), change)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Changes every text of a value, and the keys of objects.
fn each_text(value: &Value, change: &dyn Fn(&str) -> String) -> Value {
    each_behind(value, None, &|text, _| change(text))
}
