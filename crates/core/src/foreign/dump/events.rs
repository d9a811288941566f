//! Events of a dump: told up to 2024.6; later dumps hold only that there were topics.

use std::collections::BTreeMap;

use serde_json::Value;

use super::tokens::{Room, Tokens, list, map, skip};
use crate::foreign::Outcome;
use crate::foreign::records::{later, moment};
use crate::model::Micros;
use crate::wire::{EventRecord, Record};

/// Topics by name, and events of one that are told: the newest.
const TOPICS: usize = 200;
const EVENTS: usize = 1_000;
/// As the plugin cuts them.
const PAYLOAD_BYTES: usize = 16 << 10;
/// Maps and lists of a payload, in one another: less than a line of the wire may have.
const PAYLOAD_DEPTH: usize = 10;
/// Topics of Dask's own that only say how the scheduler works.
const COUNTED: [&str; 4] = ["stealing", "transitions", "worker-get-client", "network"];

#[derive(Default)]
pub(super) struct Events {
    told: BTreeMap<String, Vec<(f64, Value)>>,
    counted: BTreeMap<String, u64>,
    latest: Option<f64>,
    /// When workers joined, by address.
    joined: BTreeMap<String, f64>,
    /// Whether any topic was told.
    any: bool,
}

impl Events {
    pub(super) fn read(&mut self, tokens: &mut dyn Tokens) -> Outcome<()> {
        map(tokens, &mut |tokens, topic| {
            if self.told.len() + self.counted.len() > TOPICS {
                return skip(tokens);
            }
            let mut events = Vec::new();
            let mut more: u64 = 0;
            let is_counted = counted_as(&topic).is_some();
            let is_list = list(tokens, &mut |room, mut entry| {
                let time = entry
                    .get(0)
                    .and_then(Value::as_f64)
                    .filter(|&seconds| moment(seconds).is_ok());
                self.latest = later(self.latest, time);
                let (Some(time), Some(payload)) = (time, entry.get_mut(1)) else {
                    more += 1;
                    return Ok(());
                };
                self.note_worker(room, &topic, time, payload)?;
                without_bytes(payload);
                if is_counted || depth(payload) > PAYLOAD_DEPTH || long(payload) {
                    more += 1;
                    return Ok(());
                }
                room.take(payload)?;
                events.push((time, payload.take()));
                // Now and then, so that it costs little.
                if events.len() == 2 * EVENTS {
                    for (_, payload) in events.drain(..EVENTS) {
                        room.give_back(&payload);
                    }
                    more += EVENTS as u64;
                }
                Ok(())
            })?;
            self.any |= is_list;
            self.put(topic, events, more);
            Ok(())
        })?;
        Ok(())
    }

    fn note_worker(
        &mut self,
        room: &mut Room,
        topic: &str,
        time: f64,
        payload: &Value,
    ) -> Outcome<()> {
        if topic == "all"
            && payload["action"].as_str() == Some("add-worker")
            && let Some(address) = payload["worker"].as_str()
            && self.joined.len() < super::WORKERS
        {
            room.one(address.len())?;
            self.joined.insert(address.into(), time);
        }
        Ok(())
    }

    fn put(&mut self, topic: String, mut events: Vec<(f64, Value)>, mut more: u64) {
        if let Some(topic) = counted_as(&topic) {
            *self.counted.entry(topic.into()).or_default() += more;
            return;
        }
        let beyond = events.len().saturating_sub(EVENTS);
        events.drain(..beyond);
        more += beyond as u64;
        if more > 0 {
            *self.counted.entry(topic.clone()).or_default() += more;
        }
        if !events.is_empty() {
            self.told.insert(topic, events);
        }
    }

    pub(super) fn latest(&self) -> Option<f64> {
        self.latest
    }

    pub(super) fn are_told(&self) -> bool {
        self.any
    }

    pub(super) fn joined(&self, address: &str) -> Option<f64> {
        self.joined.get(address).copied()
    }

    pub(super) fn records(self, at: Micros) -> Vec<Record> {
        let event = |at, topic: &str, payload, count| {
            Record::Event(EventRecord {
                at_micros: at,
                topic: topic.into(),
                payload,
                count,
            })
        };
        let mut records = Vec::new();
        for (topic, events) in self.told {
            for (time, payload) in events {
                records.push(event(moment(time).unwrap_or(at), &topic, payload, None));
            }
        }
        for (topic, count) in self.counted {
            if count > 0 {
                records.push(event(at, &topic, Value::Null, Some(count)));
            }
        }
        records
    }
}

/// As what a topic is counted whose events are not told.
fn counted_as(topic: &str) -> Option<&str> {
    match topic {
        topic if topic.contains("://") => Some("(workers)"),
        topic if topic.starts_with("Client-") => Some("(clients)"),
        topic => COUNTED.contains(&topic).then_some(topic),
    }
}

fn long(payload: &Value) -> bool {
    payload.to_string().len() > PAYLOAD_BYTES
}

/// Bytes stand in a dump as Python shows them. They may be a pickle: none is kept.
fn without_bytes(value: &mut Value) {
    match value {
        Value::String(text) if text.starts_with("b'") || text.starts_with("b\"") => {
            *value = Value::Null
        }
        Value::Array(items) => items.iter_mut().for_each(without_bytes),
        Value::Object(fields) => fields.values_mut().for_each(without_bytes),
        _ => {}
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
