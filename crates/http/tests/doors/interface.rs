//! The interface that a person named: TLS alone, the same gates, and nothing that is handed out without a token.

use std::io::Write;
use std::net::UdpSocket;
use std::process::Command;
use std::time::Duration;

use bobbin_core::api::{self, Empty};
use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::install::{self, Interface};
use bobbin_core::ledger::{Kind, Ledger};
use bobbin_core::model::Micros;
use bobbin_http::Config;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};

use crate::bench::{Answer, Bench, batch, exchange, gzip, request};
use crate::tls::connector;

/// An address of this machine that others would reach; none, said aloud, where it is in no network.
fn own_interface() -> Option<Interface> {
    // Nothing is sent: the kernel only says from where it would be.
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    let interface = socket
        .connect("192.0.2.1:9")
        .and_then(|()| socket.local_addr())
        .ok()
        .and_then(|address| address.ip().to_string().parse().ok());
    if interface.is_none() {
        let _ = std::io::stderr()
            .lock()
            .write_all(b"skipped: the receiver on an interface: this machine is in no network\n");
    }
    interface
}

/// A receiver that listens there, too, and where that is.
async fn reached() -> Option<(Bench, String)> {
    let interface = own_interface()?;
    let bench = Bench::with(Config {
        port: 0,
        interface: Some(interface),
        interface_by_option: true,
        ..Config::default()
    })
    .await;
    let there = interface.at(bench.running.tcp.port()).to_string();
    Some((bench, there))
}

async fn ask(bench: &Bench, there: &str, bytes: &[u8]) -> Answer {
    let own = CertificateDer::from_pem_file(bench.data().join("certificate.pem")).unwrap();
    let stream = TcpStream::connect(there).await.unwrap();
    // Its name is that of this machine to itself; what counts is the certificate.
    let name = ServerName::try_from("127.0.0.1").unwrap();
    exchange(connector(own).connect(name, stream).await.unwrap(), bytes).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_taken_from_the_network_over_tls_and_in_no_other_way() {
    let Some((bench, there)) = reached().await else {
        return;
    };
    let pin = &bench.running.certificate_sha256;
    assert_eq!(
        bench.running.from_elsewhere,
        Some(format!("https://{there}#sha256={pin}"))
    );
    let auth = format!("Authorization: Bearer {}", bench.token);
    let headers = [auth.as_str(), "Content-Encoding: gzip"];
    let body = gzip(batch("Scheduler-far", "i", 1).as_bytes());
    let post = request("POST", "/v1/batches", &there, &headers, &body);
    let taken = ask(&bench, &there, &post).await;
    assert_eq!(taken.status, 200, "{taken:?}");
    let plain = exchange(TcpStream::connect(&there).await.unwrap(), &post).await;
    assert_eq!(plain.status, 0, "{plain:?}");
    assert_eq!(bench.refused("plaintext"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn from_the_network_the_gates_are_the_same_and_no_key_is_handed_out() {
    let Some((bench, there)) = reached().await else {
        return;
    };
    let auth = format!("Authorization: Bearer {}", bench.token);
    let cases: [(&str, &str, &[&str], u16); 6] = [
        ("/v1/health", &there, &[&auth], 200),
        ("/v1/health", &there, &[], 401),
        ("/v1/health", &there, &["Authorization: Bearer bobbin"], 401),
        ("/v1/health", &bench.host(), &[&auth], 400),
        ("/v1/health", &there, &[&auth, "Origin: null"], 403),
        // It takes no token on this machine.
        ("/api/v2/analytics/preload", &there, &[], 400),
    ];
    for (path, host, headers, status) in cases {
        let answer = ask(&bench, &there, &request("GET", path, host, headers, b"")).await;
        assert_eq!(answer.status, status, "{path} {host}: {answer:?}");
    }
    assert_eq!(bench.refused("this_machine_only"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_listens_where_no_interface_was_named() {
    let Some(interface) = own_interface() else {
        return;
    };
    let bench = Bench::start().await;
    let there = interface.at(bench.running.tcp.port());
    assert!(TcpStream::connect(there).await.is_err());
    assert_eq!(bench.running.from_elsewhere, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interface_of_the_settings_is_listened_on_once_it_can_be() {
    let Some(interface) = own_interface() else {
        return;
    };
    // As good as an address that this machine does not have yet: nobody else can listen there.
    let taken = TcpListener::bind(interface.at(0)).await.unwrap();
    let port = taken.local_addr().unwrap().port();
    let bench = Bench::with(Config {
        port,
        interface: Some(interface),
        interface_retry: Duration::from_millis(20),
        ..Config::default()
    })
    .await;
    let told = || {
        let status = api::status(&bench.app, Empty {})
            .unwrap()
            .receiver
            .unwrap()
            .interface
            .unwrap();
        let address = install::read_address(bench.data()).unwrap().unwrap();
        (status.failed.is_none(), address.interface)
    };
    assert_eq!(told(), (false, None));
    drop(taken);
    let there = interface.at(port).to_string();
    while told() != (true, Some(there.clone())) {
        sleep(Duration::from_millis(10)).await;
    }
    let auth = format!("Authorization: Bearer {}", bench.token);
    let health = request("GET", "/v1/health", &there, &[&auth], b"");
    assert_eq!(ask(&bench, &there, &health).await.status, 200);
    bench.running.stop().await.unwrap();
    assert!(TcpStream::connect(&there).await.is_err());
}

const APART: &str = "BOBBIN_TEST_APART";
const HERE: &str = "198.51.100.7";

/// Gives this machine an address, or takes it from it.
fn address(verb: &str) {
    let mut ip = Command::new("ip");
    ip.args(["address", verb, &format!("{HERE}/32"), "dev", "lo"]);
    assert!(ip.status().unwrap().success(), "{verb}");
}

/// Why no other machine reaches a receiver.
fn failed(bench: &Bench) -> Option<String> {
    let receiver = api::status(&bench.app, Empty {}).unwrap().receiver;
    receiver.unwrap().interface.unwrap().failed
}

/// Not a test of its own: it runs in a network of its own, in which nothing else has an address.
#[tokio::test(flavor = "multi_thread")]
async fn child_whose_address_goes_and_comes_back() {
    if std::env::var_os(APART).is_none() {
        return;
    }
    address("add");
    let interface: Interface = HERE.parse().unwrap();
    let bench = Bench::with(Config {
        port: 0,
        interface: Some(interface),
        interface_by_option: true,
        interface_retry: Duration::from_millis(10),
        ..Config::default()
    })
    .await;
    let there = interface.at(bench.running.tcp.port()).to_string();
    let auth = format!("Authorization: Bearer {}", bench.token);
    let health = request("GET", "/v1/health", &there, &[&auth], b"");
    let mut answered = 0;
    while answered < 50 {
        assert_eq!(ask(&bench, &there, &health).await.status, 200);
        answered += 1;
        address("del");
        while failed(&bench).is_none() {
            sleep(Duration::from_millis(5)).await;
        }
        let said = failed(&bench).unwrap();
        assert!(said.contains(&format!("{HERE} cannot be used")), "{said}");
        assert!(TcpStream::connect(&there).await.is_err());
        // The doctor, which asks by what is written down, says so.
        let data = bench.data().to_path_buf();
        let probe = move || bobbin_http::probe(&data, SystemClock.now());
        let checks = tokio::task::spawn_blocking(probe).await.unwrap();
        let check = checks.iter().find(|check| check.name == "interface");
        let found = &check.unwrap().found;
        assert!(found.contains("does not have that address now"), "{found}");
        // This machine notices nothing.
        assert_eq!(bench.get("/v1/health").await.status, 200);
        address("add");
        while failed(&bench).is_some() {
            sleep(Duration::from_millis(5)).await;
        }
    }
    // The gates and TLS are those of the listener before.
    let bare = request("GET", "/v1/health", &there, &[], b"");
    assert_eq!(ask(&bench, &there, &bare).await.status, 401);
    let plain = exchange(TcpStream::connect(&there).await.unwrap(), &health).await;
    assert_eq!(plain.status, 0, "{plain:?}");
    bench.running.stop().await.unwrap();
    println!("answered {answered} times");
}

/// Neither is this.
#[tokio::test(flavor = "multi_thread")]
async fn child_whose_port_is_taken_while_its_address_goes_and_comes_back() {
    if std::env::var_os(APART).is_none() {
        return;
    }
    address("add");
    let interface: Interface = HERE.parse().unwrap();
    let taken = TcpListener::bind(interface.at(0)).await.unwrap();
    let bench = Bench::with(Config {
        port: taken.local_addr().unwrap().port(),
        interface: Some(interface),
        interface_retry: Duration::from_millis(10),
        ..Config::default()
    })
    .await;
    let said = async |words: &str| {
        while !failed(&bench).unwrap().contains(words) {
            sleep(Duration::from_millis(5)).await;
        }
    };
    said("is taken").await;
    address("del");
    said("cannot be used").await;
    address("add");
    said("is taken").await;
    drop(taken);
    while failed(&bench).is_some() {
        sleep(Duration::from_millis(5)).await;
    }
    bench.running.stop().await.unwrap();
    println!("said each time");
}

/// What such a test says; none, said aloud, where no network apart can be had.
#[cfg(target_os = "linux")]
fn apart(child: &str) -> Option<String> {
    let apart = |command: &str| {
        let script = format!("ip link set lo up && {command}");
        let mut apart = Command::new("unshare");
        apart
            .args(["--user", "--map-root-user", "--net", "sh", "-c"])
            .arg(script);
        apart
    };
    let can = apart("true").output();
    if !can.is_ok_and(|output| output.status.success()) {
        let _ = std::io::stderr()
            .lock()
            .write_all(b"skipped: an interface that comes back: no network apart here\n");
        return None;
    }
    let output = apart("exec \"$@\"")
        .arg("sh")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", child, "--nocapture"])
        .env(APART, "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// As where a laptop changes its network, or its VPN drops.
#[cfg(target_os = "linux")]
#[test]
fn an_interface_that_goes_and_comes_back_is_listened_on_each_time() {
    if let Some(said) = apart("interface::child_whose_address_goes_and_comes_back") {
        assert!(said.contains("answered 50 times"), "{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn why_an_interface_is_not_listened_on_is_said_anew_where_it_changes() {
    let child = "interface::child_whose_port_is_taken_while_its_address_goes_and_comes_back";
    if let Some(said) = apart(child) {
        assert!(said.contains("said each time"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interface_with_an_end_is_closed_then_with_its_connections() {
    let Some(interface) = own_interface() else {
        return;
    };
    let now = SystemClock.now();
    let bench = Bench::with(Config {
        port: 0,
        interface: Some(interface),
        interface_until: Some(Micros(now.0 + 700_000)),
        ..Config::default()
    })
    .await;
    let there = interface.at(bench.running.tcp.port()).to_string();
    let mut open = TcpStream::connect(&there).await.unwrap();
    let status = || api::status(&bench.app, Empty {}).unwrap().receiver.unwrap();
    assert!(status().interface.is_some());
    while status().interface.is_some() {
        sleep(Duration::from_millis(20)).await;
    }
    assert!(SystemClock.now().0 >= now.0 + 700_000);
    let address = install::read_address(bench.data()).unwrap().unwrap();
    assert_eq!(address.interface, None);
    assert_eq!(open.read(&mut [0; 1]).await.unwrap_or(0), 0);
    while TcpStream::connect(&there).await.is_ok() {
        sleep(Duration::from_millis(20)).await;
    }
    // This machine notices nothing.
    assert_eq!(bench.get("/v1/health").await.status, 200);
    // Started again, as after a pause, it does not listen there for a moment.
    let later = Bench::with(Config {
        port: 0,
        interface: Some(interface),
        interface_until: Some(now),
        ..Config::default()
    })
    .await;
    let status = api::status(&later.app, Empty {}).unwrap().receiver.unwrap();
    assert_eq!(status.interface, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_from_the_network_is_a_row_of_the_ledger_for_each_machine_and_hour() {
    let Some((bench, there)) = reached().await else {
        return;
    };
    bench.post(&batch("Scheduler-read", "one", 1)).await;
    let auth = format!("Authorization: Bearer {}", bench.token);
    let read = |path: &str, host: &str| request("POST", path, host, &[&auth], b"{\"id\": 1}");
    let rows = || {
        let rows = Ledger::of(bench.data()).rows().unwrap().into_iter();
        let said = rows.map(|row| (row.entry.kind, row.entry.what, row.entry.to));
        said.collect::<Vec<_>>()
    };
    // From this machine it is none: nothing leaves.
    let near = bench.raw(&read("/v1/read/exceptions", &bench.host())).await;
    assert_eq!((near.status, rows()), (200, vec![]));
    // Without a row nothing is read.
    let file = bench.data().join("ledger.ndjson");
    install::write_private(&file, b"{}\n").unwrap();
    let refused = ask(&bench, &there, &read("/v1/read/exceptions", &there)).await;
    assert_ne!(refused.status, 200, "{refused:?}");
    std::fs::remove_file(&file).unwrap();
    for path in [
        "/v1/read/exceptions",
        "/v1/read/task_groups",
        "/v1/read/exceptions?text=true",
        "/v1/read/exceptions?text=true",
    ] {
        let answer = ask(&bench, &there, &read(path, &there)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let address = there.rsplit_once(':').unwrap().0.trim_matches(['[', ']']);
    let row = |what: &str| (Kind::Read, what.to_owned(), Some(address.to_owned()));
    assert_eq!(
        rows(),
        [
            row("read over the interface"),
            row("read over the interface, with code and texts")
        ]
    );
}
