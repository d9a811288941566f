//! The receiver, asked the way a plugin would: over its socket, or with its certificate on Windows, and over its port.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bobbin_core::api::{DoctorCheck, DoctorVerdict};
use bobbin_core::install::{self, Address, Interface, Settings};
use bobbin_core::model::{Micros, visible};
use serde::Deserialize;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConnection, StreamOwned};

use crate::exchange::exchange;
use crate::near::Near;
use crate::net::{look_for, pinned};

/// A receiver on the same machine answers at once or not at all.
const PATIENCE: Duration = Duration::from_secs(5);
/// What the way is called that surely leads to this user's receiver.
const SURELY: &str = if cfg!(windows) {
    "certificate"
} else {
    "socket"
};

#[derive(Deserialize)]
struct Health {
    version: String,
    /// Requests, by reason; another version may not say.
    #[serde(default)]
    refused: BTreeMap<String, u64>,
}

/// Asks the receiver of a folder by every way in that it offers.
pub fn probe(dir: &Path, now: Micros) -> Vec<DoctorCheck> {
    let address = match install::read_address(dir) {
        Ok(Some(address)) => address,
        Ok(None) => {
            let hint = "start `bobbin serve` or the app, or resume it in the tray where it is paused; until then, Bobbin does not see \
                        clusters run";
            return vec![DoctorCheck::wrong("receiver", "not running", hint)];
        }
        Err(error) => return vec![DoctorCheck::failed("receiver", &error)],
    };
    // Only an existing token is asked with: a check makes none.
    let token = dir
        .join("token")
        .exists()
        .then(|| install::token(dir))
        .transpose();
    let token = match &token {
        Ok(Some(token)) => token.expose(),
        Ok(None) | Err(_) => "",
    };
    let mut checks = ask_all(&address, token);
    // What is wrong with the settings is told where the folder is looked at.
    let set = install::settings(dir).unwrap_or_default();
    checks.extend(not_reached(&address, &set, now));
    checks
}

fn ask_all(address: &Address, token: &str) -> Vec<DoctorCheck> {
    let surely = Near::of(address).map(|near| {
        let asked = near
            .connect(PATIENCE)
            .and_then(|stream| health(stream, near.host(), token));
        check(SURELY, &near.to_string(), asked, address.pid)
    });
    // While the receiver lives the port is its own. Whoever took that of one that is gone must not get the token.
    let lives = surely
        .as_ref()
        .is_some_and(|check| check.verdict == DoctorVerdict::Ok);
    let over_port = connect(&address.tcp)
        .and_then(|stream| health(stream, &address.tcp, if lives { token } else { "" }));
    let from_elsewhere = lives.then(|| over_interface(address, token)).flatten();
    std::iter::once(check("receiver", &address.tcp, over_port, address.pid))
        .chain(surely)
        .chain(from_elsewhere)
        .collect()
}

/// Asks as a scheduler on another machine does, and says what one is told there.
fn over_interface(address: &Address, token: &str) -> Option<DoctorCheck> {
    let (interface, receiver) = address.interface.as_ref().zip(address.from_elsewhere())?;
    let pin = address.certificate_sha256.as_deref()?;
    if let Some(check) = away(interface) {
        return Some(check);
    }
    let asked = secure(interface, pin).and_then(|stream| health(stream, interface, token));
    let shown = format!("https://{interface}");
    let mut check = check("interface", &shown, asked, address.pid);
    if check.verdict == DoctorVerdict::Ok {
        check.found.push_str(&format!(
            ", for other machines; set there: bobbin.receiver: {receiver}"
        ));
    }
    Some(check)
}

/// Where this machine does not have the address of the interface now. Another one may have it, and is not asked.
fn away(interface: &str) -> Option<DoctorCheck> {
    let address: SocketAddr = interface.parse().ok()?;
    let named: Interface = address.ip().to_string().parse().ok()?;
    if look_for(named).is_ok() {
        return None;
    }
    Some(DoctorCheck::wrong(
        "interface",
        format!("{interface} is set, but this machine does not have that address now"),
        "the receiver listens there as soon as it is back: `ip address` lists those this machine has",
    ))
}

/// Where the settings name an interface and it does not listen there.
fn not_reached(address: &Address, set: &Settings, now: Micros) -> Option<DoctorCheck> {
    let named: Interface = set.interface_at(now)?;
    if address.interface.is_some() {
        return None;
    }
    Some(DoctorCheck::wrong(
        "interface",
        format!("settings.toml names {named}, but the receiver does not listen there"),
        "restart it; if that does not help, this machine does not have that address now: `ip address` lists the ones it has",
    ))
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let address: SocketAddr = address.parse().map_err(io::Error::other)?;
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// The same over TLS, to whoever has the pinned certificate.
fn secure(address: &str, pin: &str) -> io::Result<impl Read + Write + use<>> {
    let stream = connect(address)?;
    let tls = pinned(pin).map_err(io::Error::other)?;
    let name = ServerName::from(stream.peer_addr()?.ip());
    let tls = ClientConnection::new(Arc::new(tls), name).map_err(io::Error::other)?;
    Ok(StreamOwned::new(tls, stream))
}

fn health(stream: impl Read + Write, host: &str, token: &str) -> io::Result<(u16, Option<Health>)> {
    let token = match token {
        "" => String::new(),
        token => format!("Authorization: Bearer {token}\r\n"),
    };
    let head =
        format!("GET /v1/health HTTP/1.1\r\nHost: {host}\r\n{token}Connection: close\r\n\r\n");
    let (status, body) = exchange(stream, &head, b"", PATIENCE)?;
    Ok((status, serde_json::from_str(&body).ok()))
}

fn check(
    name: &'static str,
    shown: &str,
    asked: io::Result<(u16, Option<Health>)>,
    pid: u32,
) -> DoctorCheck {
    match asked {
        Ok((200, Some(health))) if health.version == env!("CARGO_PKG_VERSION") => DoctorCheck::ok(
            name,
            format!(
                "answers at {shown} (process {pid}{})",
                refused(&health.refused)
            ),
        ),
        Ok((200, Some(health))) => DoctorCheck::wrong(
            name,
            format!(
                "{shown} is version {}, this is {}",
                health.version,
                env!("CARGO_PKG_VERSION")
            ),
            "stop it and start this version",
        ),
        Ok((status, _)) => DoctorCheck::wrong(
            name,
            format!("{shown} answered {status}"),
            "another program may be listening there, or the token has changed: restart the receiver",
        ),
        Err(error) => DoctorCheck::wrong(
            name,
            format!("{shown} does not answer: {error}"),
            format!("process {pid} was killed or hangs: start `bobbin serve` or the app"),
        ),
    }
}

/// What it refused since it started, by reason: `; refused 3 busy, 1 quota`.
fn refused(counts: &BTreeMap<String, u64>) -> String {
    let words: Vec<String> = counts
        .iter()
        .map(|(reason, count)| format!("{count} {}", visible::plain(reason)))
        .collect();
    if words.is_empty() {
        String::new()
    } else {
        format!("; refused {}", words.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_answers_is_told_apart_from_another_version_another_program_and_nobody() {
        let health = |version: &str| Health {
            version: version.into(),
            refused: BTreeMap::from([("busy".into(), 3)]),
        };
        let told = |asked| check("receiver", "127.0.0.1:8788", asked, 7);
        let well = told(Ok((200, Some(health(env!("CARGO_PKG_VERSION"))))));
        assert_eq!(
            (well.verdict, well.found.as_str()),
            (
                DoctorVerdict::Ok,
                "answers at 127.0.0.1:8788 (process 7; refused 3 busy)"
            )
        );
        let wrong = [
            (Ok((200, Some(health("99.0.0")))), "is version 99.0.0"),
            (Ok((200, None)), "answered 200"),
            (Ok((401, None)), "answered 401"),
            (Err(io::Error::other("nobody")), "does not answer: nobody"),
        ];
        for (asked, words) in wrong {
            let found = told(asked);
            assert_eq!(found.verdict, DoctorVerdict::Wrong);
            assert!(
                found.found.contains(words) && found.hint.is_some(),
                "{found:?}"
            );
        }
    }
}
