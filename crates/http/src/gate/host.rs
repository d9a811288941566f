//! The `Host` header, exactly. A page on a name that was made to resolve to loopback still says that name here, which
//! is what stops it; so nothing is accepted by suffix, by resemblance or for want of a header.

use std::net::SocketAddr;

use hyper::header::HOST;
use hyper::{Request, StatusCode};

use crate::answer::Refusal;
use crate::net::Way;

/// What requests over the Unix socket say.
const SOCKET_HOST: &str = "bobbin";

/// The names of a door that are right.
#[derive(Clone, Debug)]
pub struct Hosts {
    tcp: Vec<String>,
    /// What it is called from other machines.
    network: Option<String>,
}

impl Hosts {
    /// Of a door that listens on this port of 127.0.0.1.
    pub fn of_port(port: u16) -> Self {
        Self {
            tcp: vec![format!("127.0.0.1:{port}"), format!("localhost:{port}")],
            network: None,
        }
    }

    /// And, from other machines, of this address.
    pub fn and_of(self, interface: Option<SocketAddr>) -> Self {
        Self {
            network: interface.map(|address| address.to_string()),
            ..self
        }
    }

    /// Of a hub that is reached under these names, each with its port.
    pub fn named(names: Vec<String>) -> Self {
        Self {
            tcp: names,
            network: None,
        }
    }

    /// Whether a request names one of ours.
    pub fn knows<B>(&self, request: &Request<B>, way: Way) -> bool {
        self.check(request, way).is_ok()
    }

    /// The host of a request, if it is one of ours.
    ///
    /// # Errors
    /// 400 when it is another one, absent or there twice, and when the request line names another.
    pub(crate) fn check<B>(&self, request: &Request<B>, way: Way) -> Result<String, Refusal> {
        let mut values = request.headers().get_all(HOST).iter();
        let (first, second) = (values.next(), values.next());
        let host = match (first.map(|value| value.to_str()), second) {
            (Some(Ok(host)), None) => host,
            _ => return Err(refusal("a request needs one Host header", way)),
        };
        let known = match way {
            Way::Plain | Way::Tls => self
                .tcp
                .iter()
                .any(|known| known.eq_ignore_ascii_case(host)),
            Way::Network => self
                .network
                .as_ref()
                .is_some_and(|known| known.eq_ignore_ascii_case(host)),
            Way::Socket => host == SOCKET_HOST,
        };
        if !known {
            tracing::debug!(?host, "wrong host");
            return Err(refusal("the Host header does not match this address", way));
        }
        match request.uri().authority() {
            Some(other) if !other.as_str().eq_ignore_ascii_case(host) => {
                Err(refusal("the request line names another host", way))
            }
            _ => Ok(host.to_owned()),
        }
    }
}

fn refusal(message: &'static str, way: Way) -> Refusal {
    let hint = match way {
        Way::Network => "use the address that the settings show for bobbin.receiver, with the port",
        Way::Plain | Way::Tls | Way::Socket => {
            "use http://127.0.0.1 or http://localhost, with the port"
        }
    };
    Refusal::new(StatusCode::BAD_REQUEST, "wrong_host", message)
        .hint(hint)
        .closing()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(uri: &str, hosts: &[&str]) -> Request<()> {
        let mut builder = Request::builder().uri(uri);
        for host in hosts {
            builder = builder.header(HOST, *host);
        }
        builder.body(()).unwrap()
    }

    fn accepted(uri: &str, hosts: &[&str], way: Way) -> bool {
        Hosts::of_port(8788)
            .check(&request(uri, hosts), way)
            .is_ok()
    }

    #[test]
    fn the_two_names_of_loopback_are_right_in_any_case() {
        for host in ["127.0.0.1:8788", "localhost:8788", "LocalHost:8788"] {
            assert!(accepted("/", &[host], Way::Plain), "{host}");
            assert!(accepted("/", &[host], Way::Tls), "{host}");
            assert!(
                accepted(&format!("http://{host}/"), &[host], Way::Plain),
                "{host}"
            );
        }
        assert!(accepted("/", &["bobbin"], Way::Socket));
    }

    #[test]
    fn other_machines_name_the_interface_and_this_one_does_not() {
        let hosts = Hosts::of_port(8788).and_of(Some("192.168.1.7:8788".parse().unwrap()));
        let accepted = |host: &str, way| hosts.check(&request("/", &[host]), way).is_ok();
        assert!(accepted("192.168.1.7:8788", Way::Network));
        for host in [
            "127.0.0.1:8788",
            "localhost:8788",
            "192.168.1.7",
            "evil.example:8788",
            "bobbin",
        ] {
            assert!(!accepted(host, Way::Network), "{host}");
        }
        assert!(!accepted("192.168.1.7:8788", Way::Tls));
        assert!(!self::accepted("/", &["192.168.1.7:8788"], Way::Network));
    }

    #[test]
    fn nothing_else_is() {
        for host in [
            "",
            "evil.example:8788",
            "127.0.0.1",
            "127.0.0.1:8789",
            "127.0.0.1.evil.example:8788",
            "localhost",
            "localhost.:8788",
            "0.0.0.0:8788",
            "[::1]:8788",
            "bobbin",
            "127.1:8788",
            "2130706433:8788",
        ] {
            assert!(!accepted("/", &[host], Way::Plain), "{host}");
        }
        assert!(!accepted("/", &[], Way::Plain));
        assert!(!accepted(
            "/",
            &["127.0.0.1:8788", "127.0.0.1:8788"],
            Way::Plain
        ));
        assert!(!accepted(
            "http://evil.example:8788/",
            &["127.0.0.1:8788"],
            Way::Plain
        ));
        assert!(!accepted("/", &["127.0.0.1:8788"], Way::Socket));
    }
}
