//! The window as `bobbin-core` knows it: what this desktop lets it do, and what was chosen.

use bobbin_attendant::{no_notices, no_tray};
use bobbin_core::{
    Error, Result,
    api::{Abilities, DesktopChoices, Shell},
};
use tauri::AppHandle;

use crate::{arguments::Arguments, login::Login, window};

/// The window of this process.
pub struct Window {
    app: AppHandle,
    login: std::result::Result<Login, String>,
    demo: bool,
}

impl Window {
    /// Of what was asked for.
    pub fn new(app: AppHandle, arguments: &Arguments) -> Self {
        Self {
            app,
            login: Login::of(arguments),
            demo: arguments.demo,
        }
    }
}

/// A demo is not where somebody lives.
const DEMO: &str = "this is a demo, and it ends with its window";

impl Shell for Window {
    fn abilities(&self) -> Abilities {
        let demo = self.demo.then(|| DEMO.to_owned());
        Abilities {
            no_tray: demo.clone().or_else(no_tray),
            no_notices: demo.or_else(no_notices),
            no_login: self.login.as_ref().err().cloned(),
            starts_at_login: self.login.as_ref().is_ok_and(Login::is_on),
        }
    }

    fn apply(&self, choices: &DesktopChoices) -> Result<()> {
        match &self.login {
            Ok(login) if login.is_on() != choices.start_at_login => {
                login.set(choices.start_at_login)
            }
            Err(why) if choices.start_at_login => Err(Error::Refused(format!(
                "Bobbin cannot start at login: {why}"
            ))),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn reset_window(&self) -> Result<()> {
        window::reset(&self.app);
        Ok(())
    }
}
