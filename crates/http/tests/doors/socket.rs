//! The Unix socket is for this user alone.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::Command;

use bobbin_core::install;

use crate::bench::{Bench, batch, request};

#[tokio::test(flavor = "multi_thread")]
async fn it_takes_batches_and_its_file_is_private() {
    let bench = Bench::start().await;
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(bench.socket()), 0o600);
    assert_eq!(mode(bench.socket().parent().unwrap()), 0o700);
    let auth = format!("Authorization: Bearer {}", bench.token);
    let body = batch("Scheduler-socket", "one", 1);
    let answer = bench
        .raw_socket(&request(
            "POST",
            "/v1/batches",
            "bobbin",
            &[&auth],
            body.as_bytes(),
        ))
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = bench
        .raw_socket(&request("GET", "/v1/health", "bobbin", &[], b""))
        .await;
    assert_eq!(answer.status, 401, "{answer:?}");
}

/// Needs root, to become somebody else.
#[tokio::test(flavor = "multi_thread")]
async fn another_user_is_refused_even_where_the_modes_were_loosened() {
    let bench = Bench::start().await;
    if fs::metadata(bench.data()).unwrap().uid() != 0 {
        return;
    }
    for path in [bench.dir.path(), bench.data()] {
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    fs::set_permissions(bench.socket(), Permissions::from_mode(0o666)).unwrap();
    let script = "import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
try:
    s.sendall(sys.argv[2].encode())
    sys.stdout.write(s.recv(4096).decode())
except OSError:
    pass
";
    let text = format!(
        "GET /v1/health HTTP/1.1\r\nHost: bobbin\r\nAuthorization: Bearer {}\r\n\r\n",
        bench.token
    );
    let ask = |uid: u32| {
        let mut command = Command::new("python3");
        command
            .args(["-c", script])
            .arg(bench.socket())
            .arg(&text)
            .uid(uid);
        tokio::task::spawn_blocking(move || command.output().unwrap())
    };
    let other = ask(65534).await.unwrap();
    assert!(other.status.success(), "{other:?}");
    assert_eq!(String::from_utf8_lossy(&other.stdout), "");
    assert_eq!(bench.refused("other_user"), 1);
    let own = ask(0).await.unwrap();
    assert!(
        String::from_utf8_lossy(&own.stdout).starts_with("HTTP/1.1 200"),
        "{own:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_address_file_says_where_it_is() {
    let bench = Bench::start().await;
    let address = install::read_address(bench.data()).unwrap().unwrap();
    assert_eq!(address.tcp, bench.host());
    assert_eq!(address.socket.as_deref(), bench.socket().to_str());
    assert_eq!(
        address.certificate_sha256.as_deref(),
        Some(bench.running.certificate_sha256.as_str())
    );
    assert_eq!(
        fs::read_to_string(&address.token_file).unwrap().trim(),
        bench.token
    );
    let mode = fs::metadata(bench.data().join("receiver.json"))
        .unwrap()
        .mode()
        & 0o777;
    assert_eq!(mode, 0o600);
}
