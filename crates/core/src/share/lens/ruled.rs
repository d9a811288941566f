//! Values where a policy binds, and nobody decides upon each text.

use serde_json::Value;

use super::{Change, Field, Lens, Outcome};
use crate::share::class::FieldClass;
use crate::share::stage::{Category, Decision, left_out};

impl Lens<'_> {
    /// What the policy makes of a value at least.
    pub(super) fn least(&self, category: Category, value: &str) -> Option<Decision> {
        let least = self.policy?.least(category, value);
        least.map(|(decision, _)| decision)
    }

    /// A value with each of its texts as the level has it, or as the policy wants it where that is less.
    pub(super) fn by_policy(
        &self,
        field: Field,
        noun: &'static str,
        before: &Value,
        change: &Change<'_>,
    ) -> Value {
        let after = self.each_by_policy(&field.to_string(), noun, before, None, change);
        self.count_ruled(field, before, &after);
        after
    }

    fn each_by_policy(
        &self,
        field: &str,
        noun: &'static str,
        before: &Value,
        behind: Option<&str>,
        change: &Change<'_>,
    ) -> Value {
        match before {
            Value::String(text) => self.text_by_policy(field, noun, text, behind, change),
            Value::Array(items) => items
                .iter()
                .map(|item| self.each_by_policy(field, noun, item, behind, change))
                .collect(),
            Value::Object(items) => items
                .iter()
                .map(|(key, item)| {
                    let told = match self.text_by_policy(field, noun, key, None, change) {
                        Value::String(told) => told,
                        _ => self.aliases.of("dropped", key),
                    };
                    (
                        told,
                        self.each_by_policy(field, noun, item, Some(key), change),
                    )
                })
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => before.clone(),
        }
    }

    /// As the desk has it for a text upon which nobody decided.
    fn text_by_policy(
        &self,
        field: &str,
        noun: &'static str,
        text: &str,
        behind: Option<&str>,
        change: &Change<'_>,
    ) -> Value {
        let category = Category::of(field, noun);
        let told = change(text, behind);
        match self.least(category, text) {
            None | Some(Decision::Keep) => told.into(),
            Some(Decision::Mask) if told != text && category.class() == FieldClass::Identity => {
                told.into()
            }
            Some(Decision::Drop) if !category.links() => match left_out(field) {
                Some("null") => Value::Null,
                Some(_) => "".into(),
                // The record cannot do without a word.
                None => self.aliases.of("dropped", text).into(),
            },
            Some(Decision::Mask | Decision::Drop) => self.aliases.of(noun, text).into(),
        }
    }

    pub(super) fn count_ruled(&self, field: Field, before: &Value, after: &Value) {
        match after.is_null() {
            true => self.count(field, before, Outcome::Withheld),
            false => self.count_changed(field, before, after),
        }
    }
}
