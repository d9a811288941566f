//! A hub with a certificate that was given to it, and behind proxies as its manual has them.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use bobbin_core::api::{App, Role as StoreRole};
use bobbin_core::clock::SystemClock;
use bobbin_http::hub::{AccountCommand, Command, Hub, HubConfig, RunningHub};
use bobbin_http::sync::{Fault, Laptop};
use bobbin_http::team::{Me, Role};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};

use super::bench::{Bench, acceptor, trusting};

fn config() -> HubConfig {
    HubConfig::new(([127, 0, 0, 1], 0).into())
}

/// A hub with one account.
async fn hub(dir: &Path, config: HubConfig) -> RunningHub {
    let hub = Hub::open(dir, Arc::new(SystemClock)).unwrap();
    let hub = RunningHub::start(hub, config).await.unwrap();
    let add = Command::AccountAdd {
        name: "blue".into(),
        quota_bytes: 1 << 30,
    };
    hub.hub().run(add, None).unwrap();
    hub
}

/// Somebody joins with a code of the hub's, and asks who they are.
async fn joined(hub: &RunningHub, dir: &Path) -> Result<Me, Fault> {
    let of = AccountCommand::Invite {
        name: "ada".into(),
        role: Role::Member,
        bundle: None,
        days: 1,
        token_days: 1,
    };
    let account = "blue".to_owned();
    let invite = Command::Within { account, of };
    let made = hub.hub().run(invite, Some(&hub.place)).unwrap();
    let code = made["code"].as_str().unwrap().parse().unwrap();
    let _app = App::open(dir, StoreRole::Owner, Arc::new(SystemClock)).unwrap();
    let laptop = Laptop::new(dir, Arc::new(SystemClock));
    let team = laptop.join(&code, "laptop").await?;
    laptop.me(&team).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_was_given_is_the_one_that_codes_name() {
    let other = Bench::start().await;
    let given = |name: &str| other.hub_dir().join(name);
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("hub");
    let certificate = Some((given("certificate.pem"), given("certificate.key")));
    let hub = hub(
        &folder,
        HubConfig {
            certificate,
            ..config()
        },
    )
    .await;
    let pin = &other.running().place.certificate_sha256;
    assert_eq!(hub.place.certificate_sha256, *pin);
    assert!(!folder.join("certificate.key").exists(), "it made its own");
    let me = joined(&hub, &dir.path().join("ada")).await.unwrap();
    assert_eq!(me.account_name, "blue");
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_proxy_that_passes_tls_on_laptops_see_the_hubs_own_certificate() {
    let dir = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let names = vec![listener.local_addr().unwrap().to_string()];
    let hub = hub(
        &dir.path().join("hub"),
        HubConfig {
            names: names.clone(),
            ..config()
        },
    )
    .await;
    assert_eq!(hub.place.address, names[0]);
    let to = hub.tcp;
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut far = TcpStream::connect(to).await.unwrap();
                let _ = copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    let me = joined(&hub, &dir.path().join("ada")).await.unwrap();
    assert_eq!(me.account_name, "blue");
}

/// A proxy that ends TLS with a certificate of its own, and speaks TLS to the hub.
fn ends_tls(listener: TcpListener, certificate_of: &Path, hub_dir: &Path, to: SocketAddr) {
    let acceptor = acceptor(certificate_of);
    let known = CertificateDer::from_pem_file(hub_dir.join("certificate.pem")).unwrap();
    let connector = trusting(known);
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let (acceptor, connector) = (acceptor.clone(), connector.clone());
            tokio::spawn(async move {
                // Whoever does not know the certificate goes away again.
                let Ok(mut near) = acceptor.accept(near).await else {
                    return;
                };
                let far = TcpStream::connect(to).await.unwrap();
                let name = ServerName::try_from("127.0.0.1").unwrap();
                let mut far = connector.connect(name, far).await.unwrap();
                let _ = copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_proxy_that_ends_tls_codes_name_its_certificate_if_the_hub_is_told_so() {
    let other = Bench::start().await;
    let told = other.running().place.certificate_sha256.clone();
    for pin in [Some(told), None] {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("hub");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let names = vec![listener.local_addr().unwrap().to_string()];
        let is_told = pin.is_some();
        let hub = hub(
            &folder,
            HubConfig {
                names,
                pin,
                ..config()
            },
        )
        .await;
        ends_tls(listener, &other.hub_dir(), &folder, hub.tcp);
        match joined(&hub, &dir.path().join("ada")).await {
            Ok(me) => assert!(is_told && me.account_name == "blue"),
            Err(fault) => assert!(!is_told && fault == Fault::NotAuthentic, "{fault:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pin_that_no_laptop_reads_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let long = "AB".repeat(32);
    for pin in ["", "ab:cd", long.as_str()] {
        let hub = Hub::open(dir.path(), Arc::new(SystemClock)).unwrap();
        let pin = Some(pin.to_owned());
        let started = RunningHub::start(hub, HubConfig { pin, ..config() }).await;
        let why = started.err().unwrap().to_string();
        assert!(why.contains("SHA-256"), "{why}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_no_laptop_reads_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for name in [
        "",
        "hub.example.org",
        "hub.example.org:0",
        "https://hub.example.org:8789",
    ] {
        let hub = Hub::open(dir.path(), Arc::new(SystemClock)).unwrap();
        let names = vec!["hub.example.org:8789".to_owned(), name.to_owned()];
        let started = RunningHub::start(hub, HubConfig { names, ..config() }).await;
        let why = started.err().unwrap().to_string();
        assert!(why.contains("with a port"), "{why}");
    }
}
