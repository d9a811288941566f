//! What looks like a secret, or says in what people wrote who somebody is, replaced in what is told where nobody decides upon each
//! value: to agents.
//!
//! Each has a name by a keyed hash, so that the same stays the same, and what belongs together still does.

use std::path::Path;

use serde_json::{Map, Value};

use super::stage;
use crate::Result;
use crate::scan::{Found, Scanner, fingerprint, identities, replaced};
use crate::seal::FingerprintKey;

/// Digits of a name.
const DIGITS: usize = 8;
/// Keys of what people write: there they may name others.
const WRITTEN: [&str; 6] = ["message", "traceback", "details", "code", "text", "payload"];
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
            match self.value(&mut value, "", false) {
                true => masked += &serde_json::to_string(&value)?,
                false => masked += line,
            }
            masked.push('\n');
        }
        Ok(masked)
    }

    /// A text that stands behind a key.
    pub(crate) fn text(&self, behind: &str, text: &str) -> String {
        self.masked(behind, text, false)
    }

    /// The same, and where people wrote it also without what says who somebody is.
    fn masked(&self, behind: &str, text: &str, written: bool) -> String {
        let Ok(found) = self.scanner.scan_behind(behind, text) else {
            return NOT_LOOKED_AT.into();
        };
        let found = match written {
            true => identities(text, found),
            false => found,
        };
        replaced(text, &found, |one| self.name(one, text))
    }

    fn name(&self, found: &Found, text: &str) -> String {
        let digits: String = fingerprint(&self.key, &text[found.at.clone()])
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let (word, digits) = (found.rule.word(), &digits[..DIGITS]);
        match found.rule.is_identity() {
            true => format!("‹{word} {digits}›"),
            false => format!("‹secret:{word} {digits}›"),
        }
    }

    /// Whether something in it was replaced.
    fn value(&self, value: &mut Value, behind: &str, written: bool) -> bool {
        match value {
            Value::String(text) => {
                let masked = self.masked(behind, text, written);
                let changed = masked != *text;
                *text = masked;
                changed
            }
            Value::Array(items) => items.iter_mut().fold(false, |changed, item| {
                self.value(item, behind, written) | changed
            }),
            Value::Object(items) => {
                let mut changed = false;
                let all = std::mem::take(items);
                *items = all
                    .into_iter()
                    .map(|(key, mut item)| {
                        let named = self.masked("", &key, written);
                        changed |= named != key;
                        let written = written || WRITTEN.contains(&key.as_str());
                        changed |= match item {
                            Value::Object(_) | Value::Array(_) if key == "payload" => {
                                self.payload(&mut item)
                            }
                            _ => self.value(&mut item, &key, written),
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
        let changed = self.value(payload, "", true);
        let whole = payload.to_string();
        let masked = self.masked("", &whole, true);
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
    fn whoever_is_named_in_what_people_wrote_has_another_name() {
        let (_dir, masks) = masks();
        let who = "ana@corp.example";
        let line = json!({"kind": "exception", "message": format!("no mail for {who}"), "worker": "tcp://10.0.0.7:4321",
            "details": {"of": [who]}, "payload": {"to": who, "rows": 3}});
        let masked = masks.batch(&format!("{line}\n")).unwrap();
        let told: Value = serde_json::from_str(&masked).unwrap();
        let name = told["payload"]["to"].as_str().unwrap();
        assert!(
            name.starts_with("‹email ") && !masked.contains(who),
            "{masked}"
        );
        assert_eq!(told["message"], format!("no mail for {name}"));
        assert_eq!(told["details"]["of"][0], name);
        // Whether an address of a worker is told as it is was chosen.
        assert_eq!(told["worker"], line["worker"]);
        assert_eq!(told["payload"]["rows"], 3);
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
