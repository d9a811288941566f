//! Whether a record says again what an earlier one says, field by field.

use serde_json::{Map, Value};

use super::kinds::{Compared, How};
use super::same::{alike, is_less};
use crate::share::aliases::has_alias;

/// When it was made: looked at last, so that a contradiction names what else differs.
const AT: &str = "at_micros";

/// Two records of one thing, as they are gone through.
pub(super) struct Again<'a> {
    pub(super) of: &'static Compared,
    /// The second is later, and the thing may have changed since.
    pub(super) grew: bool,
    /// Whether the first bundle may leave something of a field out.
    pub(super) left_out: &'a dyn Fn(&str) -> bool,
    /// The second does not say something that the first does.
    pub(super) lacks: bool,
    /// The first field in which both cannot be right.
    pub(super) differs: Option<String>,
}

impl Again<'_> {
    pub(super) fn record(&mut self, old: &Value, new: &Value) {
        if let (Some(before), Some(after)) = (old.as_object(), new.as_object()) {
            self.members("", How::Fixed, before, after);
        }
        self.value(AT, How::Fixed, &old[AT], &new[AT]);
    }

    fn value(&mut self, path: &str, how: How, old: &Value, new: &Value) {
        let how = self.of.how(path).unwrap_or(how);
        if old == new || self.differs.is_some() || (self.grew && how == How::Free) {
            return;
        }
        match (is_nothing(old), is_nothing(new)) {
            (true, true) => return,
            (true, false) => return self.added(path),
            (false, true) => {
                self.lacks = true;
                return;
            }
            (false, false) => {}
        }
        let same = match (old, new) {
            (Value::Object(old), Value::Object(new)) => {
                return self.members(path, how, old, new);
            }
            (Value::Array(old), Value::Array(new)) => return self.items(path, how, old, new),
            (Value::String(old), Value::String(new)) => {
                // What they stand for, nobody knows here.
                let (unknown, lacks) = (stands_for(old), stands_for(new));
                self.lacks |= lacks && !unknown;
                unknown || lacks || is_same(how, old, new)
            }
            _ if !self.grew => alike(old, new),
            _ => match how {
                How::Grows => !is_less(new, old),
                How::Falls => !is_less(old, new),
                How::Fixed | How::Free | How::File => alike(old, new),
            },
        };
        if !same {
            self.differs = Some(path.into());
        }
    }

    fn members(
        &mut self,
        path: &str,
        how: How,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
    ) {
        let mut lacked = false;
        let is_time = |name: &str| path.is_empty() && name == AT;
        for (name, before) in old.iter().filter(|(name, _)| !is_time(name)) {
            match new.get(name) {
                Some(after) if before == after => {}
                Some(after) => self.value(&within(path, name), how, before, after),
                None => lacked |= !is_none(before) && !stands_for(name),
            }
        }
        for (name, after) in new {
            // An alias may be that of a name that is lacking.
            let may_be_lacking = lacked && stands_for(name);
            let is_known = old.contains_key(name) || is_none(after);
            if !(is_known || may_be_lacking) {
                self.added(&within(path, name));
            }
        }
        self.lacks |= lacked;
    }

    fn items(&mut self, path: &str, how: How, old: &[Value], new: &[Value]) {
        for (before, after) in old.iter().zip(new) {
            self.value(path, how, before, after);
        }
        self.lacks |= new.len() < old.len();
        if new.len() > old.len() {
            self.added(path);
        }
    }

    /// The second says something of which the first says nothing.
    fn added(&mut self, path: &str) {
        if !self.grew && !(self.left_out)(path) {
            self.differs.get_or_insert_with(|| path.into());
        }
    }
}

fn within(path: &str, name: &str) -> String {
    match path.is_empty() {
        true => name.into(),
        false => format!("{path}.{name}"),
    }
}

/// Whether a value says nothing.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether it makes no difference that a value is missing: states in which no task is are not all told.
fn is_none(value: &Value) -> bool {
    is_nothing(value) || value.as_f64() == Some(0.0)
}

/// Whether a text stands for another one: an alias, a word in the place of what was left out, or one in which something was replaced.
fn stands_for(text: &str) -> bool {
    let left_out = text.strip_prefix("dropped-");
    has_alias(text)
        || left_out.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        || text.contains("‹secret:")
}

fn is_same(how: How, old: &str, new: &str) -> bool {
    let last = |path: &str| path.rsplit(['/', '\\']).next().map(str::to_owned);
    match how {
        How::File => last(old) == last(new),
        How::Fixed | How::Grows | How::Falls | How::Free => old == new,
    }
}
