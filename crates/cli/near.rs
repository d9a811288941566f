//! Asking the receiver of this machine, by the way that is surely this user's: whoever took the port of a Bobbin that is gone must not
//! get the token.

use bobbin_core::install::Address;
use reqwest::{Client, ClientBuilder};

/// A way to the receiver.
pub struct Near {
    /// For people.
    pub shown: String,
    /// What a path is put behind.
    pub base: String,
    pub client: ClientBuilder,
}

impl Near {
    /// Its socket; none where it has none.
    #[cfg(unix)]
    pub fn of(address: &Address) -> Option<Self> {
        let socket = address.socket.clone()?;
        Some(Self {
            base: "http://bobbin".into(),
            client: Client::builder().unix_socket(socket.as_str()),
            shown: socket,
        })
    }

    /// Its port, over TLS to whoever has the certificate that `receiver.json` names.
    #[cfg(windows)]
    pub fn of(address: &Address) -> Option<Self> {
        let tls = bobbin_http::pinned(address.certificate_sha256.as_deref()?).ok()?;
        let base = format!("https://{}", address.tcp);
        Some(Self {
            shown: base.clone(),
            base,
            client: Client::builder().tls_backend_preconfigured(tls),
        })
    }
}
