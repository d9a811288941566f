//! An address of this machine's that others reach, where a person wants the receiver to listen there as well.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use serde::Deserialize;

use crate::{Error, Result};

/// One literal address. Never one that means all of them, in whatever spelling: what listens there listens in every network that the
/// machine ever joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Interface(IpAddr);

impl Interface {
    /// With the receiver's port.
    pub fn at(self, port: u16) -> SocketAddr {
        SocketAddr::new(self.0, port)
    }
}

impl FromStr for Interface {
    type Err = Error;

    fn from_str(typed: &str) -> Result<Self> {
        let typed = typed.trim();
        let wrong = |reason: &str| Error::Invalid {
            what: "the interface",
            value: typed.chars().take(100).collect(),
            reason: reason.into(),
        };
        let address: IpAddr = typed.parse().map_err(|_| {
            wrong(
                "use one address of this machine that others can reach, for example 192.168.1.7, without a port; `ip address` lists them",
            )
        })?;
        let address = address.to_canonical();
        if address.is_unspecified() {
            Err(wrong(
                "it means every network this machine ever joins; use the one address that others should reach",
            ))
        } else if address.is_loopback() {
            Err(wrong(
                "the receiver always listens on 127.0.0.1; use an address that others can reach, or none",
            ))
        } else if address.is_multicast() || address == IpAddr::from([255; 4]) {
            Err(wrong("it is not the address of one machine"))
        } else {
            Ok(Self(address))
        }
    }
}

impl TryFrom<String> for Interface {
    type Error = Error;

    fn try_from(typed: String) -> Result<Self> {
        typed.parse()
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_one_machine_is_taken_as_it_is_written() {
        for (typed, at) in [
            ("192.168.1.7", "192.168.1.7:8788"),
            (" 10.0.0.2 ", "10.0.0.2:8788"),
            ("fd00::2", "[fd00::2]:8788"),
            ("::ffff:10.0.0.2", "10.0.0.2:8788"),
        ] {
            let interface: Interface = typed.parse().unwrap();
            assert_eq!(interface.at(8788).to_string(), at);
        }
    }

    #[test]
    fn every_spelling_of_all_addresses_is_refused_by_its_name() {
        for typed in [
            "0.0.0.0",
            "::",
            "0",
            "0x0",
            "0.0",
            "::ffff:0.0.0.0",
            "",
            "*",
            "127.0.0.1",
            "::1",
            "127.8.8.8",
            "255.255.255.255",
            "224.0.0.1",
            "ff02::1",
            "localhost",
            "192.168.1.7:8788",
            "192.168.1.0/24",
            "eth0",
        ] {
            let error = typed.parse::<Interface>().unwrap_err();
            assert!(matches!(error, Error::Invalid { .. }), "{typed}: {error}");
            assert!(error.to_string().contains(typed), "{typed}: {error}");
        }
    }
}
