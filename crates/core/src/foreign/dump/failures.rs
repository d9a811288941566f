//! Tasks that erred, put together as the plugin does: by group, and by what the exception says but for its digits.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::references::{exception, name_of, shown, task_of};
use super::text;
use super::tokens::Room;
use crate::foreign::Outcome;
use crate::foreign::records::{at_most, id, later, moment_if};
use crate::model::{ExceptionOrigin, Micros};
use crate::wire::{ExceptionRecord, Record};

/// Different failures, and tasks that erred.
const FAILURES: usize = 10_000;
const TASKS: usize = 1_000_000;
/// What of an exception tells failures apart, in characters.
const HEAD: usize = 200;

#[derive(Default)]
pub(super) struct Failures {
    /// When tasks erred, by their key.
    times: HashMap<String, f64>,
    found: Vec<Failure>,
    /// By group, whether Dask itself failed, and the head of the text.
    places: HashMap<(String, bool, String), usize>,
    /// Which failure a task had, by how the task is shown.
    by_task: HashMap<String, usize>,
    /// Tasks that erred for another one, by how that is shown.
    dependents: HashMap<String, u64>,
}

struct Failure {
    group: Option<String>,
    origin: ExceptionOrigin,
    exception_type: String,
    message: Option<String>,
    traceback: Option<String>,
    worker: Option<String>,
    first: Option<f64>,
    last: Option<f64>,
    /// Of tasks whose time is told later in the file.
    keys: Vec<String>,
    count: u64,
}

impl Failures {
    pub(super) fn erred_at(&mut self, key: &Value, seconds: f64) {
        if self.times.len() < TASKS {
            self.times.insert(key.to_string(), seconds);
        }
    }

    pub(super) fn add(
        &mut self,
        room: &mut Room,
        key: &str,
        task: &Map<String, Value>,
    ) -> Outcome<()> {
        let said = text(task, "exception_text");
        let own = said.is_some() || task.get("exception").is_some_and(|one| !one.is_null());
        at_most(
            self.by_task.len() + self.dependents.len(),
            TASKS,
            "tasks that failed",
        )?;
        if !own {
            // It erred for a task that it depends on.
            if let Some(blamed) = text(task, "exception_blame") {
                room.one(blamed.len())?;
                let blamed = task_of(&blamed).unwrap_or(&blamed).to_owned();
                *self.dependents.entry(blamed).or_default() += 1;
            }
            return Ok(());
        }
        let key = task
            .get("key")
            .cloned()
            .unwrap_or_else(|| Value::String(key.into()));
        let group = text(task, "group_key")
            .or_else(|| text(task, "group").and_then(|shown| name_of(&shown).map(Into::into)));
        let (exception_type, message) = match &said {
            Some(said) => exception(said),
            // Dask's own failures have no text, and what they hold is not opened.
            None => ("unknown".into(), String::new()),
        };
        let head: String = said
            .iter()
            .flat_map(|said| said.chars())
            .take(HEAD)
            .map(|letter| if letter.is_ascii_digit() { '#' } else { letter })
            .collect();
        let place = (group.clone().unwrap_or_default(), said.is_none(), head);
        let index = match self.places.get(&place) {
            Some(&index) => index,
            None => {
                at_most(self.found.len(), FAILURES, "different failures")?;
                task.values().try_for_each(|value| room.take(value))?;
                self.found.push(Failure {
                    group,
                    origin: if said.is_some() {
                        ExceptionOrigin::User
                    } else {
                        ExceptionOrigin::Dask
                    },
                    exception_type,
                    message: Some(message).filter(|message| !message.is_empty()),
                    traceback: text(task, "traceback_text"),
                    worker: task
                        .get("erred_on")
                        .and_then(|workers| workers.get(0))
                        .and_then(Value::as_str)
                        .map(Into::into),
                    first: None,
                    last: None,
                    keys: Vec::new(),
                    count: 0,
                });
                self.places.insert(place, self.found.len() - 1);
                self.found.len() - 1
            }
        };
        room.take(&key)?;
        self.found[index].count += 1;
        self.found[index].keys.push(key.to_string());
        self.by_task.insert(shown(&key), index);
        Ok(())
    }

    /// As records; and how many tasks failed of themselves.
    pub(super) fn records(mut self, at: Micros) -> (Vec<Record>, u64) {
        let mut records = Vec::new();
        let mut dependents = vec![0; self.found.len()];
        for (blamed, count) in &self.dependents {
            if let Some(&index) = self.by_task.get(blamed) {
                dependents[index] += count;
            }
        }
        let mut all = 0;
        for (number, (mut failure, dependents)) in self.found.drain(..).zip(dependents).enumerate()
        {
            for key in &failure.keys {
                let time = self.times.get(key).copied();
                failure.last = later(failure.last, time);
                failure.first = match (failure.first, time) {
                    (Some(known), Some(time)) => Some(f64::min(known, time)),
                    (known, time) => known.or(time),
                };
            }
            all += failure.count;
            let last = moment_if(failure.last).unwrap_or(at);
            records.push(Record::Exception(Box::new(ExceptionRecord {
                at_micros: at,
                exception_id: format!("failure-{}", number + 1),
                group_id: failure.group.as_deref().map(id),
                group: failure.group,
                origin: failure.origin,
                exception_type: failure.exception_type,
                message: failure.message,
                traceback: failure.traceback,
                details: None,
                worker: failure.worker,
                first_seen_micros: moment_if(failure.first).unwrap_or(last),
                last_seen_micros: last,
                count: failure.count,
                dependents,
            })));
        }
        (records, all)
    }
}
