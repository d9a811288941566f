//! Sealed batches: opened with the install's key, and then like any other.

use std::fs;

use hpke::aead::ChaCha20Poly1305;
use hpke::kdf::HkdfSha256;
use hpke::kem::X25519HkdfSha256;
use hpke::{Deserializable, Kem, OpModeS, Serializable};

use crate::bench::{Answer, Bench, batch, gzip, request};

/// Seals to the key that the receiver's folder tells, as a plugin does.
fn sealed(bench: &Bench, packed: &[u8]) -> Vec<u8> {
    let text = fs::read_to_string(bench.data().join("public_key")).unwrap();
    let bytes: Vec<u8> = (0..32)
        .map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    let key = <X25519HkdfSha256 as Kem>::PublicKey::from_bytes(&bytes).unwrap();
    let (encapsulated, text) = hpke::single_shot_seal::<
        ChaCha20Poly1305,
        HkdfSha256,
        X25519HkdfSha256,
    >(&OpModeS::Base, &key, b"bobbin spool 1", packed, b"")
    .unwrap();
    [b"bobbin-sealed-1\n", &encapsulated.to_bytes()[..], &text].concat()
}

async fn post(bench: &Bench, body: &[u8], more: &[&str]) -> Answer {
    let auth = format!("Authorization: Bearer {}", bench.token);
    let mut headers = vec![auth.as_str(), "Content-Type: application/vnd.bobbin.sealed"];
    headers.extend(more);
    bench
        .raw(&request(
            "POST",
            "/v1/batches",
            &bench.host(),
            &headers,
            body,
        ))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sealed_batch_is_stored_like_any_other() {
    let bench = Bench::start().await;
    let body = sealed(&bench, &gzip(batch("Scheduler-s", "one", 1).as_bytes()));
    let answer = post(&bench, &body, &[]).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["records"], 2, "{answer:?}");
    let again = post(&bench, &body, &[]).await;
    assert_eq!(again.json()["duplicate"], true, "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_open_is_refused_for_good() {
    let (bench, other) = (Bench::start().await, Bench::start().await);
    let packed = gzip(batch("Scheduler-s", "one", 1).as_bytes());
    let whole = sealed(&bench, &packed);
    let mut changed = whole.clone();
    changed[100] ^= 1;
    for (what, body) in [
        ("of another install", sealed(&other, &packed)),
        ("changed", changed),
        ("cut", whole[..whole.len() - 1].to_vec()),
        ("not sealed", packed.clone()),
        ("empty", Vec::new()),
    ] {
        let answer = post(&bench, &body, &[]).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (422, "sealed"),
            "{what}: {answer:?}"
        );
    }
    let no_batch = post(&bench, &sealed(&bench, &gzip(b"{}")), &[]).await;
    assert_eq!(no_batch.status, 422, "{no_batch:?}");
    let unpacked = post(&bench, &sealed(&bench, b"{}"), &[]).await;
    assert_eq!(unpacked.status, 422, "{unpacked:?}");
    let packed_again = post(&bench, &gzip(&whole), &["Content-Encoding: gzip"]).await;
    assert_eq!(packed_again.status, 415, "{packed_again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seal_hides_neither_a_bomb_nor_too_much() {
    let bench = Bench::start().await;
    let bomb = post(&bench, &sealed(&bench, &gzip(&vec![b'a'; 40 << 20])), &[]).await;
    assert_eq!(bomb.status, 413, "{bomb:?}");
    let long = post(&bench, &vec![b'a'; (4 << 20) + 65], &[]).await;
    assert_eq!(
        (long.status, long.code().as_str()),
        (413, "too_large"),
        "{long:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_key_is_away_the_sender_is_told_to_come_again() {
    let bench = Bench::start().await;
    let body = sealed(&bench, &gzip(batch("Scheduler-s", "one", 1).as_bytes()));
    let (key, aside) = (bench.data().join("key"), bench.data().join("aside"));
    fs::rename(&key, &aside).unwrap();
    let answer = post(&bench, &body, &[]).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (503, "locked"),
        "{answer:?}"
    );
    assert_eq!(answer.header("Retry-After").as_deref(), Some("30"));
    assert!(answer.text().contains("`bobbin key`"));
    fs::rename(&aside, &key).unwrap();
    assert_eq!(post(&bench, &body, &[]).await.status, 200);
}
