//! What looks like a secret, replaced in what is told where nobody decides upon each value: to agents, and in recordings for
//! others.
//!
//! Each has a name by a keyed hash, so that the same stays the same, and what belongs together still does.

use std::path::Path;

use serde_json::{Map, Value};

use super::stage;
use crate::Result;
use crate::hex::hexadecimal;
use crate::scan::{Found, Scanner, fingerprint, replaced};
use crate::seal::FingerprintKey;

/// Digits of a name.
const DIGITS: usize = 8;
/// What is told of a text that cannot be looked at, since it is too long.
const NOT_LOOKED_AT: &str = "‹secret:not-looked-at›";

pub(crate) struct Masks {
    scanner: Scanner,
    key: FingerprintKey,
}

impl Masks {
    /// With the own words of the install in `dir`.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`]; those of reading the key.
    pub(crate) fn new(dir: &Path) -> Result<Self> {
        let key = FingerprintKey::load_or_make(dir)?;
        Ok(Self {
            scanner: stage::scanner(&stage::Desk::open(dir)?, &key)?,
            key,
        })
    }

    /// A batch, line by line.
    ///
    /// # Errors
    /// [`crate::Error::Json`].
    pub(crate) fn batch(&self, batch: &str) -> Result<String> {
        let mut masked = String::with_capacity(batch.len());
        for line in batch.lines() {
            let mut value: Value = serde_json::from_str(line)?;
            match self.value(&mut value, "") {
                true => masked += &serde_json::to_string(&value)?,
                false => masked += line,
            }
            masked.push('\n');
        }
        Ok(masked)
    }

    /// What finds them.
    pub(crate) fn scanner(&self) -> &Scanner {
        &self.scanner
    }

    /// A text that stands behind a key.
    pub(crate) fn text(&self, behind: &str, text: &str) -> String {
        let Ok(found) = self.scanner.scan_behind(behind, text) else {
            return NOT_LOOKED_AT.into();
        };
        replaced(text, &found, |one| self.name(one, text))
    }

    fn name(&self, found: &Found, text: &str) -> String {
        let digits = hexadecimal(&fingerprint(&self.key, &text[found.at.clone()]));
        format!("‹secret:{} {}›", found.rule.word(), &digits[..DIGITS])
    }

    /// Whether something in it was replaced.
    fn value(&self, value: &mut Value, behind: &str) -> bool {
        match value {
            Value::String(text) => {
                let masked = self.text(behind, text);
                let changed = masked != *text;
                *text = masked;
                changed
            }
            Value::Array(items) => items
                .iter_mut()
                .fold(false, |changed, item| self.value(item, behind) | changed),
            Value::Object(items) => {
                let mut changed = false;
                let all = std::mem::take(items);
                *items = all
                    .into_iter()
                    .map(|(key, mut item)| {
                        let named = self.text("", &key);
                        changed |= named != key;
                        changed |= match item {
                            Value::Object(_) | Value::Array(_) if key == "payload" => {
                                self.payload(&mut item)
                            }
                            _ => self.value(&mut item, &key),
                        };
                        (named, item)
                    })
                    .collect::<Map<_, _>>();
                changed
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// What an event carries: its texts, and all of it where it says more than those.
    fn payload(&self, payload: &mut Value) -> bool {
        let changed = self.value(payload, "");
        let whole = payload.to_string();
        let masked = self.text("", &whole);
        if masked == whole {
            return changed;
        }
        *payload = Value::String(masked);
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::scan::corpus::{CLEAN, planted};

    fn masks() -> (tempfile::TempDir, Masks) {
        let dir = tempfile::tempdir().unwrap();
        let masks = Masks::new(dir.path()).unwrap();
        (dir, masks)
    }

    #[test]
    fn what_is_masked_is_gone_wherever_it_stands_and_the_same_stays_the_same() {
        let (_dir, masks) = masks();
        let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        let line = json!({"kind": "event", "name": format!("load {token}"), "tags": {"password": "zX9kk2pQw7", token.clone(): "x"},
            "payload": {"note": ["a", token], "day": "monday"}, "groups": [token, "plain"], "at_micros": 7});
        let plain = json!({"kind": "task_group", "name": "inc", "group_id": "88350a4be06642189b5aa53f9acbd316"});
        let batch = format!("{line}\n{plain}\n");
        let masked = masks.batch(&batch).unwrap();
        assert!(
            !masked.contains(&token) && !masked.contains("zX9kk2pQw7"),
            "{masked}"
        );
        let lines: Vec<Value> = masked
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines[1], plain, "what is none is as it was");
        assert_eq!(
            (&lines[0]["at_micros"], &lines[0]["payload"]["day"]),
            (&json!(7), &json!("monday"))
        );
        let name = lines[0]["groups"][0].as_str().unwrap();
        assert!(name.starts_with("‹secret:vendor "), "{name}");
        assert_eq!(lines[0]["name"], format!("load {name}"));
        // What was masked is no secret any more.
        assert_eq!(masks.batch(&masked).unwrap(), masked);
    }

    #[test]
    fn nothing_of_the_corpus_is_told_that_the_scan_finds() {
        let (_dir, masks) = masks();
        let told = planted(0x00b0_bb14)
            .iter()
            .filter(|one| masks.text("", &one.text).contains(&one.secret))
            .count();
        assert!(told <= 10, "{told} of 200");
        let same = CLEAN.iter().filter(|text| masks.text("", text) == **text);
        assert!(same.count() * 10 >= CLEAN.len() * 9);
        assert_eq!(
            masks.text("", &"x".repeat(crate::scan::LONGEST + 1)),
            NOT_LOOKED_AT
        );
    }
}
