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

/// How Bobbin goes on after it received without a window.
#[derive(Debug)]
pub enum Goes {
    /// With a window, and what it is to show.
    Window(Start, Opening),
    /// As before, with a store that is opened anew.
    Anew(Start),
    /// Not at all.
    End,
}

/// Receives until the end, until somebody wants a window, or until the store is to be opened anew. Where a Bobbin is open on this
/// folder already there is nothing to do.
///
/// # Errors
/// The store cannot be opened or closed.
pub fn alone(dir: &Path, start: &Start, runtime: &Handle) -> Result<Goes, Failure> {
    program::take_little(true);
    let open = || Bobbin::open(dir, start, runtime);
    let Some(bobbin) = instance::first(dir, &Second::hidden(), open)? else {
        return Ok(Goes::End);
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
    let mut anew = false;
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
            Wish::Anew => {
                anew = true;
                break;
            }
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
    // Who wished for the end meanwhile gets it.
    anew &= !wished.try_iter().any(|wish| matches!(wish, Wish::Quit));
    // Whoever asks now is told by nobody, and asks again.
    drop((wished, listening));
    let goes = match opening {
        Some(opening) => Goes::Window(again, opening),
        None if anew => Goes::Anew(again),
        None => Goes::End,
    };
    match (closed, &goes) {
        (Err(error), Goes::End) => Err(error.into()),
        // What was taken over is shown all the same, and what is damaged moved aside.
        (Err(error), Goes::Window(..) | Goes::Anew(_)) => {
            Failure::from(error).print();
            Ok(goes)
        }
        (Ok(()), _) => Ok(goes),
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
