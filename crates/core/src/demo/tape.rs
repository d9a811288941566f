//! What one cluster said, in the order of time, and batches of it for another time.

use std::collections::BTreeMap;
use std::io::{BufReader, Read};
use std::ops::Range;

use flate2::bufread::MultiGzDecoder;

use super::SAMPLE;
use crate::hex::hexadecimal;
use crate::install::random;
use crate::model::{Micros, WorkerChange};
use crate::wire::{Batch, Header, Line, Record, StopRecord, decode_stream, shift};
use crate::{Error, Result};

/// What a recording may be, unpacked.
const MOST_BYTES: u64 = 512 << 20;
/// Records and bytes of one batch that is told: far below what a receiver takes.
const RECORDS: usize = 500;
const BYTES: usize = 1 << 20;
/// 2026-01-05 00:00 UTC, a Monday.
const FIXED_DAY: Micros = Micros(1_767_571_200_000_000);
/// Chapters of a recording: as many as fit below a bar.
const CHAPTERS: usize = 12;
/// What is on a label is not longer.
const LETTERS: usize = 60;

/// A moment of a recording worth going to.
#[derive(Clone, Debug, PartialEq)]
pub struct Chapter {
    /// Since its beginning.
    pub at_micros: i64,
    pub words: String,
}

/// What one cluster said.
#[derive(Clone, Debug)]
pub struct Tape {
    /// What the cluster called itself.
    pub name: String,
    pub began: Micros,
    pub ended: Micros,
    /// One header of each run of the plugin.
    headers: Vec<Header>,
    records: Vec<Taped>,
}

#[derive(Clone, Debug)]
struct Taped {
    at: Micros,
    /// Of its run of the plugin, from 1.
    seq: u64,
    header: usize,
    record: Record,
}

/// Draws an id for a cluster that is told again. `of` is what it is told from.
///
/// # Errors
/// [`Error::Io`] if the system has no random numbers.
pub(super) fn sample_id(of: &str) -> Result<String> {
    let mut bytes = [0; 16];
    random(&mut bytes)?;
    Ok(format!("{SAMPLE}{of}-{}", hexadecimal(&bytes)))
}

impl Tape {
    /// The clusters of a recording, in its order: a file of a plugin or a bundle. `name` is for what is wrong with it.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it is no recording, or says nothing of who its clusters are; [`Error::TooLarge`].
    pub fn read(name: &str, from: impl Read) -> Result<Vec<Self>> {
        let invalid = |reason: String| Error::Invalid {
            what: "recording",
            value: name.into(),
            reason,
        };
        let mut text = Vec::new();
        MultiGzDecoder::new(BufReader::new(from))
            .take(MOST_BYTES + 1)
            .read_to_end(&mut text)
            .map_err(|error| invalid(format!("it cannot be unpacked: {error}")))?;
        Self::unpacked(name, &text)
    }

    /// The same of batches that nobody packed.
    ///
    /// # Errors
    /// As [`Tape::read`].
    pub(crate) fn unpacked(name: &str, text: &[u8]) -> Result<Vec<Self>> {
        let invalid = |reason: String| Error::Invalid {
            what: "recording",
            value: name.into(),
            reason,
        };
        if text.len() as u64 > MOST_BYTES {
            return Err(Error::TooLarge {
                what: "a recording",
                limit: MOST_BYTES,
            });
        }
        let batches = decode_stream(after_manifest(text))
            .collect::<Result<Vec<_>>>()
            .map_err(|error| invalid(error.to_string()))?;
        let mut order = Vec::new();
        let mut clusters: BTreeMap<String, Vec<Batch>> = BTreeMap::new();
        for batch in batches {
            let id = batch.header.cluster_id.clone();
            let of = clusters.entry(id.clone()).or_default();
            if of.is_empty() {
                order.push(id);
            }
            of.push(batch);
        }
        if order.is_empty() {
            return Err(invalid("it holds no batch".into()));
        }
        order
            .iter()
            .filter_map(|id| clusters.remove(id))
            .map(|batches| Self::of(batches).map_err(|reason| invalid(reason.into())))
            .collect()
    }

    /// # Errors
    /// Why it cannot be told again.
    fn of(batches: Vec<Batch>) -> std::result::Result<Self, &'static str> {
        let mut headers: Vec<Header> = Vec::new();
        let mut records = Vec::new();
        for batch in batches {
            let known = headers
                .iter()
                .position(|header| header.instance_id == batch.header.instance_id);
            let header = known.unwrap_or_else(|| {
                headers.push(batch.header);
                headers.len() - 1
            });
            for line in batch.lines {
                if let Line::Known(record, _) = line {
                    let at = record.at();
                    records.push(Taped {
                        at,
                        seq: 0,
                        header,
                        record,
                    });
                }
            }
        }
        // Records of one moment stay in the order in which they were sent.
        records.sort_by_key(|taped| taped.at);
        let (Some(first), Some(last)) = (records.first(), records.last()) else {
            return Err("it holds no record that this build can read");
        };
        let (began, ended) = (first.at, last.at);
        // Who it is comes first: a bundle has the latest that was known of it.
        let Some(place) = records
            .iter()
            .position(|taped| matches!(taped.record, Record::Cluster(_)))
        else {
            return Err("it does not name its cluster");
        };
        records[..=place].rotate_right(1);
        let mut name = String::new();
        if let Record::Cluster(record) = &mut records[0].record {
            record.at_micros = began;
            name = record.name.clone().unwrap_or_default();
        }
        records[0].at = began;
        let mut counted = vec![0; headers.len()];
        for taped in &mut records {
            counted[taped.header] += 1;
            taped.seq = counted[taped.header];
        }
        Ok(Self {
            name,
            began,
            ended,
            headers,
            records,
        })
    }

    /// How long it is.
    pub fn micros(&self) -> i64 {
        self.ended.0 - self.began.0
    }

    /// Records in all.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Without records there is no tape.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// How many records were made up to so long after the beginning.
    pub(super) fn until(&self, micros: i64) -> usize {
        self.records
            .partition_point(|taped| taped.at.0 - self.began.0 <= micros)
    }

    /// Writes into every description of the cluster that it is told again, and how. Nobody is there who could be asked to close.
    pub(super) fn labelled(mut self, how: &str) -> Self {
        for taped in &mut self.records {
            if let Record::Cluster(record) = &mut taped.record {
                record.tags.insert("sample".into(), how.into());
                record.switches.remote_close = false;
                record.dashboard_url = None;
            }
        }
        self
    }

    /// Batches of some of its records as text, as a plugin would send them: of the cluster `id`, `by_micros` later.
    ///
    /// # Errors
    /// [`Error::Json`]; it cannot happen to what was read.
    pub(super) fn told(
        &self,
        part: Range<usize>,
        id: &str,
        by_micros: i64,
    ) -> Result<Vec<Vec<u8>>> {
        let mut batches = Vec::new();
        let mut lines: Vec<u8> = Vec::new();
        let mut begun: Option<(&Taped, usize)> = None;
        let mut close = |begun: &mut Option<(&Taped, usize)>, lines: &mut Vec<u8>, last: Micros| {
            if let Some((first, records)) = begun.take() {
                let header = self.header(first, records, id, Micros(last.0 + by_micros));
                batches.push(batch(&header, lines)?);
                lines.clear();
            }
            Ok::<(), Error>(())
        };
        let mut last = self.began;
        for taped in &self.records[part] {
            let full = begun.is_some_and(|(first, records)| {
                first.header != taped.header || records >= RECORDS || lines.len() >= BYTES
            });
            if full {
                close(&mut begun, &mut lines, last)?;
            }
            let mut record = taped.record.clone();
            shift(&mut record, by_micros);
            serde_json::to_writer(&mut lines, &record)?;
            lines.push(b'\n');
            begun = Some(begun.map_or((taped, 1), |(first, records)| (first, records + 1)));
            last = taped.at;
        }
        close(&mut begun, &mut lines, last)?;
        Ok(batches)
    }

    /// All of it as if it had begun on a fixed day, of a cluster whose id is drawn anew: it says nothing of when it was, or where.
    ///
    /// # Errors
    /// As [`Tape::told`]; [`Error::Io`] if the system has no random numbers.
    pub(crate) fn undated(&self) -> Result<Vec<Vec<u8>>> {
        self.told(
            0..self.len(),
            &sample_id("made")?,
            FIXED_DAY.0 - self.began.0,
        )
    }

    /// A goodbye after so many of its records, for a replay that ends early.
    ///
    /// # Errors
    /// As [`Tape::told`].
    pub(super) fn goodbye(&self, told: usize, id: &str, by_micros: i64) -> Result<Vec<u8>> {
        let last = &self.records[told.max(1) - 1];
        let at_micros = Micros(last.at.0 + by_micros);
        let record = Record::Stop(StopRecord {
            at_micros,
            reason: "closed".into(),
        });
        let mut lines = serde_json::to_vec(&record)?;
        lines.push(b'\n');
        let mut header = self.header(last, 1, id, at_micros);
        header.first_seq = last.seq + 1;
        batch(&header, &lines)
    }

    fn header(&self, first: &Taped, records: usize, id: &str, sent: Micros) -> Header {
        let known = &self.headers[first.header];
        Header {
            cluster_id: id.into(),
            first_seq: first.seq,
            records: records as u64,
            sent_at_micros: sent,
            ..known.clone()
        }
    }

    /// Where its spans begin, and where something first went wrong.
    pub fn chapters(&self) -> Vec<Chapter> {
        let mut chapters: Vec<Chapter> = Vec::new();
        let mut known = Vec::new();
        for taped in &self.records {
            let (key, at, words) = match &taped.record {
                Record::Span(span) => {
                    let began = span.start_micros.unwrap_or(taped.at);
                    (span.span_id.clone(), began, span.name.clone())
                }
                Record::Exception(record) => (
                    record.exception_type.clone(),
                    record.first_seen_micros,
                    record.exception_type.clone(),
                ),
                Record::Worker(record) if is_lost(record.event, record.expected) => {
                    let lost = "worker lost";
                    (lost.into(), taped.at, lost.into())
                }
                _ => continue,
            };
            if words.is_empty() || known.contains(&key) {
                continue;
            }
            known.push(key);
            chapters.push(Chapter {
                at_micros: (at.0 - self.began.0).clamp(0, self.micros()),
                words: words.chars().take(LETTERS).collect(),
            });
        }
        chapters.sort_by_key(|chapter| chapter.at_micros);
        chapters.truncate(CHAPTERS);
        chapters
    }
}

fn is_lost(event: WorkerChange, expected: Option<bool>) -> bool {
    event == WorkerChange::Killed || (event == WorkerChange::Left && expected == Some(false))
}

/// What follows the manifest of a bundle; a plugin's file has none.
fn after_manifest(text: &[u8]) -> &[u8] {
    const BEGIN: &[u8] = br#"{"kind":"manifest","#;
    if !text.starts_with(BEGIN) {
        return text;
    }
    let end = text.iter().position(|byte| *byte == b'\n');
    end.map_or(&[], |end| &text[end + 1..])
}

fn batch(header: &Header, lines: &[u8]) -> Result<Vec<u8>> {
    #[derive(serde::Serialize)]
    struct Tagged<'a> {
        kind: &'static str,
        #[serde(flatten)]
        header: &'a Header,
    }
    let mut text = serde_json::to_vec(&Tagged {
        kind: "header",
        header,
    })?;
    text.push(b'\n');
    text.extend_from_slice(lines);
    Ok(text)
}
