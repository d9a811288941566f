//! What somebody is given who is to join: where the hub is, how it is recognised, and an invite that works once.

use std::fmt;
use std::str::FromStr;

use bobbin_core::{Error, Result};

use super::is_sha256;

const PREFIX: &str = "bobbin-join";

/// `bobbin-join:HOST:PORT:PIN:INVITE`. It is never printed by `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub struct JoinCode {
    /// Host and port.
    pub address: String,
    /// SHA-256 of the hub's certificate, in hexadecimal.
    pub pin: String,
    pub invite: String,
}

impl fmt::Debug for JoinCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JoinCode({}, …)", self.address)
    }
}

impl fmt::Display for JoinCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            address,
            pin,
            invite,
        } = self;
        write!(f, "{PREFIX}:{address}:{pin}:{invite}")
    }
}

impl FromStr for JoinCode {
    type Err = Error;

    /// It may have been copied with what stands beside it.
    fn from_str(text: &str) -> Result<Self> {
        let read = |word: &str| {
            let rest = word.strip_prefix(PREFIX)?.strip_prefix(':')?;
            let (rest, invite) = rest.rsplit_once(':')?;
            let (address, pin) = rest.rsplit_once(':')?;
            let fine = is_address(address)
                && is_sha256(pin)
                && !invite.is_empty()
                && invite
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            fine.then(|| Self {
                address: address.into(),
                pin: pin.into(),
                invite: invite.into(),
            })
        };
        // What was typed may be a secret that was meant for another place.
        text.split_whitespace()
            .find_map(read)
            .ok_or_else(|| Error::Invalid {
                what: "join code",
                value: "the text".into(),
                reason: format!(
                    "a join code starts with {PREFIX}: and has four parts; ask for a new one"
                ),
            })
    }
}

/// Whether a text is the host and port of a hub, as a join code has them.
pub fn is_address(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty()
            && host
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b".-[]:".contains(&byte))
            && port.parse::<u16>().is_ok_and(|port| port > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_it_is_written_and_nothing_else_is() {
        let pin = "ab".repeat(32);
        for address in ["hub.example:8789", "127.0.0.1:1", "[::1]:8789"] {
            let text = format!("bobbin-join:{address}:{pin}:bobbin_invite_x_abc");
            let code: JoinCode = text.parse().unwrap();
            assert_eq!((code.address.as_str(), code.to_string()), (address, text));
            assert!(!format!("{code:?}").contains("abc"));
            let copied = format!("code: {code}\n").parse::<JoinCode>().unwrap();
            assert!(copied == code);
        }
        for bad in [
            "",
            "bobbin-join",
            "bobbin-join:hub.example:8789",
            &format!("bobbin-join:hub.example:0:{pin}:x"),
            &format!("bobbin-join:hub.example:99999:{pin}:x"),
            &format!("bobbin-join:hub/../x:1:{pin}:x"),
            &format!("bobbin-join:hub.example:1:{}:x", &pin[1..]),
            &format!("bobbin-join:hub.example:1:{pin}:"),
        ] {
            assert!(bad.parse::<JoinCode>().is_err(), "{bad}");
        }
    }
}
