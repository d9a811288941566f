//! The source that `register()` runs in the client and `--preload coiled.analytics` in the scheduler.
//!
//! The route takes no token, because no version of the client sends one. So what is handed out can only write, and any
//! process of this machine could write to a port that it may ask for a key; a web page is stopped by `Host` before.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use bobbin_core::api::App;
use bobbin_core::install::{PLUGIN, Token};
use bobbin_core::lock::lock;
use hyper::StatusCode;

use super::{Asked, Compat, ask};
use crate::answer::{Refusal, Response, typed};
use crate::net::Way;

/// What is served: the plugin as text inside, and the class that the client looks for.
const SERVED: &str = include_str!("../../../../assets/plugin/served.py");
/// A key younger than this is handed out again, so that asking in a loop does not fill the store.
const KEY_AGE: Duration = Duration::from_secs(1);

/// Where the served plugin is to send to, and with what.
pub struct Served {
    /// Of the Unix socket.
    socket: String,
    /// SHA-256 of the certificate in hexadecimal.
    certificate: String,
    last_key: Mutex<Option<(Instant, Token)>>,
}

impl Served {
    pub fn new(socket: String, certificate: String) -> Self {
        Self {
            socket,
            certificate,
            last_key: Mutex::default(),
        }
    }

    /// The address by which the asker reached us: it then reaches us again through the same tunnel or name. Also where it
    /// asked in the clear, since the port answers TLS too: from then on the plugin knows whom it talks to, and whose orders
    /// it may obey.
    fn address(&self, asked: &Asked<'_>) -> String {
        match asked.way {
            Way::Plain | Way::Tls | Way::Network => {
                format!("https://{}#sha256={}", asked.host, self.certificate)
            }
            Way::Socket => format!("unix://{}", self.socket),
        }
    }

    fn recent_key(&self) -> Option<Token> {
        let last = lock(&self.last_key);
        last.as_ref()
            .filter(|(at, _)| at.elapsed() < KEY_AGE)
            .map(|(_, key)| key.clone())
    }

    fn remember(&self, key: &Token) {
        *lock(&self.last_key) = Some((Instant::now(), key.clone()));
    }
}

impl Compat {
    pub(super) async fn preload(&self, asked: &Asked<'_>) -> Result<Response, Refusal> {
        let key = match self.served.recent_key() {
            Some(key) => key,
            None => {
                let key = ask(&self.app, App::new_ingest_key).await?;
                self.served.remember(&key);
                key
            }
        };
        let source = render(&self.served.address(asked), &key);
        Ok(typed(
            StatusCode::OK,
            "text/x-python; charset=utf-8",
            source,
        ))
    }
}

/// Fills the blanks of the template with literals that Python reads as it reads JSON's.
fn render(address: &str, key: &Token) -> String {
    let literal = |text: &str| serde_json::Value::from(text).to_string();
    SERVED
        .replace("__BOBBIN_RECEIVER__", &literal(address))
        .replace("__BOBBIN_KEY__", &literal(key.expose()))
        // Last: the plugin's text may name the other blanks.
        .replace("__BOBBIN_SOURCE__", &literal(PLUGIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_blank_is_filled() {
        let source = render("http://127.0.0.1:8788", &Token::random().unwrap());
        assert!(source.contains("\"http://127.0.0.1:8788\""));
        assert!(SERVED.contains("__BOBBIN_SOURCE__"));
        let outside = source.replace(&serde_json::Value::from(PLUGIN).to_string(), "");
        assert!(!outside.contains("__BOBBIN_"), "a blank was left");
    }
}
