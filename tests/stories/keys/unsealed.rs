//! Nothing that is sealed, and no key, lies open anywhere: in files, in logs, in what a crash says and leaves.

use std::fs;
use std::io::Write;
use std::net::TcpStream;

use serde_json::json;

use super::{CODE, LINE, MESSAGE, PAYLOAD, TRACEBACK, now_micros, send};
use crate::support::{Outcome, Sandbox, Secrets, Server, eventually, post};

/// A batch with a record that is none, and a canary wherever a value could be named.
fn unreadable() -> Vec<u8> {
    let at = now_micros();
    let header = json!({"kind": "header", "protocol": 1, "cluster_id": "Scheduler-0", "instance_id": "i", "first_seq": 900,
        "records": 1, "sent_at_micros": at, "monotonic_micros": 1, "plugin_version": "0.1.0"});
    let record = json!({"kind": "exception", "at_micros": at, "exception_id": MESSAGE, "group_id": CODE, "group": PAYLOAD,
        "origin": LINE, "exception_type": TRACEBACK, "message": MESSAGE, "traceback": [TRACEBACK], "count": CODE});
    format!("{header}\n{record}\n").into_bytes()
}

#[test]
fn nothing_sealed_and_no_key_lies_open_anywhere() {
    let mut sandbox = Sandbox::new();
    sandbox.set("RUST_BACKTRACE", "full");
    let server = Server::start_logging(&sandbox, "trace", &[]);
    for round in 0..20 {
        send(&server, &format!("Scheduler-{}", round % 4), 1 + 5 * round);
    }
    // What cannot be read is told of.
    let garbage = format!("{MESSAGE} {TRACEBACK} {CODE}\r\n\r\n");
    TcpStream::connect(server.tcp())
        .and_then(|mut stream| stream.write_all(garbage.as_bytes()))
        .unwrap();
    eventually("it is in the log", || {
        let talk = server.process.talk();
        talk.contains("DEBUG").then_some(()).ok_or(talk)
    });
    let token = fs::read_to_string(server.token_file()).unwrap();
    for (body, status) in [(unreadable(), 200), (LINE.into(), 422)] {
        let answer = post(server.tcp(), "/v1/batches", &token, &body);
        assert_eq!(answer.status, status, "{answer:?}");
        // What is refused is told to its sender without its values: a plugin logs it.
        assert!(!answer.json.to_string().contains("canary"), "{answer:?}");
    }

    let mut secrets = Secrets::new();
    for canary in [MESSAGE, TRACEBACK, CODE, PAYLOAD, LINE] {
        secrets.add(canary, canary.as_bytes());
    }
    let file = sandbox.data_dir().join("key");
    let text = fs::read_to_string(&file).unwrap();
    let digits = text.lines().nth(1).unwrap();
    let private: Vec<u8> = (0..32)
        .map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    secrets.add("the private key", &private);
    let recovery = sandbox.bobbin(&["key", "recovery", "--json"]).json();
    secrets.add(
        "the recovery key",
        recovery["text"].as_str().unwrap().as_bytes(),
    );
    // The search finds what is there.
    let mut plain = Secrets::new();
    plain.add("a plain type", b"ValueError");
    assert!(!plain.in_files(&sandbox, &[]).is_empty());
    assert_eq!(
        secrets.in_files(&sandbox, &[]),
        [format!(
            "the private key in hexadecimal in {}",
            file.display()
        )]
    );

    let except = [file];
    let silent = |outcome: Outcome| {
        let heard = outcome.out + &outcome.talk;
        assert_eq!(secrets.within(heard.as_bytes()), [""; 0], "{heard}");
        outcome.code
    };
    for verb in [
        &["doctor"][..],
        &["doctor", "--json"],
        &["key"],
        &["clusters", "--json"],
        &["sql", "select * from exception"],
    ] {
        silent(sandbox.bobbin(verb));
    }
    // A crash: its text, and what it leaves behind.
    let talk = server.crash();
    assert_eq!(secrets.within(talk.as_bytes()), [""; 0], "{talk}");
    assert_eq!(
        secrets.in_files(&sandbox, &except),
        [""; 0],
        "after a crash"
    );
    assert_eq!(silent(sandbox.bobbin(&["snapshot"])), 0);
    assert_eq!(silent(sandbox.bobbin(&["key", "rotate"])), 0);
    assert_eq!(
        secrets.in_files(&sandbox, &except),
        [""; 0],
        "after a snapshot and a rotation"
    );
}
