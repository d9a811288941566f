//! What a browser that is signed in asks, by the link that `bobbin serve --ui` prints.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use super::{Answer, Server};

/// A browser that is signed in.
pub struct Page {
    host: String,
    cookie: String,
}

impl Page {
    /// Follows the link.
    #[track_caller]
    pub fn open(server: &Server) -> Self {
        let link = server.listening["ui"].as_str().unwrap();
        let (host, path) = link
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once('/'))
            .unwrap();
        let answer = send(host, &format!("GET /{path} HTTP/1.1\r\n"), "");
        let cookie = answer
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "))
            .and_then(|line| line.split(';').next())
            .unwrap_or_else(|| panic!("no cookie: {answer}"));
        Self {
            host: host.into(),
            cookie: cookie.into(),
        }
    }

    /// Asks a command, and waits for its answer for as long as it takes.
    #[track_caller]
    pub fn call(&self, command: &str, request: &Value) -> Answer {
        let head = format!(
            "POST /api/{command} HTTP/1.1\r\nCookie: {}\r\nOrigin: http://{}\r\nContent-Type: application/json\r\n",
            self.cookie, self.host
        );
        Answer::read(&send(&self.host, &head, &request.to_string()))
    }
}

fn send(host: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    let length = body.len();
    let head =
        format!("{head}Host: {host}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
