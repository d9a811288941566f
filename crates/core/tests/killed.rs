//! A process that is killed at any moment has lost nothing that it acknowledged, and its files are for their owner
//! alone whatever the umask.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bobbin_core::api::{App, Role, TimelineRequest, timeline};
use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::wire::{Batch, decode};

const CHILD: &str = "BOBBIN_TEST_CHILD";
/// When the samples begin, in microseconds: lately, or they would be old enough to go.
const BEGIN: &str = "BOBBIN_TEST_BEGIN";

fn begin() -> u64 {
    static BEGUN: OnceLock<u64> = OnceLock::new();
    let told = || std::env::var(BEGIN).ok()?.parse().ok();
    *BEGUN.get_or_init(|| told().unwrap_or(SystemClock.now().0 as u64 - 3_600_000_000))
}

fn batch(seq: u64) -> Batch {
    let at = begin() + seq * 1_000_000;
    let text = format!(
        r#"{{"kind":"header","protocol":1,"cluster_id":"Scheduler-1","instance_id":"i","first_seq":{seq},"records":1,"sent_at_micros":{at},"monotonic_micros":1,"plugin_version":"0.1.0"}}
{{"kind":"sample","at_micros":{at},"workers":1,"threads":1,"tasks":{{}},"totals":{{"compute":{seq}}}}}
"#
    );
    decode(text.as_bytes()).expect("a batch that can be read")
}

/// Not a test of its own: what the killed process does.
#[test]
fn child() {
    let Some(dir) = std::env::var_os(CHILD) else {
        return;
    };
    let app = App::open(Path::new(&dir), Role::Owner, Arc::new(SystemClock)).unwrap();
    let next = stored(&app).last().map_or(1, |last| last + 1);
    let (acknowledged, said) = sync_channel::<u64>(1_000);
    std::thread::spawn(move || {
        for seq in said {
            println!("acknowledged {seq}");
            std::io::stdout().flush().unwrap();
        }
    });
    for seq in next.. {
        let acknowledged = acknowledged.clone();
        let done = Box::new(move |receipt: bobbin_core::Result<_>| {
            receipt.unwrap();
            acknowledged.send(seq).unwrap();
        });
        while app.submit(batch(seq), done.clone()).is_err() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn stored(app: &App) -> Vec<u64> {
    let request = TimelineRequest {
        id: 1,
        from_micros: None,
        to_micros: None,
        points: 4_000,
    };
    let Ok(line) = timeline(app, request) else {
        return Vec::new();
    };
    line.at_micros
        .iter()
        .map(|at| (at.0 as u64 - begin()) / 1_000_000)
        .collect()
}

#[test]
fn what_was_acknowledged_survives_a_kill_and_is_there_once() {
    let base = tempfile::tempdir().unwrap();
    let dir = base.path().join("bobbin");
    let mut acknowledged = 0;
    for round in 0..8 {
        let mut child = Command::new("sh")
            .args(["-c", "umask 000; exec \"$0\" --exact child --nocapture"])
            .arg(std::env::current_exe().unwrap())
            .env(CHILD, &dir)
            .env(BEGIN, begin().to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut left = 5 + round * 7;
        // Lines that were written before the kill are read to their end: all of them were promised.
        for line in lines.map_while(Result::ok) {
            if let Some((_, seq)) = line.rsplit_once("acknowledged ") {
                acknowledged = acknowledged.max(seq.parse().unwrap());
                left -= 1;
                if left == 0 {
                    child.kill().unwrap();
                }
            }
        }
        child.wait().unwrap();
        for entry in std::fs::read_dir(&dir).unwrap() {
            let entry = entry.unwrap();
            // The one file that is no secret.
            let mode = if entry.file_name() == "public_key" {
                0o644
            } else {
                0o600
            };
            assert_eq!(
                entry.metadata().unwrap().mode() & 0o777,
                mode,
                "{:?}",
                entry.path()
            );
        }
        assert_eq!(std::fs::metadata(&dir).unwrap().mode() & 0o777, 0o700);
        let app = App::open(&dir, Role::Owner, Arc::new(SystemClock)).unwrap();
        let stored = stored(&app);
        assert!(stored.len() < 4_000, "too many to see each");
        assert!(
            stored.len() as u64 >= acknowledged,
            "{} stored, {acknowledged} acknowledged",
            stored.len()
        );
        assert_eq!(stored, (1..=stored.len() as u64).collect::<Vec<_>>());
    }
    assert!(acknowledged > 100);
}
