//! One request over loopback, as small as a batch needs.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use super::PATIENCE;

/// A status and a JSON body.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub json: Value,
}

/// Posts `body` to `tcp`, a port on this machine.
#[track_caller]
pub fn post(tcp: &str, path: &str, token: &str, body: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(tcp).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {tcp}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/x-ndjson\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    Answer::read(&answer)
}

impl Answer {
    /// From all that came.
    #[track_caller]
    pub fn read(answer: &str) -> Self {
        let (head, body) = answer
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("no answer: {answer:?}"));
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or_else(|| panic!("no status: {head}"));
        Self {
            status,
            json: serde_json::from_str(body).unwrap_or_else(|e| panic!("{e}: {answer}")),
        }
    }
}
