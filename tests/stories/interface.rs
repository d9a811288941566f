//! A scheduler that reaches the receiver by an address of the network, without a tunnel.

use std::io::{Read, Write};
use std::net::{IpAddr, TcpStream, UdpSocket};

use serde_json::Value;

use super::attach::{Apart, PLUGIN, agree, reaches, tell};
use crate::support::{PATIENCE, Sandbox, Server, newest};

/// An address of this machine that others would reach; none, said aloud, where it is in no network.
fn own_address(story: &str) -> Option<IpAddr> {
    // Nothing is sent: the kernel only says from where it would be.
    let found = ["192.0.2.1:9", "10.0.0.1:9"].iter().find_map(|there| {
        let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
        socket.connect(there).ok()?;
        Some(socket.local_addr().ok()?.ip())
    });
    let usable = found.filter(|address| !address.is_loopback() && !address.is_unspecified());
    if usable.is_none() {
        let reason = format!("skipped: {story}: this machine is in no network\n");
        let _ = std::io::stderr().lock().write_all(reason.as_bytes());
    }
    usable
}

fn checks_of_doctor(sandbox: &Sandbox, name: &str) -> Vec<Value> {
    let report = sandbox.bobbin(&["doctor", "--json"]).json();
    let checks = report["checks"].as_array().unwrap().iter();
    checks
        .filter(|check| check["name"] == name)
        .cloned()
        .collect()
}

#[test]
fn a_scheduler_reports_to_a_named_interface_over_tls_and_nobody_reaches_one_that_was_not_named() {
    let story = "a scheduler that reaches the receiver over the network";
    let (Some(python), Some(address)) = (newest(story), own_address(story)) else {
        return;
    };
    let mut sandbox = Sandbox::new();
    let closed = Server::start(&sandbox);
    let port = |server: &Server| server.tcp().rsplit_once(':').unwrap().1.to_owned();
    let there = format!("{address}:{}", port(&closed));
    assert!(TcpStream::connect(&there).is_err(), "off by default");
    assert_eq!(closed.listening["receiver"], Value::Null);
    assert_eq!(checks_of_doctor(&sandbox, "interface"), [] as [Value; 0]);
    closed.stop();

    let server = Server::start_with(&sandbox, &["--interface", &address.to_string()]);
    let receiver = server.listening["receiver"].as_str().unwrap().to_owned();
    let there = format!("{address}:{}", port(&server));
    assert!(
        receiver.starts_with(&format!("https://{there}#sha256=")),
        "{receiver}"
    );
    let told = checks_of_doctor(&sandbox, "interface");
    assert_eq!(told[0]["verdict"], "ok", "{told:?}");
    let line = format!("bobbin.receiver: {receiver}");
    assert!(
        told[0]["found"].as_str().unwrap().contains(&line),
        "{told:?}"
    );
    // Without TLS nobody is answered there.
    let token = std::fs::read_to_string(server.token_file()).unwrap();
    let mut plain = TcpStream::connect(&there).unwrap();
    plain.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!(
        "GET /v1/health HTTP/1.1\r\nHost: {there}\r\nAuthorization: Bearer {}\r\n\r\n",
        token.trim()
    );
    plain.write_all(request.as_bytes()).unwrap();
    let mut heard = Vec::new();
    // A reset is no answer, either.
    let _ = plain.read_to_end(&mut heard);
    assert!(heard.is_empty(), "{}", String::from_utf8_lossy(&heard));

    // It knows no folder of this Bobbin's, only what the page gives for another machine.
    sandbox.set("BOBBIN_DATA_DIR", "/nonexistent");
    sandbox.set("DASK_BOBBIN__DATA_DIR", "/nonexistent");
    sandbox.set("DASK_BOBBIN__RECEIVER", &receiver);
    sandbox.set("DASK_BOBBIN__TOKEN", token.trim());
    let mut apart = Apart::start(&python, &sandbox, &["--preload", PLUGIN]);
    tell(&mut apart.script, "work");
    agree(&sandbox, &mut apart.script);
    apart.scheduler.terminate();
    apart.scheduler.end();
    reaches(&sandbox, &apart.id, "finished");
    server.stop();
}

#[test]
fn an_interface_that_cannot_be_is_refused_and_one_that_is_not_here_is_told() {
    let sandbox = Sandbox::new();
    let serve =
        |interface: &str| sandbox.bobbin(&["serve", "--port", "0", "--interface", interface]);
    for wrong in [
        "0.0.0.0",
        "::",
        "0",
        "0x0",
        "0.0",
        "::ffff:0.0.0.0",
        "",
        "127.0.0.1",
    ] {
        let refused = serve(wrong);
        assert_eq!(refused.code, 2, "{wrong}: {refused:?}");
        assert!(
            refused.talk.contains(&format!("{wrong} cannot be used")),
            "{refused:?}"
        );
    }
    // Of the addresses that are kept for documents.
    let absent = serve("203.0.113.9");
    assert_eq!(absent.code, 2, "{absent:?}");
    assert!(
        absent.talk.contains("203.0.113.9 cannot be used"),
        "{absent:?}"
    );

    // Named by the settings, as after moving to another network, it keeps nobody of this machine out.
    std::fs::write(
        sandbox.data_dir().join("settings.toml"),
        "interface = \"203.0.113.9\"\n",
    )
    .unwrap();
    let server = Server::start(&sandbox);
    assert_eq!(server.listening["receiver"], Value::Null);
    let told = checks_of_doctor(&sandbox, "interface");
    assert_eq!(told[0]["verdict"], "wrong", "{told:?}");
    assert!(told[0]["found"].as_str().unwrap().contains("203.0.113.9"));
    server.stop();
}
