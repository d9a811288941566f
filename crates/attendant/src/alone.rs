//! Receiving without a window: a process that never asks for a display, and holds nothing of what draws one.

use std::{path::Path, sync::Arc, thread, time::Duration};

use tokio::runtime::Handle;

use crate::{
    attendant::{Attendant, Post},
    bobbin::{self, Bobbin},
    failure::Failure,
    instance::{self, Listening, Second},
    program,
    start::{Opening, Start},
    wish::{Wish, wishes},
};

/// Receives until the end, or until somebody wants a window: then how Bobbin goes on, and what it is to show. Where a Bobbin is
/// open on this folder already there is nothing to do.
///
/// # Errors
/// The store cannot be opened or closed.
pub fn alone(
    dir: &Path,
    start: &Start,
    runtime: &Handle,
) -> Result<Option<(Start, Opening)>, Failure> {
    program::take_little(true);
    let open = || Bobbin::open(dir, start, runtime);
    let Some(bobbin) = instance::first(dir, &Second::hidden(), open)? else {
        return Ok(None);
    };
    let bobbin = Arc::new(bobbin);
    reap();
    let (put, wished) = wishes();
    let listening = Listening::start(dir, put.clone())
        .inspect_err(|error| tracing::warn!(%error, "a second start will not be heard"));
    bobbin::quit_on_signal(put.clone(), runtime);
    if let Err(failure) = bobbin.begin() {
        failure.print();
    }
    let attendant = Attendant::start(Post {
        bobbin: Arc::clone(&bobbin),
        wishes: put,
        hidden: true,
        demo: false,
        watched: Box::new(|| None),
        news: Box::new(|| ()),
    });
    let mut opening = None;
    for wish in wished.iter() {
        match wish {
            Wish::Open(asked, asker) => match program::window_opens() {
                Ok(()) => {
                    opening = Some(asked);
                    if let Some(asker) = asker {
                        asker.taken();
                    }
                    break;
                }
                Err(failure) => {
                    failure.print();
                    if let Some(asker) = asker {
                        asker.refused(&failure);
                    }
                }
            },
            Wish::Quit => break,
            Wish::Pause => bobbin.pause(),
            Wish::Resume => {
                if let Err(failure) = bobbin.resume() {
                    failure.print();
                }
            }
        }
        attendant.hurry();
    }
    drop(attendant);
    let again = bobbin.again(start);
    let closed = bobbin.close();
    // Whoever asks now is told by nobody, and asks again.
    drop((wished, listening));
    match (closed, opening) {
        (Ok(()), opening) => Ok(opening.map(|opening| (again, opening))),
        (Err(error), None) => Err(error.into()),
        // What was taken over is shown all the same.
        (Err(error), Some(opening)) => {
            Failure::from(error).print();
            Ok(Some((again, opening)))
        }
    }
}

/// Takes leave of the processes that drew the page: they end when the window is gone, and are ours to count.
fn reap() {
    use rustix::process::{WaitOptions, wait};

    const MOST: u32 = 120;
    thread::spawn(|| {
        for _ in 0..MOST {
            if wait(WaitOptions::NOHANG).is_err() {
                return;
            }
            thread::sleep(Duration::from_millis(500));
        }
    });
}
