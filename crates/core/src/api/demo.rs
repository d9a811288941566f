//! The demo stories: recordings of real runs, told as if they had ended a moment ago.

use std::io::BufReader;

use flate2::bufread::MultiGzDecoder;

use super::App;
use crate::wire::{Batch, decode_stream, shift};
use crate::{Error, Result};

/// Each file holds batches, a gzip member or several.
const STORIES: &[&[u8]] = include!(concat!(env!("OUT_DIR"), "/demo.rs"));

/// How long ago the last story ended.
const AGO_MICROS: i64 = 2_000_000;

impl App {
    /// Stores the demo stories, shifted in time so that they ended a moment ago. Gives the number of batches. What was
    /// loaded before is not stored again.
    ///
    /// # Errors
    /// [`Error::NotFound`] if this build has no stories; as [`App::ingest`].
    pub fn load_demo(&self) -> Result<usize> {
        let batches = STORIES
            .iter()
            .map(|story| read(story))
            .collect::<Result<Vec<_>>>()?
            .concat();
        let last = batches
            .iter()
            .map(|batch| batch.header.sent_at_micros)
            .max();
        let last = last.ok_or_else(|| Error::NotFound {
            kind: "demo",
            id: "story".into(),
        })?;
        let by_micros = self.now().0 - AGO_MICROS - last.0;
        let count = batches.len();
        for mut batch in batches {
            shift(&mut batch, by_micros);
            self.ingest(batch)?;
        }
        Ok(count)
    }
}

fn read(story: &[u8]) -> Result<Vec<Batch>> {
    decode_stream(BufReader::new(MultiGzDecoder::new(story))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Micros;

    #[test]
    fn the_stories_of_this_build_can_be_read_whole() {
        for story in STORIES {
            let batches = read(story).unwrap();
            assert!(!batches.is_empty());
            for batch in &batches {
                assert!(
                    batch
                        .lines
                        .iter()
                        .all(|line| matches!(line, crate::wire::Line::Known(_, None)))
                );
                assert!(batch.header.sent_at_micros > Micros(0));
            }
        }
    }

    #[test]
    fn the_demo_ended_a_moment_ago_and_is_loaded_once() {
        let bench = crate::testing::Bench::new();
        if STORIES.is_empty() {
            assert!(matches!(bench.app.load_demo(), Err(Error::NotFound { .. })));
            return;
        }
        let batches = bench.app.load_demo().unwrap();
        let list =
            || crate::api::clusters(&bench.app, crate::api::ClustersRequest::default()).unwrap();
        let first = list();
        assert!(batches > 0 && first.total > 0);
        let now = bench.app.now().0;
        let last = first
            .rows
            .iter()
            .filter_map(|row| row.stopped_micros)
            .max()
            .unwrap();
        assert!(
            (now - 10_000_000..now).contains(&last.0),
            "{}",
            now - last.0
        );
        assert!(
            first
                .rows
                .iter()
                .all(|row| row.compute_seconds > 0.0 && row.computations > 0)
        );
        bench.app.load_demo().unwrap();
        assert_eq!(list().rows, first.rows);
    }
}
