//! The file format of speedscope: functions once, stacks as places among them, each with the seconds that it stands for, or its
//! samples where no time is known.
//! Written against <https://www.speedscope.app/file-format-schema.json>.

use std::io::Write as _;

use serde_json::json;

use super::{Told, UNTOLD, each_stack, named, plain, small_enough};
use crate::insight::flame::Scale;
use crate::query::{StackFrame, Tree};
use crate::{Error, Result};

pub(super) fn encoded(tree: &Tree, scale: Scale, told: &Told) -> Result<Vec<u8>> {
    let mut frames: Vec<_> = tree.frames.iter().map(described).collect();
    let untold = frames.len();
    frames.push(json!({ "name": UNTOLD }));
    // Some profiles tell only counts.
    let (unit, each) = match scale.seconds_per_sample {
        seconds if seconds > 0.0 => ("seconds", seconds),
        _ => ("none", 1.0),
    };
    let mut text = format!(
        "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"bobbin@{}\",\
         \"name\":{},\"activeProfileIndex\":0,\"shared\":{{\"frames\":{}}},\"profiles\":[{{\"type\":\"sampled\",\
         \"name\":{},\"unit\":\"{unit}\",\"startValue\":0,\"samples\":[",
        env!("CARGO_PKG_VERSION"),
        json!(told.title),
        serde_json::to_string(&frames)?,
        json!(told.title),
    )
    .into_bytes();
    let mut weights: Vec<f64> = Vec::new();
    each_stack(tree, |way, samples| {
        if !weights.is_empty() {
            text.push(b',');
        }
        let places: Vec<usize> = match way {
            [] => vec![untold],
            way => way
                .iter()
                .map(|&node| tree.frame_of[node] as usize)
                .collect(),
        };
        serde_json::to_writer(&mut text, &places)?;
        weights.push(samples as f64 * each);
        small_enough(text.len())
    })?;
    let end: f64 = weights.iter().sum();
    write!(
        text,
        "],\"weights\":{},\"endValue\":{}}}]}}",
        serde_json::to_string(&weights)?,
        json!(end)
    )
    .map_err(|error| Error::Json(serde_json::Error::io(error)))?;
    Ok(text)
}

fn described(frame: &StackFrame) -> serde_json::Value {
    let mut described = json!({ "name": named(frame) });
    if !frame.file.is_empty() {
        described["file"] = json!(plain(&frame.file));
    }
    if let Some(line) = frame.line {
        described["line"] = json!(line);
    }
    described
}
