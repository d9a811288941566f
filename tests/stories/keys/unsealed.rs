//! Nothing that is sealed, and no key, lies open anywhere: in files, in logs, in what a crash says and leaves. The log, the file
//! and a snapshot are searched once they are shown to hold the sealed values.

#[cfg(target_os = "linux")]
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use super::{CODE, LINE, MESSAGE, PAYLOAD, TRACEBACK, batch, now_micros, send};
use crate::support::{Outcome, Sandbox, Secrets, Server, eventually, post, skipped};

/// A batch with a record that is none, and a canary wherever a value could be named.
fn unreadable() -> Vec<u8> {
    let at = now_micros();
    let header = json!({"kind": "header", "protocol": 1, "cluster_id": "Scheduler-0", "instance_id": "i", "first_seq": 900,
        "records": 1, "sent_at_micros": at, "monotonic_micros": 1, "plugin_version": "0.1.0"});
    let record = json!({"kind": "exception", "at_micros": at, "exception_id": MESSAGE, "group_id": CODE, "group": PAYLOAD,
        "origin": LINE, "exception_type": TRACEBACK, "message": MESSAGE, "traceback": [TRACEBACK], "count": CODE});
    format!("{header}\n{record}\n").into_bytes()
}

/// A text with canaries in place of these words.
fn named(text: &str) -> Vec<u8> {
    text.replace("CODE", CODE)
        .replace("MESSAGE", MESSAGE)
        .into_bytes()
}

/// The same as plugins pack their batches.
fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text).unwrap();
    packed.finish().unwrap()
}

/// A header of the wrong types.
const HEADER: &str =
    "{\"kind\":\"header\",\"protocol\":\"CODE\",\"cluster_id\":\"MESSAGE\"}\nMESSAGE\n";

fn store(sandbox: &Sandbox) -> PathBuf {
    sandbox.data_dir().join("bobbin.sqlite")
}

fn log(sandbox: &Sandbox) -> PathBuf {
    sandbox.data_dir().join("bobbin.sqlite-wal")
}

/// All that is looked for, and the file of the key, where the private half is to be.
fn secrets(sandbox: &Sandbox) -> (Secrets, PathBuf) {
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
    (secrets, file)
}

/// The sealed values that came last, one of each kind.
fn sealed(sandbox: &Sandbox) -> Vec<Vec<u8>> {
    let db = Connection::open_with_flags(store(sandbox), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let last = |column: &str, table: &str, time: &str| {
        let sql = format!("select {column} from {table} order by {time} desc limit 1");
        db.query_row(&sql, [], |row| row.get::<_, Vec<u8>>(0))
            .unwrap()
    };
    vec![
        last("message_sealed", "exception", "last_seen_micros"),
        last("traceback_sealed", "exception", "last_seen_micros"),
        last("payload_sealed", "event", "at_micros"),
        last("frames_sealed", "computation_code", "at_micros"),
    ]
}

/// Whether a file holds all of these values as they were sealed: nothing is shown by a search of one that holds none.
fn holds(file: &Path, values: &[Vec<u8>]) -> Result<(), String> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    for value in values {
        if !bytes.windows(value.len()).any(|window| window == value) {
            return Err(format!("{} has not all of it", file.display()));
        }
    }
    Ok(())
}

/// Sends until the log holds what came last: it may be put into the file at any time.
fn fill_log(server: &Server, sandbox: &Sandbox) -> Vec<Vec<u8>> {
    let mut first_seq = 1_001;
    eventually("sealed values in the log", || {
        send(server, "Scheduler-0", first_seq);
        first_seq += 5;
        let values = sealed(sandbox);
        holds(&log(sandbox), &values).map(|()| values)
    })
}

/// How a verb ended that says nothing that is sealed.
#[track_caller]
fn silent(secrets: &Secrets, outcome: Outcome) -> i32 {
    let heard = outcome.out + &outcome.talk;
    assert_eq!(secrets.within(heard.as_bytes()), [""; 0], "{heard}");
    outcome.code
}

/// What is skipped where no core is kept.
const CORE: &str = "a crash where a core is kept";

/// The system keeps nothing of the memory of this process where it crashes, though it was started otherwise.
#[cfg(target_os = "linux")]
fn leaves_no_core(server: &Server) {
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.process.id())).unwrap();
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max core file size"))
        .unwrap();
    let mut words = line.split_whitespace();
    assert_eq!(words.next(), Some("0"), "{line}");
    if words.next() == Some("0") {
        skipped(CORE, "no process may keep one here");
    }
}

#[cfg(not(target_os = "linux"))]
fn leaves_no_core(_: &Server) {
    skipped(CORE, "the limits of a process are not read here");
}

#[test]
fn nothing_sealed_and_no_key_lies_open_anywhere() {
    let mut sandbox = Sandbox::new();
    sandbox.set("RUST_BACKTRACE", "full");
    let server = Server::start_with_cores(&sandbox, "trace", &[]);
    leaves_no_core(&server);
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

    let (secrets, key) = secrets(&sandbox);
    // The search finds what is there.
    let mut plain = Secrets::new();
    plain.add("a plain type", b"ValueError");
    assert!(!plain.in_files(&sandbox, &[]).is_empty());
    let values = fill_log(&server, &sandbox);
    assert_eq!(
        secrets.in_files(&sandbox, &[]),
        [format!(
            "the private key in hexadecimal in {}",
            key.display()
        )]
    );

    let except = [key];
    for verb in [
        &["doctor"][..],
        &["doctor", "--json"],
        &["key"],
        &["clusters", "--json"],
        &["sql", "select * from exception"],
    ] {
        silent(&secrets, sandbox.bobbin(verb));
    }
    // A crash: its text, and what it leaves behind.
    let talk = server.crash();
    assert_eq!(secrets.within(talk.as_bytes()), [""; 0], "{talk}");
    // The log may have been put into the file meanwhile.
    holds(&log(&sandbox), &values)
        .or_else(|_| holds(&store(&sandbox), &values))
        .unwrap();
    assert_eq!(
        secrets.in_files(&sandbox, &except),
        [""; 0],
        "after a crash"
    );
    let snapshot = sandbox.bobbin(&["snapshot", "--json"]);
    let copy = PathBuf::from(snapshot.json()["snapshot"]["file"].as_str().unwrap());
    assert_eq!(silent(&secrets, snapshot), 0);
    holds(&copy, &values).unwrap();
    assert_eq!(silent(&secrets, sandbox.bobbin(&["key", "rotate"])), 0);
    assert_eq!(
        secrets.in_files(&sandbox, &except),
        [""; 0],
        "after a snapshot and a rotation"
    );
}

/// Files that are handed over and cannot be read, each with a canary where something could be quoted.
fn broken(sandbox: &Sandbox) -> Vec<PathBuf> {
    let whole = batch("Scheduler-0", 2_001);
    // Without its last record.
    let lines = &whole[..whole.len() - 1];
    let end = lines.iter().rposition(|byte| *byte == b'\n').unwrap();
    let begun = r#"{"kind":"manifest","format":1,"bobbin":"0","#;
    let manifest = |rest: &str| gzip(&named(&format!("{begun}{rest}}}\n")));
    let profile = r#"{"shared":{"frames":[{"name":7,"file":"CODE"}]},"x":"MESSAGE"}"#;
    let files = [
        ("notes.txt", named("MESSAGE CODE\n")),
        ("named.bobbin", manifest(r#""CODE":"MESSAGE""#)),
        ("typed.bobbin", manifest(r#""choice":"MESSAGE""#)),
        ("header.bobbin", gzip(&named(HEADER))),
        ("cut.bobbin", gzip(&whole[..=end])),
        ("profile.json", named(profile)),
        ("dump.yaml", named("scheduler: [MESSAGE, {CODE\n")),
    ];
    let folder = sandbox.path("given");
    fs::create_dir(&folder).unwrap();
    let write = |(name, bytes): (&str, Vec<u8>)| {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    files.into_iter().map(write).collect()
}

#[test]
fn a_refused_file_a_failed_import_and_a_clean_exit_leave_nothing_open() {
    let mut sandbox = Sandbox::new();
    sandbox.set("RUST_BACKTRACE", "full");
    let mut server = Server::start_logging(&sandbox, "trace", &[]);
    send(&server, "Scheduler-0", 1);
    let (secrets, key) = secrets(&sandbox);
    let inbox = sandbox.data_dir().join("inbox");
    fs::create_dir_all(&inbox).unwrap();
    let mut except = vec![key];
    for (name, bytes) in [
        ("words.bobbin", named("MESSAGE CODE\n")),
        ("header.bobbin", gzip(&named(HEADER))),
    ] {
        fs::write(inbox.join(name), bytes).unwrap();
        // It is the user's own, and stays as it is.
        except.push(inbox.join(format!("{name}.refused")));
    }
    eventually("the files put aside", || {
        match except[1..].iter().find(|path| !path.exists()) {
            Some(path) => Err(format!("no {}", path.display())),
            None => Ok(()),
        }
    });
    let given = broken(&sandbox);
    let fail = || {
        for path in &given {
            let ended = sandbox.bobbin(&["import", path.to_str().unwrap()]);
            assert_ne!(silent(&secrets, ended), 0, "{}", path.display());
        }
    };
    fail();
    let values = sealed(&sandbox);
    server.process.terminate();
    server.process.end_well();
    let talk = server.process.talk();
    assert!(talk.contains("a file was refused"), "{talk}");
    assert_eq!(secrets.within(talk.as_bytes()), [""; 0], "{talk}");
    assert!(!log(&sandbox).exists());
    holds(&store(&sandbox), &values).unwrap();
    assert_eq!(secrets.in_files(&sandbox, &except), [""; 0]);
    // And where nobody else has the store.
    fail();
    assert_eq!(secrets.in_files(&sandbox, &except), [""; 0]);
}

/// The files of a user by their lengths.
#[cfg(target_os = "linux")]
fn lengths(sandbox: &Sandbox) -> BTreeMap<PathBuf, Option<usize>> {
    let mut lengths = BTreeMap::new();
    for root in ["home", "tmp", "work"] {
        for (path, bytes) in Sandbox::contents(&sandbox.path(root)) {
            lengths.insert(Path::new(root).join(path), bytes.map(|bytes| bytes.len()));
        }
    }
    lengths
}

/// With so little memory that a sort that does not go to the disk fails.
#[cfg(target_os = "linux")]
#[test]
fn a_large_sort_over_sealed_columns_leaves_no_file() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    send(&server, "Scheduler-0", 1);
    server.stop();
    // As whoever reads alone leaves the folder.
    assert_eq!(sandbox.bobbin(&["sql", "select 1"]).code, 0);
    let before = lengths(&sandbox);
    let sorts = "with recursive n (i) as (select 1 union all select i + 1 from n where i < 400)
        select substr(t, 1, 66) as first
        from (select hex(message_sealed) || hex(zeroblob(400000)) || i as t from n, exception) order by t desc";
    let told = sandbox.shell(&format!(
        "ulimit -d 131072; exec '{}' sql --seconds 60 \"{sorts}\"",
        env!("CARGO_BIN_EXE_bobbin")
    ));
    assert_eq!(told.lines().count(), 401, "{told}");
    // The format and the number of the key: they are the sealed values.
    assert!(told.lines().nth(1).unwrap().starts_with("01"), "{told}");
    assert_eq!(lengths(&sandbox), before);
}
