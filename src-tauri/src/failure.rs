//! Why the window does not open, said where the person looks: on stderr, and in a dialog if there is a display.

use std::fmt;

/// What failed, and what to do about it.
#[derive(Debug)]
pub struct Failure {
    what: String,
    hint: Option<String>,
}

impl Failure {
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            hint: None,
        }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds what does not work meanwhile.
    pub fn with_consequence(mut self, consequence: &str) -> Self {
        let hint = self.hint.take();
        self.hint = Some(hint.map_or_else(
            || consequence.into(),
            |hint| format!("{hint}. {consequence}"),
        ));
        self
    }

    /// Says it on stderr.
    pub fn print(&self) {
        eprintln!("{self}");
    }

    /// Says it on stderr and in a dialog, and waits until that was read.
    pub fn show(&self) {
        self.print();
        #[cfg(target_os = "linux")]
        dialog(&self.what, self.hint.as_deref());
    }
}

/// A window opened from a desktop has no terminal to read.
#[cfg(target_os = "linux")]
fn dialog(what: &str, hint: Option<&str>) {
    use gtk::prelude::{DialogExt, GtkWindowExt};

    if !gtk::is_initialized() && gtk::init().is_err() {
        return;
    }
    let dialog = gtk::MessageDialog::builder()
        .title("Bobbin")
        .message_type(gtk::MessageType::Error)
        .buttons(gtk::ButtonsType::Close)
        .text(sentence(what))
        .secondary_text(sentence(hint.unwrap_or_default()))
        .build();
    dialog.set_default_response(gtk::ResponseType::Close);
    dialog.run();
    // The window may still open after this one.
    dialog.close();
}

/// Words that follow "error:" on a terminal, as they stand alone in a dialog.
#[cfg(target_os = "linux")]
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

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "error: {}", self.what)?;
        match &self.hint {
            Some(hint) => write!(out, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<bobbin_core::Error> for Failure {
    fn from(error: bobbin_core::Error) -> Self {
        Self {
            what: error.to_string(),
            hint: error.hint(),
        }
    }
}

impl From<tauri::Error> for Failure {
    fn from(error: tauri::Error) -> Self {
        Self::new(format!("the window does not open: {error}"))
    }
}
