//! The proxy: what passes is written down, and cut where it is told.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};

use super::tls::{acceptor, trusting};

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
    /// Bytes of answers after which no more of them pass, until this is none again.
    pub hold_down: Option<usize>,
    /// Requests, a connection each.
    pub seen: Vec<Vec<u8>>,
}

impl Proxy {
    pub(super) fn start(listener: TcpListener, port: u16, hub_dir: &Path) -> Self {
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

    /// Waits until it holds back what the hub answers.
    pub async fn until_held(&self) {
        let until = Instant::now() + Duration::from_secs(60);
        while self.plan.lock().unwrap().hold_down != Some(0) {
            assert!(Instant::now() < until, "too little passes");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
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
        while up.is_none() && plan.lock().unwrap().hold_down == Some(0) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
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
            } else if let Some(left) = &mut plan.hold_down {
                *left = left.saturating_sub(through);
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
