//! What runs behind the window from the moment the store is open: the receiver, what the page is told, and what a person wishes for.

use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::Receiver,
    },
    thread,
};

use bobbin_attendant::{
    Attendant, Bobbin, Failure, Listening, Post, Start, Wish, Wishes, quit_on_signal,
};
use bobbin_core::api::{self, App, Empty};
use bobbin_core::lock::lock;
use tauri::{AppHandle, Manager};

use crate::{
    arguments::Arguments,
    changes::{self, Told},
    closing::{Leaving, Next},
    dialog, files,
    opened::Opened,
    places, shell, window,
};

/// It must be closed: that is what keeps what is queued.
pub struct Behind {
    bobbin: Arc<Bobbin>,
    told: Mutex<Option<(Told, io::Result<Listening>)>>,
    ending: Arc<AtomicBool>,
}

impl Behind {
    /// Lets clusters report and answers the page, in the window that waits for it or in one that is opened now, where it was left
    /// (`kept`) or where a link leads.
    ///
    /// # Errors
    /// The window cannot be made, or not be taken to where it is to be.
    pub fn begin(
        bobbin: Bobbin,
        window: &AppHandle,
        arguments: &Arguments,
        kept: Option<String>,
        (put, wished): (Wishes, Receiver<Wish>),
    ) -> tauri::Result<Self> {
        let bobbin = Arc::new(bobbin);
        let app = bobbin.app();
        let listening = Listening::start(app.dir(), put.clone())
            .inspect_err(|error| tracing::warn!(%error, "a second start will not be heard"));
        quit_on_signal(put.clone(), tauri::async_runtime::handle().inner());
        app.set_shell(Some(Arc::new(shell::Window::new(
            window.clone(),
            arguments,
        ))));
        window.state::<Opened>().put(app.clone());
        let told = changes::tell(app, window.clone());
        let (linked, failed) = places::lead(app, &arguments.opening.links);
        match linked {
            Some(address) if window::is_open(window) => window::lead(window, &address)?,
            None if window::is_open(window) => {}
            linked => window::open(window, linked.or(kept))?,
        }
        // The page begins meanwhile, in a process of its own.
        let begun = bobbin.begin();
        for failure in failed.into_iter().chain(begun.err()) {
            dialog::tell(failure, window);
        }
        files::hand(window, arguments.opening.files.clone());
        if arguments.demo {
            load_demo(window.clone(), app.clone());
        }
        let attendant = attend(&bobbin, put, window, arguments);
        let ending = Arc::new(AtomicBool::new(false));
        grant(
            wished,
            Arc::clone(&ending),
            window.clone(),
            Arc::clone(&bobbin),
            attendant,
        );
        Ok(Self {
            bobbin,
            told: Mutex::new(Some((told, listening))),
            ending,
        })
    }

    /// The window ends: nothing is wished for any more.
    pub fn end(&self, window: &AppHandle) {
        self.ending.store(true, Ordering::Relaxed);
        places::keep(window, self.bobbin.app().dir());
    }

    /// The window is gone. Lets requests under way finish, and commits what was acknowledged.
    pub fn close(&self) {
        self.bobbin.app().set_shell(None);
        if let Err(error) = self.bobbin.close() {
            Failure::from(error).print();
        }
        // Who comes now waits until the store is free.
        drop(lock(&self.told).take());
    }

    /// How this Bobbin goes on, without a window or with another one.
    pub fn again(&self, start: &Start) -> Start {
        self.bobbin.again(start)
    }
}

/// Stores the recorded story, unless something is stored already. The window is there before it is.
fn load_demo(window: AppHandle, app: App) {
    thread::spawn(move || {
        let stored = api::status(&app, Empty {}).and_then(|status| match status.clusters {
            0 => app.load_demo(),
            _ => Ok(0),
        });
        if let Err(error) = stored {
            dialog::tell(Failure::from(error), &window);
        }
    });
}

fn attend(
    bobbin: &Arc<Bobbin>,
    wishes: Wishes,
    window: &AppHandle,
    arguments: &Arguments,
) -> Attendant {
    let (watching, page) = (window.clone(), window.clone());
    let dir = bobbin.app().dir().to_path_buf();
    Attendant::start(Post {
        bobbin: Arc::clone(bobbin),
        wishes,
        hidden: false,
        demo: arguments.demo,
        watched: Box::new(move || {
            // One that is killed is where it was, too.
            places::keep(&watching, &dir);
            places::watched(&watching)
        }),
        news: Box::new(move || changes::news(&page)),
    })
}

/// Does what is wished for as long as there is a window. Who hands something to one that ends is not answered, and hands it to the
/// next.
fn grant(
    wished: Receiver<Wish>,
    ending: Arc<AtomicBool>,
    window: AppHandle,
    bobbin: Arc<Bobbin>,
    attendant: Attendant,
) {
    thread::spawn(move || {
        for wish in wished {
            match wish {
                _ if ending.load(Ordering::Relaxed) || !window::is_open(&window) => return,
                Wish::Open(opening, asker) => {
                    window::focus(&window);
                    files::hand(&window, opening.files);
                    places::follow(&window, bobbin.app(), &opening.links);
                    if let Some(asker) = asker {
                        asker.taken();
                    }
                }
                Wish::Pause => bobbin.pause(),
                Wish::Resume => {
                    if let Err(failure) = bobbin.resume() {
                        dialog::tell(failure, &window);
                    }
                }
                Wish::Anew => {
                    window.state::<Leaving>().decide(Next::Anew);
                    window.exit(0);
                    return;
                }
                Wish::Quit => {
                    window.exit(0);
                    return;
                }
            }
            attendant.hurry();
        }
    });
}
