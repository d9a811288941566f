//! A hub that is killed at any moment. It runs in a process of its own: this very test program, started once more.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bobbin_core::clock::SystemClock;
use bobbin_core::ledger::Kind;
use bobbin_core::share::Level;
use bobbin_http::hub::{Hub, HubConfig, RunningHub};
use bobbin_http::team::{Proof, ProofKind, Role, Signed};

use super::bench::{Bench, Desk, Looked};
use super::reconcile::{FIRST, OnDisk, SECOND};

const DIR: &str = "BOBBIN_TEST_HUB_DIR";
const LISTEN: &str = "BOBBIN_TEST_HUB_LISTEN";
const KILLS: u64 = 20;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the process that the other test starts and kills"]
async fn a_hub_that_is_killed() {
    let (Ok(dir), Ok(listen)) = (env::var(DIR), env::var(LISTEN)) else {
        return;
    };
    let hub = Hub::open(Path::new(&dir), Arc::new(SystemClock)).unwrap();
    let config = HubConfig::new(listen.parse().unwrap());
    let _running = RunningHub::start(hub, config).await.unwrap();
    let mut out = std::io::stderr();
    writeln!(out, "listening").unwrap();
    // Until it is killed; a test that failed leaves none behind.
    std::future::pending::<()>().await;
}

/// The process; it goes with this.
struct Killed(Child);

impl Killed {
    fn start(dir: &Path, listen: &str) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args([
                "--ignored",
                "--exact",
                "--nocapture",
                "kills::a_hub_that_is_killed",
            ])
            .env(DIR, dir)
            .env(LISTEN, listen)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut talk = String::new();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        loop {
            match lines.next() {
                Some(Ok(line)) if line == "listening" => break,
                Some(Ok(line)) => talk += &line,
                _ => panic!("the hub did not start: {talk}"),
            }
        }
        // Nobody is to wait for somebody who reads what it says.
        std::thread::spawn(move || lines.for_each(drop));
        Self(child)
    }

    /// SIGKILL: nothing is written down any more.
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Shares and recalls in turn, for as long as somebody answers.
async fn busy(ada: &Desk, grace: &Desk, hers: &[Looked], other: &Looked, until: Instant) {
    let mut round = 0_usize;
    while Instant::now() < until {
        let one = &hers[round % hers.len()];
        // A recall binds until it is approved anew.
        ada.approve(one);
        let _ = ada.send(one).await;
        grace.approve(other);
        let _ = grace.send(other).await;
        if round % 2 == 1 {
            let _ = ada.laptop.recall(&ada.team, &one.sha256).await;
            let _ = grace.laptop.recall(&grace.team, &other.sha256).await;
        }
        round += 1;
    }
}

/// Every receipt and every tombstone that a laptop was given last says what is so.
fn proofs_hold(desk: &Desk, account: &OnDisk) {
    let here: Vec<String> = account
        .said()
        .into_iter()
        .map(|(sha256, _)| sha256)
        .collect();
    let mut last = std::collections::BTreeMap::new();
    for row in desk.laptop.ledger.rows().unwrap() {
        if !matches!(row.entry.kind, Kind::Receipt | Kind::Recall) {
            continue;
        }
        let Some(signed) = row.entry.proof else {
            continue;
        };
        let signed: Signed = serde_json::from_value(signed).unwrap();
        let proof = Proof::open(&signed, &desk.team.hub_key).unwrap();
        last.insert(proof.sha256.clone(), proof);
    }
    let rows = fs::read_to_string(account.0.join("audit.ndjson")).unwrap();
    for proof in last.into_values() {
        let row = rows.lines().nth(proof.number as usize - 1).unwrap();
        assert!(row.contains(&proof.hash), "{row}");
        // What was asked for later may have been done without its being told.
        let newer = rows
            .lines()
            .skip(proof.number as usize)
            .any(|row| row.contains(&proof.sha256));
        if !newer {
            assert_eq!(
                here.contains(&proof.sha256),
                proof.kind == ProofKind::Receipt
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_killed_at_any_moment_is_what_its_audit_says_when_it_is_back() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    let grace = bench.laptop(&bench.account, "grace", Role::Member).await;
    ada.tell(FIRST, 1, 2_000);
    let first = ada.look("first", Level::Everything);
    ada.tell(SECOND, 1, 2_000);
    let both = ada.look("both", Level::Everything);
    let hers = [first, both];
    // The same cluster of another member, and one that ada does not have.
    grace.tell(SECOND, 1, 2_000);
    grace.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e53", 1, 2_000);
    let other = grace.look("other", Level::Everything);
    let account = OnDisk(bench.hub_dir().join("accounts").join(&bench.account));
    let port = bench.stop().await;
    let listen = format!("127.0.0.1:{port}");

    let mut state = 0x5DEE_CE66_D1CE_4E5B_u64;
    for _ in 0..KILLS {
        let mut hub = Killed::start(&bench.hub_dir(), &listen);
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let after = Duration::from_millis(5 + state % 600);
        let until = Instant::now() + after;
        let killed = tokio::task::spawn_blocking(move || {
            std::thread::sleep(after);
            hub.kill();
        });
        busy(&ada, &grace, &hers, &other, until).await;
        killed.await.unwrap();
        // Opened again, it is settled.
        drop(Hub::open(&bench.hub_dir(), Arc::new(SystemClock)).unwrap());
        account.check();
        for desk in [&ada, &grace] {
            proofs_hold(desk, &account);
        }
    }
    // Whatever was cut off goes on, and a recall leaves nothing.
    bench.again(port).await;
    for one in &hers {
        ada.approve(one);
        ada.send(one).await.unwrap();
    }
    grace.approve(&other);
    grace.send(&other).await.unwrap();
    account.check();
    assert_eq!(account.stored().len(), 3);
    for one in &hers {
        ada.laptop.recall(&ada.team, &one.sha256).await.unwrap();
    }
    grace
        .laptop
        .recall(&grace.team, &other.sha256)
        .await
        .unwrap();
    bench.restart().await;
    account.check();
    assert_eq!(account.stored(), [""; 0]);
    assert_eq!(fs::read_dir(account.0.join("incoming")).unwrap().count(), 0);
}
