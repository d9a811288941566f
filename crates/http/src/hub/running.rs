//! A hub that listens: on one TCP address, with TLS and nothing else, and on a Unix socket for whoever runs it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bobbin_core::install::write_private;
use bobbin_core::{Error, Result};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pages::Pages;
use super::routes::Routes;
use super::turns::Turns;
use super::{Command, Hub};
use crate::gate::Hosts;
use crate::net::{
    Caps, Connections, Deadlines, Identity, LOOPBACK, Listening, Service, SocketFile, Stop, Way,
    accept_socket, accept_tcp, bind, connect_socket, listen_socket,
};
use crate::team::{is_address, is_sha256};

const PLACE: &str = "hub.json";
/// Three for each of 200 members, a page of theirs and what it hears, all from one address where a proxy stands before the hub.
/// A process has 1,024 files as a rule, and the stores have some of them.
const CAPS: Caps = Caps {
    all: 768,
    per_address: 640,
};
/// How often what nobody goes on with is looked for. It goes by the hub's clock.
const TIDY: Duration = Duration::from_secs(3_600);

/// How a hub listens.
#[derive(Clone, Debug)]
pub struct HubConfig {
    /// An address of this machine, never all of them.
    pub listen: SocketAddr,
    /// Names with ports under which it is reached, the first in join codes; the address itself where there are none.
    pub names: Vec<String>,
    /// Certificate and key in PEM; its own where there are none.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// What join codes pin where another program answers TLS in front of it.
    pub pin: Option<String>,
    pub deadlines: Deadlines,
}

impl HubConfig {
    pub fn new(listen: SocketAddr) -> Self {
        Self {
            listen,
            names: Vec::new(),
            certificate: None,
            pin: None,
            deadlines: Deadlines::default(),
        }
    }
}

/// Where a hub is, as its join codes say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HubPlace {
    /// Host and port.
    pub address: String,
    pub certificate_sha256: String,
    /// Where it hears commands; nowhere on Windows.
    pub socket: Option<PathBuf>,
}

impl HubPlace {
    /// Where the hub in `dir` is or was last.
    pub fn of(dir: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(dir.join(PLACE)).ok()?).ok()
    }
}

/// A hub that listens until [`RunningHub::stop`], or until this is dropped.
#[must_use = "dropping it stops the hub"]
pub struct RunningHub {
    pub tcp: SocketAddr,
    pub place: HubPlace,
    hub: Arc<Hub>,
    deadlines: Deadlines,
    listening: Listening,
    _socket_file: Option<SocketFile>,
}

impl RunningHub {
    /// Listens, and answers from now on.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an address that means all of them, a name or a pin that is none, or a certificate that cannot be
    /// used; [`Error::AddressTaken`], [`Error::Io`].
    pub async fn start(hub: Hub, config: HubConfig) -> Result<Self> {
        let listen = config.listen;
        if listen.ip().to_canonical().is_unspecified() {
            return Err(Error::Invalid {
                what: "address",
                value: listen.to_string(),
                reason: "it means every address of the machine; use the one your team can reach"
                    .into(),
            });
        }
        // No laptop reads a join code with others.
        if let Some(name) = config.names.iter().find(|name| !is_address(name)) {
            return Err(Error::Invalid {
                what: "name",
                value: name.chars().take(100).collect(),
                reason: "use a host name with a port, such as hub.example.org:8789".into(),
            });
        }
        if let Some(pin) = config.pin.as_ref().filter(|pin| !is_sha256(pin)) {
            return Err(Error::Invalid {
                what: "pin",
                value: pin.chars().take(100).collect(),
                reason: "use the SHA-256 of the certificate, 64 digits in lower case".into(),
            });
        }
        let io = |source: std::io::Error| match source.kind() {
            std::io::ErrorKind::AddrInUse => Error::AddressTaken {
                address: listen.to_string(),
            },
            _ => Error::Io {
                path: listen.to_string().into(),
                source,
            },
        };
        let listener = bind(listen).await.map_err(io)?;
        let tcp = listener.local_addr().map_err(io)?;
        let mut names = config.names;
        if names.is_empty() {
            names.push(tcp.to_string());
        }
        let identity = match &config.certificate {
            Some((certificate, key)) => Identity::given(certificate, key)?,
            None => {
                let hosts = names.iter().filter_map(|name| name.rsplit_once(':'));
                let mut hosts: Vec<&str> = hosts
                    .map(|(host, _)| host.trim_matches(['[', ']']))
                    .collect();
                hosts.extend(LOOPBACK);
                Identity::load_or_make(hub.dir(), &hosts)?
            }
        };
        let (socket, socket_file) = listen_socket(hub.dir()).await?.unzip();
        let place = HubPlace {
            address: names[0].clone(),
            certificate_sha256: config.pin.unwrap_or(identity.sha256),
            socket: socket_file.as_ref().map(|file| file.path().to_path_buf()),
        };
        write_private(&hub.dir().join(PLACE), &serde_json::to_vec(&place)?)?;
        // A browser leaves the usual port out.
        let usual: Vec<String> = names
            .iter()
            .filter_map(|name| name.strip_suffix(":443").map(str::to_owned))
            .collect();
        names.extend(usual);
        names.push(tcp.to_string());
        let (stop_sender, stop) = Stop::new();
        let hub = Arc::new(hub);
        let service = Service {
            handler: Arc::new(Routes {
                hub: Arc::clone(&hub),
                hosts: Hosts::named(names),
                place: place.clone(),
                pages: Pages::new(stop.clone()),
                turns: Turns::new(),
            }),
            refused: Arc::new(|code| tracing::debug!(code, "a connection was refused")),
            connections: Connections::new(CAPS),
            deadlines: config.deadlines,
            tls: Some(identity.acceptor),
            plain: false,
            secure: Way::Tls,
            stop: stop.clone(),
        };
        let connections = vec![service.connections.clone()];
        let mut loops = Vec::new();
        if let Some(socket) = socket {
            loops.push(tokio::spawn(accept_socket(socket, service.clone())));
        }
        loops.push(tokio::spawn(accept_tcp(listener, service)));
        loops.push(tokio::spawn(tidy(Arc::clone(&hub), stop)));
        Ok(Self {
            tcp,
            place,
            hub,
            deadlines: config.deadlines,
            listening: Listening {
                stop: stop_sender,
                loops,
                connections,
            },
            _socket_file: socket_file,
        })
    }

    /// The hub itself.
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    /// Stops: listens no more, lets requests under way finish, and has everything committed.
    ///
    /// # Errors
    /// Those of [`Hub::drain`].
    pub async fn stop(self) -> Result<()> {
        self.listening.end(self.deadlines.stop).await;
        let hub = Arc::clone(&self.hub);
        match tokio::task::spawn_blocking(move || hub.drain()).await {
            Ok(drained) => drained,
            Err(panic) => Err(Error::Io {
                path: self.hub.dir().into(),
                source: panic.into(),
            }),
        }
    }
}

/// Has the hub forget what nobody goes on with, until told to stop.
async fn tidy(hub: Arc<Hub>, mut stop: Stop) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(TIDY) => {}
            () = stop.requested() => return,
        }
        let hub = Arc::clone(&hub);
        match tokio::task::spawn_blocking(move || hub.tidy()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "Bobbin could not remove abandoned uploads"),
            Err(_) => tracing::error!("Bobbin failed to remove abandoned uploads"),
        }
    }
}

/// Asks the hub that runs in `dir`, over its socket. An answer is a document, or a refusal with its code.
///
/// # Errors
/// [`Error::Refused`] with the hub's words, or where it has no socket; [`Error::Io`] where none answers.
pub async fn ask_hub(dir: &Path, command: &Command) -> Result<Value> {
    let place = HubPlace::of(dir).ok_or_else(|| Error::NotFound {
        kind: "hub in",
        id: dir.display().to_string(),
    })?;
    let socket = place.socket.ok_or_else(|| {
        Error::Refused(
            "a running hub takes no commands on Windows; stop it, and restart it afterwards".into(),
        )
    })?;
    let io = |source: std::io::Error| Error::Io {
        path: socket.clone(),
        source,
    };
    let stream = connect_socket(&socket).await.map_err(io)?;
    let other = |error: hyper::Error| Error::Io {
        path: socket.clone(),
        source: std::io::Error::other(error),
    };
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(other)?;
    tokio::spawn(connection);
    let request = Request::builder()
        .method(Method::POST)
        .uri("/v1/command")
        .header("host", "bobbin")
        .body(Full::new(Bytes::from(serde_json::to_vec(command)?)))
        .map_err(|error| Error::Refused(error.to_string()))?;
    let answer = sender.send_request(request).await.map_err(other)?;
    let fine = answer.status().is_success();
    let body = answer
        .into_body()
        .collect()
        .await
        .map_err(other)?
        .to_bytes();
    let document: Value = serde_json::from_slice(&body)?;
    if fine {
        return Ok(document);
    }
    let words = document["message"].as_str().unwrap_or("the hub refused");
    Err(Error::Refused(words.to_owned()))
}
