//! More than there is room for: who is sent away, when, and with which words.

use std::collections::BTreeSet;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use bobbin_core::api::{self, ClustersRequest};
use bobbin_core::ingest::Receipt;
use bobbin_core::wire;
use bobbin_http::{Config, Quota};
use rusqlite::{Connection, OpenFlags};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::bench::{Answer, Bench, SHORT, batch, gzip, read_answer, request};

/// Announces a body and sends none of it.
async fn announce(bench: &Bench, token: &str, bytes: usize) -> TcpStream {
    let head = format!(
        "POST /v1/batches HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Length: {bytes}\r\n\r\n",
        bench.host()
    );
    let mut stream = TcpStream::connect(bench.running.tcp).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

/// One that writes into the store: the writer waits for it.
fn another_program(bench: &Bench) -> Connection {
    let path = bench.data().join("bobbin.sqlite");
    Connection::open_with_flags(path, OpenFlags::default()).unwrap()
}

fn is_sent_away(answer: &Answer, status: u16, code: &str) {
    assert_eq!(
        (answer.status, &*answer.code()),
        (status, code),
        "{answer:?}"
    );
    let seconds: u32 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=300).contains(&seconds), "{answer:?}");
}

/// A receiver, and a key that may send so many bytes: then for ever too few, however slow the machine is.
async fn a_key_for(bytes: f64) -> (Bench, String) {
    let bench = Bench::with(Config {
        port: 0,
        key_quota: Quota {
            batches_per_second: 1.0,
            batches: 100.0,
            bytes_per_second: 0.001,
            bytes,
            plain_bytes_per_day: 86_400.0,
        },
        ..Config::default()
    })
    .await;
    let key = new_key(&bench).await;
    (bench, key)
}

async fn new_key(bench: &Bench) -> String {
    let app = bench.app.clone();
    let made = tokio::task::spawn_blocking(move || app.new_ingest_key().unwrap());
    made.await.unwrap().expose().to_owned()
}

/// Posts a batch with a token.
async fn post(bench: &Bench, token: &str, batch: &str) -> Answer {
    let auth = format!("Authorization: Bearer {token}");
    let host = bench.host();
    let bytes = request("POST", "/v1/batches", &host, &[&auth], batch.as_bytes());
    bench.raw(&bytes).await
}

/// Sends a body that is no batch.
async fn send(bench: &Bench, token: &str, coding: &str, bytes: usize) -> Answer {
    let headers = [
        &*format!("Authorization: Bearer {token}"),
        &*format!("Content-Encoding: {coding}"),
    ];
    let body = vec![b'a'; bytes];
    let host = bench.host();
    bench
        .raw(&request("POST", "/v1/batches", &host, &headers, &body))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_sends_more_than_its_quota_is_slowed_before_its_body_and_the_owner_is_not() {
    let (bench, key) = a_key_for(2_500.0).await;
    for _ in 0..2 {
        let answer = send(&bench, &key, "identity", 1_000).await;
        assert_eq!(answer.status, 422, "{answer:?}");
    }
    let slowed = read_answer(&mut announce(&bench, &key, 1_000).await).await;
    is_sent_away(&slowed, 429, "quota");
    assert_eq!(bench.refused("quota"), 1);
    assert_eq!(
        bench.post(&batch("Scheduler-good", "one", 1)).await.status,
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_key_sends_counts_as_what_it_becomes() {
    let (bench, key) = a_key_for(1e6).await;
    let name = "\"loop_lag_micros\"";
    let spaces = " ".repeat(90_000);
    let text = batch("Scheduler-packed", "one", 1).replace(name, &format!("{spaces}{name}"));
    let packed = gzip(text.as_bytes());
    assert!(packed.len() < 2_000);
    let auth = format!("Authorization: Bearer {key}");
    let headers = [&*auth, "Content-Encoding: gzip"];
    let bytes = request("POST", "/v1/batches", &bench.host(), &headers, &packed);
    let first = bench.raw(&bytes).await;
    assert_eq!(first.status, 200, "{first:?}");
    is_sent_away(&bench.raw(&bytes).await, 429, "quota");
    assert_eq!(
        bench.post(&batch("Scheduler-good", "one", 1)).await.status,
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_leave_the_last_of_the_disk() {
    let bench = Bench::with(Config {
        port: 0,
        least_free_bytes: Some(u64::MAX),
        ..Config::default()
    })
    .await;
    let answer = read_answer(&mut announce(&bench, &bench.token, 1_000).await).await;
    is_sent_away(&answer, 503, "disk_full");
    assert!(answer.text().contains("nearly full"), "{answer:?}");
    assert_eq!(bench.get("/v1/health").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_announces_what_it_does_not_send_keeps_out_nobody_else() {
    let bench = Bench::start().await;
    let (slow, other) = (new_key(&bench).await, new_key(&bench).await);
    let mut held = Vec::new();
    for _ in 0..12 {
        held.push(announce(&bench, &slow, 4 << 20).await);
    }
    // The first has its turn before anybody else sends.
    tokio::time::sleep(Duration::from_millis(200)).await;
    for number in 0..20 {
        for (name, token) in [("mine", &bench.token), ("other", &other)] {
            let text = batch(&format!("Scheduler-{name}-{number}"), name, 1);
            let answer = post(&bench, token, &text).await;
            assert_eq!(answer.status, 200, "{name} {number}: {answer:?}");
        }
    }
    // Those behind the first wait for its turn to end, and no longer than others would.
    let last = read_answer(held.last_mut().unwrap()).await;
    is_sent_away(&last, 503, "busy");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_by_its_headers_counts_like_what_is_read() {
    const MOST: usize = 4 << 20;
    for (coding, bytes, status) in [("zstd", 1_000, 415), ("identity", MOST + 1, 413)] {
        let (bench, key) = a_key_for(1.5 * bytes as f64).await;
        let answer = send(&bench, &key, coding, bytes).await;
        assert_eq!(answer.status, status, "{answer:?}");
        let slowed = send(&bench, &key, coding, bytes).await;
        assert_eq!(bench.refused("quota"), 1, "{slowed:?}");
        // It is cut off within its body, so that the answer may be lost on its way.
        assert!(matches!(slowed.status, 0 | 429), "{slowed:?}");
    }
}

/// Fills the queue of a writer that waits for another program, until a sender is sent away. What was submitted is told of
/// when it is stored, or when it could not be.
async fn sent_away(bench: &Bench, results: &SyncSender<bobbin_core::Result<Receipt>>) -> Answer {
    // The writer waits for seconds, and not for ever: then its queue is empty again.
    for number in 0.. {
        let mut at = 0;
        while !bench.app.behind() {
            let text = batch(&format!("Scheduler-{number}-{at}"), "many", 1);
            let results = results.clone();
            let done = Box::new(move |result| results.send(result).unwrap());
            bench
                .app
                .submit(wire::decode(text.as_bytes()).unwrap(), done)
                .unwrap();
            at += 1;
        }
        let mut stream = announce(bench, &bench.token, 1000).await;
        let answer = read_answer(&mut stream).await;
        if answer.status == 503 {
            return answer;
        }
        assert_eq!(
            answer.status, 408,
            "it was let in, and sent no body: {answer:?}"
        );
    }
    unreachable!("a queue that is full again and again lets nobody in once");
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_writer_is_behind_nothing_is_let_in_and_what_is_acknowledged_is_stored() {
    let bench = Bench::with(Config {
        port: 0,
        deadlines: SHORT,
        ..Config::default()
    })
    .await;
    let other = another_program(&bench);
    other.execute_batch("begin immediate").unwrap();
    let (told, results) = sync_channel(10_000);
    let mut seconds = BTreeSet::new();
    for _ in 0..3 {
        let answer = sent_away(&bench, &told).await;
        is_sent_away(&answer, 503, "busy");
        seconds.insert(answer.header("retry-after").unwrap());
    }
    assert!(
        seconds.len() > 1,
        "they would all come back at once: {seconds:?}"
    );
    assert!(bench.refused("busy") >= 3);

    other.execute_batch("rollback").unwrap();
    drop(told);
    let acknowledged = results.iter().filter(Result::is_ok).count() as u64;
    assert!(!bench.app.behind());
    let clusters = api::clusters(&bench.app, ClustersRequest::default()).unwrap();
    assert_eq!(clusters.total, acknowledged);
    assert_eq!(
        bench.post(&batch("Scheduler-b", "one", 1)).await.status,
        200
    );
}
