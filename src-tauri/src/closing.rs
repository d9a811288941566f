//! What closing the window means: the end, or the tray. It is asked once, and remembered.

use std::{
    mem,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use bobbin_attendant::{Failure, no_tray};
use bobbin_core::api::{self, App, DesktopChoices, Empty, OnClose, desktop_choices};
use bobbin_core::lock::lock;
use gtk::prelude::{DialogExt, GtkWindowExt, WidgetExt};
use tauri::{AppHandle, CloseRequestApi, Manager};

use crate::{opened::Opened, places, window};

/// What this program becomes when its window is gone.
#[derive(Debug, Default)]
pub enum Next {
    #[default]
    End,
    /// Receiving without a window.
    Tray,
    /// A window again, with the store opened anew.
    Anew,
    /// Nothing: there is no store to look at.
    Fail(Failure),
}

/// What was decided, and whether somebody is being asked.
#[derive(Default)]
pub struct Leaving {
    next: Mutex<Next>,
    asking: AtomicBool,
    /// The folder of the store, which need not be open yet.
    dir: PathBuf,
    /// A demo ends with its window.
    demo: bool,
}

impl Leaving {
    /// Nothing is decided yet.
    pub fn new(dir: PathBuf, demo: bool) -> Self {
        Self {
            dir,
            demo,
            ..Self::default()
        }
    }

    /// What was decided, once.
    pub fn next(&self) -> Next {
        mem::take(&mut *lock(&self.next))
    }

    /// Decides it, for the moment when the window is gone.
    pub fn decide(&self, next: Next) {
        *lock(&self.next) = next;
    }
}

/// What follows from a choice on this desktop.
#[derive(Debug, PartialEq, Eq)]
enum Follows {
    Quit,
    Keep,
    Ask,
    /// It was to stay in a tray that is not there: nobody could reach it.
    NoTray,
}

fn follows(choice: OnClose, tray: impl FnOnce() -> bool) -> Follows {
    if choice == OnClose::Quit {
        return Follows::Quit;
    }
    match (choice, tray()) {
        (OnClose::Keep, true) => Follows::Keep,
        (OnClose::Keep, false) => Follows::NoTray,
        (_, true) => Follows::Ask,
        (_, false) => Follows::Quit,
    }
}

/// The window is asked to close.
pub fn asked(app: &AppHandle, close: &CloseRequestApi) {
    let leaving = app.state::<Leaving>();
    places::keep(app, &leaving.dir);
    if leaving.demo {
        return;
    }
    match follows(desktop_choices(&leaving.dir).on_close, || {
        no_tray().is_none()
    }) {
        Follows::Quit => {}
        Follows::Keep => leaving.decide(Next::Tray),
        Follows::Ask => {
            close.prevent_close();
            ask(
                app,
                "Keep Bobbin in the tray?",
                "Clusters can then keep reporting while the window is closed. If you quit, they hold their reports and send \
                 them when Bobbin starts again. You can change this later in Settings.",
                &[("Quit", OnClose::Quit), ("Keep receiving", OnClose::Keep)],
                true,
            );
        }
        Follows::NoTray => {
            close.prevent_close();
            ask(
                app,
                "This desktop has no tray",
                "Bobbin is set to stay in the tray when you close its window, but you could not reach it there now. Closing \
                 the window quits Bobbin.",
                &[("Keep open", OnClose::Ask), ("Quit", OnClose::Quit)],
                false,
            );
        }
    }
}

/// Asks beside the window. [`OnClose::Ask`] stands for thinking better of it.
fn ask(
    app: &AppHandle,
    title: &str,
    words: &str,
    answers: &'static [(&'static str, OnClose)],
    remember: bool,
) {
    if app.state::<Leaving>().asking.swap(true, Ordering::Relaxed) {
        return;
    }
    let dialog = gtk::MessageDialog::builder()
        .title(title)
        .message_type(gtk::MessageType::Question)
        .text(title)
        .secondary_text(words)
        .modal(true)
        .build();
    if let Some(window) = app.get_webview_window(window::LABEL)
        && let Ok(window) = window.gtk_window()
    {
        dialog.set_transient_for(Some(&window));
    }
    for (number, (label, _)) in (0u16..).zip(answers) {
        dialog.add_button(label, gtk::ResponseType::Other(number));
        dialog.set_default_response(gtk::ResponseType::Other(number));
    }
    let app = app.clone();
    dialog.connect_response(move |dialog, response| {
        app.state::<Leaving>()
            .asking
            .store(false, Ordering::Relaxed);
        dialog.close();
        let answer = match response {
            gtk::ResponseType::Other(number) => answers.get(usize::from(number)),
            _ => None,
        };
        match answer {
            Some((_, choice @ (OnClose::Keep | OnClose::Quit))) => leave(&app, *choice, remember),
            Some((_, OnClose::Ask)) | None => {}
        }
    });
    dialog.show();
}

fn leave(app: &AppHandle, choice: OnClose, remember: bool) {
    if remember
        && let Some(store) = app.state::<Opened>().now()
        && let Err(error) = choose(store, choice)
    {
        // It is asked again next time, as it is where the store is not open yet.
        Failure::from(error).print();
    }
    if choice == OnClose::Keep {
        app.state::<Leaving>().decide(Next::Tray);
    }
    app.exit(0);
}

fn choose(app: &App, on_close: OnClose) -> bobbin_core::Result<()> {
    let choices = api::desktop(app, Empty {})?.choices;
    api::set_desktop(
        app,
        DesktopChoices {
            on_close,
            ..choices
        },
    )
    .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stays_only_by_choice_and_only_where_it_can_be_reached() {
        for (choice, tray, expected) in [
            (OnClose::Ask, true, Follows::Ask),
            (OnClose::Ask, false, Follows::Quit),
            (OnClose::Keep, true, Follows::Keep),
            (OnClose::Keep, false, Follows::NoTray),
            (OnClose::Quit, true, Follows::Quit),
            (OnClose::Quit, false, Follows::Quit),
        ] {
            assert_eq!(follows(choice, || tray), expected, "{choice:?} {tray}");
        }
    }
}
