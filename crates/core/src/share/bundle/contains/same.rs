//! Whether two bundles say the same number.

use serde_json::Value;

/// How far two fractions that were written and read may lie apart, beside how large they are.
const NEAR: f64 = 1e-9;

/// Whether two values are the same, but for how numbers are written.
pub(super) fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => !is_less(one, other) && !is_less(other, one),
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
