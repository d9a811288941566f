//! A receiver in a folder of its own, and a client that sends exactly what it is told.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bobbin_core::api::{App, Role};
use bobbin_core::clock::SystemClock;
use bobbin_core::install;
use bobbin_http::{Config, Deadlines, Receiver, Running};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

/// A running receiver.
pub struct Bench {
    pub dir: tempfile::TempDir,
    pub app: App,
    pub running: Running,
    pub token: String,
}

/// Deadlines that a test can wait for.
pub const SHORT: Deadlines = Deadlines {
    header: Duration::from_millis(300),
    body: Duration::from_millis(600),
    stop: Duration::from_secs(5),
};

impl Bench {
    pub async fn start() -> Self {
        Self::with(Config {
            port: 0,
            ..Config::default()
        })
        .await
    }

    pub async fn with_door() -> Self {
        Self::with(Config {
            port: 0,
            ui_port: Some(0),
            ..Config::default()
        })
        .await
    }

    pub async fn with(config: Config) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        let app = App::open(&data, Role::Owner, Arc::new(SystemClock)).unwrap();
        let running = Receiver::start(app.clone(), config).await.unwrap();
        let token = install::token(&data).unwrap().expose().to_owned();
        Self {
            dir,
            app,
            running,
            token,
        }
    }

    pub fn data(&self) -> &Path {
        self.app.dir()
    }

    /// Path of the Unix socket.
    pub fn socket(&self) -> &Path {
        self.running.socket.as_deref().unwrap()
    }

    /// The right host.
    pub fn host(&self) -> String {
        self.running.tcp.to_string()
    }

    /// Sends bytes over TCP and reads until the other side closes.
    pub async fn raw(&self, bytes: &[u8]) -> Answer {
        let stream = TcpStream::connect(self.running.tcp).await.unwrap();
        exchange(stream, bytes).await
    }

    /// Sends bytes over the Unix socket.
    pub async fn raw_socket(&self, bytes: &[u8]) -> Answer {
        let stream = UnixStream::connect(self.socket()).await.unwrap();
        exchange(stream, bytes).await
    }

    /// A proper request with the right token.
    pub async fn ask(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let auth = format!("Authorization: Bearer {}", self.token);
        self.raw(&request(method, path, &self.host(), &[&auth], body))
            .await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, b"").await
    }

    /// Posts a batch, packed.
    pub async fn post(&self, batch: &str) -> Answer {
        let auth = format!("Authorization: Bearer {}", self.token);
        let headers = [
            auth.as_str(),
            "Content-Encoding: gzip",
            "Content-Type: application/x-ndjson",
        ];
        self.raw(&request(
            "POST",
            "/v1/batches",
            &self.host(),
            &headers,
            &gzip(batch.as_bytes()),
        ))
        .await
    }

    /// How often the receiver refused for a reason.
    pub fn refused(&self, reason: &str) -> u64 {
        let status = bobbin_core::api::status(&self.app, bobbin_core::api::Empty {}).unwrap();
        status.refused.get(reason).copied().unwrap_or(0)
    }
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    /// 0 when the connection was closed without one.
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The `code` of a refusal.
    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    pub fn header(&self, name: &str) -> Option<String> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then(|| value.to_owned())
        })
    }
}

/// The bytes of a request that closes its connection.
pub fn request(method: &str, path: &str, host: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
    for header in headers {
        bytes.push_str(&format!("{header}\r\n"));
    }
    if !body.is_empty() || method == "POST" {
        bytes.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    bytes.push_str("\r\n");
    let mut bytes = bytes.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Sends bytes and reads all that comes back. A reset or an end of writing is an answer like any other.
pub async fn exchange(mut stream: impl AsyncRead + AsyncWrite + Unpin, bytes: &[u8]) -> Answer {
    let _ = stream.write_all(bytes).await;
    read_answer(&mut stream).await
}

/// Reads until the end, at most 30 s.
pub async fn read_answer(stream: &mut (impl AsyncRead + Unpin)) -> Answer {
    let mut bytes = Vec::new();
    let read = timeout(Duration::from_secs(30), stream.read_to_end(&mut bytes)).await;
    assert!(
        read.is_ok(),
        "the connection stayed open: {}",
        String::from_utf8_lossy(&bytes)
    );
    answer(&bytes)
}

/// Takes an answer apart.
pub fn answer(bytes: &[u8]) -> Answer {
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .map_or(bytes.len(), |end| end + 4);
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or(0);
    Answer {
        status,
        head,
        body: bytes[end..].to_vec(),
    }
}

pub fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// A batch of one cluster record, and a sample.
pub fn batch(cluster: &str, instance: &str, first_seq: u64) -> String {
    let now = SystemClockNow::micros();
    let header = serde_json::json!({
        "kind": "header", "protocol": 1, "cluster_id": cluster, "instance_id": instance, "first_seq": first_seq,
        "records": 2, "sent_at_micros": now, "monotonic_micros": 1, "plugin_version": "0.1.0",
    });
    let record = serde_json::json!({
        "kind": "cluster", "at_micros": now, "name": cluster, "cluster_class": "LocalCluster",
        "scheduler_address": "tcp://127.0.0.1:8786", "dashboard_url": null, "started_micros": now, "user": "ada",
        "host": "laptop", "project": null, "tags": {}, "versions": {}, "python_version": "3.11.0",
        "python_path": null, "os": "linux", "architecture": "x86_64", "plugin_version": "0.1.0",
        "interval_micros": 10_000_000,
        "switches": {"code": true, "profile": false, "remote_close": false, "events_allow": []},
    });
    let sample = serde_json::json!({
        "kind": "sample", "at_micros": now, "workers": 1, "threads": 2, "memory_limit_bytes": 1000,
        "memory_used_bytes": 10, "memory_managed_bytes": 1, "memory_unmanaged_bytes": 9, "memory_spilled_bytes": 0,
        "tasks": {"memory": 3}, "idle_since_micros": null, "loop_lag_micros": 1, "totals": {},
    });
    format!("{header}\n{record}\n{sample}\n")
}

struct SystemClockNow;

impl SystemClockNow {
    fn micros() -> i64 {
        use bobbin_core::clock::Clock;
        SystemClock.now().0
    }
}
