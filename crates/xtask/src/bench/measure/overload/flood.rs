//! More at once than there is room for, on a disk that is slow. Clusters are sent away and come again until everything
//! is stored; then they report as usual, and nobody is sent away any more.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use super::{
    BEAT, BUSY, LOOK, USUAL, compared, figure,
    look::Looker,
    memory,
    send::{Rhythm, send, senders},
    told::{Comparison, Told},
    used, waited,
};
use crate::{
    bench::measure::{
        batches::{Report, Shape, gzip, scheduler_id},
        figure::Figure,
        folder::Folder,
        server::Server,
        size::Size,
        slow::Slow,
    },
    process::Result,
};

/// How much longer a sync takes. Batches that come together share one: with less, the receiver would nearly keep up.
const LONGER: Duration = Duration::from_millis(200);

/// A report of 2,000 records, the most that a plugin puts into one: 0.83 MB. The receiver has room for ten of them.
const LARGEST: Shape = Shape {
    clusters: BUSY,
    groups: 1_998,
};

const RUN: usize = 2;

/// How much comes.
struct Flood {
    clusters: usize,
    /// Of the largest reports, those that each cluster has at once.
    reports: usize,
    /// Usual reports of each afterwards, and the time between two of them.
    beats: usize,
    beat: Duration,
}

impl Flood {
    fn of(size: Size) -> Self {
        let full = Self {
            clusters: BUSY,
            reports: 5,
            beats: 6,
            beat: BEAT,
        };
        match size {
            Size::Full => full,
            Size::Quick => Self {
                reports: 1,
                beats: 1,
                ..full
            },
            // Still more than there is room for and an unoptimised build stores while a report may wait for room.
            Size::Smoke => Self {
                clusters: 50,
                reports: 1,
                beats: 1,
                beat: Duration::from_secs(2),
            },
        }
    }

    /// What each cluster has at once. All of them say the same, and each for itself.
    fn at_once(&self) -> Vec<Report> {
        let numbers = 0..self.reports;
        numbers
            .map(|number| Report::of(LARGEST, 0, number..number + 1))
            .collect()
    }

    /// What each says afterwards.
    fn usual(&self) -> Vec<Report> {
        let before = self.reports * (LARGEST.groups - USUAL.groups);
        let numbers = self.reports..self.reports + self.beats;
        numbers
            .map(|number| Report::of(USUAL, 0, number..number + 1).behind(before))
            .collect()
    }
}

/// Measures it, where a disk can be made slow.
///
/// # Errors
/// As [`super::measure`].
pub fn measure(bobbin: &Path, size: Size) -> Result<Vec<Figure>> {
    if !cfg!(target_os = "linux") {
        return Ok(Vec::new());
    }
    let flood = Flood::of(size);
    let (at_once, usual) = (flood.at_once(), flood.usual());
    // Packed before: else the senders would take the processors from what is measured.
    let bodies: Vec<Vec<Vec<u8>>> = (0..flood.clusters)
        .map(|cluster| {
            let reports = at_once.iter();
            reports
                .map(|report| gzip(&report.sent_by(RUN, cluster)))
                .collect()
        })
        .collect();
    let folder = Folder::make("flood")?;
    let data = folder.0.join("flood");
    // What a first start writes takes a slow disk seconds.
    used(&data)?;
    let disk = Slow::build(&folder.0, LONGER)?;
    let server = Server::start_on(bobbin, data.clone(), Some(&disk))?;
    let door = server.socket()?;
    let looker = Looker::start(&server, LOOK)?;
    let start = Instant::now();
    let met = senders(flood.clusters, |cluster, met| {
        let mut own = bodies[cluster].iter();
        own.try_for_each(|body| send(&door, body, met))
    });
    let drained = start.elapsed().as_secs_f64();
    let looks = looker.stop();
    let (met, looks) = (met?, looks?);
    let rhythm = Rhythm {
        start: Instant::now(),
        beat: flood.beat,
        clusters: flood.clusters,
    };
    let after = senders(flood.clusters, |cluster, met| {
        for (number, report) in usual.iter().enumerate() {
            rhythm.wait(number, cluster);
            send(&door, &gzip(&report.sent_by(RUN, cluster)), met)?;
        }
        Ok(())
    })?;
    let reports = at_once.iter().chain(&usual);
    let told = Told::of(reports.map(|report| report.sent_by(RUN, 0)))?;
    let mut comparison = Comparison::of(&data)?;
    for cluster in 0..flood.clusters {
        comparison.cluster(&scheduler_id(RUN, cluster), &told)?;
    }
    let found = comparison.end()?;
    let unsaid = met.unsaid + after.unsaid;
    let mut figures = vec![
        figure("flood_batches", "batches", met.waits.len() as f64),
        figure("flood_drained", "s", drained),
        figure("flood_told_later", "answers", met.later as f64),
        figure("flood_unsaid", "answers", unsaid as f64),
        figure("flood_after_batches", "batches", after.waits.len() as f64),
        figure("flood_after_told_later", "answers", after.later as f64),
    ];
    figures.extend(waited("flood_ack", &met.waits));
    figures.extend(waited("flood_after_ack", &after.waits));
    figures.extend(waited("flood_page", &looks));
    figures.extend(compared("flood", found));
    figures.extend(memory("flood", &server));
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use bobbin_core::wire::{Limits, decode, inflate};

    use super::*;

    #[test]
    fn what_each_cluster_sends_is_taken_and_has_no_gap() {
        let flood = Flood {
            reports: 2,
            beats: 2,
            ..Flood::of(Size::Smoke)
        };
        let mut next = 1;
        for (number, report) in flood.at_once().iter().chain(&flood.usual()).enumerate() {
            let body = gzip(&report.sent_by(RUN, 7));
            let plain = inflate(&body, &Limits::default()).unwrap();
            let batch = decode(&plain).unwrap();
            assert_eq!(batch.header.cluster_id, scheduler_id(RUN, 7));
            assert_eq!(batch.header.first_seq, next);
            assert!(batch.header.records <= 2_000);
            assert_eq!(batch.bytes > 700_000, number < flood.reports);
            next += batch.header.records;
        }
    }

    #[test]
    fn more_comes_than_there_is_room_for() {
        // Of text: a third of what is held of it, decoded.
        const ROOM_BYTES: usize = 8 << 20;
        let report = Report::of(LARGEST, 0, 0..1).sent_by(RUN, 0);
        for size in [Size::Smoke, Size::Quick, Size::Full] {
            assert!(2 * report.len() * Flood::of(size).clusters > 9 * ROOM_BYTES);
        }
    }
}
