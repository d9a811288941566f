//! What a receiver is told when it starts.

use crate::net::Deadlines;

/// The port beside Dask's own: its scheduler has 8786, its dashboard 8787.
pub const DEFAULT_PORT: u16 = 8788;

/// How a receiver listens. It is always on 127.0.0.1 and always on a Unix socket.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// TCP port; 0 is any that is free.
    pub port: u16,
    /// Port of the UI door, 0 for any; `None` is no UI door.
    pub ui_port: Option<u16>,
    pub deadlines: Deadlines,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            port: DEFAULT_PORT,
            ui_port: None,
            deadlines: Deadlines::default(),
        }
    }
}
