//! Performance reports that the published client uploads: each becomes a cluster, and nothing else gets in by this way.

use std::fs;
use std::io::Read;

use bobbin_core::api::follow_link;
use bobbin_http::Config;
use flate2::read::GzDecoder;
use serde_json::Value;

use crate::bench::{Answer, Bench, request};

const UPLOAD: &str = "/api/v1/w/performance_reports/private/";
const ALL: &str = "/api/v1/w/performance_reports/all/";
const FORM: &str = "Content-Type: multipart/form-data; boundary=b0";
const PACKED: &[u8] = include_bytes!("../../../../tests/fixtures/foreign/2026/report.html.gz");

/// A real one.
fn report() -> Vec<u8> {
    let mut plain = Vec::new();
    GzDecoder::new(PACKED).read_to_end(&mut plain).unwrap();
    plain
}

/// The body that the client makes of a file.
fn form(path: &str, file: &[u8]) -> Vec<u8> {
    let head = format!(
        "--b0\r\nContent-Type: text/html\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{path}\"; \
         filename*=\"{path}\"\r\n\r\n"
    );
    [head.as_bytes(), file, b"\r\n--b0--\r\n"].concat()
}

async fn upload_by(bench: &Bench, token: &str, form_type: &str, body: &[u8]) -> Answer {
    let auth = format!("Authorization: Token {token}");
    let headers = [auth.as_str(), form_type];
    bench
        .raw(&request("POST", UPLOAD, &bench.host(), &headers, body))
        .await
}

async fn upload(bench: &Bench, body: &[u8]) -> Answer {
    upload_by(bench, &bench.token, FORM, body).await
}

async fn listed(bench: &Bench) -> Vec<Value> {
    let answer = bench.get(ALL).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json().as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_becomes_a_cluster_that_its_address_opens_and_the_list_has() {
    let bench = Bench::start().await;
    let body = form("/home/ada/runs/monday.html", &report());
    let answer = upload(&bench, &body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let taken = answer.json();
    let url = taken["url"].as_str().unwrap();
    let page = format!("#/1/cluster/{}", taken["id"]);
    assert_eq!(follow_link(&bench.app, url).unwrap(), page);
    assert_eq!(taken["name"], "monday");
    assert!(taken["created"].as_str().unwrap().contains('T'), "{taken}");
    assert_eq!(listed(&bench).await, [taken]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_report_twice_at_once_is_one_cluster() {
    let bench = Bench::start().await;
    let body = form("dask-report.html", &report());
    let (one, other) = tokio::join!(upload(&bench, &body), upload(&bench, &body));
    assert_eq!((one.status, other.status), (200, 200), "{one:?} {other:?}");
    assert_eq!(one.json()["url"], other.json()["url"]);
    assert_eq!(listed(&bench).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_name_names_a_cluster_and_no_file() {
    let bench = Bench::start().await;
    let answer = upload(&bench, &form("../../../evil\"; x=\".html", &report())).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["name"], "evil");
    let mut beside = fs::read_dir(bench.dir.path()).unwrap();
    assert!(beside.all(|entry| entry.unwrap().file_name() == "data"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_whole_report_is_refused_in_words_and_leaves_nothing() {
    let bench = Bench::start().await;
    let whole = form("monday.html", &report());
    let cut = &whole[..whole.len() - 200];
    let page = form("monday.html", b"<html><body>hello</body></html>");
    let stacks = form("monday.html", b"main;load 3\nmain;sum 4\n");
    let empty = form("monday.html", b"");
    let two = [&whole[..whole.len() - 4], b"\r\n--b0--\r\n"].concat();
    let bare = report();
    for (body, words) in [
        (cut, "its end is missing"),
        (&page[..], "not a Dask performance report"),
        (&stacks[..], "not a Dask performance report"),
        (&empty[..], "not a Dask performance report"),
        (&two[..], "something follows the file"),
        (&bare[..], "upload cannot be used"),
        (&bare[..0], "its end is missing"),
    ] {
        let answer = upload(&bench, body).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "INVALID"),
            "{answer:?}"
        );
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains(words), "{words}: {message}");
    }
    let answer = upload_by(&bench, &bench.token, "Content-Type: text/html", &whole).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert!(listed(&bench).await.is_empty());
    let left = fs::read_dir(bench.data().join("beside"));
    assert_eq!(left.map_or(0, Iterator::count), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_stalls_is_refused_and_keeps_no_other_out() {
    let bench = Bench::start().await;
    let body = form("monday.html", &report());
    let auth = format!("Authorization: Token {}", bench.token);
    let whole = request("POST", UPLOAD, &bench.host(), &[&auth, FORM], &body);
    let stalled = &whole[..whole.len() - body.len() + 100];
    let (stalled, other) = tokio::join!(bench.raw(stalled), upload(&bench, &body));
    assert_eq!(
        (stalled.status, stalled.code().as_str()),
        (408, "TOO_SLOW"),
        "{stalled:?}"
    );
    assert_eq!(other.status, 200, "{other:?}");
    assert_eq!(listed(&bench).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_leave_the_last_of_the_disk() {
    let bench = Bench::with(Config {
        port: 0,
        least_free_bytes: Some(u64::MAX),
        ..Config::default()
    })
    .await;
    let answer = upload(&bench, &form("monday.html", &report())).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (500, "DISK_FULL"),
        "{answer:?}"
    );
    assert!(answer.text().contains("nearly full"), "{answer:?}");
    assert!(listed(&bench).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_owner_may_and_nothing_is_read_of_what_is_too_large() {
    let bench = Bench::start().await;
    let body = form("monday.html", &report());
    let key = bench.app.new_ingest_key().unwrap();
    for token in ["x", key.expose()] {
        let answer = upload_by(&bench, token, FORM, &body).await;
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.text().contains("does not know this token"));
    }
    let auth = format!("Authorization: Token {}", bench.token);
    let length = format!("Content-Length: {}", (50 << 20) + (8 << 10) + 1);
    let host = bench.host();
    let head = format!("POST {UPLOAD} HTTP/1.1\r\nHost: {host}");
    let head = [&head[..], &auth[..], FORM, &length[..], "\r\n"].join("\r\n");
    let answer = bench.raw(head.as_bytes()).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (413, "TOO_LARGE"),
        "{answer:?}"
    );
    assert!(listed(&bench).await.is_empty());
}
