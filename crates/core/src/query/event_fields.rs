//! What the payloads of events are made of: numbers to be drawn, words to be chosen from.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rusqlite::Connection;
use serde_json::Value;

use super::events::each_event;
use super::types::{
    EventFields, EventFieldsRequest, EventNumbers, EventWord, EventWords, EventsRequest, SealedText,
};
use super::unseal::Unsealer;
use crate::Result;
use crate::model::Micros;

/// Payloads are sealed: each has to be opened to be looked into.
const LOOKED_AT: u32 = 5_000;
const ROWS: usize = 200;
const FIELDS: usize = 12;
const WORDS: usize = 20;
/// Longer texts are no words that somebody chooses from.
const WORD_LETTERS: usize = 100;
/// Fields of fields are followed so far.
const DEPTH: usize = 4;
/// Different fields that are told apart; what comes after them is not looked at.
const DIFFERENT: usize = 1_000;

/// The fields of the payloads of a cluster's newest events.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn event_fields(
    db: &Connection,
    unsealer: &mut Unsealer,
    request: &EventFieldsRequest,
) -> Result<EventFields> {
    let mut out = EventFields {
        numbers: Vec::new(),
        numbers_total: 0,
        words: Vec::new(),
        words_total: 0,
        rows: Vec::new(),
        matching: 0,
        looked_at: 0,
        total: 0,
        locked: 0,
    };
    let mut gathered = Gathered::default();
    let newest = EventsRequest {
        id: request.id,
        from_micros: request.from_micros,
        to_micros: request.to_micros,
        limit: 0,
        offset: 0,
    };
    let total = each_event(db, unsealer, &newest, LOOKED_AT, |event| {
        out.looked_at += 1;
        let payload = match &event.payload {
            SealedText::Text { text } => serde_json::from_str(text).unwrap_or(Value::Null),
            SealedText::Locked => {
                out.locked += 1;
                Value::Null
            }
            SealedText::None => Value::Null,
        };
        let mut fields = Vec::new();
        leaves(&payload, String::new(), 0, &mut fields);
        let wanted = match (&request.field, &request.value) {
            (Some(name), Some(value)) => fields
                .iter()
                .any(|(field, leaf)| field == name && word(leaf).as_ref() == Some(value)),
            _ => true,
        };
        gathered.words(&fields);
        if !wanted {
            return;
        }
        gathered.numbers(&event.topic, event.at_micros, &fields);
        out.matching += 1;
        if out.rows.len() < ROWS {
            out.rows.push(event);
        }
    })?;
    out.total = total;
    gathered.into(&mut out);
    Ok(out)
}

/// The fields of a payload that are no objects, by their paths. Lists are left out: they have no one value.
fn leaves<'a>(value: &'a Value, path: String, depth: usize, out: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(fields) if depth < DEPTH => {
            for (name, value) in fields {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                leaves(value, path, depth + 1, out);
            }
        }
        Value::Number(_) | Value::String(_) | Value::Bool(_) => {
            // A payload that is no object is a value without a name.
            let path = if path.is_empty() {
                "(payload)".to_owned()
            } else {
                path
            };
            out.push((path, value));
        }
        _ => {}
    }
}

/// What a reader chooses from.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.chars().count() <= WORD_LETTERS => Some(text.clone()),
        Value::Bool(yes) => Some(yes.to_string()),
        _ => None,
    }
}

#[derive(Default)]
struct Gathered {
    /// By topic and field, newest first.
    numbers: BTreeMap<(String, String), Vec<(Micros, f64)>>,
    words: BTreeMap<String, BTreeMap<String, u64>>,
}

impl Gathered {
    fn words(&mut self, fields: &[(String, &Value)]) {
        for (field, value) in fields {
            let Some(word) = word(value) else { continue };
            if self.words.len() < DIFFERENT || self.words.contains_key(field) {
                *self
                    .words
                    .entry(field.clone())
                    .or_default()
                    .entry(word)
                    .or_default() += 1;
            }
        }
    }

    fn numbers(&mut self, topic: &str, at: Micros, fields: &[(String, &Value)]) {
        for (field, value) in fields {
            let Some(number) = value.as_f64().filter(|number| number.is_finite()) else {
                continue;
            };
            let key = (topic.to_owned(), field.clone());
            if self.numbers.len() < DIFFERENT || self.numbers.contains_key(&key) {
                self.numbers.entry(key).or_default().push((at, number));
            }
        }
    }

    fn into(self, out: &mut EventFields) {
        let mut numbers: Vec<_> = self.numbers.into_iter().collect();
        numbers.sort_by_key(|(_, values)| Reverse(values.len()));
        out.numbers_total = numbers.len() as u64;
        numbers.truncate(FIELDS);
        out.numbers = numbers
            .into_iter()
            .map(|((topic, field), mut values)| {
                values.reverse();
                EventNumbers {
                    topic,
                    field,
                    at_micros: values.iter().map(|&(at, _)| at).collect(),
                    values: values.into_iter().map(|(_, value)| value).collect(),
                }
            })
            .collect();
        let mut words: Vec<_> = self.words.into_iter().collect();
        words.sort_by_key(|(_, values)| Reverse(values.values().sum::<u64>()));
        out.words_total = words.len() as u64;
        words.truncate(FIELDS);
        out.words = words
            .into_iter()
            .map(|(field, values)| {
                let total = values.len() as u64;
                let mut values: Vec<EventWord> = values
                    .into_iter()
                    .map(|(value, count)| EventWord { value, count })
                    .collect();
                values.sort_by_key(|word| Reverse(word.count));
                values.truncate(WORDS);
                EventWords {
                    field,
                    values,
                    total,
                }
            })
            .collect();
    }
}
