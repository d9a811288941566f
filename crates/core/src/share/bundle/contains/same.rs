//! Whether two bundles say the same value.

use serde_json::Value;

/// How far two fractions that were written and read may lie apart, beside how large they are.
const NEAR: f64 = 1e-9;

/// How a value of one bundle is said in the other.
pub(super) enum Again<'a> {
    Same,
    /// Something of it is not said.
    Lacks,
    /// The part of it that differs, where it has parts.
    Differs(Option<&'a str>),
}

/// Whether a value is said again as it was; of an object, what the first does not say does not count.
pub(super) fn said_again<'a>(old: &'a Value, new: &Value) -> Again<'a> {
    let (Some(before), Some(after)) = (old.as_object(), new.as_object()) else {
        return match alike(old, new) {
            true => Again::Same,
            false => Again::Differs(None),
        };
    };
    let mut lacks = false;
    for (name, old) in before {
        match after.get(name) {
            None | Some(Value::Null) => lacks = true,
            Some(new) if alike(old, new) => {}
            Some(_) => return Again::Differs(Some(name)),
        }
    }
    match lacks {
        true => Again::Lacks,
        false => Again::Same,
    }
}

/// Whether two values are the same, but for how numbers are written.
pub(super) fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => !is_less(one, other) && !is_less(other, one),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, one)| other.get(name).is_some_and(|other| alike(one, other)))
        }
        _ => one == other,
    }
}

/// Counts and times are compared to the last digit.
pub(super) fn is_less(one: &Value, other: &Value) -> bool {
    if let (Some(one), Some(other)) = (one.as_i64(), other.as_i64()) {
        return one < other;
    }
    less(number(one), number(other))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

/// Whether a sum is less than another, beside how exactly sums are written.
pub(super) fn less(one: f64, other: f64) -> bool {
    other - one > NEAR * one.abs().max(other.abs())
}
