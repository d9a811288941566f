//! A hub, laptops, and a proxy between them that writes down what passes and cuts where it is told.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bobbin_core::api::{self, App, ClustersRequest, Role as StoreRole};
use bobbin_core::clock::{Clock, ManualClock, SystemClock};
use bobbin_core::ledger::{Entry, Kind, digest};
use bobbin_core::share::stage::StageClustersRequest;
use bobbin_core::share::{Choice, Identities, Level};
use bobbin_core::wire::decode;
use bobbin_http::hub::{AccountCommand, Command, Hub, HubConfig, RunningHub};
use bobbin_http::sync::{Fault, Laptop, Sent, Team};
use bobbin_http::team::{JoinCode, Proof, Role};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// A hub with one account, and the proxy that its join codes name.
pub struct Bench {
    pub dir: tempfile::TempDir,
    pub clock: Arc<ManualClock>,
    pub hub: Option<RunningHub>,
    pub proxy: Proxy,
    pub account: String,
}

impl Bench {
    pub async fn start() -> Self {
        Self::with_quota(1 << 30).await
    }

    pub async fn with_quota(quota_bytes: u64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::at(SystemClock.now()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let front = listener.local_addr().unwrap().to_string();
        let hub_dir = dir.path().join("hub");
        let hub = open(&hub_dir, &clock, &front, 0).await;
        let proxy = Proxy::start(listener, hub.tcp.port(), &hub_dir);
        let added = hub
            .hub()
            .run(
                Command::AccountAdd {
                    name: "blue".into(),
                    quota_bytes,
                },
                None,
            )
            .unwrap();
        let bench = Self {
            dir,
            clock,
            account: added["account"].as_str().unwrap().into(),
            hub: Some(hub),
            proxy,
        };
        let (account, level) = (bench.account.clone(), Level::Everything);
        bench.run(Command::AccountLevel { account, level });
        bench
    }

    pub fn hub_dir(&self) -> PathBuf {
        self.dir.path().join("hub")
    }

    pub fn running(&self) -> &RunningHub {
        self.hub.as_ref().unwrap()
    }

    pub fn run(&self, command: Command) -> Value {
        let hub = self.running();
        hub.hub().run(command, Some(&hub.place)).unwrap()
    }

    pub fn within(&self, account: &str, of: AccountCommand) -> Value {
        let account = account.to_owned();
        self.run(Command::Within { account, of })
    }

    /// Stops the hub.
    pub async fn stop(&mut self) -> u16 {
        let hub = self.hub.take().unwrap();
        let port = hub.tcp.port();
        hub.stop().await.unwrap();
        port
    }

    /// Starts it again on the port that it had.
    pub async fn again(&mut self, port: u16) {
        let front = self.proxy.address.clone();
        self.hub = Some(open(&self.hub_dir(), &self.clock, &front, port).await);
    }

    pub async fn restart(&mut self) {
        let port = self.stop().await;
        self.again(port).await;
    }

    /// A join code of an account.
    pub fn invite(
        &self,
        account: &str,
        name: &str,
        role: Role,
        bundle: Option<String>,
    ) -> JoinCode {
        let made = self.within(
            account,
            AccountCommand::Invite {
                name: name.into(),
                role,
                bundle,
                days: 1,
                token_days: 30,
            },
        );
        made["code"].as_str().unwrap().parse().unwrap()
    }

    /// A laptop that joined an account.
    pub async fn laptop(&self, account: &str, name: &str, role: Role) -> Desk {
        self.laptop_for(account, name, role, None).await
    }

    pub async fn laptop_for(
        &self,
        account: &str,
        name: &str,
        role: Role,
        bundle: Option<String>,
    ) -> Desk {
        let dir = self.dir.path().join(name);
        let app = App::open(&dir, StoreRole::Owner, Arc::new(SystemClock)).unwrap();
        let laptop = Laptop::new(&dir, Arc::new(SystemClock));
        let code = self.invite(account, name, role, bundle);
        let team = laptop.join(&code, "laptop").await.unwrap();
        Desk { app, laptop, team }
    }

    /// Names of users of the clusters in an account's store.
    pub fn users(&self, account: &str) -> Vec<String> {
        let dir = self.hub_dir().join("accounts").join(account).join("store");
        let app = App::open(&dir, StoreRole::Reader, Arc::new(SystemClock)).unwrap();
        let listed = api::clusters(&app, ClustersRequest::default()).unwrap();
        listed.rows.into_iter().filter_map(|row| row.user).collect()
    }
}

async fn open(dir: &Path, clock: &Arc<ManualClock>, front: &str, port: u16) -> RunningHub {
    let hub = Hub::open(dir, Arc::clone(clock) as Arc<dyn Clock>).unwrap();
    let mut config = HubConfig::new(([127, 0, 0, 1], port).into());
    config.names = vec![front.to_owned()];
    // Fifty at once take their time on a small machine that does other things, too.
    config.deadlines.header = Duration::from_secs(60);
    RunningHub::start(hub, config).await.unwrap()
}

/// A laptop, with its store.
pub struct Desk {
    pub app: App,
    pub laptop: Laptop,
    pub team: Team,
}

/// A file that was looked at.
pub struct Looked {
    pub path: PathBuf,
    pub sha256: String,
    pub bytes: Vec<u8>,
}

impl Desk {
    /// Stores a cluster, with so many bytes that do not pack well.
    pub fn tell(&self, cluster: &str, seq: u64, bytes: usize) {
        let text = batch(cluster, seq, bytes);
        self.app.ingest(decode(text.as_bytes()).unwrap()).unwrap();
    }

    /// The same, with events that hold this.
    pub fn tell_texts(&self, cluster: &str, seq: u64, texts: &[String]) {
        let text = batch_of(cluster, seq, texts);
        self.app.ingest(decode(text.as_bytes()).unwrap()).unwrap();
    }

    /// The account as if its hub were elsewhere.
    pub fn moved_to(&self, address: &str) -> Team {
        let mut moved = serde_json::to_value(&self.team).unwrap();
        moved["address"] = address.into();
        serde_json::from_value(moved).unwrap()
    }

    /// Writes a bundle of all that is stored, and approves it.
    pub fn look(&self, name: &str, level: Level) -> Looked {
        let ids: Vec<i64> = api::clusters(&self.app, ClustersRequest::default())
            .unwrap()
            .rows
            .iter()
            .map(|row| row.id)
            .collect();
        let path = self.laptop.dir.join(format!("{name}.bobbin"));
        let identities = Identities::Aliases;
        api::export(&self.app, &path, &ids, Choice { level, identities }).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let looked = Looked {
            sha256: digest(&bytes),
            path,
            bytes,
        };
        self.approve(&looked);
        looked
    }

    /// Stages all that is stored, as the desk does.
    pub fn stage(&self, destination: &str) -> Looked {
        let listed = api::clusters(&self.app, ClustersRequest::default()).unwrap();
        let request = StageClustersRequest {
            ids: listed.rows.iter().map(|row| row.id).collect(),
            destination: destination.into(),
            ..StageClustersRequest::default()
        };
        let stage = api::stage_clusters(&self.app, request).unwrap();
        let path = PathBuf::from(stage.path);
        let bytes = std::fs::read(&path).unwrap();
        Looked {
            sha256: digest(&bytes),
            path,
            bytes,
        }
    }

    pub fn approve(&self, looked: &Looked) {
        self.approve_for(&self.team, looked);
    }

    /// As the desk does when a person approves.
    pub fn approve_for(&self, team: &Team, looked: &Looked) {
        let entry = Entry::new(Kind::Approved, "looked at")
            .to(team.destination())
            .about(looked.sha256.clone(), looked.bytes.len() as u64);
        self.laptop
            .ledger
            .append(SystemClock.now(), &entry)
            .unwrap();
    }

    pub async fn send(&self, looked: &Looked) -> Result<Proof, Fault> {
        self.send_until(looked, &|| false, &mut |_| ()).await
    }

    pub async fn send_until(
        &self,
        looked: &Looked,
        paused: &(dyn Fn() -> bool + Sync),
        sent: &mut (dyn FnMut(Sent) + Send),
    ) -> Result<Proof, Fault> {
        let minted = self.laptop.mint(&self.team, &looked.sha256)?;
        self.laptop
            .upload(&self.team, &minted, &looked.path, Some(paused), sent)
            .await
    }

    /// The token, as the file of the install has it.
    pub fn token(&self) -> String {
        let text = std::fs::read(self.laptop.dir.join("team.json")).unwrap();
        let team: Value = serde_json::from_slice(&text).unwrap();
        team["token"].as_str().unwrap().to_owned()
    }
}

/// Answers TLS with the hub's own certificate, so that it sees what passes.
pub struct Proxy {
    pub address: String,
    pub plan: Arc<Mutex<Plan>>,
}

/// What the proxy was told, and what it saw.
#[derive(Default)]
pub struct Plan {
    /// Bytes of requests after which it cuts once.
    pub cut_up: Option<usize>,
    /// The same, of answers.
    pub cut_down: Option<usize>,
    /// Requests, a connection each.
    pub seen: Vec<Vec<u8>>,
}

impl Proxy {
    fn start(listener: TcpListener, port: u16, hub_dir: &Path) -> Self {
        let address = listener.local_addr().unwrap().to_string();
        let plan = Arc::new(Mutex::new(Plan::default()));
        let certificate = CertificateDer::from_pem_file(hub_dir.join("certificate.pem")).unwrap();
        let client = trusting(certificate);
        let acceptor = acceptor(hub_dir);
        let shared = Arc::clone(&plan);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, client, plan) =
                    (acceptor.clone(), client.clone(), Arc::clone(&shared));
                tokio::spawn(async move {
                    let Ok(near) = acceptor.accept(stream).await else {
                        return;
                    };
                    let Ok(far) = TcpStream::connect(("127.0.0.1", port)).await else {
                        return;
                    };
                    let name = ServerName::try_from("127.0.0.1").unwrap();
                    let Ok(far) = client.connect(name, far).await else {
                        return;
                    };
                    let number = {
                        let mut plan = plan.lock().unwrap();
                        plan.seen.push(Vec::new());
                        plan.seen.len() - 1
                    };
                    let (near_in, near_out) = split(near);
                    let (far_in, far_out) = split(far);
                    between((near_in, near_out), (far_in, far_out), &plan, number).await;
                });
            }
        });
        Self { address, plan }
    }

    /// The bodies of the chunks that passed whole, by number; the last of each.
    pub fn chunks(&self) -> std::collections::BTreeMap<usize, Vec<u8>> {
        let mut chunks = std::collections::BTreeMap::new();
        for (line, body) in self.requests() {
            if let Some(number) = line.split("/chunks/").nth(1) {
                let number = number.split(' ').next().unwrap().parse().unwrap();
                chunks.insert(number, body);
            }
        }
        chunks
    }

    /// First line and body of each whole request.
    pub fn requests(&self) -> Vec<(String, Vec<u8>)> {
        let mut found = Vec::new();
        for seen in &self.plan.lock().unwrap().seen {
            let mut rest = seen.as_slice();
            while let Some(end) = rest.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = String::from_utf8(rest[..end].to_vec()).unwrap();
                let length = head
                    .to_lowercase()
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())
                    .unwrap_or(0_usize);
                let body = &rest[end + 4..];
                if body.len() < length {
                    break;
                }
                found.push((
                    head.lines().next().unwrap().to_owned(),
                    body[..length].to_vec(),
                ));
                rest = &body[length..];
            }
        }
        found
    }

    pub fn forget(&self) {
        *self.plan.lock().unwrap() = Plan::default();
    }
}

/// Passes bytes on in both directions, until the end or the cut. A cut is abrupt. Where the hub ended by itself, the laptop gets
/// to read what it said last, though it may still be sending: a proxy that drops what it has not read yet resets the
/// connection, and the answer with it.
async fn between(
    (mut near_in, mut near_out): (impl AsyncRead + Unpin, impl AsyncWrite + Unpin),
    (mut far_in, mut far_out): (impl AsyncRead + Unpin, impl AsyncWrite + Unpin),
    plan: &Mutex<Plan>,
    number: usize,
) {
    let ended = tokio::select! {
        passed = pass(&mut near_in, &mut far_out, plan, Some(number)) => {
            // The hub reads no more, and may have said why.
            passed == Passed::Refused && pass(&mut far_in, &mut near_out, plan, None).await == Passed::Ended
        }
        passed = pass(&mut far_in, &mut near_out, plan, None) => passed == Passed::Ended,
    };
    if ended {
        let rest = async {
            near_out.shutdown().await?;
            let mut unread = vec![0; 16 << 10];
            while near_in.read(&mut unread).await? > 0 {}
            Ok::<(), std::io::Error>(())
        };
        // Whoever goes on sending for longer than this is cut off.
        let _ = tokio::time::timeout(Duration::from_secs(60), rest).await;
    }
}

/// How one direction came to its end.
#[derive(PartialEq)]
enum Passed {
    /// The one that sends ended.
    Ended,
    /// The one that is sent to takes no more.
    Refused,
    Cut,
}

async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    plan: &Mutex<Plan>,
    up: Option<usize>,
) -> Passed {
    let mut piece = vec![0; 16 << 10];
    loop {
        let read = match from.read(&mut piece).await {
            Ok(0) | Err(_) => return Passed::Ended,
            Ok(read) => read,
        };
        let (let_through, cut) = {
            let mut plan = plan.lock().unwrap();
            let left = match up {
                Some(_) => &mut plan.cut_up,
                None => &mut plan.cut_down,
            };
            let through = left.map_or(read, |left| left.min(read));
            let cut = left.is_some_and(|left| left <= read);
            if let Some(bytes) = left {
                *bytes -= through;
            }
            if cut {
                *left = None;
            }
            if let Some(number) = up {
                plan.seen[number].extend_from_slice(&piece[..through]);
            }
            (through, cut)
        };
        if to.write_all(&piece[..let_through]).await.is_err() || to.flush().await.is_err() {
            return Passed::Refused;
        }
        if cut {
            return Passed::Cut;
        }
    }
}

fn trusting(certificate: CertificateDer<'static>) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(client))
}

impl Bench {
    /// Somebody with the hub's certificate who answers every request with this.
    pub async fn pretending(&self, answer: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let acceptor = acceptor(&self.hub_dir());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mut stream = acceptor.accept(stream).await.unwrap();
                let mut asked = vec![0; 16 << 10];
                let _ = stream.read(&mut asked).await;
                stream.write_all(answer.as_bytes()).await.unwrap();
                stream.flush().await.unwrap();
                // Until the other side has read it.
                let _ = stream.read(&mut asked).await;
            }
        });
        address
    }
}

/// Answers TLS with the hub's own certificate.
fn acceptor(hub_dir: &Path) -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_file(hub_dir.join("certificate.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(hub_dir.join("certificate.key")).unwrap();
    let server = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(server))
}

/// What came back.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Bench {
    /// Begins to ask the hub itself, with exactly these headers.
    pub async fn begin(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &str,
    ) -> TlsStream<TcpStream> {
        let hub = self.hub_dir();
        let certificate = CertificateDer::from_pem_file(hub.join("certificate.pem")).unwrap();
        let stream = TcpStream::connect(self.running().tcp).await.unwrap();
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let mut stream = trusting(certificate).connect(name, stream).await.unwrap();
        let host = &self.proxy.address;
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
        for header in headers {
            text += &format!("{header}\r\n");
        }
        text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(text.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        stream
    }

    /// Asks the hub itself, and reads the whole answer.
    pub async fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let mut stream = self.begin(method, path, headers, body).await;
        let mut answer = Vec::new();
        // An end without TLS's own goodbye is an end, too.
        let read = stream.read_to_end(&mut answer);
        let _ = tokio::time::timeout(Duration::from_secs(60), read)
            .await
            .unwrap();
        let text = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        Answer {
            status: head.split(' ').nth(1).unwrap_or("0").parse().unwrap(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }
}

/// A batch of a cluster, with events that hold letters drawn at random (a fixed seed).
fn batch(cluster: &str, seq: u64, bytes: usize) -> String {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64 ^ seq;
    let mut letters = |count: usize| -> String {
        (0..count)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                char::from(b' ' + (state % 94) as u8)
                    .to_string()
                    .replace(['"', '\\'], "x")
            })
            .collect()
    };
    let (mut left, mut texts) = (bytes, Vec::new());
    while left > 0 {
        let some = left.min(50_000);
        texts.push(letters(some));
        left -= some;
    }
    batch_of(cluster, seq, &texts)
}

/// A batch of a cluster, with an event for each text.
fn batch_of(cluster: &str, seq: u64, texts: &[String]) -> String {
    let now = SystemClock.now().0;
    let mut records = vec![json!({
        "kind": "cluster", "at_micros": now, "name": cluster, "cluster_class": "LocalCluster",
        "scheduler_address": "tcp://127.0.0.1:8786", "dashboard_url": null, "started_micros": now, "user": "ada",
        "host": "laptop", "project": null, "tags": {}, "versions": {}, "python_version": "3.11.0",
        "python_path": null, "os": "linux", "architecture": "x86_64", "plugin_version": "0.1.0",
        "interval_micros": 10_000_000,
        "switches": {"code": true, "profile": false, "remote_close": false, "events_allow": ["*"]},
    })];
    for text in texts {
        records.push(json!({
            "kind": "event", "at_micros": now, "topic": "test", "payload": {"text": text},
        }));
    }
    let header = json!({
        "kind": "header", "protocol": 1, "cluster_id": cluster, "instance_id": "i", "first_seq": seq,
        "records": records.len(), "sent_at_micros": now, "monotonic_micros": 1, "plugin_version": "0.1.0",
    });
    let mut text = header.to_string();
    for record in records {
        text.push('\n');
        text += &record.to_string();
    }
    text
}
