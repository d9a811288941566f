//! What fails, said where the person looks: on stderr, and in a dialog if there is a display.

use bobbin_attendant::Failure;
use gtk::prelude::{DialogExt, GtkWindowExt, WidgetExt};
use tauri::AppHandle;

/// Says it on stderr and in a dialog, and waits until that was read.
pub fn show(failure: &Failure) {
    failure.print();
    if gtk::is_initialized() || gtk::init().is_ok() {
        dialog(failure).run();
    }
}

/// Says it on stderr and in a dialog beside the window, which goes on.
pub fn tell(failure: Failure, window: &AppHandle) {
    failure.print();
    let shown = window.run_on_main_thread(move || {
        let dialog = dialog(&failure);
        dialog.connect_response(|dialog, _| dialog.close());
        dialog.show();
    });
    if let Err(error) = shown {
        tracing::debug!(%error, "the window was gone");
    }
}

fn dialog(failure: &Failure) -> gtk::MessageDialog {
    let dialog = gtk::MessageDialog::builder()
        .title("Bobbin")
        .message_type(gtk::MessageType::Error)
        .buttons(gtk::ButtonsType::Close)
        .text(sentence(&failure.what))
        .secondary_text(sentence(failure.hint.as_deref().unwrap_or_default()))
        .build();
    dialog.set_default_response(gtk::ResponseType::Close);
    dialog
}

/// Words that follow "error:" on a terminal, as they stand alone in a dialog.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => format!(
            "{}{}.",
            first.to_uppercase(),
            letters.as_str().trim_end_matches('.')
        ),
        None => String::new(),
    }
}
