//! pprof: a gzipped message of protocol buffers. Of its schema, `profile.proto` of the pprof project, the fields that a
//! sampled profile of Python has.

use std::collections::HashMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;

use super::{Told, UNTOLD, each_stack, named, plain, small_enough};
use crate::Result;
use crate::insight::flame::Scale;
use crate::query::Tree;

#[derive(Clone, PartialEq, Message)]
struct Profile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    /// Texts are places in this; the first is empty.
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "9")]
    time_nanos: i64,
    #[prost(int64, tag = "10")]
    duration_nanos: i64,
    #[prost(message, optional, tag = "11")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    period: i64,
    #[prost(int64, repeated, tag = "13")]
    comment: Vec<i64>,
    #[prost(int64, tag = "14")]
    default_sample_type: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    kind: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    /// The innermost first.
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "3")]
    system_name: i64,
    #[prost(int64, tag = "4")]
    filename: i64,
    #[prost(int64, tag = "5")]
    start_line: i64,
}

/// Each text once.
#[derive(Default)]
struct Texts {
    places: HashMap<String, i64>,
    all: Vec<String>,
}

impl Texts {
    fn place(&mut self, text: &str) -> i64 {
        if let Some(&place) = self.places.get(text) {
            return place;
        }
        let place = self.all.len() as i64;
        self.all.push(text.to_owned());
        self.places.insert(text.to_owned(), place);
        place
    }
}

pub(super) fn encoded(tree: &Tree, scale: Scale, told: &Told) -> Result<Vec<u8>> {
    let mut texts = Texts::default();
    texts.place("");
    let count = ValueType {
        kind: texts.place("samples"),
        unit: texts.place("count"),
    };
    let time = ValueType {
        kind: texts.place("time"),
        unit: texts.place("nanoseconds"),
    };
    let nanos = scale.seconds_per_sample * 1e9;
    let mut profile = Profile {
        sample_type: vec![count, time],
        time_nanos: told.from_micros.map_or(0, |at| at.0.saturating_mul(1000)),
        duration_nanos: match (told.from_micros, told.to_micros) {
            (Some(from), Some(to)) => (to.0 - from.0).saturating_mul(1000),
            _ => 0,
        },
        period_type: Some(time),
        period: nanos.round() as i64,
        comment: vec![texts.place(&told.title)],
        // Some profiles tell only counts.
        default_sample_type: if nanos > 0.0 { time.kind } else { count.kind },
        ..Profile::default()
    };
    // Identities begin at 1: 0 is none.
    for (at, frame) in tree.frames.iter().enumerate() {
        let name = texts.place(&named(frame));
        let filename = texts.place(&plain(&frame.file));
        add(&mut profile, at as u64 + 1, name, filename, frame.line);
    }
    let untold = tree.frames.len() as u64 + 1;
    let name = texts.place(UNTOLD);
    add(&mut profile, untold, name, 0, None);
    let mut places = 0usize;
    each_stack(tree, |way, samples| {
        let location_id = match way {
            [] => vec![untold],
            way => way
                .iter()
                .rev()
                .map(|&node| u64::from(tree.frame_of[node]) + 1)
                .collect(),
        };
        places += location_id.len() + 2;
        let count = i64::try_from(samples).unwrap_or(i64::MAX);
        profile.sample.push(Sample {
            location_id,
            value: vec![count, (samples as f64 * nanos).round() as i64],
        });
        small_enough(places.saturating_mul(8))
    })?;
    profile.string_table = texts.all;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&profile.encode_to_vec())
        .and_then(|()| gzip.finish())
        .map_err(|source| crate::Error::Io {
            path: "the profile".into(),
            source,
        })
}

/// A function, and the one place in it that a sampled profile knows.
fn add(profile: &mut Profile, id: u64, name: i64, filename: i64, line: Option<u32>) {
    let line = line.map_or(0, i64::from);
    profile.function.push(Function {
        id,
        name,
        system_name: name,
        filename,
        start_line: line,
    });
    profile.location.push(Location {
        id,
        line: vec![Line {
            function_id: id,
            line,
        }],
    });
}
