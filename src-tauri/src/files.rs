//! Files that a person hands to the window: on the command line, with a second launch, dropped on it, or chosen; and where one
//! is to be saved. The page reads and writes no file, and names none.

use std::{collections::VecDeque, path::PathBuf, sync::Mutex};

use bobbin_attendant::Failure;
use bobbin_core::api::{self, BundleContents, SaveRequest, Saved};
use bobbin_core::lock::lock;
use serde::Serialize;
use tauri::{AppHandle, Emitter, Manager, State};

use crate::{
    command::{ApiError, FAULT},
    opened::Opened,
};

/// The page's event: something waits.
const EVENT: &str = "handed";

/// Files that wait at most: nobody looks at more of them, one after the other.
const MOST: usize = 100;

/// A file that was looked at, or why not.
#[derive(Debug, Serialize)]
pub struct Handed {
    number: u64,
    name: String,
    contents: Option<BundleContents>,
    error: Option<ApiError>,
}

/// What nothing was decided of yet, by numbers: the page may not be there when the first file comes, asks for one after the other,
/// and is loaded anew when it goes to another store.
#[derive(Default)]
pub struct Waiting(Mutex<Files>);

#[derive(Default)]
struct Files {
    first_to_last: VecDeque<(u64, PathBuf)>,
    /// The number of the last that came.
    last: u64,
}

impl Waiting {
    /// Takes as many as there is room for. How many were left out, the last ones.
    fn add(&self, paths: Vec<PathBuf>) -> usize {
        let mut files = lock(&self.0);
        let room = MOST - files.first_to_last.len();
        let left_out = paths.len().saturating_sub(room);
        for path in paths.into_iter().take(room) {
            files.last += 1;
            let number = files.last;
            files.first_to_last.push_back((number, path));
        }
        left_out
    }

    fn first(&self) -> Option<(u64, PathBuf)> {
        lock(&self.0).first_to_last.front().cloned()
    }

    fn decided(&self, number: u64) {
        lock(&self.0).first_to_last.retain(|(of, _)| *of != number);
    }
}

/// Tells the page that files wait for it, and the person of those that are too many.
pub fn hand(window: &AppHandle, paths: Vec<PathBuf>) {
    if paths.is_empty() {
        return;
    }
    let left_out = window.state::<Waiting>().add(paths);
    if let Err(error) = window.emit(EVENT, ()) {
        tracing::warn!(%error, "the page was not told of a file");
    }
    if left_out > 0 {
        crate::dialog::tell(too_many(left_out), window);
    }
}

fn too_many(left_out: usize) -> Failure {
    let files = match left_out {
        1 => "1 file was".into(),
        many => format!("the last {many} files were"),
    };
    Failure::new(format!(
        "{files} left out: at most {MOST} wait to be looked at"
    ))
    .hint("open the rest afterwards, or run `bobbin import FILE…` to import many at once")
}

/// The first file that waits for the page, looked at away from the thread that draws. It stays here until something is decided of it:
/// a page that is loaded anew meanwhile asks for it again.
#[tauri::command]
pub async fn handed(window: AppHandle) -> Option<Handed> {
    // A window that waits for a large store takes files already.
    let app = window.state::<Opened>().wait().await;
    let (number, path) = window.state::<Waiting>().first()?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy().into_owned();
    let looked = off_thread(move || app.offer_file(&path)).await;
    let (contents, error) = match looked {
        Ok(contents) => (Some(contents), None),
        Err(error) => (None, Some(error)),
    };
    Some(Handed {
        number,
        name,
        contents,
        error,
    })
}

/// Something was decided of a file that the page was handed, or the reader thought better of it.
#[tauri::command]
pub fn decided(waiting: State<'_, Waiting>, number: u64) {
    waiting.decided(number);
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
        Err(_) => Err(bobbin_core::Error::NotAnswered(FAULT.into()).into()),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: impl IntoIterator<Item = usize>) -> Vec<PathBuf> {
        names
            .into_iter()
            .map(|name| name.to_string().into())
            .collect()
    }

    #[test]
    fn a_file_waits_until_something_is_decided_of_it() {
        let waiting = Waiting::default();
        // The same file twice is two files.
        assert_eq!(waiting.add(paths([7, 7])), 0);
        let (first, _) = waiting.first().unwrap();
        assert_eq!(waiting.first().unwrap().0, first);
        waiting.decided(first);
        let (second, path) = waiting.first().unwrap();
        assert!(second != first && path.as_os_str() == "7");
        // A page that is gone may say it late.
        waiting.decided(first);
        assert_eq!(waiting.first().unwrap().0, second);
        waiting.decided(second);
        assert_eq!(waiting.first(), None);
    }

    #[test]
    fn what_is_too_much_is_left_out_and_said_with_the_way_out() {
        let waiting = Waiting::default();
        assert_eq!(waiting.add(paths(0..MOST - 1)), 0);
        assert_eq!(waiting.add(paths([1, 2, 3])), 2);
        assert_eq!(waiting.add(paths([4])), 1);
        waiting.decided(waiting.first().unwrap().0);
        assert_eq!(waiting.add(paths([5])), 0);
        for (left_out, words) in [
            (1, "1 file was left out"),
            (2, "the last 2 files were left out"),
        ] {
            let said = too_many(left_out).to_string();
            assert!(
                said.contains(words) && said.contains("bobbin import"),
                "{said}"
            );
        }
    }
}
