//! 50 clusters that come back and send as fast as they are acknowledged what they kept for eight hours.

use std::{path::Path, time::Instant};

use super::{
    HERD, LOOK, USUAL, compared, figure,
    look::Looker,
    memory,
    send::{send, senders},
    told::Comparison,
    waited,
};
use crate::{
    bench::measure::{
        batches::{Report, gzip},
        figure::Figure,
        folder::Folder,
        server::Server,
    },
    process::Result,
};

/// Measures them with so many beats to tell of.
///
/// # Errors
/// As [`super::measure`].
pub fn measure(bobbin: &Path, beats: usize) -> Result<Vec<Figure>> {
    let folder = Folder::make("herd")?;
    let data = folder.0.join("herd");
    let server = Server::start(bobbin, data.clone())?;
    let door = server.socket()?;
    let looker = Looker::start(&server, LOOK)?;
    let start = Instant::now();
    let met = senders(HERD, |cluster, met| {
        (0..beats).try_for_each(|beat| send(&door, &gzip(&report(cluster, beat)), met))
    });
    let drained = start.elapsed().as_secs_f64();
    let looks = looker.stop();
    let (met, looks) = (met?, looks?);
    let mut comparison = Comparison::of(&data)?;
    for cluster in 0..HERD {
        comparison.reports((0..beats).map(|beat| report(cluster, beat)))?;
    }
    let found = comparison.end()?;
    let per_second = met.waits.len() as f64 / drained;
    let mut figures = vec![
        figure("herd_drained", "s", drained),
        figure("herd_batches_per_s", "1/s", per_second),
        figure("herd_told_later", "answers", met.later as f64),
        figure("herd_unsaid", "answers", met.unsaid as f64),
    ];
    figures.extend(waited("herd_page", &looks));
    figures.extend(compared("herd", found));
    figures.extend(memory("herd", &server));
    Ok(figures)
}

fn report(cluster: usize, beat: usize) -> String {
    Report::of(USUAL, cluster, beat..beat + 1).sent_by(1, cluster)
}
