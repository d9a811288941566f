//! Somebody who looks at the overview meanwhile: signed in at the page's door, with its feed of changes open.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{
    bench::measure::{commits::Commits, page::Page, server::Server},
    process::{Failure, Result},
};

/// Looks again and again until it is stopped.
pub struct Looker {
    done: Arc<AtomicBool>,
    looking: JoinHandle<io::Result<Vec<f64>>>,
}

impl Looker {
    /// Signs in with the link of a receiver, which works once. A look begins `pause` after the one before, or once that
    /// is answered.
    ///
    /// # Errors
    /// The page's door does not let in.
    pub fn start(server: &Server, pause: Duration) -> Result<Self> {
        let page = Page::open(&server.link()?)?;
        let feed = Commits::told_to(&page)?;
        let done = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&done);
        let looking = thread::spawn(move || {
            let waits = look(page, pause, &told);
            drop(feed);
            waits
        });
        Ok(Self { done, looking })
    }

    /// How long each look took, in milliseconds, sorted.
    ///
    /// # Errors
    /// One was not answered.
    pub fn stop(self) -> Result<Vec<f64>> {
        self.done.store(true, Ordering::Relaxed);
        let waits = self
            .looking
            .join()
            .map_err(|_| Failure::new("the one who looks panicked"))?;
        let mut waits = waits.map_err(|error| Failure::new(format!("the page: {error}")))?;
        waits.sort_by(f64::total_cmp);
        Ok(waits)
    }
}

/// Asks what the first page asks, at least once.
fn look(mut page: Page, pause: Duration, done: &AtomicBool) -> io::Result<Vec<f64>> {
    let mut waits = Vec::new();
    loop {
        let begun = Instant::now();
        page.ask("overview", "{}")?;
        page.ask("clusters", "{}")?;
        waits.push(begun.elapsed().as_secs_f64() * 1e3);
        if done.load(Ordering::Relaxed) {
            return Ok(waits);
        }
        thread::sleep(pause.saturating_sub(begun.elapsed()));
    }
}
