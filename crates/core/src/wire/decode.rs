//! Bytes into batches. The common path reads each line once, straight into the struct of its kind.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use memchr::memchr;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::check::{check, id, time, whole};
use super::{Batch, Header, Kept, Limits, Line, Record, Refusal, RefusalCode, strict, unread};
use crate::{Error, Result};

/// The version of the format that this build reads.
pub(crate) const PROTOCOL: u32 = 1;
/// Objects and arrays in one another.
const DEPTH: usize = 16;
/// A batch has no more lines than this.
const LINES: u64 = 1 << 20;

/// Reads one batch of plain newline-delimited JSON.
///
/// # Errors
/// [`Error::Invalid`] if the header cannot be used, or the number of lines is not what it says: the batch was cut.
pub fn decode(bytes: &[u8]) -> Result<Batch> {
    let (header, lines) = look_at_batch(bytes)?;
    let (_, rest) = split(bytes);
    Ok(Batch {
        header,
        lines,
        bytes: bytes.len() as u64,
        digest: Sha256::digest(rest).into(),
    })
}

/// The same for a batch that nobody stores: without its digest.
///
/// # Errors
/// As [`decode`].
pub(crate) fn look_at_batch(bytes: &[u8]) -> Result<(Header, Vec<Line>)> {
    let (first, rest) = split(bytes);
    let header = read_header(first)?;
    let mut lines = Vec::with_capacity((header.records as usize).min(rest.len() / 16 + 1));
    let mut left = rest;
    while !left.is_empty() {
        let (line, next) = split(left);
        lines.push(read_line(lines.len() as u64, line));
        left = next;
    }
    if lines.len() as u64 != header.records {
        return Err(Error::Invalid {
            what: "header.records",
            value: header.records.to_string(),
            reason: format!("{} lines follow", lines.len()),
        });
    }
    Ok((header, lines))
}

/// Reads batches that follow each other, such as those of a spool file. Ends after the first error.
pub fn decode_stream(reader: impl BufRead) -> impl Iterator<Item = Result<Batch>> {
    Batches {
        reader,
        ended: false,
    }
}

struct Batches<R> {
    reader: R,
    ended: bool,
}

impl<R: BufRead> Batches<R> {
    /// The bytes of the next batch, `None` at the end.
    fn next_bytes(&mut self) -> Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        while bytes.trim_ascii().is_empty() {
            bytes.clear();
            if self.read_line(&mut bytes)? == 0 {
                return Ok(None);
            }
        }
        let header = read_header(bytes.trim_ascii_end())?;
        for _ in 0..header.records {
            // Fewer lines than the header says are found by `decode`.
            if self.read_line(&mut bytes)? == 0 {
                break;
            }
        }
        Ok(Some(bytes))
    }

    fn read_line(&mut self, bytes: &mut Vec<u8>) -> Result<usize> {
        let limit = Limits::default().inflated_bytes;
        let room = (limit + 1).saturating_sub(bytes.len() as u64);
        let read = (&mut self.reader)
            .take(room)
            .read_until(b'\n', bytes)
            .map_err(|source| Error::Io {
                path: "batches".into(),
                source,
            })?;
        if bytes.len() as u64 > limit {
            return Err(Error::TooLarge {
                what: "a batch",
                limit,
            });
        }
        Ok(read)
    }
}

impl<R: BufRead> Iterator for Batches<R> {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = self
            .next_bytes()
            .and_then(|bytes| bytes.map(|bytes| decode(&bytes)).transpose())
            .transpose();
        self.ended = !matches!(batch, Some(Ok(_)));
        batch
    }
}

/// The text up to the next newline, and what follows it.
fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    match memchr(b'\n', bytes) {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[]),
    }
}

fn read_header(line: &[u8]) -> Result<Header> {
    let wrong = |what, value: &dyn ToString, reason: &str| Error::Invalid {
        what,
        value: value.to_string(),
        reason: reason.into(),
    };
    if strict::is_deeper(line, DEPTH) {
        return Err(wrong("header", &"line 1", "it is nested too deeply"));
    }
    let text =
        std::str::from_utf8(line).map_err(|_| wrong("header", &"line 1", "it is not UTF-8"))?;
    let (kind, (header, _)) = kind(text)
        .and_then(|kind| Ok((kind, object::<Header>(text)?)))
        .map_err(|error| wrong("header", &"line 1", &without_value(&error)))?;
    if kind != "header" {
        return Err(wrong(
            "header.kind",
            &"line 1",
            "a batch begins with its header",
        ));
    }
    if header.protocol != PROTOCOL {
        return Err(wrong(
            "header.protocol",
            &header.protocol,
            "this build reads 1",
        ));
    }
    for (text, what) in [
        (&header.cluster_id, "header.cluster_id"),
        (&header.instance_id, "header.instance_id"),
    ] {
        id(text, what).map_err(|_| {
            wrong(
                what,
                &format!("{} bytes", text.len()),
                "it must have 1 to 512 bytes",
            )
        })?;
    }
    if header.first_seq == 0 {
        return Err(wrong("header.first_seq", &0, "sequence numbers start at 1"));
    }
    if header.records > LINES {
        return Err(wrong(
            "header.records",
            &header.records,
            "a batch has at most 1,048,576 records",
        ));
    }
    whole(
        header.first_seq.saturating_add(header.records),
        "header.first_seq",
    )
    .map_err(|(_, what)| wrong(what, &header.first_seq, "it does not fit 53 bits"))?;
    time(header.sent_at_micros, "header.sent_at_micros").map_err(|(_, what)| {
        wrong(
            what,
            &header.sent_at_micros.0,
            "it must lie between 2000 and 2255",
        )
    })?;
    Ok(header)
}

fn read_line(index: u64, line: &[u8]) -> Line {
    let refused = |code, detail: String| {
        Line::Refused(Refusal {
            index,
            code,
            detail,
        })
    };
    let Ok(text) = std::str::from_utf8(line) else {
        return refused(RefusalCode::NotJson, "not UTF-8".into());
    };
    if strict::is_deeper(line, DEPTH) {
        return refused(
            RefusalCode::TooLarge,
            format!("nested more than {DEPTH} deep"),
        );
    }
    let read = match kind(text) {
        Ok(kind) => match &*kind {
            "cluster" => record(text, |r| Record::Cluster(Box::new(r))),
            "sample" => record(text, |r| Record::Sample(Box::new(r))),
            "task_group" => record(text, |r| Record::TaskGroup(Box::new(r))),
            "computation" => record(text, |r| Record::Computation(Box::new(r))),
            "worker" => record(text, |r| Record::Worker(Box::new(r))),
            "metric" => record(text, |r| Record::Metric(Box::new(r))),
            "span" => record(text, |r| Record::Span(Box::new(r))),
            "profile" => record(text, |r| Record::Profile(Box::new(r))),
            "exception" => record(text, |r| Record::Exception(Box::new(r))),
            "event" => record(text, Record::Event),
            "dropped" => record(text, Record::Dropped),
            "stop" => record(text, Record::Stop),
            other => unknown(other, text),
        },
        Err(error) => Err(error),
    };
    match read {
        Ok(Line::Known(mut record, unread)) => match check(&mut record) {
            Ok(()) => Line::Known(record, unread),
            Err((code, field)) => refused(code, format!("{field} is out of its limits")),
        },
        Ok(line) => line,
        Err(error) if error.is_data() => refused(RefusalCode::NotARecord, without_value(&error)),
        Err(error) => refused(RefusalCode::NotJson, without_value(&error)),
    }
}

/// The kind of a line. The plugin writes it first, so that mostly only the beginning is read.
fn kind(text: &str) -> serde_json::Result<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Kind<'a> {
        #[serde(borrow)]
        kind: Cow<'a, str>,
    }
    let quick = text
        .strip_prefix("{\"kind\":")
        .map(str::trim_start)
        .and_then(|rest| rest.strip_prefix('"'));
    if let Some((kind, _)) = quick.and_then(|rest| rest.split_once('"'))
        && !kind.contains('\\')
    {
        return Ok(Cow::Borrowed(kind));
    }
    serde_json::from_str::<Kind<'_>>(text).map(|line| line.kind)
}

fn record<T: DeserializeOwned>(text: &str, wrap: fn(T) -> Record) -> serde_json::Result<Line> {
    let (record, unread) = object(text)?;
    let kept = if unread.is_empty() {
        None
    } else {
        Some(keep(text, &unread)?)
    };
    Ok(Line::Known(wrap(record), kept))
}

/// What an object with a kind says, and in which of its fields something was not understood.
fn object<T: DeserializeOwned>(text: &str) -> serde_json::Result<(T, Vec<String>)> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let mut unread = Vec::new();
    let object = unread::read(&mut deserializer, &mut unread)?;
    deserializer.end()?;
    let all = unread.len();
    unread.retain(|field| field != "kind");
    if all - unread.len() != 1 {
        return Err(serde::de::Error::custom(strict::TWICE));
    }
    Ok((object, unread))
}

/// The fields in which something was not understood.
fn keep(text: &str, unread: &[String]) -> serde_json::Result<Kept> {
    let kind = kind(text)?.into_owned();
    let mut value = strict::value(&mut serde_json::Deserializer::from_str(text))?;
    if let Value::Object(fields) = &mut value {
        fields.retain(|field, _| unread.contains(field));
    }
    Ok(Kept {
        kind,
        text: value.to_string(),
    })
}

fn unknown(kind: &str, text: &str) -> serde_json::Result<Line> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    match strict::value(&mut deserializer)? {
        Value::Object(fields) if fields.get("kind").and_then(Value::as_str) == Some(kind) => {}
        _ => return Err(serde::de::Error::custom("not an object with a kind")),
    }
    deserializer.end()?;
    if kind.len() > 64 {
        return Err(serde::de::Error::custom("the kind is longer than 64 bytes"));
    }
    Ok(Line::Unknown(Kept {
        kind: kind.into(),
        text: text.into(),
    }))
}

/// What serde says, but for the values that it would quote: they may be code or text of the user.
pub(crate) fn without_value(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let safe = [
        "missing field",
        "duplicate field",
        "EOF",
        "expected",
        "trailing",
        "key must",
        "control character",
        "not an object",
        "the kind",
    ];
    if safe.iter().any(|start| text.starts_with(start)) {
        text
    } else {
        format!(
            "a value of the wrong type or range before column {}",
            error.column()
        )
    }
}
