//! What `Client.dump_cluster_state` writes: the scheduler's state at one moment, as msgpack or YAML.

mod events;
mod failures;
mod msgpack;
mod references;
mod scheduler;
mod tokens;
mod versions;
mod workers;
mod yaml;

use serde_json::{Map, Value};

use super::input::Input;
use super::{Outcome, Read, is};
use scheduler::Scheduler;
use tokens::{Tokens, map, skip, value};

/// YAML is text that is here whole; the same dump in msgpack is a twentieth of it, and read piece by piece.
const YAML_BYTES: u64 = 64 << 20;
/// Workers, as many as are kept of one cluster.
const WORKERS: usize = 50_000;

pub(super) fn read_msgpack(input: &mut Input, name: &str) -> Outcome<Read> {
    let read = read(&mut msgpack::Msgpack::new(input), name)?;
    if !input.ended()? {
        return is("it contains more than one dump");
    }
    Ok(read)
}

pub(super) fn read_yaml(input: &mut Input, name: &str) -> Outcome<Read> {
    let text = input.text(YAML_BYTES)?;
    let mut tokens = yaml::Yaml::new(text.trim_start_matches('\u{feff}'));
    let read = read(&mut tokens, name)?;
    tokens.end()?;
    Ok(read)
}

fn read(tokens: &mut dyn Tokens, name: &str) -> Outcome<Read> {
    let mut scheduler = None;
    let mut versions = Value::Null;
    let is_map = map(tokens, &mut |tokens, part| {
        match part.as_str() {
            "scheduler" if scheduler.is_none() => scheduler = Scheduler::read(tokens)?,
            "versions" => versions = value(tokens)?,
            // What workers say of themselves: their logs and tasks have no place in a record.
            _ => skip(tokens)?,
        }
        Ok(())
    })?;
    match scheduler {
        Some(scheduler) if is_map => scheduler.finish(name, &versions),
        _ => is("it holds no scheduler, so it is not a cluster dump"),
    }
}

/// A field, if it is a text that is not empty.
fn text(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields
        .get(name)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
        .map(Into::into)
}

/// A field as a whole number that is not negative.
fn whole(fields: &Map<String, Value>, name: &str) -> Option<u64> {
    fields.get(name).and_then(whole_of)
}

fn whole_of(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| (0.0..9e15).contains(number))
            .map(|number| number as u64)
    })
}
