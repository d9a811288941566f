//! A profile in speedscope's own format: sampled or evented, in time or in samples.

use serde::Deserialize;

use super::folded::UNAVAILABLE;
use super::input::Input;
use super::records::{at_most, cluster, stop};
use super::stacks::{Place, Stacks};
use super::{Outcome, Read, Wrong, is};
use crate::model::{Micros, SourceFormat};
use crate::wire::Record;

const BYTES: u64 = 128 << 20;
const FRAMES: usize = 1_000_000;
/// Frames of samples, and events.
const STEPS: usize = 10_000_000;
/// Thirty years of one thread.
const LONGEST_MICROS: f64 = 1e15;

#[derive(Deserialize)]
struct File {
    shared: Shared,
    profiles: Vec<Profile>,
}

#[derive(Deserialize)]
struct Shared {
    frames: Vec<Frame>,
}

#[derive(Deserialize)]
struct Frame {
    name: String,
    #[serde(default)]
    file: Option<String>,
}

/// Of both types, so that it is read straight into its columns.
#[derive(Deserialize)]
struct Profile {
    #[serde(rename = "type")]
    kind: Type,
    unit: Unit,
    #[serde(default)]
    samples: Vec<Vec<u32>>,
    #[serde(default)]
    weights: Vec<f64>,
    #[serde(default)]
    events: Vec<Event>,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Type {
    Sampled,
    Evented,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    what: What,
    frame: u32,
    at: f64,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
enum What {
    O,
    C,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Unit {
    None,
    Nanoseconds,
    Microseconds,
    Milliseconds,
    Seconds,
    Bytes,
}

impl Unit {
    /// Microseconds of one; none where weights are counts.
    fn micros(self) -> Option<f64> {
        match self {
            Self::None | Self::Bytes => None,
            Self::Nanoseconds => Some(1e-3),
            Self::Microseconds => Some(1.0),
            Self::Milliseconds => Some(1e3),
            Self::Seconds => Some(1e6),
        }
    }
}

pub(super) fn read(input: &mut Input, name: &str, now: Micros) -> Outcome<Read> {
    let text = input.text(BYTES)?;
    // A value of JSON may take many times its room here: those of the format are numbers, mostly.
    let commas = text
        .bytes()
        .filter(|byte| matches!(byte, b',' | b'['))
        .count();
    at_most(commas, 2 * STEPS, "values")?;
    let mut file: File =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
            Wrong::Is(if error.is_eof() {
                "it is cut off: its end is missing".into()
            } else {
                format!(
                    "it is JSON, but not a readable speedscope profile (line {}, column {})",
                    error.line(),
                    error.column()
                )
            })
        })?;
    drop(text);
    at_most(file.shared.frames.len(), FRAMES, "functions")?;
    if file.profiles.is_empty() {
        return is("it holds no profile");
    }
    // memray writes its profile twice, in bytes and in allocations.
    let profiles = file.profiles.len();
    file.profiles.retain(|one| one.unit != Unit::Bytes);
    let left_out = file.profiles.len() < profiles;
    let Some(unit) = file.profiles.first().map(|one| one.unit) else {
        return is("its weights are bytes: Bobbin reads only time and sample profiles");
    };
    let micros = unit.micros();
    if file.profiles.iter().any(|one| one.unit != unit) {
        return is("its profiles have different units");
    }
    let (stacks, sample_micros) = counted(&file, micros)?;
    let mut profile = stacks.record(now, now, sample_micros)?;
    let long = profile.samples as f64 * sample_micros as f64;
    if long > LONGEST_MICROS {
        return is("its time is longer than thirty years");
    }
    let to = Micros(now.0 + long as i64);
    (profile.to_micros, profile.at_micros) = (to, to);
    let mut facts = cluster(name, now, now, &UNAVAILABLE);
    if micros.is_none() {
        facts.unavailable.push("sample_time".into());
    }
    if left_out {
        facts.unavailable.push("profile_bytes".into());
    }
    Ok(Read {
        format: SourceFormat::Speedscope,
        as_of: to,
        records: vec![
            Record::Cluster(Box::new(facts)),
            Record::Profile(Box::new(profile)),
            stop(to),
        ],
    })
}

/// All profiles of the file together, and what a weight of one stands for.
fn counted(file: &File, micros: Option<f64>) -> Outcome<(Stacks, i64)> {
    // Where all samples stand for the same time, they are samples; else they are microseconds.
    let even = micros.and_then(|micros| even_micros(file, micros));
    let scale = match (micros, even) {
        (None, _) => 1.0,
        (Some(micros), None) => micros,
        (Some(micros), Some(even)) => micros / even as f64,
    };
    let sample_micros = micros.map_or(0, |_| even.unwrap_or(1));
    let mut counting = Counting {
        stacks: Stacks::default(),
        frames: Vec::new(),
        steps: 0,
        scale,
    };
    for frame in &file.shared.frames {
        let place =
            counting
                .stacks
                .frame(&frame.name, frame.file.as_deref().unwrap_or(""), None, None)?;
        counting.frames.push(place);
    }
    for profile in &file.profiles {
        match profile.kind {
            Type::Sampled => counting.sampled(profile)?,
            Type::Evented => counting.evented(profile)?,
        }
    }
    Ok((counting.stacks, sample_micros))
}

/// The one weight that all samples have, if it is whole microseconds.
fn even_micros(file: &File, micros: f64) -> Option<i64> {
    let mut found = None;
    for profile in &file.profiles {
        if profile.kind == Type::Evented {
            return None;
        }
        for &weight in &profile.weights {
            if *found.get_or_insert(weight) != weight {
                return None;
            }
        }
    }
    let even = (found? * micros).round();
    ((1.0..LONGEST_MICROS).contains(&even) && (even - found? * micros).abs() < 1e-6 * even)
        .then_some(even as i64)
}

struct Counting {
    stacks: Stacks,
    /// By their place in the file.
    frames: Vec<u32>,
    steps: usize,
    scale: f64,
}

impl Counting {
    fn step(&mut self, steps: usize) -> Outcome<()> {
        self.steps += steps;
        at_most(self.steps, STEPS, "steps")
    }

    fn frame(&self, place: u32) -> Outcome<u32> {
        match self.frames.get(place as usize) {
            Some(&frame) => Ok(frame),
            None => is("a stack in it names a missing function"),
        }
    }

    fn sampled(&mut self, profile: &Profile) -> Outcome<()> {
        if profile.samples.len() != profile.weights.len() {
            return is("it has a different number of weights and samples");
        }
        for (sample, weight) in profile.samples.iter().zip(&profile.weights) {
            self.step(sample.len() + 1)?;
            let mut place = Place::Bottom;
            for &frame in sample {
                let frame = self.frame(frame)?;
                place = self.stacks.on(place, frame)?;
            }
            self.stacks.add(place, weight * self.scale)?;
        }
        Ok(())
    }

    fn evented(&mut self, profile: &Profile) -> Outcome<()> {
        let mut open: Vec<(u32, Place)> = Vec::new();
        let mut before = f64::NEG_INFINITY;
        for event in &profile.events {
            self.step(1)?;
            if event.at < before {
                return is("its events go back in time");
            }
            if let Some((_, place)) = open.last() {
                self.stacks.add(*place, (event.at - before) * self.scale)?;
            }
            before = event.at;
            let frame = self.frame(event.frame)?;
            match event.what {
                What::O => {
                    let below = open.last().map_or(Place::Bottom, |(_, place)| *place);
                    let place = self.stacks.on(below, frame)?;
                    open.push((event.frame, place));
                }
                What::C => match open.pop() {
                    Some((opened, _)) if opened == event.frame => {}
                    _ => return is("an event in it closes a function that is not on top"),
                },
            }
        }
        if open.is_empty() {
            Ok(())
        } else {
            is("it is cut off: functions in it are never closed")
        }
    }
}
