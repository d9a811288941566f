//! What the page asks for, against a hub that runs and a folder.

use bobbin_core::Code;
use bobbin_core::api::{
    self, PauseSendsRequest, Role, SendRequest, Sends, SendsRequest, SetSharingRequest,
};
use bobbin_core::clock::SystemClock;
use bobbin_core::install::Sharing;
use bobbin_core::share::Level;
use bobbin_core::share::stage::{ApproveRequest, StageClustersRequest};
use bobbin_core::wire::decode;
use bobbin_http::hub::{AccountCommand, Command, Hub, HubConfig, RunningHub};
use bobbin_http::team::Role as MemberRole;
use serde_json::json;

use super::*;
use crate::Member;

/// A laptop whose Bobbin runs, and a cluster on it.
struct Desk {
    _dir: tempfile::TempDir,
    app: App,
    sending: tokio::task::JoinHandle<()>,
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.sending.abort();
    }
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let app = App::open(&dir.path().join("data"), Role::Owner, Arc::new(SystemClock)).unwrap();
        let now = SystemClock.now().0;
        let records = [
            json!({"kind": "cluster", "at_micros": now, "started_micros": now, "name": "nightly", "user": "ana",
                "plugin_version": "0.1.0", "versions": {}, "interval_micros": 10_000_000,
                "switches": {"code": true, "profile": true}}),
        ];
        let header = json!({"kind": "header", "protocol": 1, "cluster_id": "c", "instance_id": "i", "first_seq": 1,
            "records": records.len(), "sent_at_micros": now, "monotonic_micros": 1, "plugin_version": "0.1.0"});
        let text = format!("{header}\n{}", records[0]);
        app.ingest(decode(text.as_bytes()).unwrap()).unwrap();
        let sending = tokio::spawn(sending(app.clone(), Arc::new(SystemClock)));
        let _dir = dir;
        Self { _dir, app, sending }
    }

    /// Its owner adds a folder as a destination, whose address this is.
    fn adds(&self, folder: &Path) -> String {
        let address = format!("{}/", folder.display());
        KnownList::change(self.app.dir(), |list| {
            let member = Member::new("data", Some("ana".into()))?;
            list.add(&address, &member, false, crate::KeysFrom::Environment)
                .map(drop)
        })
        .unwrap();
        address
    }

    /// As if each look back were an hour after the one before.
    fn looking_back(mut self) -> Self {
        self.sending.abort();
        self.sending = tokio::spawn(run(self.app.clone(), Arc::new(SystemClock), Micros(0)));
        self
    }

    /// As the desk does for whom it is, by the name that was joined.
    fn approve(&self, destination: &str) -> SendRequest {
        let staged = api::stage_clusters(
            &self.app,
            StageClustersRequest {
                ids: vec![1],
                destination: destination.into(),
                ..StageClustersRequest::default()
            },
        )
        .unwrap();
        let sha256 = staged.sha256.unwrap();
        let approve = ApproveRequest {
            id: staged.id,
            sha256: sha256.clone(),
            to_save: false,
        };
        api::approve_stage(&self.app, approve).unwrap();
        let to = self
            .sends()
            .destinations
            .into_iter()
            .find(|one| one.name == destination)
            .unwrap()
            .to;
        SendRequest { sha256, to }
    }

    fn sends(&self) -> Sends {
        api::sends(&self.app, SendsRequest { looking: true }).unwrap()
    }

    /// Waits until the bundle is so.
    async fn until(&self, asked: &SendRequest, so: impl Fn(&Queued) -> bool) -> Queued {
        for _ in 0..600 {
            let found = self
                .sends()
                .sends
                .into_iter()
                .find(|one| one.to == asked.to);
            match found {
                Some(one) if so(&one) => return one,
                _ => sleep(Duration::from_millis(50)).await,
            }
        }
        panic!("it stays {:?}", self.sends().sends);
    }

    fn kinds(&self) -> Vec<Kind> {
        let rows = Ledger::of(self.app.dir()).rows().unwrap();
        rows.iter().map(|row| row.entry.kind).collect()
    }
}

#[tokio::test]
async fn what_was_approved_for_a_bucket_on_one_server_goes_to_no_other() {
    let desk = Desk::new();
    let bucket = "s3://team/bobbin";
    let member = Member::new("data", None).unwrap();
    let add = |server: Option<&str>| {
        KnownList::change(desk.app.dir(), |list| {
            list.add(bucket, &member, false, crate::KeysFrom::Environment)?;
            list.find(bucket)?.server = server.map(str::to_owned);
            Ok(())
        })
        .unwrap();
    };
    add(Some("https://old.example:9000"));
    let approved = desk.approve(bucket);
    let old = "s3://team/bobbin#server=https://old.example:9000";
    assert_eq!(approved.to, old);
    add(crate::place::server(bucket).as_deref());
    let refused = send(desk.app.dir(), bucket, &approved.sha256, &SystemClock).await;
    let why = refused.unwrap_err().to_string();
    assert!(
        why.contains("was approved for") && why.contains(old),
        "{why}"
    );
    assert!(!desk.kinds().contains(&Kind::UploadStarted));
    // What was asked for on the page does not go, either.
    let asked = api::send(&desk.app, approved).unwrap_err();
    assert_eq!(asked.code(), Code::NotFound);
}

async fn hub_of(dir: &Path, desk: &Desk) -> RunningHub {
    let hub = Hub::open(dir, Arc::new(SystemClock)).unwrap();
    let hub = RunningHub::start(hub, HubConfig::new(([127, 0, 0, 1], 0).into()))
        .await
        .unwrap();
    let quota_bytes = 1 << 30;
    let name = "blue".to_owned();
    let add = Command::AccountAdd { name, quota_bytes };
    let account = hub.hub().run(add, None).unwrap()["account"]
        .as_str()
        .unwrap()
        .to_owned();
    let of = AccountCommand::Invite {
        name: "ana".into(),
        role: MemberRole::Member,
        bundle: None,
        days: 1,
        token_days: 30,
    };
    let invited = hub
        .hub()
        .run(Command::Within { account, of }, Some(&hub.place))
        .unwrap();
    let code = invited["code"].as_str().unwrap().parse().unwrap();
    Laptop::new(desk.app.dir(), Arc::new(SystemClock))
        .join(&code, "laptop")
        .await
        .unwrap();
    hub
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_page_sends_to_a_hub_is_there_with_a_receipt_and_is_recalled() {
    crate::choose_cryptography();
    let dir = tempfile::tempdir().unwrap();
    let desk = Desk::new();
    let hub = hub_of(dir.path(), &desk).await;
    let asked = desk.approve("blue");
    // Approved is not sent, and paused nothing goes.
    sleep(Duration::from_millis(400)).await;
    let pause = |paused| api::pause_sends(&desk.app, PauseSendsRequest { paused }).unwrap();
    assert!(pause(true).paused);
    api::send(&desk.app, asked.clone()).unwrap();
    sleep(Duration::from_millis(800)).await;
    assert!(!desk.kinds().contains(&Kind::UploadStarted));
    pause(false);
    let sent = desk
        .until(&asked, |one| one.state == QueuedState::Sent)
        .await;
    let receipt = sent.receipt.unwrap();
    assert!(
        receipt.signed && receipt.what.contains("blue"),
        "{receipt:?}"
    );
    assert!(!sent.asked && sent.trouble.is_none());
    let team = Team::load(desk.app.dir()).unwrap();
    let laptop = Laptop::new(desk.app.dir(), Arc::new(SystemClock));
    let shared = laptop.shared(&team).await.unwrap();
    assert_eq!(shared[0].sha256, asked.sha256);
    // Each has its row, the upload before the receipt.
    let at = |kind| desk.kinds().iter().position(|one| *one == kind).unwrap();
    assert!(at(Kind::Approved) < at(Kind::UploadStarted));
    assert!(at(Kind::UploadStarted) < at(Kind::Receipt));
    // Asked once more it is not sent once more.
    api::send(&desk.app, asked.clone()).unwrap();
    assert!(!desk.sends().sends[0].asked);

    // Local only a recall still goes: it takes something away.
    let sharing = Sharing::Local;
    api::set_sharing(&desk.app, SetSharingRequest { sharing }).unwrap();
    api::recall_send(&desk.app, asked.clone()).unwrap();
    desk.until(&asked, |one| one.state == QueuedState::Recalled)
        .await;
    let shared = laptop.shared(&team).await.unwrap();
    assert!(shared[0].recalled_micros.is_some());
    // Here it is still.
    assert_eq!(
        api::clusters(&desk.app, api::ClustersRequest::default())
            .unwrap()
            .total,
        1
    );
    hub.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_looks_at_what_was_sent_sees_what_others_recalled_and_who_reads_there() {
    crate::choose_cryptography();
    let dir = tempfile::tempdir().unwrap();
    let desk = Desk::new().looking_back();
    let hub = hub_of(dir.path(), &desk).await;
    let said = || desk.sends().destinations[0].said.clone().unwrap();
    // At joining.
    assert_eq!(said().level.as_deref(), Some("names"));
    assert_eq!((said().viewers, said().members, said().admins), (0, 1, 0));
    let asked = desk.approve("blue");
    api::send(&desk.app, asked.clone()).unwrap();
    desk.until(&asked, |one| one.state == QueuedState::Sent)
        .await;
    let account = hub.hub().run(Command::Accounts, None).unwrap()[0]["account"].clone();
    let account = account.as_str().unwrap().to_owned();
    let command = |command| hub.hub().run(command, Some(&hub.place)).unwrap();
    command(Command::AccountLevel {
        account: account.clone(),
        level: Level::Errors,
    });
    command(Command::Within {
        account,
        of: AccountCommand::Recall {
            sha256: asked.sha256.clone(),
        },
    });
    // Something of the page wakes whoever sends.
    api::pause_sends(&desk.app, PauseSendsRequest { paused: false }).unwrap();
    desk.until(&asked, |one| one.state == QueuedState::Recalled)
        .await;
    for _ in 0..100 {
        match said().level.as_deref() {
            Some("errors") => break,
            _ => sleep(Duration::from_millis(50)).await,
        }
    }
    assert_eq!(said().level.as_deref(), Some("errors"));

    // What was recalled may be back there: the hub is asked again. While the Bobbin that runs asks it, nobody else does.
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let mut looked = false;
    for _ in 0..100 {
        looked = look_back(&desk.app, &clock).await.unwrap();
        if looked {
            break;
        }
        sleep(Duration::from_millis(50)).await;
    }
    assert!(looked);

    // Local only nobody is asked.
    let sharing = Sharing::Local;
    api::set_sharing(&desk.app, SetSharingRequest { sharing }).unwrap();
    desk.sends();
    assert!(!look_back(&desk.app, &clock).await.unwrap());
    hub.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_does_not_answer_is_tried_again_and_what_waits_is_taken_back() {
    crate::choose_cryptography();
    let dir = tempfile::tempdir().unwrap();
    let desk = Desk::new();
    let hub = hub_of(dir.path(), &desk).await;
    hub.stop().await.unwrap();
    let asked = desk.approve("blue");
    api::send(&desk.app, asked.clone()).unwrap();
    let left = desk.until(&asked, |one| one.trouble.is_some()).await;
    assert!(left.asked && left.again_micros.is_some(), "{left:?}");
    assert_eq!(left.state, QueuedState::Uploading);
    // The settings may change meanwhile: then it waits for a person.
    let sharing = Sharing::Local;
    api::set_sharing(&desk.app, SetSharingRequest { sharing }).unwrap();
    let stuck = desk
        .until(&asked, |one| one.state == QueuedState::Stuck)
        .await;
    assert!(stuck.trouble.unwrap().contains("Local only"));
    assert!(!stuck.asked);
    let refused = api::send(&desk.app, asked).unwrap_err();
    assert_eq!(refused.code(), Code::Refused);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_did_not_go_goes_once_the_hub_answers_again_and_nobody_asks_for_it() {
    crate::choose_cryptography();
    let dir = tempfile::tempdir().unwrap();
    let desk = Desk::new();
    let hub = hub_of(dir.path(), &desk).await;
    let listen = hub.tcp;
    hub.stop().await.unwrap();
    let asked = desk.approve("blue");
    api::send(&desk.app, asked.clone()).unwrap();
    desk.until(&asked, |one| one.trouble.is_some()).await;
    let hub = Hub::open(dir.path(), Arc::new(SystemClock)).unwrap();
    let hub = RunningHub::start(hub, HubConfig::new(listen))
        .await
        .unwrap();
    // It is due within a second, and something of the page wakes whoever sends.
    sleep(Duration::from_secs(1)).await;
    api::pause_sends(&desk.app, PauseSendsRequest { paused: false }).unwrap();
    let sent = desk
        .until(&asked, |one| one.state == QueuedState::Sent)
        .await;
    assert!(!sent.asked && sent.trouble.is_none(), "{sent:?}");
    hub.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_page_sends_to_a_folder_is_there_and_is_recalled() {
    let team = tempfile::tempdir().unwrap();
    let desk = Desk::new();
    let address = desk.adds(team.path());
    let asked = desk.approve(&address);
    // A policy that comes while it waits is a row of its own, before the bytes go under it.
    let pause = |paused| api::pause_sends(&desk.app, PauseSendsRequest { paused }).unwrap();
    pause(true);
    api::send(&desk.app, asked.clone()).unwrap();
    std::fs::write(desk.app.dir().join("bobbin-policy.toml"), "team = 'data'").unwrap();
    assert!(!desk.kinds().contains(&Kind::Policy));
    pause(false);
    let sent = desk
        .until(&asked, |one| one.state == QueuedState::Sent)
        .await;
    assert!(!sent.receipt.unwrap().signed);
    let at = |kind| desk.kinds().iter().position(|one| *one == kind).unwrap();
    assert!(at(Kind::Policy) < at(Kind::UploadStarted));
    let bundle = team.path().join(format!("bundles/{}.bobbin", asked.sha256));
    assert!(bundle.is_file());
    api::recall_send(&desk.app, asked.clone()).unwrap();
    desk.until(&asked, |one| one.state == QueuedState::Recalled)
        .await;
    assert!(!bundle.exists());
    assert_eq!(
        api::send(&desk.app, asked).unwrap_err().code(),
        Code::Refused
    );
}

#[tokio::test]
async fn what_the_queue_cannot_note_is_not_due_again_at_once() {
    let team = tempfile::tempdir().unwrap();
    let desk = Desk::new();
    desk.sending.abort();
    let address = desk.adds(team.path());
    let asked = desk.approve(&address);
    api::send(&desk.app, asked).unwrap();
    // Where the queue is drafted, nothing can be made.
    let draft = format!("queue.json.{}.new", std::process::id());
    let draft = desk.app.dir().join(draft);
    std::fs::create_dir(&draft).unwrap();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    // Whoever looks waits then, however often it is rung.
    assert!(look(&desk.app, &clock).await.is_err());
    std::fs::remove_dir(&draft).unwrap();
    api::pause_sends(&desk.app, PauseSendsRequest { paused: true }).unwrap();
    look(&desk.app, &clock).await.unwrap();
}
