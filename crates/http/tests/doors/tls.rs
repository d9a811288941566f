//! TLS on the same port, known by its pin.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::bench::{Bench, exchange, request};

pub fn connector(certificate: CertificateDer<'static>) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_port_speaks_tls_with_the_certificate_of_the_pin() {
    let bench = Bench::start().await;
    let own = CertificateDer::from_pem_file(bench.data().join("certificate.pem")).unwrap();
    let pin: String = Sha256::digest(&own)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(pin, bench.running.certificate_sha256);
    for name in ["127.0.0.1", "localhost"] {
        let stream = TcpStream::connect(bench.running.tcp).await.unwrap();
        let stream = connector(own.clone())
            .connect(ServerName::try_from(name).unwrap(), stream)
            .await
            .unwrap();
        let shown = stream.get_ref().1.peer_certificates().unwrap()[0].clone();
        assert_eq!(shown, own);
        let auth = format!("Authorization: Bearer {}", bench.token);
        let host = format!("{name}:{}", bench.running.tcp.port());
        let answer = exchange(stream, &request("GET", "/v1/health", &host, &[&auth], b"")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_pins_another_certificate_sends_nothing() {
    let (bench, other) = (Bench::start().await, Bench::start().await);
    let theirs = CertificateDer::from_pem_file(other.data().join("certificate.pem")).unwrap();
    let stream = TcpStream::connect(bench.running.tcp).await.unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    assert!(connector(theirs).connect(name, stream).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_after_it_saw_the_certificate_is_counted() {
    let bench = Bench::start().await;
    let own = CertificateDer::from_pem_file(bench.data().join("certificate.pem")).unwrap();
    let stream = TcpStream::connect(bench.running.tcp).await.unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    drop(connector(own).connect(name, stream).await.unwrap());
    let counted = async {
        while !bench.app.refused().contains_key("tls_left") {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    let patience = std::time::Duration::from_secs(60);
    tokio::time::timeout(patience, counted).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn over_tls_the_gates_are_the_same() {
    let bench = Bench::start().await;
    let own = CertificateDer::from_pem_file(bench.data().join("certificate.pem")).unwrap();
    let port = bench.running.tcp.port();
    let auth = format!("Authorization: Bearer {}", bench.token);
    let host = bench.host();
    let evil = format!("evil.example:{port}");
    let cases: [(&str, &[&str], u16); 3] = [
        (&evil, &[&auth], 400),
        (&host, &[], 401),
        (&host, &[&auth, "Origin: null"], 403),
    ];
    for (host, headers, status) in cases {
        let stream = TcpStream::connect(bench.running.tcp).await.unwrap();
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let stream = connector(own.clone()).connect(name, stream).await.unwrap();
        let answer = exchange(stream, &request("GET", "/v1/health", host, headers, b"")).await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
}
