//! Batches as the plugin sent them in recorded runs, from as many clusters as are wanted.

use std::{
    fs::File,
    io::{BufReader, Read},
    ops::Range,
};

use bobbin_core::wire::{Line, decode, shift};
use flate2::bufread::MultiGzDecoder;
use serde_json::Value;

use super::super::batches::gzip;
use crate::{
    files::root,
    generate::draw::STORIES,
    process::{Failure, Result},
};

/// A recorded batch: its header, and the lines below.
struct Recorded {
    header: Value,
    lines: String,
}

/// The recorded runs, one after the other; behind the last comes the first again.
pub struct Story(Vec<Recorded>);

/// `count` gzip bodies of `clusters` copies of the recorded ones, in turn; when one is over, another one begins. `run` keeps
/// the ids of repeats apart.
///
/// # Errors
/// The recorded story cannot be read.
pub fn make(clusters: usize, count: usize, run: usize) -> Result<Vec<Vec<u8>>> {
    let story = Story::read()?;
    let bodies = (0..count).map(|index| {
        let (place, round) = (index / clusters, index % clusters);
        let copy = round + clusters * (place / story.batches());
        gzip(&story.report(place, &format!("{run:04x}{copy:06x}")))
    });
    Ok(bodies.collect())
}

impl Story {
    /// # Errors
    /// It cannot be read, or does not begin where a run does.
    pub fn read() -> Result<Self> {
        let mut text = String::new();
        for name in STORIES {
            let file = File::open(root().join(name))?;
            MultiGzDecoder::new(BufReader::new(file)).read_to_string(&mut text)?;
        }
        let mut story: Vec<Recorded> = Vec::new();
        for line in text.lines() {
            let header: Option<Value> = line
                .contains("\"header\"")
                .then(|| serde_json::from_str(line).ok())
                .flatten()
                .filter(|value: &Value| value["kind"] == "header");
            match (header, story.last_mut()) {
                (Some(header), _) => story.push(Recorded {
                    header,
                    lines: String::new(),
                }),
                (None, Some(batch)) => {
                    batch.lines.push_str(line);
                    batch.lines.push('\n');
                }
                (None, None) => {}
            }
        }
        if !story.first().is_some_and(Recorded::begins) {
            return Err(Failure::new("the stories do not begin with a run"));
        }
        Ok(Self(story))
    }

    /// How many batches were recorded.
    pub fn batches(&self) -> usize {
        self.0.len()
    }

    /// Where the batches of one of the runs are.
    pub fn run(&self, number: usize) -> Range<usize> {
        let begins: Vec<usize> = (0..self.batches())
            .filter(|&place| self.0[place].begins())
            .collect();
        let number = number % begins.len();
        let end = begins.get(number + 1).copied();
        begins[number]..end.unwrap_or(self.batches())
    }

    /// The batch at this place as another cluster would send it: `copy` keeps their ids apart.
    pub fn report(&self, place: usize, copy: &str) -> String {
        let batch = self.at(place);
        format!("{}\n{}", batch.named(copy), batch.lines)
    }

    /// The same as if it were made at this time.
    ///
    /// # Errors
    /// A record of it cannot be read.
    pub fn report_at(&self, place: usize, copy: &str, micros: i64) -> Result<String> {
        let batch = decode(self.report(place, copy).as_bytes()).map_err(failed)?;
        let by_micros = micros - batch.header.sent_at_micros.0;
        let mut header = self.at(place).named(copy);
        header["sent_at_micros"] = micros.into();
        let mut report = format!("{header}\n");
        for line in batch.lines {
            let Line::Known(mut record, _) = line else {
                return Err(Failure::new(format!("this is no record: {line:?}")));
            };
            shift(&mut record, by_micros);
            report.push_str(&serde_json::to_string(&record).map_err(failed)?);
            report.push('\n');
        }
        Ok(report)
    }

    fn at(&self, place: usize) -> &Recorded {
        &self.0[place % self.0.len()]
    }
}

impl Recorded {
    /// Whether a run begins with it.
    fn begins(&self) -> bool {
        self.header["first_seq"] == 1
    }

    /// The header of the batch of another cluster.
    fn named(&self, copy: &str) -> Value {
        let mut header = self.header.clone();
        for name in ["cluster_id", "instance_id"] {
            let own = header[name].as_str().unwrap_or_default();
            header[name] = format!("{own}{copy}").into();
        }
        header
    }
}

fn failed(error: impl ToString) -> Failure {
    Failure::new(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_batches_can_be_read_as_those_of_other_clusters() {
        let story = Story::read().unwrap();
        assert!(story.batches() > 20);
        for place in 0..story.batches() {
            let text = story.report(place, "0001000002");
            let decoded = decode(text.as_bytes()).unwrap();
            assert!(decoded.header.cluster_id.ends_with("0001000002"));
            assert!(!decoded.lines.is_empty());
        }
    }

    #[test]
    fn a_recorded_batch_can_be_told_at_another_time() {
        const NOW: i64 = 1_800_000_000_000_000;
        let story = Story::read().unwrap();
        for place in 0..story.batches() {
            let recorded = decode(story.report(place, "1").as_bytes()).unwrap();
            let text = story.report_at(place, "1", NOW).unwrap();
            let told = decode(text.as_bytes()).unwrap();
            assert_eq!(told.header.sent_at_micros.0, NOW);
            assert_eq!(told.header.cluster_id, recorded.header.cluster_id);
            assert_eq!(told.header.first_seq, recorded.header.first_seq);
            let by_micros = NOW - recorded.header.sent_at_micros.0;
            let moved = recorded.lines.into_iter().map(|line| match line {
                Line::Known(mut record, _) => {
                    shift(&mut record, by_micros);
                    Line::Known(record, None)
                }
                other => other,
            });
            assert!(moved.eq(told.lines), "{place}");
        }
    }

    #[test]
    fn the_runs_are_the_whole_story() {
        let story = Story::read().unwrap();
        let runs = [0, 1, 2].map(|number| story.run(number));
        let places: Vec<usize> = runs.clone().into_iter().flatten().collect();
        assert!(places.into_iter().eq(0..story.batches()));
        assert_eq!(story.run(3), runs[0]);
    }
}
