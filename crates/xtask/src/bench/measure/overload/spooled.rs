//! 50 folders of the spool, left by schedulers that reached nobody for eight hours and are gone: they are read at a
//! start. Some have what a recorded run sends, with its texts sealed.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use bobbin_core::{
    install::{prepare, spool_dir},
    seal::PublicKey,
};

use super::{
    HERD, LOOK, USUAL, compared, failed, figure, look::Looker, memory, slept_beats,
    told::Comparison, used, waited,
};
use crate::{
    bench::measure::{
        batches::Report, figure::Figure, folder::Folder, server::Server, size::Size,
        store::replay::Story,
    },
    process::{Failure, Result},
    torture::spool::leave,
};

/// A plugin that reaches nobody writes a file for each quarter of a megabyte: so many usual beats.
const BEATS_A_FILE: usize = 64;
/// Far more than is promised.
const PATIENCE: Duration = Duration::from_secs(1_800);
const RUN: usize = 3;

/// What lies there.
struct Spool {
    /// Folders with a recorded run each; the others have usual beats.
    recorded: usize,
    beats: usize,
    story: Story,
}

impl Spool {
    fn of(size: Size) -> Result<Self> {
        Ok(Self {
            recorded: match size {
                Size::Full | Size::Quick => 10,
                Size::Smoke => 3,
            },
            beats: slept_beats(size),
            story: Story::read()?,
        })
    }

    /// The batches of a folder, in order.
    fn batches(&self, folder: usize) -> Vec<String> {
        if folder < self.recorded {
            let copy = format!("{folder:04x}");
            let places = self.story.run(folder);
            return places
                .map(|place| self.story.report(place, &copy))
                .collect();
        }
        let begins = (0..self.beats).step_by(BEATS_A_FILE);
        begins
            .map(|begin| {
                let end = self.beats.min(begin + BEATS_A_FILE);
                Report::of(USUAL, folder, begin..end).sent_by(RUN, folder)
            })
            .collect()
    }

    /// How many reports the schedulers could not send.
    fn reports(&self) -> usize {
        let recorded = (0..self.recorded).map(|folder| self.story.run(folder).len());
        recorded.sum::<usize>() + (HERD - self.recorded) * self.beats
    }

    /// Leaves all of it in a data folder that was used before.
    fn leave(&self, data: &Path) -> Result {
        used(data)?;
        let key = PublicKey::published(data).ok_or_else(|| Failure::new("there is no key"))?;
        let spool = spool_dir(data);
        prepare(&spool).map_err(failed)?;
        for folder in 0..HERD {
            for batch in self.batches(folder) {
                // What has no sample has texts, and is sealed.
                let is_sealed = !batch.contains("\"kind\":\"sample\"");
                leave(&spool, batch.as_bytes(), is_sealed.then_some(&key))?;
            }
        }
        Ok(())
    }
}

/// Measures a start on them.
///
/// # Errors
/// As [`super::measure`]; they are not read.
pub fn measure(bobbin: &Path, size: Size) -> Result<Vec<Figure>> {
    let spool = Spool::of(size)?;
    let folder = Folder::make("spool")?;
    let data = folder.0.join("spool");
    spool.leave(&data)?;
    let start = Instant::now();
    let server = Server::start(bobbin, data.clone())?;
    let looker = Looker::start(&server, LOOK)?;
    let emptied = emptied(&spool_dir(&data));
    let drained = start.elapsed().as_secs_f64();
    let looks = looker.stop();
    emptied?;
    let looks = looks?;
    let mut comparison = Comparison::of(&data)?;
    for folder in 0..HERD {
        comparison.reports(spool.batches(folder))?;
    }
    let found = comparison.end()?;
    let per_second = spool.reports() as f64 / drained;
    let mut figures = vec![
        figure("spool_drained", "s", drained),
        figure("spool_batches_per_s", "1/s", per_second),
    ];
    figures.extend(waited("spool_page", &looks));
    figures.extend(compared("spool", found));
    figures.extend(memory("spool", &server));
    Ok(figures)
}

/// Waits until nothing is left there: a folder goes once everything in it is durable.
fn emptied(spool: &Path) -> Result {
    let end = Instant::now() + PATIENCE;
    while fs::read_dir(spool)?.next().is_some() {
        if Instant::now() > end {
            return Err(Failure::new("the spool is not read"));
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{env, path::PathBuf, process, sync::Arc};

    use bobbin_core::{
        api::{App, Role},
        clock::SystemClock,
        inbox::Watching,
    };

    use super::*;
    use crate::torture::work::Found;

    fn paths(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn what_is_left_is_read_at_a_start_and_all_of_it_is_there() {
        let data = env::temp_dir().join(format!("bobbin-spooled-{}", process::id()));
        let _ = fs::remove_dir_all(&data);
        let spool = Spool {
            recorded: 3,
            beats: BEATS_A_FILE + 1,
            story: Story::read().unwrap(),
        };
        spool.leave(&data).unwrap();
        let folders = paths(&spool_dir(&data));
        assert_eq!(folders.len(), HERD);
        let of_text = |path: &PathBuf| path.extension().is_some_and(|end| end == "sealed");
        let with_text = folders
            .iter()
            .filter(|folder| paths(folder).iter().any(of_text))
            .count();
        assert_eq!(with_text, 3);

        let app = App::open(&data, Role::Owner, Arc::new(SystemClock)).unwrap();
        let watching = Watching::start(app.clone(), &[]).unwrap();
        emptied(&spool_dir(&data)).unwrap();
        watching.stop();
        let mut comparison = Comparison::of(&data).unwrap();
        for folder in 0..HERD {
            comparison.reports(spool.batches(folder)).unwrap();
        }
        assert_eq!(comparison.end().unwrap(), Found::default());
        app.drain().unwrap();
        drop(app);
        fs::remove_dir_all(&data).unwrap();
    }
}
