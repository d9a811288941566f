//! The open store and the receiver beside it, from the first moment of the window to its last.

use std::{path::Path, sync::Arc, thread};

use bobbin_core::{
    Result,
    api::{self, App, Empty, Role},
    clock::SystemClock,
};
use bobbin_http::{Config, Receiver, Running};
use tauri::{AppHandle, async_runtime};

use crate::{arguments::Arguments, failure::Failure};

/// One open Bobbin. It must be closed: that is what keeps what is queued.
pub struct Bobbin {
    app: App,
    receiver: Option<Running>,
}

impl Bobbin {
    /// Opens the store for writing and lets clusters report. A receiver that cannot listen is told and left out: what
    /// is stored can be looked at all the same.
    ///
    /// # Errors
    /// The store cannot be opened, for instance because a server writes to it.
    pub fn open(dir: &Path, arguments: &Arguments) -> Result<Self> {
        let app = App::open(dir, Role::Owner, Arc::new(SystemClock))?;
        let config = Config {
            port: arguments.port(),
            ..Config::default()
        };
        let receiver = match async_runtime::block_on(Receiver::start(app.clone(), config)) {
            Ok(receiver) => Some(receiver),
            Err(error) => {
                Failure::from(error)
                    .with_consequence("Clusters cannot report until then.")
                    .show();
                None
            }
        };
        Ok(Self { app, receiver })
    }

    /// The store.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Stores the recorded story, unless something is stored already. The window is there before it is.
    pub fn load_demo(&self) {
        let app = self.app.clone();
        thread::spawn(move || {
            let stored = api::status(&app, Empty {}).and_then(|status| match status.clusters {
                0 => app.load_demo(),
                _ => Ok(0),
            });
            if let Err(error) = stored {
                Failure::from(error).print();
            }
        });
    }

    /// Lets requests under way finish, and commits what was acknowledged.
    ///
    /// # Errors
    /// Something could not be stored.
    pub fn close(self) -> Result<()> {
        if let Some(receiver) = self.receiver {
            async_runtime::block_on(receiver.stop())?;
        }
        self.app.drain()
    }
}

/// Ending the session or the terminal closes the window as a click does.
pub fn quit_on_signal(window: AppHandle) {
    #[cfg(unix)]
    async_runtime::spawn(async move {
        use tokio::signal::unix::{SignalKind, signal};

        let (Ok(mut terminated), Ok(mut interrupted)) = (
            signal(SignalKind::terminate()),
            signal(SignalKind::interrupt()),
        ) else {
            tracing::warn!("signals are not heard: end Bobbin by closing its window");
            return;
        };
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
        window.exit(0);
    });
    #[cfg(not(unix))]
    drop(window);
}
