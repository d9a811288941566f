//! A laptop of the team, and what it tells, looks at and sends.

use std::path::PathBuf;

use bobbin_core::api::{self, App, ClustersRequest};
use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::ledger::{Entry, Kind, digest};
use bobbin_core::share::stage::StageClustersRequest;
use bobbin_core::share::{Choice, Identities, Level};
use bobbin_core::wire::decode;
use bobbin_http::sync::{Fault, Laptop, Sent, Team};
use bobbin_http::team::Proof;
use serde_json::{Value, json};

/// A laptop, with its store.
pub struct Desk {
    pub app: App,
    pub laptop: Laptop,
    pub team: Team,
}

/// A file that was looked at.
pub struct Looked {
    pub path: PathBuf,
    pub sha256: String,
    pub bytes: Vec<u8>,
}

impl Desk {
    /// Stores a cluster, with so many bytes that do not pack well.
    pub fn tell(&self, cluster: &str, seq: u64, bytes: usize) {
        let text = batch(cluster, seq, bytes);
        self.app.ingest(decode(text.as_bytes()).unwrap()).unwrap();
    }

    /// The same, with events that hold this.
    pub fn tell_texts(&self, cluster: &str, seq: u64, texts: &[String]) {
        let text = batch_of(cluster, seq, texts);
        self.app.ingest(decode(text.as_bytes()).unwrap()).unwrap();
    }

    /// The account as if its hub were elsewhere.
    pub fn moved_to(&self, address: &str) -> Team {
        let mut moved = serde_json::to_value(&self.team).unwrap();
        moved["address"] = address.into();
        serde_json::from_value(moved).unwrap()
    }

    /// Writes a bundle of all that is stored, and approves it.
    pub fn look(&self, name: &str, level: Level) -> Looked {
        let ids: Vec<i64> = api::clusters(&self.app, ClustersRequest::default())
            .unwrap()
            .rows
            .iter()
            .map(|row| row.id)
            .collect();
        let path = self.laptop.dir.join(format!("{name}.bobbin"));
        let identities = Identities::Aliases;
        api::export(&self.app, &path, &ids, Choice { level, identities }).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let looked = Looked {
            sha256: digest(&bytes),
            path,
            bytes,
        };
        self.approve(&looked);
        looked
    }

    /// Stages all that is stored, as the desk does.
    pub fn stage(&self, destination: &str) -> Looked {
        let listed = api::clusters(&self.app, ClustersRequest::default()).unwrap();
        let request = StageClustersRequest {
            ids: listed.rows.iter().map(|row| row.id).collect(),
            destination: destination.into(),
            ..StageClustersRequest::default()
        };
        let stage = api::stage_clusters(&self.app, request).unwrap();
        let path = PathBuf::from(stage.path);
        let bytes = std::fs::read(&path).unwrap();
        Looked {
            sha256: digest(&bytes),
            path,
            bytes,
        }
    }

    pub fn approve(&self, looked: &Looked) {
        self.approve_for(&self.team, looked);
    }

    /// As the desk does when a person approves.
    pub fn approve_for(&self, team: &Team, looked: &Looked) {
        let entry = Entry::new(Kind::Approved, "looked at")
            .to(team.destination())
            .about(looked.sha256.clone(), looked.bytes.len() as u64);
        self.laptop
            .ledger
            .append(SystemClock.now(), &entry)
            .unwrap();
    }

    pub async fn send(&self, looked: &Looked) -> Result<Proof, Fault> {
        self.send_until(looked, &|| false, &mut |_| ()).await
    }

    pub async fn send_until(
        &self,
        looked: &Looked,
        paused: &(dyn Fn() -> bool + Sync),
        sent: &mut (dyn FnMut(Sent) + Send),
    ) -> Result<Proof, Fault> {
        let minted = self.laptop.mint(&self.team, &looked.sha256)?;
        self.laptop
            .upload(&self.team, &minted, &looked.path, Some(paused), sent)
            .await
    }

    /// The token, as the file of the install has it.
    pub fn token(&self) -> String {
        let text = std::fs::read(self.laptop.dir.join("team.json")).unwrap();
        let team: Value = serde_json::from_slice(&text).unwrap();
        team["token"].as_str().unwrap().to_owned()
    }
}

/// A batch of a cluster, with events that hold letters drawn at random (a fixed seed).
fn batch(cluster: &str, seq: u64, bytes: usize) -> String {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64 ^ seq;
    let mut letters = |count: usize| -> String {
        (0..count)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                char::from(b' ' + (state % 94) as u8)
                    .to_string()
                    .replace(['"', '\\'], "x")
            })
            .collect()
    };
    let (mut left, mut texts) = (bytes, Vec::new());
    while left > 0 {
        let some = left.min(50_000);
        texts.push(letters(some));
        left -= some;
    }
    batch_of(cluster, seq, &texts)
}

/// A batch of a cluster, with an event for each text.
fn batch_of(cluster: &str, seq: u64, texts: &[String]) -> String {
    let now = SystemClock.now().0;
    let mut records = vec![json!({
        "kind": "cluster", "at_micros": now, "name": cluster, "cluster_class": "LocalCluster",
        "scheduler_address": "tcp://127.0.0.1:8786", "dashboard_url": null, "started_micros": now, "user": "ada",
        "host": "laptop", "project": null, "tags": {}, "versions": {}, "python_version": "3.11.0",
        "python_path": null, "os": "linux", "architecture": "x86_64", "plugin_version": "0.1.0",
        "interval_micros": 10_000_000,
        "switches": {"code": true, "profile": false, "remote_close": false, "events_allow": ["*"]},
    })];
    for text in texts {
        records.push(json!({
            "kind": "event", "at_micros": now, "topic": "test", "payload": {"text": text},
        }));
    }
    let header = json!({
        "kind": "header", "protocol": 1, "cluster_id": cluster, "instance_id": "i", "first_seq": seq,
        "records": records.len(), "sent_at_micros": now, "monotonic_micros": 1, "plugin_version": "0.1.0",
    });
    let mut text = header.to_string();
    for record in records {
        text.push('\n');
        text += &record.to_string();
    }
    text
}
