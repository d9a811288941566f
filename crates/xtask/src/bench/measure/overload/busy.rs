//! 200 clusters that report on time. Every other of them sends what a recorded run sent, with code, failures, events
//! and profiles.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use bobbin_core::clock::{Clock as _, SystemClock};

use super::{
    BEAT, BUSY, USUAL, compared, figure,
    look::Looker,
    memory,
    send::{Rhythm, send, senders},
    told::Comparison,
    waited,
};
use crate::{
    bench::measure::{
        batches::{Report, gzip},
        figure::Figure,
        folder::Folder,
        server::Server,
        store::replay::Story,
    },
    process::Result,
};

/// Somebody who looks for an hour looks each second.
const LOOK: Duration = Duration::from_secs(1);

/// Measures them for some time.
///
/// # Errors
/// As [`super::measure`].
pub fn measure(bobbin: &Path, time: Duration) -> Result<Vec<Figure>> {
    let story = Story::read()?;
    let folder = Folder::make("overload")?;
    let data = folder.0.join("busy");
    let server = Server::start(bobbin, data.clone())?;
    let door = server.socket()?;
    let beats = (time.as_secs_f64() / BEAT.as_secs_f64()).ceil() as usize;
    let before = server.holds();
    let looker = Looker::start(&server, LOOK)?;
    let rhythm = Rhythm {
        start: Instant::now(),
        beat: BEAT,
        clusters: BUSY,
    };
    let met = senders(BUSY, |cluster, met| {
        for beat in 0..beats {
            rhythm.wait(beat, cluster);
            let report = match recorded(&story, cluster, beat) {
                None => usual(cluster, beat),
                Some((place, copy)) => story.report_at(place, &copy, SystemClock.now().0)?,
            };
            send(&door, &gzip(&report), met)?;
        }
        Ok(())
    });
    let looks = looker.stop();
    let (met, looks) = (met?, looks?);
    let mut comparison = Comparison::of(&data)?;
    for cluster in 0..BUSY {
        comparison.reports((0..beats).map(|beat| told(&story, cluster, beat)))?;
    }
    let found = comparison.end()?;
    let after = server.holds();
    let mut figures = vec![
        figure("busy_batches", "batches", met.waits.len() as f64),
        figure("busy_told_later", "answers", met.later as f64),
        figure("busy_unsaid", "answers", met.unsaid as f64),
    ];
    figures.extend(waited("busy_ack", &met.waits));
    figures.extend(waited("busy_page", &looks));
    figures.extend(compared("busy", found));
    figures.extend(memory("busy", &server));
    if let (Some([open, threads]), Some([open_after, threads_after])) = (before, after) {
        let more = [
            ("busy_descriptors_more", open_after - open),
            ("busy_threads_more", threads_after - threads),
        ];
        figures.extend(more.map(|(metric, count)| figure(metric, "more", count)));
    }
    Ok(figures)
}

/// What a cluster told, whenever that was.
fn told(story: &Story, cluster: usize, beat: usize) -> String {
    match recorded(story, cluster, beat) {
        None => usual(cluster, beat),
        Some((place, copy)) => story.report(place, &copy),
    }
}

fn usual(cluster: usize, beat: usize) -> String {
    Report::of(USUAL, cluster, beat..beat + 1).sent_by(0, cluster)
}

/// Where in the story a cluster is, and which copy of it, if it tells one. Each begins at another place, so that at any
/// time there is everything: such a run began before there was a receiver. When it is over, the next one begins.
fn recorded(story: &Story, cluster: usize, beat: usize) -> Option<(usize, String)> {
    if cluster.is_multiple_of(2) {
        return None;
    }
    let place = cluster * story.batches() / BUSY + beat;
    let round = place / story.batches();
    Some((place, format!("{cluster:04x}{round:04x}")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn half_of_them_tell_of_everything_from_the_first_beat_on() {
        let story = Story::read().unwrap();
        let told: Vec<_> = (0..BUSY)
            .filter_map(|cluster| recorded(&story, cluster, 0))
            .collect();
        assert_eq!(told.len(), BUSY / 2);
        let text: String = told
            .iter()
            .map(|(place, copy)| story.report(*place, copy))
            .collect();
        for kind in [
            "sample",
            "worker",
            "task_group",
            "computation",
            "exception",
            "event",
            "span",
            "metric",
            "profile",
        ] {
            assert!(text.contains(&format!("\"kind\":\"{kind}\"")), "{kind}");
        }
    }

    #[test]
    fn a_run_that_is_over_begins_as_another_cluster() {
        let story = Story::read().unwrap();
        let (_, first) = recorded(&story, 1, 0).unwrap();
        let ids: BTreeSet<String> = (0..2 * story.batches())
            .filter_map(|beat| recorded(&story, 1, beat))
            .map(|(_, copy)| copy)
            .collect();
        assert!(ids.len() >= 2 && ids.contains(&first));
    }
}
