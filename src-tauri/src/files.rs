//! Files that a person hands to the window: on the command line, with a second launch, dropped on it, or chosen; and where one
//! is to be saved. The page reads and writes no file, and names none.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
};

use bobbin_core::api::{self, App, BundleContents, SaveRequest, Saved};
use bobbin_core::lock::lock;
use serde::Serialize;
use tauri::{AppHandle, Emitter, Manager, State};

use crate::{command::ApiError, opened::Opened};

/// The page's event: something waits.
const EVENT: &str = "handed";

/// A file that was looked at, or why not.
#[derive(Debug, Serialize)]
pub struct Handed {
    name: String,
    contents: Option<BundleContents>,
    error: Option<ApiError>,
}

/// What the page has not asked for yet: it may not be there when the first file comes, and it asks for one after the other.
#[derive(Default)]
pub struct Waiting(Mutex<VecDeque<PathBuf>>);

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, VecDeque<PathBuf>> {
        lock(&self.0)
    }
}

/// Tells the page that files wait for it.
pub fn hand(window: &AppHandle, paths: Vec<PathBuf>) {
    if paths.is_empty() {
        return;
    }
    window.state::<Waiting>().lock().extend(paths);
    if let Err(error) = window.emit(EVENT, ()) {
        tracing::warn!(%error, "the page was not told of a file");
    }
}

fn look(app: &App, path: &Path) -> Handed {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy().into_owned();
    match app.offer_file(path) {
        Ok(contents) => Handed {
            name,
            contents: Some(contents),
            error: None,
        },
        Err(error) => Handed {
            name,
            contents: None,
            error: Some(error.into()),
        },
    }
}

/// The first file that waits for the page, looked at away from the thread that draws. The others stay here for the page that asks
/// next: it is loaded anew when it goes to another store.
#[tauri::command]
pub async fn handed(
    waiting: State<'_, Waiting>,
    opened: State<'_, Opened>,
) -> Result<Option<Handed>, ApiError> {
    // A window that waits for a large store takes files already.
    let app = opened.wait().await;
    let first = waiting.lock().pop_front();
    let Some(path) = first else {
        return Ok(None);
    };
    off_thread(move || Ok(Some(look(&app, &path)))).await
}

/// Asks for files to open: bundles, and those of other programs.
#[tauri::command]
pub async fn choose_bundle(window: AppHandle) {
    let chosen = dialog::ask(&window, dialog::Asked::Open).await;
    hand(&window, chosen);
}

/// Asks where a file of this name is to be. The file is not made: nothing is written over.
#[tauri::command]
pub async fn choose_place(window: AppHandle, name: String) -> Option<PathBuf> {
    let chosen = dialog::ask(&window, dialog::Asked::Save { name }).await;
    chosen.into_iter().next()
}

/// Saves what the page shows as a file, where the reader wants it; nothing where they thought better of it.
#[tauri::command]
pub async fn save(
    window: AppHandle,
    opened: State<'_, Opened>,
    request: SaveRequest,
    beside: Option<String>,
) -> Result<Option<Saved>, ApiError> {
    let own = opened.wait().await;
    let of = api::store_of_file(&own, beside.as_deref(), &request)?;
    let made = off_thread(move || bobbin_save::made(&of, &request)).await?;
    let asked = dialog::Asked::Save {
        name: made.name.clone(),
    };
    let Some(path) = dialog::ask(&window, asked).await.into_iter().next() else {
        return Ok(None);
    };
    let saved = off_thread(move || api::write_made(&own, &made, &path)).await?;
    Ok(Some(saved))
}

/// Away from the thread that draws.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> bobbin_core::Result<T> + Send + 'static,
) -> Result<T, ApiError> {
    match tauri::async_runtime::spawn_blocking(work).await {
        Ok(done) => Ok(done?),
        Err(error) => Err(bobbin_core::Error::NotAnswered(error.to_string()).into()),
    }
}

#[cfg(target_os = "linux")]
mod dialog {
    use std::{cell::RefCell, path::PathBuf, rc::Rc, sync::mpsc::sync_channel};

    use bobbin_core::foreign::READ;
    use gtk::prelude::{FileChooserExt, NativeDialogExt};
    use tauri::{AppHandle, async_runtime::spawn_blocking};

    pub enum Asked {
        Open,
        Save { name: String },
    }

    /// What was chosen; nothing where the person thought better of it.
    pub async fn ask(window: &AppHandle, asked: Asked) -> Vec<PathBuf> {
        let (sender, receiver) = sync_channel(1);
        let shown = window.run_on_main_thread(move || {
            show(&asked, move |chosen| {
                // Whoever asked may be gone with the page.
                let _ = sender.try_send(chosen);
            });
        });
        if shown.is_err() {
            return Vec::new();
        }
        let chosen = spawn_blocking(move || receiver.recv().unwrap_or_default()).await;
        chosen.unwrap_or_default()
    }

    /// Shows the dialog of the desktop. It does not wait: the window goes on drawing.
    fn show(asked: &Asked, done: impl Fn(Vec<PathBuf>) + 'static) {
        let (title, action, accept) = match asked {
            Asked::Open => ("Open a file", gtk::FileChooserAction::Open, "Open"),
            Asked::Save { .. } => ("Save as a file", gtk::FileChooserAction::Save, "Save"),
        };
        let dialog = gtk::FileChooserNative::new(
            Some(title),
            None::<&gtk::Window>,
            action,
            Some(accept),
            Some("Cancel"),
        );
        dialog.set_select_multiple(matches!(asked, Asked::Open));
        match asked {
            Asked::Open => {
                dialog.add_filter(filter(
                    "Files Bobbin can read",
                    READ.map(|end| format!("*{end}")),
                ));
                // What a file is, its content says: it may be called otherwise.
                dialog.add_filter(filter("All files", ["*".into()]));
            }
            Asked::Save { name } => {
                dialog.set_current_name(name);
            }
        }
        // Nothing else holds it until it was answered.
        let kept = Rc::new(RefCell::new(Some(dialog.clone())));
        dialog.connect_response(move |dialog, response| {
            let accepted = response == gtk::ResponseType::Accept;
            done(if accepted {
                dialog.filenames()
            } else {
                Vec::new()
            });
            kept.take();
        });
        dialog.show();
    }

    fn filter(called: &str, patterns: impl IntoIterator<Item = String>) -> gtk::FileFilter {
        let filter = gtk::FileFilter::new();
        filter.set_name(Some(called));
        for pattern in patterns {
            filter.add_pattern(&pattern);
        }
        filter
    }
}

#[cfg(not(target_os = "linux"))]
mod dialog {
    use std::path::PathBuf;

    use tauri::AppHandle;

    pub enum Asked {
        Open,
        Save { name: String },
    }

    /// The shell does both: `bobbin import` and `bobbin export`.
    pub async fn ask(_: &AppHandle, _: Asked) -> Vec<PathBuf> {
        Vec::new()
    }
}
