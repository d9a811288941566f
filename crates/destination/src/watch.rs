//! Every connection of an open destination is a row of the ledger before it is opened: also those that fetch keys, that a proxy
//! takes, or that a server sends one on to.
//!
//! What a cloud hands out to whoever runs on one of its machines belongs to the machine and to no person: it is asked for
//! only where the destination was made known so.

use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::ledger::Ledger;
use bobbin_core::lock::lock;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use serde::{Deserialize, Serialize};

/// Where the keys of an object store may come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeysFrom {
    /// From what somebody put into the environment, and from the services that it names.
    #[default]
    Environment,
    /// Also from the service that a cloud has for its own machines.
    Machine,
}

/// What one open destination may connect to, and did.
pub(crate) struct Watch {
    /// The address of the destination.
    of: String,
    keys: KeysFrom,
    ledger: Ledger,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Host and port of what has its row.
    noted: BTreeSet<String>,
    hosts: BTreeSet<String>,
    /// Why a connection was not opened.
    refused: Option<String>,
}

/// Why one is not opened.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refused(pub(crate) String);

impl Watch {
    pub(crate) fn new(of: &str, keys: KeysFrom, ledger: &Ledger) -> Arc<Self> {
        Arc::new(Self {
            of: of.into(),
            keys,
            ledger: Ledger::of(ledger.dir()),
            seen: Mutex::default(),
        })
    }

    /// Why the last connection that was refused was not opened.
    pub(crate) fn refused(&self) -> Option<String> {
        let seen = lock(&self.seen);
        seen.refused.clone()
    }

    /// Notes a connection that has no row yet. Without a port every one of the host is meant.
    pub(crate) fn before(&self, host: &str, port: Option<u16>) -> Result<(), Refused> {
        let mut seen = lock(&self.seen);
        let said = self.noted(&mut seen, host, port);
        if let Err(Refused(why)) = &said {
            seen.refused = Some(why.clone());
        }
        said
    }

    fn noted(&self, seen: &mut Seen, host: &str, port: Option<u16>) -> Result<(), Refused> {
        let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
        if self.keys == KeysFrom::Environment && is_of_the_machine(&host) {
            return Err(self.not_asked(&host));
        }
        let address = match (port, host.contains(':')) {
            (None, _) if seen.hosts.contains(&host) => return Ok(()),
            (None, _) => host.clone(),
            (Some(port), true) => format!("[{host}]:{port}"),
            (Some(port), false) => format!("{host}:{port}"),
        };
        if seen.noted.contains(&address) {
            return Ok(());
        }
        let why = format!("destination {}", self.of);
        self.ledger
            .connecting(SystemClock.now(), &address, &why)
            .map(drop)
            .map_err(|error| Refused(error.to_string()))?;
        seen.noted.insert(address);
        seen.hosts.insert(host);
        Ok(())
    }

    fn not_asked(&self, host: &str) -> Refused {
        Refused(format!(
            "{} has no keys in the environment, and Bobbin does not ask {host} for this machine's keys: set AWS_ACCESS_KEY_ID, \
             GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_ACCOUNT_KEY or similar, or run `bobbin destination add {} --machine-keys`",
            self.of, self.of
        ))
    }

    /// What a name stands for, unless it is this machine's own service under another name.
    fn looked_up(&self, host: &str, found: Vec<IpAddr>) -> Result<Vec<IpAddr>, Refused> {
        let own = |ip: &IpAddr| is_of_the_machine(&ip.to_string());
        if self.keys == KeysFrom::Machine || !found.iter().any(own) {
            return Ok(found);
        }
        let refused = self.not_asked(host);
        let mut seen = lock(&self.seen);
        seen.refused = Some(refused.0.clone());
        Err(refused)
    }
}

/// Whether this is where clouds hand out keys to their machines: an address that leads no further than the next one.
fn is_of_the_machine(host: &str) -> bool {
    // Of EC2 and of EKS.
    const UNIQUE: [Ipv6Addr; 2] = [
        Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x254),
        Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x23),
    ];
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => ip.is_link_local(),
        Ok(IpAddr::V6(ip)) => {
            ip.is_unicast_link_local()
                || UNIQUE.contains(&ip)
                || ip.to_ipv4_mapped().is_some_and(|ip| ip.is_link_local())
        }
        Err(_) => matches!(
            host.trim_end_matches('.'),
            "metadata" | "metadata.google.internal" | "metadata.goog" | "instance-data"
        ),
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

/// Looks names up. Those of requests, of proxies, and of where a server sends one on to have their rows by then.
pub(crate) struct Names(pub(crate) Arc<Watch>);

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let (watch, host) = (Arc::clone(&self.0), name.as_str().to_owned());
        Box::pin(async move {
            watch.before(&host, None)?;
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            let found = found.map(|address| address.ip()).collect();
            let found = watch.looked_up(&host, found)?.into_iter();
            // The port is that of the address that was asked for.
            Ok(Box::new(found.map(|ip| SocketAddr::new(ip, 0))) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(keys: KeysFrom) -> (tempfile::TempDir, Arc<Watch>) {
        let dir = tempfile::tempdir().unwrap();
        let watch = Watch::new("s3://team/x", keys, &Ledger::of(dir.path()));
        (dir, watch)
    }

    fn rows(dir: &tempfile::TempDir) -> Vec<String> {
        let rows = Ledger::of(dir.path()).rows().unwrap();
        rows.into_iter().filter_map(|row| row.entry.to).collect()
    }

    #[test]
    fn each_place_has_one_row_and_a_name_alone_none_beside_it() {
        let (dir, watch) = watch(KeysFrom::Environment);
        for _ in 0..2 {
            watch.before("s3.example", Some(443)).unwrap();
            watch.before("S3.example", None).unwrap();
            watch.before("sts.example", Some(443)).unwrap();
            watch.before("[::1]", Some(9000)).unwrap();
            watch.before("proxy.example", None).unwrap();
        }
        assert_eq!(
            rows(&dir),
            [
                "s3.example:443",
                "sts.example:443",
                "[::1]:9000",
                "proxy.example"
            ]
        );
        assert_eq!(watch.refused(), None);
    }

    #[test]
    fn the_service_of_the_machine_is_asked_only_where_somebody_said_so() {
        let places = [
            "169.254.169.254",
            "169.254.170.2",
            "metadata.google.internal",
            "Metadata.Google.Internal.",
            "[fd00:ec2::254]",
            "[::ffff:169.254.169.254]",
            "[fe80::1]",
        ];
        for host in places {
            let (dir, watch) = watch(KeysFrom::Environment);
            let why = watch.before(host, Some(80)).unwrap_err().to_string();
            assert!(why.contains("--machine-keys"), "{why}");
            assert_eq!(watch.refused(), Some(why));
            assert_eq!(rows(&dir), [""; 0], "nothing was opened");
            let (dir, watch) = self::watch(KeysFrom::Machine);
            watch.before(host, Some(80)).unwrap();
            assert_eq!(rows(&dir).len(), 1);
        }
        // Under another name.
        let (_dir, watch) = watch(KeysFrom::Environment);
        let found = vec!["169.254.169.254".parse().unwrap()];
        assert!(watch.looked_up("keys.example", found).is_err());
        assert!(watch.refused().is_some());
    }

    #[test]
    fn without_a_row_nothing_is_opened() {
        let (dir, watch) = watch(KeysFrom::Environment);
        watch.before("s3.example", Some(443)).unwrap();
        let path = dir.path().join("ledger.ndjson");
        let changed = std::fs::read_to_string(&path).unwrap().replace("s3", "s4");
        std::fs::write(&path, changed).unwrap();
        let again = Watch::new(
            "s3://team/x",
            KeysFrom::Environment,
            &Ledger::of(dir.path()),
        );
        let why = again.before("s3.example", Some(443)).unwrap_err();
        assert!(why.to_string().contains("is broken at row 1"), "{why}");
    }
}
