//! Bombs against the real binary: what it holds meanwhile, and what it keeps afterwards.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::{PATIENCE, Sandbox, Server, eventually};

/// Resident memory of a process in MiB: now, and the most so far.
#[cfg(target_os = "linux")]
fn memory(sandbox: &Sandbox) -> (f64, f64) {
    let address = std::fs::read_to_string(sandbox.data_dir().join("receiver.json")).unwrap();
    let address: serde_json::Value = serde_json::from_str(&address).unwrap();
    let pid = address["pid"].as_u64().unwrap();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes: f64 = line
            .unwrap()
            .trim()
            .trim_end_matches(" kB")
            .parse()
            .unwrap();
        kilobytes / 1024.0
    };
    (of("VmRSS:"), of("VmHWM:"))
}

/// A megabyte that does not pack, and then as much as may follow it and more.
fn bomb() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let mut state = 7_u32;
    let noise: Vec<u8> = (0..1 << 20)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect();
    encoder.write_all(&noise).unwrap();
    encoder.write_all(&vec![b'0'; 64 << 20]).unwrap();
    encoder.finish().unwrap()
}

/// The status of the answer.
fn throw(tcp: &str, token: Option<&str>, body: &[u8]) -> u16 {
    let mut stream = TcpStream::connect(tcp).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let token = token.map_or(String::new(), |token| {
        format!("Authorization: Bearer {token}\r\n")
    });
    let head = format!(
        "POST /v1/batches HTTP/1.1\r\nHost: {tcp}\r\n{token}Content-Encoding: gzip\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // It may be refused before all of it is there.
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let text = String::from_utf8_lossy(&answer);
    text.split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or_else(|| panic!("no status: {text}"))
}

#[cfg(target_os = "linux")]
#[test]
fn sixty_four_bombs_take_little_memory_and_leave_less() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let token = std::fs::read_to_string(server.token_file()).unwrap();
    let (bomb, token, tcp) = (bomb(), token.trim(), server.tcp().to_owned());
    // One first: threads, caches and code are there afterwards.
    assert_eq!(throw(&tcp, Some(token), &bomb), 413);
    let (before, _) = memory(&sandbox);
    for shown in [Some(token), None] {
        let expected: &[u16] = if shown.is_some() { &[413, 503] } else { &[401] };
        thread::scope(|scope| {
            for _ in 0..64 {
                scope.spawn(|| {
                    let status = throw(&tcp, shown, &bomb);
                    assert!(expected.contains(&status), "{status}");
                });
            }
        });
    }
    let (_, peak) = memory(&sandbox);
    assert!(
        peak - before < 64.0,
        "{before:.0} MiB before, {peak:.0} MiB at most"
    );
    eventually("the memory given back", || match memory(&sandbox) {
        (now, _) if now - before < 16.0 => Ok(()),
        (now, _) => Err(format!("{before:.0} MiB before, {now:.0} MiB now")),
    });
    server.stop();
}
