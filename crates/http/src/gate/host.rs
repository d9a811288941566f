//! The `Host` header, exactly. A page on a name that was made to resolve to loopback still says that name here, which
//! is what stops it; so nothing is accepted by suffix, by resemblance or for want of a header.

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
}

impl Hosts {
    /// Of a door that listens on this port of 127.0.0.1.
    pub fn of_port(port: u16) -> Self {
        Self {
            tcp: vec![format!("127.0.0.1:{port}"), format!("localhost:{port}")],
        }
    }

    /// Of a hub that is reached under these names, each with its port.
    pub fn named(names: Vec<String>) -> Self {
        Self { tcp: names }
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
            _ => return Err(refusal("a request needs one Host header")),
        };
        let known = match way {
            Way::Plain | Way::Tls => self
                .tcp
                .iter()
                .any(|known| known.eq_ignore_ascii_case(host)),
            Way::Socket => host == SOCKET_HOST,
        };
        if !known {
            tracing::debug!(?host, "wrong host");
            return Err(refusal("the Host header is not this address"));
        }
        match request.uri().authority() {
            Some(other) if !other.as_str().eq_ignore_ascii_case(host) => {
                Err(refusal("the request line names another host"))
            }
            _ => Ok(host.to_owned()),
        }
    }
}

fn refusal(message: &'static str) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, "wrong_host", message)
        .hint("use http://127.0.0.1 or http://localhost, with the port")
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
