//! Bobbin's window: the page over `bobbin-core` in this process, and the receiver beside it. Nothing is decided here.

mod arguments;
mod behind;
mod changes;
mod closing;
mod command;
mod dialog;
mod files;
mod login;
mod menu;
mod opened;
mod places;
mod shell;
mod window;

use std::{
    io::{self, Write},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::Receiver,
    },
    time::{Duration, Instant},
};

use arguments::{Arguments, Asked};
use behind::Behind;
use bobbin_attendant::{
    Bobbin, Failure, OPENS, Opening, Second, Start, Wish, Wishes, become_tray, become_window,
    first, hand_over, wishes,
};
use bobbin_core::{api, install::keep_crashes};
use closing::{Leaving, Next};
use opened::Opened;
use tauri::{AppHandle, Manager, RunEvent};
use tokio::{runtime::Runtime, task::JoinHandle, time::timeout};

/// A store that opens within this is there before the window. One that takes longer, as a large one does that must be read whole, is
/// waited for in a window whose page says so. That another Bobbin has it is known sooner. The time counts that the libraries of the
/// desktop take to begin.
const SOON: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    if let Some(answered) = api::begin() {
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
            // Nobody who hears it could do more about a stream that is closed.
            let _ = match exit_code {
                0 => write!(io::stdout(), "{text}"),
                _ => write!(io::stderr(), "{text}"),
            };
            return ExitCode::from(exit_code);
        }
    };
    let ended = Runtime::new()
        .map_err(|error| Failure::new(format!("could not start the network runtime: {error}")))
        .and_then(|runtime| {
            // The one runtime of the process.
            tauri::async_runtime::set(runtime.handle().clone());
            let ended = in_window(&arguments, &runtime);
            // What waits for the page, which is gone, is not waited for.
            runtime.shutdown_background();
            ended
        });
    let failure = match ended {
        Ok(Goes::End) => return ExitCode::SUCCESS,
        Ok(Goes::Tray(start)) => become_tray(&start),
        Ok(Goes::Anew(start)) => become_window(&start, &Opening::default()),
        Err(failure) => failure,
    };
    dialog::show(&failure);
    ExitCode::FAILURE
}

/// How Bobbin goes on once its window is closed.
enum Goes {
    Tray(Start),
    /// With another window, as the store is to be opened anew.
    Anew(Start),
    End,
}

/// Opens the window and stays until it is closed; then how Bobbin goes on.
fn in_window(arguments: &Arguments, runtime: &Runtime) -> Result<Goes, Failure> {
    let dir = arguments.folder()?;
    keep_crashes(&dir);
    let second = Second::opening(&arguments.opening);
    if hand_over(&dir, &second)? {
        return Ok(Goes::End);
    }
    window::require_display()?;
    // A large store is read while the libraries of the desktop and the page begin. The window is never hidden: a page that begins in
    // one that nobody sees, drawn without a graphics processor, takes WebKit down.
    let reading = Arc::new(AtomicBool::new(false));
    let began = Instant::now();
    let opening = runtime.spawn_blocking({
        let (dir, start, runtime) = (
            dir.clone(),
            arguments.start.clone(),
            runtime.handle().clone(),
        );
        let reading = Arc::clone(&reading);
        move || {
            first(&dir, &second, || {
                reading.store(true, Ordering::Relaxed);
                let opened = Bobbin::open(&dir, &start, &runtime);
                reading.store(false, Ordering::Relaxed);
                opened
            })
        }
    });
    let app = shell_of_window().map_err(not_opened)?;
    let handle = app.handle().clone();
    app.manage(Opened::default());
    app.manage(files::Waiting::default());
    app.manage(Leaving::new(dir.clone(), arguments.demo));
    let (put, wished) = wishes();
    menu::put(&handle, put.clone()).map_err(not_opened)?;
    let kept = places::kept(&dir).filter(|_| !arguments.demo);
    runtime.spawn({
        let (window, arguments) = (handle.clone(), arguments.clone());
        async move {
            let there = window.clone();
            let waits = kept.clone();
            let opened = meanwhile(opening, &reading, began, || {
                let window = there.clone();
                // Where it cannot be made now, it is tried once more, and said then.
                let _ = there.run_on_main_thread(move || drop(window::open(&window, waits)));
            })
            .await;
            let there = window.clone();
            let begun = window.run_on_main_thread(move || {
                begin(opened, &there, &arguments, kept, (put, wished));
            });
            if let Err(error) = begun {
                tracing::debug!(%error, "the window was gone");
            }
        }
    });

    let exit_code = app.run_return(|app, event| {
        let Some(behind) = app.try_state::<Behind>() else {
            return;
        };
        match event {
            RunEvent::ExitRequested { .. } => behind.end(app),
            RunEvent::Exit => behind.close(),
            _ => {}
        }
    });
    let again = || {
        handle.try_state::<Behind>().map_or_else(
            || arguments.start.clone(),
            |behind| behind.again(&arguments.start),
        )
    };
    match (exit_code, handle.state::<Leaving>().next()) {
        (_, Next::Fail(failure)) => Err(failure),
        (0, Next::End) => Ok(Goes::End),
        (0, Next::Tray) => Ok(Goes::Tray(again())),
        (0, Next::Anew) => Ok(Goes::Anew(again())),
        _ => Err(Failure::new(format!("the window exited with {exit_code}"))),
    }
}

/// The store, once it is opened. Who waits longer for it sees the window: but not where another Bobbin has the store, which is to
/// show its own.
async fn meanwhile<T>(
    mut opening: JoinHandle<Result<T, Failure>>,
    reading: &AtomicBool,
    began: Instant,
    show: impl FnOnce(),
) -> Result<T, Failure> {
    let mut show = Some(show);
    let mut patience = SOON.saturating_sub(began.elapsed());
    let opened = loop {
        match timeout(patience, &mut opening).await {
            Ok(opened) => break opened,
            Err(_) if reading.load(Ordering::Relaxed) => {
                if let Some(show) = show.take() {
                    show();
                }
            }
            Err(_) => {}
        }
        patience = SOON;
    };
    // Not what a panic says: that may be what a cluster said.
    opened.unwrap_or_else(|_| {
        Err(Failure::new(
            "could not open the store: Bobbin itself failed",
        ))
    })
}

/// Goes on in the window with the store that was opened; ends where another Bobbin has it, or it cannot be opened.
fn begin(
    opened: Result<Option<Bobbin>, Failure>,
    window: &AppHandle,
    arguments: &Arguments,
    kept: Option<String>,
    wishes: (Wishes, Receiver<Wish>),
) {
    let begun = opened.and_then(|bobbin| match bobbin {
        Some(bobbin) => Behind::begin(bobbin, window, arguments, kept, wishes)
            .map(Some)
            .map_err(not_opened),
        None => Ok(None),
    });
    match begun {
        Ok(Some(behind)) => {
            window.manage(behind);
        }
        Ok(None) => window.exit(0),
        Err(failure) => {
            window.state::<Leaving>().decide(Next::Fail(failure));
            window.exit(1);
        }
    }
}

/// What the window is opened in: nothing of it is seen yet.
fn shell_of_window() -> tauri::Result<tauri::App> {
    tauri::Builder::default()
        .plugin(window::remember_size())
        .invoke_handler(tauri::generate_handler![
            command::call,
            files::handed,
            files::decided,
            files::choose_bundle,
            files::choose_place,
            files::save
        ])
        .build(tauri::generate_context!())
}

fn not_opened(error: tauri::Error) -> Failure {
    Failure::new(format!("could not open the window: {error}"))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[tokio::test]
    async fn a_window_is_seen_while_a_large_store_is_read_and_not_while_another_has_it() {
        for (is_reading, seen) in [(true, true), (false, false)] {
            let (reading, shown) = (AtomicBool::new(is_reading), AtomicUsize::new(0));
            let opening = tokio::spawn(async {
                tokio::time::sleep(SOON * 3).await;
                Ok("open")
            });
            let show = || {
                shown.fetch_add(1, Ordering::Relaxed);
            };
            let opened = meanwhile(opening, &reading, Instant::now(), show).await;
            assert_eq!(opened.unwrap(), "open");
            assert_eq!(shown.into_inner(), usize::from(seen));
        }
    }

    #[tokio::test]
    async fn what_was_waited_for_already_is_not_waited_for_once_more() {
        let shown = AtomicUsize::new(0);
        let opening = tokio::spawn(async {
            tokio::time::sleep(SOON / 2).await;
            Ok(())
        });
        let began = Instant::now().checked_sub(SOON).unwrap();
        let show = || {
            shown.fetch_add(1, Ordering::Relaxed);
        };
        meanwhile(opening, &AtomicBool::new(true), began, show)
            .await
            .unwrap();
        assert_eq!(shown.into_inner(), 1);
    }

    #[tokio::test]
    async fn a_store_that_opens_soon_is_there_when_the_window_is_seen() {
        let opening = tokio::spawn(async {
            tokio::time::sleep(SOON / 2).await;
            Ok(())
        });
        let seen = || panic!("it is not seen before");
        meanwhile(opening, &AtomicBool::new(true), Instant::now(), seen)
            .await
            .unwrap();
    }
}
