//! What another machine reads over the interface leaves this one: a row of the ledger says so, one for each machine and hour, and
//! one more where it reads texts, too.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Mutex;

use bobbin_core::Result;
use bobbin_core::api::App;
use bobbin_core::ledger::{Entry, Kind, Ledger};
use bobbin_core::lock::lock;

use crate::net::{Line, Peer, Way};

const HOUR: i64 = 3_600_000_000;

/// Who read in the hour that is now.
#[derive(Default)]
pub struct Noted(Mutex<Readers>);

#[derive(Default)]
struct Readers {
    hour: i64,
    /// With whether they read texts.
    noted: BTreeSet<(IpAddr, bool)>,
}

impl Noted {
    /// Adds the row where there is none yet. Nothing is to be read where it cannot be written.
    ///
    /// # Errors
    /// Those of the ledger.
    pub fn read(&self, app: &App, line: &Line, texts: bool) -> Result<()> {
        let (Way::Network, Peer::Address(peer)) = (line.way, line.peer) else {
            return Ok(());
        };
        let peer = peer.to_canonical();
        let hour = app.now().0.div_euclid(HOUR);
        let mut readers = lock(&self.0);
        if readers.hour != hour {
            *readers = Readers {
                hour,
                ..Readers::default()
            };
        }
        if readers.noted.contains(&(peer, texts)) {
            return Ok(());
        }
        let what = match texts {
            true => "read over the interface, with code and texts",
            false => "read over the interface",
        };
        let entry = Entry::new(Kind::Read, what).to(peer.to_string());
        Ledger::of(app.dir()).append(app.now(), &entry)?;
        readers.noted.insert((peer, texts));
        Ok(())
    }
}
