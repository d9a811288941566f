//! What a value may be.

use std::collections::{BTreeMap, HashSet};

use sha2::{Digest, Sha256};

use crate::model::{Activities, Micros};
use crate::wire::RefusalCode;

/// The largest whole number that JSON carries exactly.
const LARGEST: u64 = (1 << 53) - 1;
/// 2000-01-01, before which there was no Dask.
const EARLIEST: Micros = Micros(946_684_800_000_000);
/// Seconds of threads: 600,000 threads for a century. In microseconds they fit 61 bits.
const SECONDS: f64 = 2e12;
/// No rate, size or metric is larger.
const NUMBER: f64 = 1e18;
const NAME_BYTES: usize = 512;
pub(super) const PATH_BYTES: usize = 4 << 10;
pub(super) const MESSAGE_BYTES: usize = 64 << 10;
pub(super) const TRACEBACK_BYTES: usize = 64 << 10;
pub(super) const DETAILS_BYTES: usize = 64 << 10;
pub(super) const CODE_BYTES: usize = 256 << 10;
pub(super) const EVENT_BYTES: usize = 64 << 10;
pub(super) const FRAMES: usize = 64;
const LIST: usize = 10_000;
pub(super) const KEYS: usize = 4_096;

/// What is wrong, and in which field.
pub(in crate::wire) type Wrong = (RefusalCode, &'static str);
pub(super) type Checked = Result<(), Wrong>;

pub(in crate::wire) fn time(value: Micros, field: &'static str) -> Checked {
    if (EARLIEST..=Micros::LATEST).contains(&value) {
        Ok(())
    } else {
        Err((RefusalCode::OutOfRange, field))
    }
}

pub(super) fn optional_time(value: Option<Micros>, field: &'static str) -> Checked {
    value.map_or(Ok(()), |value| time(value, field))
}

pub(in crate::wire) fn whole(value: u64, field: &'static str) -> Checked {
    if value <= LARGEST {
        Ok(())
    } else {
        Err((RefusalCode::OutOfRange, field))
    }
}

pub(super) fn signed(value: i64, field: &'static str) -> Checked {
    u64::try_from(value)
        .map_err(|_| (RefusalCode::OutOfRange, field))
        .and_then(|value| whole(value, field))
}

pub(super) fn counts(states: &BTreeMap<String, u64>, field: &'static str) -> Checked {
    keys(states, field)?;
    states.values().try_for_each(|&count| whole(count, field))
}

pub(super) fn keys<V>(map: &BTreeMap<String, V>, field: &'static str) -> Checked {
    if map.len() > KEYS || map.keys().any(|key| key.len() > NAME_BYTES) {
        return Err((RefusalCode::TooLarge, field));
    }
    Ok(())
}

pub(in crate::wire) fn id(text: &str, field: &'static str) -> Checked {
    match text.len() {
        0 => Err((RefusalCode::OutOfRange, field)),
        1..=NAME_BYTES => Ok(()),
        _ => Err((RefusalCode::TooLarge, field)),
    }
}

/// An id that comes again is one.
pub(super) fn ids(list: &mut Vec<String>, field: &'static str) -> Checked {
    list.truncate(LIST);
    list.iter().try_for_each(|text| id(text, field))?;
    let mut known = HashSet::with_capacity(list.len());
    list.retain(|text| known.insert(text.clone()));
    Ok(())
}

pub(super) fn activities(all: &mut Activities, field: &'static str) -> Checked {
    let Activities {
        compute,
        transfer,
        disk_read,
        disk_write,
        deserialize,
        other,
    } = all;
    [compute, transfer, disk_read, disk_write, deserialize, other]
        .into_iter()
        .try_for_each(|value| seconds(value, field))
}

/// Negative seconds come from a wall clock that was set back during a task: they count as none.
pub(super) fn seconds(value: &mut f64, field: &'static str) -> Checked {
    if *value > SECONDS {
        return Err((RefusalCode::OutOfRange, field));
    }
    *value = value.max(0.0);
    Ok(())
}

pub(super) fn optional(text: &mut Option<String>, cut: impl FnOnce(&mut String)) {
    if let Some(text) = text {
        cut(text);
    }
}

/// Cuts a name, and keeps two long names apart by a few digits of their hash.
pub(super) fn cut_name(text: &mut String) {
    if text.len() > NAME_BYTES {
        let hash = Sha256::digest(text.as_bytes());
        let tail = format!(
            "…{:02x}{:02x}{:02x}{:02x}",
            hash[0], hash[1], hash[2], hash[3]
        );
        text.truncate(text.floor_char_boundary(NAME_BYTES - tail.len()));
        text.push_str(&tail);
    }
}

/// Cuts a text and says so.
pub(super) fn cut(text: &mut String, bytes: usize) {
    const MARK: &str = "… (cut)";
    if text.len() > bytes {
        text.truncate(text.floor_char_boundary(bytes - MARK.len()));
        text.push_str(MARK);
    }
}

/// A number without a limit of its own, such as a metric.
pub(super) fn number(value: f64, field: &'static str) -> Checked {
    if value.abs() <= NUMBER {
        Ok(())
    } else {
        Err((RefusalCode::OutOfRange, field))
    }
}

/// A rate. Less than nothing comes from a counter that was set back: it counts as none.
pub(super) fn rate(value: &mut Option<f64>, field: &'static str) -> Checked {
    let Some(value) = value else { return Ok(()) };
    number(*value, field)?;
    *value = value.max(0.0);
    Ok(())
}

pub(super) fn optional_whole(value: Option<u64>, field: &'static str) -> Checked {
    value.map_or(Ok(()), |value| whole(value, field))
}

pub(super) fn optional_signed(value: Option<i64>, field: &'static str) -> Checked {
    value.map_or(Ok(()), |value| signed(value, field))
}

pub(super) fn optional_id(value: Option<&String>, field: &'static str) -> Checked {
    value.map_or(Ok(()), |value| id(value, field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let (mut one, mut two) = ("é".repeat(400), "é".repeat(400) + "2");
        cut_name(&mut one);
        cut_name(&mut two);
        assert!(one.len() <= NAME_BYTES && two.len() <= NAME_BYTES);
        assert_ne!(one, two);
    }

    #[test]
    fn a_long_text_is_cut_at_a_letter_and_marked() {
        let mut text = "é".repeat(40_000);
        cut(&mut text, TRACEBACK_BYTES);
        assert!(text.len() <= TRACEBACK_BYTES && text.ends_with("… (cut)"));
    }
}
