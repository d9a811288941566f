//! What asks a verb that runs on to end: SIGTERM and SIGINT; on Windows Ctrl-C and Ctrl-Break.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlBreak, CtrlC, ctrl_break, ctrl_c};

use crate::failure::Failure;

/// Heard from the moment on that this is made; nothing else ends the process then.
#[cfg(unix)]
pub struct End {
    terminate: Signal,
    interrupt: Signal,
}

/// Heard from the moment on that this is made; nothing else ends the process then.
#[cfg(windows)]
pub struct End {
    interrupt: CtrlC,
    stop: CtrlBreak,
}

impl End {
    /// # Errors
    /// The system tells nothing of it.
    #[cfg(unix)]
    pub fn heard() -> Result<Self, Failure> {
        Ok(Self {
            terminate: signal(SignalKind::terminate()).map_err(unheard)?,
            interrupt: signal(SignalKind::interrupt()).map_err(unheard)?,
        })
    }

    /// # Errors
    /// The system tells nothing of it.
    #[cfg(windows)]
    pub fn heard() -> Result<Self, Failure> {
        Ok(Self {
            interrupt: ctrl_c().map_err(unheard)?,
            stop: ctrl_break().map_err(unheard)?,
        })
    }

    /// Gives back when it is time to end.
    #[cfg(unix)]
    pub async fn asked(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    /// Gives back when it is time to end.
    #[cfg(windows)]
    pub async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.stop.recv() => {}
        }
    }
}

fn unheard(error: std::io::Error) -> Failure {
    Failure::failed(format!("signals: {error}"))
}
