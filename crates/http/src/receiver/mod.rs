//! The receiver: starting it, where it can be found, and stopping it so that nothing acknowledged is lost.

mod announced;
mod batches;
mod config;
mod noted;
mod reached;
mod reading;
mod routes;
mod turns;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bobbin_core::api::App;
use bobbin_core::install;
use bobbin_core::{Error, Result};

pub use config::Config;

use self::announced::Announced;
use self::batches::Intake;
use self::noted::Noted;
use self::reached::Reached;
use self::routes::Routes;
use crate::compat::{Compat, Served};
use crate::door::Door;
use crate::gate::{Floor, Hosts, Keys, Wrong};
use crate::near::Near;
use crate::net::LOOPBACK;
use crate::net::{
    Caps, Connections, Deadlines, Identity, Listening, Service, SocketFile, Stop, Way,
    accept_socket, accept_tcp, bind_loopback, listen_socket,
};
use crate::post::Post;

/// Where schedulers and their clients post and ask.
pub struct Receiver;

/// A receiver that runs until [`Running::stop`], or until this is dropped. Its tasks are on the runtime that started it.
#[must_use = "dropping it stops the receiver without waiting for what is under way"]
pub struct Running {
    /// Such as `127.0.0.1:8788`.
    pub tcp: SocketAddr,
    /// How a scheduler on another machine names it in `bobbin.receiver`; none where it listened on this one alone when it started.
    pub from_elsewhere: Option<String>,
    /// Path of the Unix socket; none on Windows.
    pub socket: Option<PathBuf>,
    /// SHA-256 of the certificate's DER in hexadecimal: the pin.
    pub certificate_sha256: String,
    /// A link that signs a browser in, once; `None` without the UI door.
    pub ui_url: Option<String>,
    door: Option<Arc<Door>>,
    app: App,
    deadlines: Deadlines,
    listening: Listening,
    // Dropped last: it removes the socket's file.
    _socket_file: Option<SocketFile>,
}

impl Receiver {
    /// Listens, writes `receiver.json` and the copy of the plugin that schedulers load, and answers from now on.
    ///
    /// # Errors
    /// [`Error::AddressTaken`] when a port or the socket is somebody else's; [`Error::Invalid`] for a token or
    /// certificate that cannot be used, and an interface that this machine does not have; [`Error::Loosened`], [`Error::Io`].
    pub async fn start(app: App, config: Config) -> Result<Running> {
        let dir = app.dir().to_path_buf();
        app.set_owner_token(install::token(&dir)?);
        install::put_plugin(&dir)?;
        let identity = Identity::load_or_make(&dir, &LOOPBACK)?;
        let (listener, tcp) = bind_loopback(config.port).await?;
        let reached = Reached::of(&config, tcp.port(), app.now()).await?;
        let (socket_listener, socket_file) = listen_socket(&dir).await?.unzip();
        let socket = socket_file.as_ref().map(|file| file.path().to_path_buf());
        let certificate_sha256 = identity.sha256.clone();

        let floor = Arc::new(Floor::new(config.least_free_bytes));
        let routes = Routes {
            app: app.clone(),
            hosts: Hosts::of_port(tcp.port()).and_of(reached.as_ref().map(Reached::address)),
            keys: Keys::new(app.clone()),
            wrong: Wrong::default(),
            intake: Intake::new(app.clone(), &config, Arc::clone(&floor)),
            noted: Noted::default(),
            compat: Compat::new(
                app.clone(),
                Served::new(
                    socket.as_deref().map(shown).unwrap_or_default(),
                    certificate_sha256.clone(),
                ),
                floor,
            ),
        };
        let (stop_sender, stop) = Stop::new();
        let counting = app.clone();
        let service = Service {
            handler: Arc::new(routes),
            refused: Arc::new(move |code| counting.count_refusal(code)),
            connections: Connections::new(Caps::default()),
            deadlines: config.deadlines,
            tls: Some(identity.acceptor),
            plain: true,
            secure: Way::Tls,
            stop: stop.clone(),
        };
        let mut connections = vec![service.connections.clone()];
        let door = match config.ui_port {
            Some(port) => Some(bind_loopback(port).await?),
            None => None,
        };
        let mut loops = Vec::new();
        let mut ui_url = None;
        let door = match door {
            Some((listener, address)) => {
                let door = Arc::new(Door::new(app.clone(), address.port(), stop.clone())?);
                ui_url = Some(door.new_link()?);
                let service = Service {
                    handler: door.clone(),
                    connections: Connections::new(Caps::default()),
                    tls: None,
                    ..service.clone()
                };
                connections.push(service.connections.clone());
                loops.push(tokio::spawn(accept_tcp(listener, service)));
                Some(door)
            }
            None => None,
        };
        let announced = Announced::of(&app, &config, tcp, socket.as_deref(), &certificate_sha256)?;
        let address = announced.say(reached.as_ref().map(Reached::status))?;
        let near = Near::at(socket.as_deref(), &address);
        app.set_door(near.map(|near| Arc::new(Post::new(near, dir.clone())) as _));
        if let Some(reached) = reached {
            // Others may take all of their connections, and none of this machine's.
            let service = Service {
                connections: Connections::new(Caps::default()),
                plain: false,
                secure: Way::Network,
                ..service.clone()
            };
            connections.push(service.connections.clone());
            loops.push(tokio::spawn(reached.serve(service, announced)));
        }
        if let Some(listener) = socket_listener {
            loops.push(tokio::spawn(accept_socket(listener, service.clone())));
        }
        loops.push(tokio::spawn(accept_tcp(listener, service)));
        Ok(Running {
            tcp,
            from_elsewhere: address.from_elsewhere(),
            socket,
            certificate_sha256,
            ui_url,
            door,
            app,
            deadlines: config.deadlines,
            listening: Listening {
                stop: stop_sender,
                loops,
                connections,
            },
            _socket_file: socket_file,
        })
    }
}

impl Running {
    /// Another link that signs a browser in, once. The one before no longer does.
    ///
    /// # Errors
    /// [`Error::Refused`] without the UI door; [`Error::Io`] when there are no random numbers.
    pub fn new_ui_link(&self) -> Result<String> {
        match &self.door {
            Some(door) => door.new_link(),
            None => Err(Error::Refused(
                "the UI door is closed: start with --ui".into(),
            )),
        }
    }

    /// Stops: listens no more, lets requests under way finish, and has everything committed that was acknowledged.
    ///
    /// # Errors
    /// Those of [`App::drain`], and [`Error::Io`] when `receiver.json` cannot be removed.
    pub async fn stop(self) -> Result<()> {
        let app = self.app.clone();
        let left = self.leave().await;
        let drain = app.clone();
        let drained = tokio::task::spawn_blocking(move || drain.drain()).await;
        left?;
        match drained {
            Ok(result) => result,
            Err(panic) => Err(Error::Io {
                path: app.dir().into(),
                source: panic.into(),
            }),
        }
    }

    /// Listens no more and lets requests under way finish. The store stays as it is, so that another receiver can follow.
    ///
    /// # Errors
    /// [`Error::Io`] when `receiver.json` cannot be removed.
    pub async fn leave(self) -> Result<()> {
        self.app.set_door(None);
        let playing = self.app.clone();
        // The cluster of a replay says goodbye by this very receiver; what comes of it was told.
        let _ = tokio::task::spawn_blocking(move || playing.end_replay()).await;
        self.listening.end(self.deadlines.stop).await;
        self.app.set_receiver(None);
        install::remove_address(self.app.dir())
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
