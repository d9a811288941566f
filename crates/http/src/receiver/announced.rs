//! Where a receiver can be found, said to plugins and to the status page.

use std::net::SocketAddr;
use std::path::Path;

use bobbin_core::api::{App, InterfaceStatus, ReceiverStatus};
use bobbin_core::install::{self, Address};
use bobbin_core::{Error, Result};

use super::config::Config;

/// What is said of a receiver for as long as it runs. Its interface may come later.
#[derive(Clone)]
pub(super) struct Announced {
    app: App,
    address: Address,
    port_asked: u16,
    port_by_option: bool,
}

impl Announced {
    /// Of a receiver that listens there. Nothing is said yet.
    ///
    /// # Errors
    /// [`Error::Io`] when the data folder has no absolute path.
    pub(super) fn of(
        app: &App,
        config: &Config,
        tcp: SocketAddr,
        socket: Option<&Path>,
        certificate_sha256: &str,
    ) -> Result<Self> {
        let dir = app.dir();
        let token_file = std::path::absolute(dir.join("token")).map_err(|source| Error::Io {
            path: dir.into(),
            source,
        })?;
        Ok(Self {
            app: app.clone(),
            address: Address {
                pid: std::process::id(),
                tcp: tcp.to_string(),
                interface: None,
                socket: socket.map(super::shown),
                token_file: super::shown(&token_file),
                certificate_sha256: Some(certificate_sha256.to_owned()),
                started_micros: app.now(),
            },
            port_asked: config.port,
            port_by_option: config.port_by_option,
        })
    }

    pub(super) fn app(&self) -> &App {
        &self.app
    }

    /// Writes `receiver.json`, and has the status tell the same. An interface that a command line named stays in the file while it is
    /// away, so that the doctor, which knows of it from there alone, says so.
    ///
    /// # Errors
    /// Those of [`install::write_address`].
    pub(super) fn say(&self, interface: Option<InterfaceStatus>) -> Result<Address> {
        let address = Address {
            interface: interface
                .as_ref()
                .filter(|interface| interface.failed.is_none() || interface.by_option)
                .map(|interface| interface.address.clone()),
            ..self.address.clone()
        };
        install::write_address(self.app.dir(), &address)?;
        self.app.set_receiver(Some(ReceiverStatus {
            pid: address.pid,
            tcp: address.tcp.clone(),
            socket: address.socket.clone(),
            interface,
            started_micros: address.started_micros,
            port_asked: self.port_asked,
            port_by_option: self.port_by_option,
        }));
        Ok(address)
    }
}
