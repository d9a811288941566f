//! `bobbin tray`: what the window is while it is closed. It receives, with an icon in the tray, until it is quit or opened.

use std::path::Path;

use bobbin_attendant::{Goes, Start, alone, become_window};
use tokio::runtime::Runtime;

use crate::args::TrayArgs;
use crate::failure::Failure;

/// Runs the verb: gives back when it is quit, or at once where a Bobbin is open on the folder already. Opened, this process becomes the window.
pub fn run(data_dir: &Path, args: &TrayArgs) -> Result<(), Failure> {
    let mut start = Start {
        data_dir: Some(data_dir.into()),
        port: args.port,
        paused: args.paused,
    };
    loop {
        let runtime = Runtime::new().map_err(|e| Failure::failed(format!("the network: {e}")))?;
        let ended = alone(data_dir, &start, runtime.handle());
        // The desktop may take its time with a last answer.
        runtime.shutdown_background();
        start = match ended? {
            Goes::End => return Ok(()),
            Goes::Anew(next) => next,
            Goes::Window(next, opening) => {
                // It comes back only where the window's program does not start: then clusters report on.
                become_window(&next, &opening).print();
                next
            }
        };
    }
}

impl From<bobbin_attendant::Failure> for Failure {
    fn from(failure: bobbin_attendant::Failure) -> Self {
        Self {
            exit: failure.code.into(),
            code: failure.code,
            message: failure.what,
            hint: failure.hint,
        }
    }
}
