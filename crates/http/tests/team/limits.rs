//! How much an account takes, how long what is unfinished stays, and what a hub may have a laptop do.

use std::fs;
use std::io::{Read as _, Write as _};
use std::time::Duration;

use bobbin_core::clock::Clock;
use bobbin_core::ledger::digest;
use bobbin_core::model::Micros;
use bobbin_core::share::Level;
use bobbin_http::hub::{AccountCommand, Command};
use bobbin_http::sync::Fault;
use bobbin_http::team::Role;
use serde_json::json;

use super::access::futures;
use super::bench::{Bench, Looked};
use super::reconcile::FIRST;

const DAY: i64 = 86_400_000_000;

fn declared(bytes: u64, seed: &str) -> (String, String) {
    let sha256 = digest(seed.as_bytes());
    let chunks = vec![sha256.clone(); bytes.div_ceil(1 << 20) as usize];
    let body = json!({"bytes": bytes, "chunks": chunks, "name": seed}).to_string();
    (format!("/v1/bundles/{sha256}"), body)
}

#[tokio::test(flavor = "multi_thread")]
async fn of_uploads_that_are_declared_at_once_no_more_pass_than_there_is_room_for() {
    let bench = Bench::with_quota(10_000_000).await;
    let mut asked = Vec::new();
    for name in ["ada", "bo", "cy", "di", "ed", "flo"] {
        let laptop = bench.laptop(&bench.account, name, Role::Member).await;
        let token = format!("Authorization: Bearer {}", laptop.token());
        asked.push((declared(4_000_000, name), token));
    }
    let asked = asked.iter().map(|((path, body), token)| async {
        bench
            .ask("PUT", path, &[token.as_str()], body.as_str())
            .await
    });
    let statuses = futures(asked).await;
    let passed = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!(passed, 2, "{statuses:?}");
    assert!(
        statuses.iter().all(|status| [200, 413].contains(status)),
        "{statuses:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_the_account_takes_is_refused_and_nothing_of_it_is_kept() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell(FIRST, 1, 100);
    let everything = ada.look("everything", Level::Everything);
    let account = bench.account.clone();
    let level = Level::Names;
    let said = bench.run(Command::AccountLevel { account, level });
    assert_eq!(said["level"], "names");
    // It holds after a restart, too.
    bench.restart().await;
    let refused = ada.send(&everything).await.unwrap_err().to_string();
    assert!(
        refused.contains("everything") && refused.contains("at most level names"),
        "{refused}"
    );
    assert_eq!(bench.users(&bench.account), [""; 0]);
    let held = bench.within(&bench.account, AccountCommand::Bundles);
    assert_eq!(held, json!([]));
    for level in [Level::Names, Level::Metrics] {
        let looked = ada.look(level.word(), level);
        ada.send(&looked).await.unwrap();
    }
    // What was there before stays.
    let account = bench.account.clone();
    let level = Level::Metrics;
    bench.run(Command::AccountLevel { account, level });
    let held = bench.within(&bench.account, AccountCommand::Bundles);
    assert_eq!(held.as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manifest_that_says_less_than_the_bundle_holds_is_found_out() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell(FIRST, 1, 100);
    let honest = ada.look("honest", Level::Everything);
    // The same batches behind a manifest of names.
    let mut members = Vec::new();
    let mut rest = honest.bytes.as_slice();
    while !rest.is_empty() {
        let mut member = flate2::bufread::GzDecoder::new(&mut rest);
        let mut text = String::new();
        member.read_to_string(&mut text).unwrap();
        members.push(text);
    }
    let mut manifest: serde_json::Value = serde_json::from_str(&members[0]).unwrap();
    manifest["choice"]["level"] = json!("names");
    let fields = manifest["clusters"][0]["fields"].as_object_mut().unwrap();
    for (_, count) in fields
        .iter_mut()
        .filter(|(field, _)| *field == "event.payload")
    {
        *count = json!({"told": 0, "masked": 0, "withheld": 1});
    }
    members[0] = format!("{manifest}\n");
    let mut bytes = Vec::new();
    for text in &members {
        let mut member = flate2::write::GzEncoder::new(&mut bytes, flate2::Compression::default());
        member.write_all(text.as_bytes()).unwrap();
        member.finish().unwrap();
    }
    let path = ada.laptop.dir.join("lying.bobbin");
    fs::write(&path, &bytes).unwrap();
    let lying = Looked {
        sha256: digest(&bytes),
        path,
        bytes,
    };
    ada.approve(&lying);
    for level in [None, Some(Level::Names)] {
        if let Some(level) = level {
            let account = bench.account.clone();
            bench.run(Command::AccountLevel { account, level });
        }
        let refused = ada.send(&lying).await.unwrap_err().to_string();
        assert!(refused.contains("event.payload"), "{refused}");
    }
    let held = bench.within(&bench.account, AccountCommand::Bundles);
    assert_eq!(held, json!([]));
    // With a manifest that says it, the level is what counts.
    let refused = ada.send(&honest).await.unwrap_err().to_string();
    assert!(
        refused.contains("event.payload") && refused.contains("at most level names"),
        "{refused}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recall_says_until_when_backups_may_hold_it_once_somebody_said_how_long_they_live() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell(FIRST, 1, 100);
    let recalled = async |name: &str| {
        let looked = ada.look(name, Level::Names);
        ada.send(&looked).await.unwrap();
        ada.laptop.recall(&ada.team, &looked.sha256).await.unwrap();
        let row = ada.laptop.ledger.rows().unwrap().pop().unwrap();
        assert_eq!(row.entry.sha256.as_deref(), Some(looked.sha256.as_str()));
        (
            row.entry.what.clone(),
            row.entry.backups_until(),
            looked.sha256,
        )
    };
    assert_eq!(bench.run(Command::Backups)["backup_days"], json!(null));
    let (what, until, first) = recalled("first").await;
    assert!(until.is_none() && !what.contains("backups"), "{what}");
    let said = bench.run(Command::BackupsSet { days: Some(30) });
    assert_eq!(said["backup_days"], 30);
    // It holds after a restart, too.
    bench.restart().await;
    assert_eq!(bench.run(Command::Backups)["backup_days"], 30);
    let now = bench.clock.now().0;
    ada.tell(FIRST, 100, 100);
    let (what, until, _) = recalled("second").await;
    assert_eq!(until, Some(Micros(now + 30 * DAY)));
    assert!(what.starts_with("backups expire by 20"), "{what}");
    // What was signed before stays what it was.
    let rows = ada.laptop.ledger.rows().unwrap().len();
    ada.laptop.recall(&ada.team, &first).await.unwrap();
    assert_eq!(
        ada.laptop.ledger.rows().unwrap().len(),
        rows + 1,
        "one connection"
    );
    let hub = bench.running();
    let refused = hub.hub().run(Command::BackupsSet { days: Some(0) }, None);
    assert!(refused.is_err());
    let said = bench.run(Command::BackupsSet { days: None });
    assert_eq!(said["backup_days"], json!(null));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_each_token_it_is_told_when_it_was_shown_last() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    let last = |bench: &Bench| {
        let tokens = bench.within(&bench.account, AccountCommand::Tokens);
        tokens[0]["last_used_micros"].as_i64()
    };
    assert_eq!(last(&bench), None, "it was made, and not shown");
    let token = format!("Authorization: Bearer {}", ada.token());
    let show = async |bench: &Bench| {
        bench
            .ask("GET", "/v1/me", &[token.as_str()], "")
            .await
            .status
    };
    assert_eq!(show(&bench).await, 200);
    let first = bench.clock.now().0;
    assert_eq!(last(&bench), Some(first));
    bench.clock.set(Micros(first + DAY));
    bench.restart().await;
    assert_eq!(last(&bench), Some(first), "a restart forgets nothing");
    assert_eq!(show(&bench).await, 200);
    assert_eq!(last(&bench), Some(first + DAY));
    // One that is none is nobody's.
    let other = "Authorization: Bearer bobbin_token_none";
    bench.ask("GET", "/v1/me", &[other], "").await;
    assert_eq!(last(&bench), Some(first + DAY));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_nobody_goes_on_with_makes_room_after_a_week() {
    let mut bench = Bench::with_quota(10_000_000).await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    let token = format!("Authorization: Bearer {}", ada.token());
    let incoming = bench
        .hub_dir()
        .join("accounts")
        .join(&bench.account)
        .join("incoming");
    let waiting = || fs::read_dir(&incoming).unwrap().count();
    let (path, body) = declared(6_000_000, "one");
    let other = declared(5_000_000, "two");
    assert_eq!(bench.ask("PUT", &path, &[&token], &body).await.status, 200);
    assert_eq!(
        bench.ask("PUT", &other.0, &[&token], &other.1).await.status,
        413
    );
    bench.clock.set(Micros(bench.clock.now().0 + 6 * DAY));
    // It was asked for again.
    assert_eq!(bench.ask("PUT", &path, &[&token], &body).await.status, 200);
    bench.clock.set(Micros(bench.clock.now().0 + 6 * DAY));
    bench.restart().await;
    assert_eq!(
        (
            bench.ask("PUT", &other.0, &[&token], &other.1).await.status,
            waiting()
        ),
        (413, 1)
    );
    bench.clock.set(Micros(bench.clock.now().0 + 2 * DAY));
    assert_eq!(
        (
            bench.ask("PUT", &other.0, &[&token], &other.1).await.status,
            waiting()
        ),
        (200, 1)
    );
    // And where nobody asks, at the next start.
    bench.clock.set(Micros(bench.clock.now().0 + 8 * DAY));
    bench.restart().await;
    assert_eq!(waiting(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_bundle_unpacks_to_takes_room_before_any_of_it_is_stored() {
    let bench = Bench::with_quota(400_000).await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    // Packs to some kilobytes.
    ada.tell_texts(FIRST, 1, &vec!["a".repeat(40_000); 20]);
    let bomb = ada.look("bomb", Level::Everything);
    assert!(bomb.bytes.len() < 100_000, "{}", bomb.bytes.len());
    let sent = ada.send(&bomb).await;
    assert!(
        matches!(&sent, Err(Fault::Refused(why)) if why.contains("may hold")),
        "{sent:?}"
    );
    assert_eq!(bench.users(&bench.account), [""; 0]);
    let account = bench.hub_dir().join("accounts").join(&bench.account);
    for folder in ["incoming", "bundles"] {
        assert_eq!(fs::read_dir(account.join(folder)).unwrap().count(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_token_that_asks_without_end_is_slowed_and_others_go_on() {
    let bench = Bench::start().await;
    let eve = bench.laptop(&bench.account, "eve", Role::Member).await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell(FIRST, 1, 100);
    let looked = ada.look("one", Level::Names);
    let token = format!("Authorization: Bearer {}", eve.token());
    let commit = format!("/v1/bundles/{}/commit", "0".repeat(64));
    let mut slowed = None;
    let headers = [token.as_str()];
    for _ in 0..60 {
        let asked = (0..10).map(|_| bench.ask("POST", &commit, &headers, ""));
        if futures(asked).await.contains(&429) {
            slowed = Some(bench.ask("POST", &commit, &[&token], "").await);
            break;
        }
    }
    let slowed = slowed.unwrap();
    assert!(
        slowed.status != 429 || slowed.head.contains("retry-after"),
        "{}",
        slowed.head
    );
    ada.send(&looked).await.unwrap();
    // What only looks is not counted with it.
    eve.laptop.me(&eve.team).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_has_nobody_wait_for_longer_than_an_hour() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    let stranger = bench
        .pretending("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 99999999999\r\nContent-Length: 2\r\n\r\n{}")
        .await;
    let team = ada.moved_to(&stranger);
    match ada.laptop.me(&team).await {
        Err(Fault::Later { wait, .. }) => assert_eq!(wait, Some(Duration::from_secs(3_600))),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_a_hundred_thousand_bundles_is_read_and_nothing_else_of_that_length() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    let one = json!({
        "sha256": "0".repeat(64), "name": "bundle", "bytes": 100_000, "member": "0123456789ab", "member_name": "ada",
        "at_micros": bench.clock.now(), "clusters": 1, "others": [], "counted": 1, "told_by": [], "contradicts": [],
        "recalled_micros": null,
    });
    let list = format!("[{}]", vec![one.to_string(); 100_000].join(","));
    let length = list.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
    let stranger = bench.pretending(head + &list).await;
    let team = ada.moved_to(&stranger);
    let shared = ada.laptop.shared(&team).await.unwrap();
    assert_eq!(shared.len(), 100_000);
    let me = ada.laptop.me(&team).await;
    assert!(
        matches!(&me, Err(Fault::Later { reason, .. }) if reason.contains("ended early")),
        "{me:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fetch_takes_no_more_than_the_hub_signed_for() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell(FIRST, 1, 100);
    let looked = ada.look("one", Level::Names);
    ada.send(&looked).await.unwrap();
    let file = bench
        .hub_dir()
        .join("accounts")
        .join(&bench.account)
        .join("bundles")
        .join(&looked.sha256);
    // A hub that gives gigabytes for some kilobytes.
    let large = fs::OpenOptions::new().write(true).open(&file).unwrap();
    large.set_len(3 << 30).unwrap();
    let to = ada.laptop.dir.join("fetched.bobbin");
    let fetched = ada.laptop.fetch(&ada.team, &looked.sha256, &to).await;
    assert!(
        matches!(&fetched, Err(Fault::Refused(why)) if why.contains("signed for")),
        "{fetched:?}"
    );
    assert!(!to.exists());
}
