//! The open store and the receiver beside it, from the first moment to the last.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
};

use bobbin_core::lock::lock;
use bobbin_core::{
    Result,
    api::{App, Daily, Role},
    clock::SystemClock,
    inbox::Watching,
    install::{self, Interface, Moment},
    model::Micros,
};
use bobbin_http::{Config, Receiver, Running};
use tokio::{runtime::Handle, task::JoinHandle};

use crate::{
    failure::Failure,
    start::Start,
    wish::{Wish, Wishes},
};

/// One open Bobbin. It must be closed: that is what keeps what is queued.
pub struct Bobbin {
    app: App,
    runtime: Handle,
    ways: Mutex<Ways>,
    /// Looks at the team's destinations.
    following: JoinHandle<()>,
    /// Sends what the page put into the queue.
    sending: JoinHandle<()>,
}

/// How something comes in, and what is done every day.
struct Ways {
    /// As it was asked for, then as it is: whoever comes back finds the same.
    port: u16,
    by_option: bool,
    interface: Option<Interface>,
    interface_until: Option<Micros>,
    inbox: Vec<PathBuf>,
    /// By a person.
    paused: bool,
    /// Why there is no receiver where there should be one.
    failed: Option<String>,
    /// Nothing is let in any more.
    closed: bool,
    receiver: Option<Running>,
    watching: Option<Watching>,
    daily: Option<Daily>,
}

/// Whether clusters may report now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reception {
    Open,
    /// Until a person takes that back.
    Paused,
    /// They were to, and cannot: why.
    Failed(String),
}

impl Bobbin {
    /// Opens the store for writing. Nobody may report yet.
    ///
    /// # Errors
    /// The store cannot be opened, for instance because a server writes to it; the settings cannot be read.
    pub fn open(dir: &Path, start: &Start, runtime: &Handle) -> Result<Self> {
        let app = App::open_with(
            dir,
            Role::Owner,
            Arc::new(SystemClock),
            bobbin_keyring::system(),
        )?;
        if let Some(page) = bobbin_http::report_page() {
            app.set_report_page(page);
        }
        app.set_probe(bobbin_http::probe);
        let set = install::settings(dir)?;
        let daily = Daily::start(app.clone())
            .inspect_err(|error| tracing::warn!(%error, "no snapshots are taken"))
            .ok();
        let followed = dir.to_path_buf();
        let following = runtime.spawn(async move {
            bobbin_destination::follow(&followed).await;
        });
        let sending = runtime.spawn(bobbin_destination::sending(
            app.clone(),
            Arc::new(SystemClock),
        ));
        Ok(Self {
            app,
            runtime: runtime.clone(),
            ways: Mutex::new(Ways {
                port: start.port.unwrap_or(set.port_or_default()),
                by_option: start.port.is_some(),
                interface: set.interface,
                interface_until: set.interface_until.map(Moment::micros),
                // A share that is not mounted now is not read.
                inbox: set.inbox.into_iter().filter(|at| at.is_dir()).collect(),
                paused: start.paused,
                failed: None,
                closed: false,
                receiver: None,
                watching: None,
                daily,
            }),
            following,
            sending,
        })
    }

    /// Lets clusters report from now on, unless that is paused. Where that fails it may be tried again.
    ///
    /// # Errors
    /// The receiver cannot listen. What is stored can be looked at all the same.
    pub fn begin(&self) -> std::result::Result<(), Failure> {
        let mut ways = self.ways();
        if ways.paused {
            return Ok(());
        }
        self.let_in(&mut ways)
    }

    /// The store.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Whether clusters may report now.
    pub(crate) fn reception(&self) -> Reception {
        let ways = self.ways();
        match &ways.failed {
            _ if ways.paused => Reception::Paused,
            Some(why) => Reception::Failed(why.clone()),
            None => Reception::Open,
        }
    }

    /// How it starts once more as it is now.
    pub fn again(&self, start: &Start) -> Start {
        let ways = self.ways();
        start.again(ways.paused, Some(ways.port).filter(|port| *port != 0))
    }

    /// Nothing is taken in until it is resumed: plugins keep what they have, and spool it.
    pub fn pause(&self) {
        let mut ways = self.ways();
        (ways.paused, ways.failed) = (true, None);
        drop(ways.watching.take());
        if let Some(receiver) = ways.receiver.take()
            && let Err(error) = self.runtime.block_on(receiver.leave())
        {
            Failure::from(error).print();
        }
    }

    /// Takes in again what comes, and what was spooled meanwhile.
    ///
    /// # Errors
    /// The receiver cannot listen; the tray says so until it can.
    pub fn resume(&self) -> std::result::Result<(), Failure> {
        let mut ways = self.ways();
        ways.paused = false;
        self.let_in(&mut ways)
    }

    fn let_in(&self, ways: &mut Ways) -> std::result::Result<(), Failure> {
        if ways.closed {
            return Ok(());
        }
        if ways.watching.is_none() {
            ways.watching = Watching::start(self.app.clone(), &ways.inbox)
                .inspect_err(|error| tracing::warn!(%error, "the inbox is not read"))
                .ok();
        }
        if ways.receiver.is_some() {
            return Ok(());
        }
        let config = Config {
            port: ways.port,
            port_by_option: ways.by_option,
            interface: ways.interface,
            interface_until: ways.interface_until,
            ..Config::default()
        };
        match self
            .runtime
            .block_on(Receiver::start(self.app.clone(), config))
        {
            Ok(receiver) => {
                ways.port = receiver.tcp.port();
                (ways.receiver, ways.failed) = (Some(receiver), None);
                Ok(())
            }
            Err(error) => {
                ways.failed = Some(error.to_string());
                Err(Failure::from(error).with_consequence("Clusters cannot report until then."))
            }
        }
    }

    fn ways(&self) -> MutexGuard<'_, Ways> {
        lock(&self.ways)
    }

    /// Lets requests under way finish, and commits what was acknowledged.
    ///
    /// # Errors
    /// Something could not be stored.
    pub fn close(&self) -> Result<()> {
        // Before the store takes no more.
        self.following.abort();
        self.sending.abort();
        let receiver = {
            let mut ways = self.ways();
            ways.closed = true;
            drop((ways.watching.take(), ways.daily.take()));
            ways.receiver.take()
        };
        if let Some(receiver) = receiver {
            self.runtime.block_on(receiver.stop())?;
        }
        self.app.drain()
    }
}

/// Ending the session or the terminal is a wish to quit; a second time it is the end at once: what was acknowledged is durable.
pub fn quit_on_signal(wishes: Wishes, runtime: &Handle) {
    use tokio::signal::unix::{SignalKind, signal};

    runtime.spawn(async move {
        let (Ok(mut terminated), Ok(mut interrupted)) = (
            signal(SignalKind::terminate()),
            signal(SignalKind::interrupt()),
        ) else {
            tracing::warn!("signals are not heard: end Bobbin by its window or its tray");
            return;
        };
        let mut signalled = async || {
            tokio::select! {
                _ = terminated.recv() => {}
                _ = interrupted.recv() => {}
            }
        };
        signalled().await;
        wishes.put(Wish::Quit);
        // Nobody holds the end up who answers no more: the store or a sender.
        drop(wishes);
        signalled().await;
        eprintln!("stopped immediately by a second signal");
        std::process::exit(1);
    });
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use tokio::runtime::Runtime;

    use super::*;

    #[test]
    fn a_port_that_somebody_else_took_meanwhile_is_told_until_it_is_free() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        let runtime = Runtime::new().unwrap();
        let start = Start {
            port: Some(0),
            ..Start::default()
        };
        let bobbin = Bobbin::open(&data, &start, runtime.handle()).unwrap();
        bobbin.begin().unwrap();
        let port = bobbin.again(&start).port.unwrap();
        bobbin.pause();
        assert_eq!(bobbin.reception(), Reception::Paused);
        assert!(bobbin.again(&start).paused);

        let taken = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let failure = bobbin.resume().unwrap_err();
        assert!(failure.to_string().contains("Clusters cannot report"));
        match bobbin.reception() {
            Reception::Failed(why) => assert!(why.contains(&port.to_string()), "{why}"),
            other => panic!("{other:?}"),
        }
        // It is tried again wherever it goes on.
        assert!(!bobbin.again(&start).paused);
        drop(taken);
        bobbin.resume().unwrap();
        assert_eq!(bobbin.reception(), Reception::Open);
        bobbin.close().unwrap();
    }

    #[test]
    fn one_that_was_paused_starts_so() {
        let dir = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let start = Start {
            port: Some(0),
            paused: true,
            ..Start::default()
        };
        let bobbin = Bobbin::open(&dir.path().join("data"), &start, runtime.handle()).unwrap();
        bobbin.begin().unwrap();
        assert_eq!(bobbin.reception(), Reception::Paused);
        assert!(install::read_address(bobbin.app().dir()).unwrap().is_none());
        bobbin.close().unwrap();
    }
}
