//! What a receiver is told when it starts.

use std::time::Duration;

use bobbin_core::install::{DEFAULT_PORT, Interface};
use bobbin_core::model::Micros;

use crate::gate::{KEY, Quota};
use crate::net::Deadlines;

/// How a receiver listens. It is always on 127.0.0.1 and, other than on Windows, always on a Unix socket; elsewhere only where a person
/// named an interface.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// TCP port; 0 is any that is free.
    pub port: u16,
    /// Whether a command line named it, which goes before the settings.
    pub port_by_option: bool,
    /// Where it listens besides, over TLS alone.
    pub interface: Option<Interface>,
    /// Whether a command line named it. One of the settings that is not here now, as in another network, keeps nobody else out.
    pub interface_by_option: bool,
    /// When it stops listening there; without it, it does for as long as it runs.
    pub interface_until: Option<Micros>,
    /// Between two looks whether the interface is still here, and two tries to listen on one that is not, as before a network is
    /// joined.
    pub interface_retry: Duration,
    /// Port of the UI door, 0 for any; `None` is no UI door.
    pub ui_port: Option<u16>,
    pub deadlines: Deadlines,
    /// What a key that was handed out may send.
    pub key_quota: Quota,
    /// What batches and uploads leave free on the disk; none is what suits the disk.
    pub least_free_bytes: Option<u64>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            port: DEFAULT_PORT,
            port_by_option: false,
            interface: None,
            interface_by_option: false,
            interface_until: None,
            interface_retry: Duration::from_secs(15),
            ui_port: None,
            deadlines: Deadlines::default(),
            key_quota: KEY,
            least_free_bytes: None,
        }
    }
}
