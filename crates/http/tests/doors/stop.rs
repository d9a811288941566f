//! Starting and stopping: one receiver a port, and nothing acknowledged is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use bobbin_core::api::{App, ClustersRequest, Role, clusters};
use bobbin_core::clock::SystemClock;
use bobbin_core::{Code, install};
use bobbin_http::{Config, Receiver};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::bench::{Bench, batch, exchange, gzip, read_answer, request};

#[tokio::test(flavor = "multi_thread")]
async fn a_taken_port_is_an_error_that_names_it() {
    let bench = Bench::start().await;
    let other = tempfile::tempdir().unwrap();
    let app = App::open(
        &other.path().join("data"),
        Role::Owner,
        Arc::new(SystemClock),
    )
    .unwrap();
    let port = bench.running.tcp.port();
    let error = Receiver::start(
        app,
        Config {
            port,
            ..Config::default()
        },
    )
    .await
    .err()
    .unwrap();
    assert!(error.to_string().contains(&bench.host()), "{error}");
    assert_eq!(error.code(), Code::Busy);
    assert!(error.hint().is_some());
    assert_eq!(bench.get("/v1/health").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_under_way_finishes_and_what_was_acknowledged_is_there() {
    let Bench {
        dir,
        app,
        running,
        token,
    } = Bench::start().await;
    let (address, host, data) = (
        running.tcp,
        running.tcp.to_string(),
        app.dir().to_path_buf(),
    );
    let auth = format!("Authorization: Bearer {token}");

    let stopped = Arc::new(AtomicBool::new(false));
    let acknowledged = Arc::new(AtomicU64::new(0));
    let senders: Vec<_> = (0..4)
        .map(|sender| {
            let (host, auth, stopped) = (host.clone(), auth.clone(), stopped.clone());
            let acknowledged = acknowledged.clone();
            tokio::spawn(async move {
                for number in 0.. {
                    let body = batch(&format!("Scheduler-{sender}-{number}"), "one", 1);
                    let bytes = request("POST", "/v1/batches", &host, &[&auth], body.as_bytes());
                    let Ok(stream) = TcpStream::connect(address).await else {
                        break;
                    };
                    if exchange(stream, &bytes).await.status == 200 {
                        acknowledged.fetch_add(1, Ordering::SeqCst);
                    } else if stopped.load(Ordering::SeqCst) {
                        break;
                    }
                }
            })
        })
        .collect();
    reached(&acknowledged, 4).await;

    // Half of a body is here when the receiver is told to stop; the other half comes after.
    let body = gzip(batch("Scheduler-halfway", "one", 1).as_bytes());
    let bytes = request(
        "POST",
        "/v1/batches",
        &host,
        &[&auth, "Content-Encoding: gzip"],
        &body,
    );
    let (first, second) = bytes.split_at(bytes.len() - 20);
    let mut halfway = TcpStream::connect(address).await.unwrap();
    halfway.write_all(first).await.unwrap();
    // One of these was sent behind it.
    reached(&acknowledged, acknowledged.load(Ordering::SeqCst) + 5).await;
    let stopping = tokio::spawn(running.stop());
    tokio::time::sleep(Duration::from_millis(100)).await;
    halfway.write_all(second).await.unwrap();
    assert_eq!(read_answer(&mut halfway).await.status, 200);
    stopping.await.unwrap().unwrap();
    stopped.store(true, Ordering::SeqCst);
    for sender in senders {
        sender.await.unwrap();
    }
    let acknowledged = 1 + acknowledged.load(Ordering::SeqCst);
    assert!(TcpStream::connect(address).await.is_err());
    assert_eq!(install::read_address(&data).unwrap(), None);
    assert!(!data.join("receiver.sock").exists());

    drop(app);
    let reader = App::open(&data, Role::Reader, Arc::new(SystemClock)).unwrap();
    let stored = clusters(&reader, ClustersRequest::default()).unwrap().total;
    assert!(
        stored >= acknowledged,
        "{acknowledged} acknowledged, {stored} stored"
    );
    drop(dir);
}

/// Waits until so many batches were acknowledged.
async fn reached(acknowledged: &AtomicU64, count: u64) {
    let counting = async {
        while acknowledged.load(Ordering::SeqCst) < count {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), counting)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn it_stops_at_once_when_nothing_is_under_way() {
    let Bench {
        dir: _dir,
        app,
        running,
        token,
    } = Bench::with_door().await;
    let auth = format!("Authorization: Bearer {token}");
    let keeping = request("GET", "/v1/health", &running.tcp.to_string(), &[&auth], b"");
    let keeping = String::from_utf8(keeping)
        .unwrap()
        .replace("Connection: close\r\n", "");
    let mut idle = TcpStream::connect(running.tcp).await.unwrap();
    idle.write_all(keeping.as_bytes()).await.unwrap();
    // It is answered.
    assert_eq!(idle.peek(&mut [0]).await.unwrap(), 1);
    let began = std::time::Instant::now();
    running.stop().await.unwrap();
    // What is under way has ten seconds; this did not wait for them.
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(read_answer(&mut idle).await.status, 200);
    drop(app);
}
