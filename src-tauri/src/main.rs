//! Bobbin's window: the page over `bobbin-core` in this process, and the receiver beside it. Nothing is decided here.

mod arguments;
mod changes;
mod closing;
mod command;
mod dialog;
mod files;
mod login;
mod menu;
mod places;
mod shell;
mod window;

use std::{
    io::{self, Write},
    panic::resume_unwind,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

use arguments::{Arguments, Asked};
use bobbin_attendant::{
    Attendant, Bobbin, Failure, Listening, OPENS, Post, Second, Start, Wish, Wishes, become_tray,
    first, hand_over, quit_on_signal, wishes,
};
use bobbin_core::{
    api::{self, App, Empty},
    install::keep_crashes,
};
use closing::{Leaving, Next};
use tauri::{AppHandle, Manager, RunEvent};
use tokio::runtime::Runtime;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some(answered) = api::begin_sql() {
        return answered;
    }
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("BOBBIN_LOG")
                .unwrap_or_else(|_| "warn".into()),
        )
        .with_writer(io::stderr)
        .init();
    let arguments = match arguments::read(std::env::args_os().skip(1)) {
        Asked::Window(arguments) => arguments,
        Asked::Display => {
            if window::require_display().is_ok() {
                // Nobody who hears it could do more about it.
                let _ = writeln!(io::stdout(), "{OPENS}");
            }
            return ExitCode::SUCCESS;
        }
        Asked::Words { text, exit_code } => {
            eprint!("{text}");
            return ExitCode::from(exit_code);
        }
    };
    let ended = Runtime::new()
        .map_err(|error| Failure::new(format!("the network: {error}")))
        .and_then(|runtime| {
            // The one runtime of the process.
            tauri::async_runtime::set(runtime.handle().clone());
            let ended = in_window(&arguments, &runtime);
            // What waits for the page, which is gone, is not waited for.
            runtime.shutdown_background();
            ended
        });
    let failure = match ended {
        Ok(None) => return ExitCode::SUCCESS,
        Ok(Some(next)) => become_tray(&next),
        Err(failure) => failure,
    };
    dialog::show(&failure);
    ExitCode::FAILURE
}

/// Opens the window and stays until it is closed; then how Bobbin goes on without one, where it does.
fn in_window(arguments: &Arguments, runtime: &Runtime) -> Result<Option<Start>, Failure> {
    let dir = arguments.folder()?;
    keep_crashes(&dir);
    let second = Second::opening(&arguments.opening);
    if hand_over(&dir, &second)? {
        return Ok(None);
    }
    window::require_display()?;
    let runtime = runtime.handle();
    let open = || Bobbin::open(&dir, &arguments.start, runtime);
    // A large store is read while the desktop's libraries begin, which they do in this thread alone.
    let (opened, app) = thread::scope(|scope| {
        let opening = scope.spawn(|| first(&dir, &second, open));
        let app = shell_of_window();
        (opening.join(), app)
    });
    let Some(bobbin) = opened.unwrap_or_else(|panic| resume_unwind(panic))? else {
        return Ok(None);
    };
    let app = app.map_err(not_opened)?;
    let bobbin = Arc::new(bobbin);
    let (put, wished) = wishes();
    let listening = Listening::start(&dir, put.clone())
        .inspect_err(|error| tracing::warn!(%error, "a second start will not be heard"));
    quit_on_signal(put.clone(), runtime);
    if let Err(failure) = bobbin.begin() {
        dialog::show(&failure);
    }

    let handle = app.handle().clone();
    app.manage(bobbin.app().clone());
    app.manage(files::Waiting::default());
    app.manage(Leaving::new(arguments.demo));
    bobbin.app().set_shell(Some(Arc::new(shell::Window::new(
        handle.clone(),
        arguments,
    ))));
    menu::put(&handle, put.clone()).map_err(not_opened)?;
    let told = changes::tell(bobbin.app(), handle.clone());
    let (linked, failed) = places::lead(bobbin.app(), &arguments.opening.links);
    let kept = places::kept(&dir).filter(|_| !arguments.demo);
    window::open(&handle, linked.or(kept)).map_err(not_opened)?;
    for failure in failed {
        dialog::tell(failure, &handle);
    }
    files::hand(&handle, arguments.opening.files.clone());
    if arguments.demo {
        load_demo(handle.clone(), bobbin.app().clone());
    }
    let attendant = attend(&bobbin, put, &handle, arguments);
    let ending = Arc::new(AtomicBool::new(false));
    grant(
        wished,
        Arc::clone(&ending),
        handle.clone(),
        Arc::clone(&bobbin),
        attendant,
    );

    let closing = Arc::clone(&bobbin);
    let mut open = Some((told, listening));
    let exit_code = app.run_return(move |app, event| match event {
        RunEvent::ExitRequested { .. } => {
            ending.store(true, Ordering::Relaxed);
            places::keep(app, closing.app().dir());
        }
        RunEvent::Exit => {
            closing.app().set_shell(None);
            if let Err(error) = closing.close() {
                Failure::from(error).print();
            }
            // Who comes now waits until the store is free.
            drop(open.take());
        }
        _ => {}
    });
    match (exit_code, handle.state::<Leaving>().next()) {
        (0, Next::End) => Ok(None),
        (0, Next::Tray) => Ok(Some(bobbin.again(&arguments.start))),
        _ => Err(Failure::new(format!("the window ended with {exit_code}"))),
    }
}

/// What the window is opened in: nothing of it is seen yet.
fn shell_of_window() -> tauri::Result<tauri::App> {
    tauri::Builder::default()
        .plugin(window::remember_size())
        .invoke_handler(tauri::generate_handler![
            command::call,
            files::handed,
            files::choose_bundle,
            files::choose_place,
            files::save
        ])
        .build(tauri::generate_context!())
}

fn not_opened(error: tauri::Error) -> Failure {
    Failure::new(format!("the window does not open: {error}"))
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
    let watching = window.clone();
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
    })
}

/// Does what is wished for as long as there is a window. Who hands something to one that ends is not answered, and hands it to the
/// next.
fn grant(
    wished: mpsc::Receiver<Wish>,
    ending: Arc<AtomicBool>,
    app: AppHandle,
    bobbin: Arc<Bobbin>,
    attendant: Attendant,
) {
    thread::spawn(move || {
        for wish in wished {
            match wish {
                _ if ending.load(Ordering::Relaxed) || !window::is_open(&app) => return,
                Wish::Open(opening, asker) => {
                    window::focus(&app);
                    files::hand(&app, opening.files);
                    places::follow(&app, &opening.links);
                    if let Some(asker) = asker {
                        asker.taken();
                    }
                }
                Wish::Pause => bobbin.pause(),
                Wish::Resume => {
                    if let Err(failure) = bobbin.resume() {
                        dialog::tell(failure, &app);
                    }
                }
                Wish::Quit => {
                    app.exit(0);
                    return;
                }
            }
            attendant.hurry();
        }
    });
}
