//! The interface that other machines reach: listened on from the start, or as soon as this machine has that address, anew each time
//! that the address comes back, until its time is over.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use bobbin_core::api::{App, InterfaceStatus};
use bobbin_core::install::Interface;
use bobbin_core::model::Micros;
use bobbin_core::{Error, Result};
use tokio::net::TcpListener;
use tokio::time::sleep;

use super::announced::Announced;
use super::config::Config;
use crate::net::{Service, Stop, accept_tcp, bind_interface, look_for};

/// Between two looks at the clock, which may be set, and stands still for nobody while the machine sleeps.
const CLOCK: Duration = Duration::from_secs(15);

/// The interface that a person named for this start.
pub(super) struct Reached {
    interface: Interface,
    port: u16,
    status: InterfaceStatus,
    /// Absent where it cannot be listened on yet.
    listener: Option<TcpListener>,
    retry: Duration,
}

impl Reached {
    /// Listens on the interface of `config`, on the port that the receiver has on loopback; none where no interface is named, or its
    /// time is over.
    ///
    /// # Errors
    /// Those of [`bind_interface`], for an interface of the command line. One of the settings may be in another network today.
    pub(super) async fn of(config: &Config, port: u16, now: Micros) -> Result<Option<Self>> {
        let over = config.interface_until.is_some_and(|until| until <= now);
        let Some(interface) = config.interface.filter(|_| !over) else {
            return Ok(None);
        };
        let (listener, failed) = match bind_interface(interface, port).await {
            Ok((listener, _)) => (Some(listener), None),
            Err(error) if config.interface_by_option => return Err(error),
            Err(error) => {
                tracing::warn!(%error, "no other machine reaches the receiver");
                (None, Some(error.to_string()))
            }
        };
        Ok(Some(Self {
            interface,
            port,
            status: InterfaceStatus {
                address: interface.at(port).to_string(),
                failed,
                by_option: config.interface_by_option,
                until_micros: config.interface_until,
            },
            listener,
            retry: config.interface_retry,
        }))
    }

    /// What other machines call it, also while nothing listens there.
    pub(super) fn address(&self) -> SocketAddr {
        self.interface.at(self.port)
    }

    pub(super) fn status(&self) -> InterfaceStatus {
        self.status.clone()
    }

    /// Accepts until told to stop or its time is over, and says so where that changes what is so.
    pub(super) async fn serve(self, service: Service, announced: Announced) {
        let mut told = service.stop.clone();
        let (end, stop) = Stop::new();
        let over = over(announced.app().clone(), self.status.until_micros);
        let mut accepting = pin!(self.accept(Service { stop, ..service }, &announced));
        tokio::select! {
            () = &mut accepting => return,
            () = told.requested() => {}
            () = over => {
                tracing::info!("the time of the interface is over: no other machine reaches the receiver");
                say(&announced, None);
            }
        }
        // Connections that are open end with it, once what is under way was answered.
        drop(end);
        accepting.await;
    }

    async fn accept(mut self, service: Service, announced: &Announced) {
        loop {
            let listener = match self.listener.take() {
                Some(listener) => listener,
                None => match self.arrival(&service, announced).await {
                    Some(listener) => listener,
                    None => return,
                },
            };
            if self.status.failed.take().is_some() {
                tracing::info!(address = %self.status.address, "other machines reach the receiver now");
                say(announced, Some(self.status()));
            }
            // Not every system's listener goes on once its address is back: there is another one then.
            let error = tokio::select! {
                biased;
                () = accept_tcp(listener, service.clone()) => return,
                error = self.departure() => error,
            };
            self.unreached(&error, announced);
        }
    }

    /// Says why no other machine reaches it, where that was not said yet.
    fn unreached(&mut self, error: &Error, announced: &Announced) {
        let why = Some(error.to_string());
        if self.status.failed != why {
            tracing::warn!(%error, "no other machine reaches the receiver");
            self.status.failed = why;
            say(announced, Some(self.status()));
        }
    }

    /// Returns once this machine no longer has the address.
    async fn departure(&self) -> Error {
        loop {
            sleep(self.retry).await;
            if let Err(error) = look_for(self.interface) {
                return error;
            }
        }
    }

    /// The listener, once this machine has the address; none when it is time to stop.
    async fn arrival(&mut self, service: &Service, announced: &Announced) -> Option<TcpListener> {
        let mut stop = service.stop.clone();
        loop {
            tokio::select! {
                // Once it is over, nothing is said of it any more.
                biased;
                () = stop.requested() => return None,
                () = sleep(self.retry) => {}
            }
            match bind_interface(self.interface, self.port).await {
                Ok((listener, _)) => return Some(listener),
                Err(error) => self.unreached(&error, announced),
            }
        }
    }
}

/// Returns at that moment by the clock of the wall; without one, never.
async fn over(app: App, until: Option<Micros>) {
    let Some(until) = until else {
        return std::future::pending().await;
    };
    while app.now() < until {
        let left = u64::try_from(until.0 - app.now().0).unwrap_or(0);
        sleep(Duration::from_micros(left).min(CLOCK)).await;
    }
}

/// The listener is as it is, whether that can be said or not.
fn say(announced: &Announced, interface: Option<InterfaceStatus>) {
    if let Err(error) = announced.say(interface) {
        tracing::warn!(%error, "cannot say whether other machines reach the receiver");
    }
}
