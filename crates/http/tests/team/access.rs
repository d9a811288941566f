//! Who may do what, and who is told nothing.

use std::fs;

use bobbin_core::clock::Clock;
use bobbin_core::model::Micros;
use bobbin_core::share::Level;
use bobbin_http::hub::{AccountCommand, Command};
use bobbin_http::sync::{Fault, Laptop};
use bobbin_http::team::{Role, Scope};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::bench::{Answer, Bench, Desk};

#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_who_race_for_an_invite_one_joins() {
    let bench = Bench::start().await;
    let code = bench.invite(&bench.account, "ada", Role::Member, None);
    let body = json!({"invite": code.invite, "device": "laptop"}).to_string();
    let asked = (0..50).map(|_| bench.ask("POST", "/v1/join", &[], &body));
    let mut statuses = Vec::new();
    for answer in futures(asked).await {
        statuses.push(answer);
    }
    assert_eq!(
        statuses.iter().filter(|status| **status == 200).count(),
        1,
        "{statuses:?}"
    );
    assert!(
        statuses.iter().all(|status| [200, 401].contains(status)),
        "{statuses:?}"
    );
    let members = bench.within(&bench.account, AccountCommand::Members);
    assert_eq!(members.as_array().unwrap().len(), 1);
}

/// The statuses of answers that are all waited for at once.
pub async fn futures<'a>(
    asked: impl Iterator<Item = impl Future<Output = Answer> + 'a>,
) -> Vec<u16> {
    let mut waiting: Vec<_> = asked.map(|one| (Box::pin(one), None)).collect();
    std::future::poll_fn(|cx| {
        let mut open = false;
        for (one, status) in &mut waiting {
            if status.is_none() {
                match one.as_mut().poll(cx) {
                    std::task::Poll::Ready(answer) => *status = Some(answer.status),
                    std::task::Poll::Pending => open = true,
                }
            }
        }
        if open {
            std::task::Poll::Pending
        } else {
            std::task::Poll::Ready(())
        }
    })
    .await;
    waiting
        .into_iter()
        .filter_map(|(_, status)| status)
        .collect()
}

/// A second account, and an admin of each: Ada of the bench's own, with a cluster, and Eve of the second one.
async fn two_accounts(bench: &Bench) -> (String, Desk, Desk) {
    let red = bench.run(Command::AccountAdd {
        name: "red".into(),
        quota_bytes: 1 << 20,
    });
    assert_eq!(red["level"], "names", "nobody said so");
    let red = red["account"].as_str().unwrap().to_owned();
    let ada = bench.laptop(&bench.account, "ada", Role::Admin).await;
    let eve = bench.laptop(&red, "eve", Role::Admin).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    (red, ada, eve)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_belongs_to_another_account_does_not_exist() {
    let bench = Bench::start().await;
    let (red, ada, eve) = two_accounts(&bench).await;
    let looked = ada.look("one", Level::Names);
    ada.send(&looked).await.unwrap();
    let sha256 = &looked.sha256;
    let invite = bench.within(
        &bench.account,
        AccountCommand::Invite {
            name: "x".into(),
            role: Role::Viewer,
            bundle: None,
            days: 1,
            token_days: 1,
        },
    )["invite"]
        .as_str()
        .unwrap()
        .to_owned();

    let hers = format!("Authorization: Bearer {}", eve.token());
    let mixed = eve.token().replace(&red, &bench.account);
    let mixed = format!("Authorization: Bearer {mixed}");
    let declared =
        json!({"bytes": looked.bytes.len(), "chunks": [sha256], "name": "one"}).to_string();
    let nothing = "0".repeat(64);
    let routes = |sha256: &str| {
        [
            ("GET", format!("/v1/bundles/{sha256}"), String::new()),
            ("PUT", format!("/v1/bundles/{sha256}/chunks/0"), "x".into()),
            (
                "POST",
                format!("/v1/bundles/{sha256}/commit"),
                String::new(),
            ),
            ("DELETE", format!("/v1/bundles/{sha256}"), String::new()),
            ("GET", format!("/v1/bundles/{sha256}/file"), String::new()),
            (
                "POST",
                "/v1/account".into(),
                json!({"command": "recall", "sha256": sha256}).to_string(),
            ),
        ]
    };
    for ((method, path, body), (_, none, empty)) in routes(sha256).into_iter().zip(routes(&nothing))
    {
        let there = bench.ask(method, &path, &[&hers], &body).await;
        let nowhere = bench.ask(method, &none, &[&hers], &empty).await;
        assert_eq!(there.status, 404, "{method} {path}: {}", there.body);
        // Told alike, whether it exists elsewhere or not.
        let body = there.body.replace(sha256.as_str(), &nothing);
        assert_eq!(
            (there.status, body),
            (nowhere.status, nowhere.body),
            "{method} {path}"
        );
        assert_eq!(
            bench.ask(method, &path, &[&mixed], "").await.status,
            401,
            "{method} {path}"
        );
        assert_eq!(
            bench.ask(method, &path, &[], "").await.status,
            401,
            "{method} {path}"
        );
    }
    // The same bytes of her own are hers to send: nothing says that another has them.
    let put = bench
        .ask("PUT", &format!("/v1/bundles/{sha256}"), &[&hers], &declared)
        .await;
    assert_eq!(
        (put.status, put.body.contains("\"open\"")),
        (200, true),
        "{}",
        put.body
    );
    for command in [
        json!({"command": "member_remove", "member": ada.team.member}),
        json!({"command": "member_role", "member": ada.team.member, "role": "guest"}),
        json!({"command": "token_new", "member": ada.team.member, "device": "x", "scope": "full", "days": 1}),
        json!({"command": "token_revoke", "token": ada.team.token_id}),
        json!({"command": "invite_revoke", "invite": invite}),
    ] {
        let answer = bench
            .ask("POST", "/v1/account", &[&hers], &command.to_string())
            .await;
        assert_eq!(answer.status, 404, "{command}: {}", answer.body);
    }
    // A command of whoever runs the hub is none here.
    let add = json!({"command": "account_add", "name": "mine", "quota_bytes": 1}).to_string();
    assert_eq!(
        bench
            .ask("POST", "/v1/account", &[&hers], &add)
            .await
            .status,
        400
    );
    assert_eq!(
        bench
            .ask("POST", "/v1/command", &[&hers], &add)
            .await
            .status,
        404
    );
    assert_eq!(
        bench.ask("GET", "/v1/bundles", &[&hers], "").await.body,
        "[]"
    );
    assert_eq!(bench.users(&red), [""; 0]);
    assert_eq!(bench.users(&bench.account), ["ada"]);
    ada.laptop.me(&ada.team).await.unwrap();
}

/// A browser of somebody, signed in.
pub async fn signed_in(bench: &Bench, token: &str) -> String {
    let origin = format!("Origin: https://{}", bench.proxy.address);
    let form = "Content-Type: application/x-www-form-urlencoded";
    let body = format!("token={token}");
    let signed = bench.ask("POST", "/sign-in", &[&origin, form], &body).await;
    let cookie = signed
        .head
        .lines()
        .find_map(|line| line.strip_prefix("set-cookie: "))
        .unwrap();
    format!("Cookie: {}", cookie.split(';').next().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_recalls_and_sessions_of_another_account_do_not_exist() {
    let bench = Bench::start().await;
    let (red, ada, eve) = two_accounts(&bench).await;
    let looked = ada.look("one", Level::Names);
    ada.send(&looked).await.unwrap();
    ada.laptop.recall(&ada.team, &looked.sha256).await.unwrap();
    ada.send(&ada.look("two", Level::Metrics)).await.unwrap();
    let hers = format!("Authorization: Bearer {}", eve.token());

    // Of themselves, each is told of the own account.
    let me = ada.laptop.me(&ada.team).await.unwrap();
    let other = eve.laptop.me(&eve.team).await.unwrap();
    assert_eq!((&me.account, &other.account), (&bench.account, &red));
    assert_eq!(other.used_bytes, Some(0));
    let (rows, own) = (me.rows.unwrap(), other.rows.unwrap());
    assert!(rows > own, "{rows} {own}");
    for number in 1..=rows {
        let path = format!("/v1/chain/{number}");
        let answer = bench.ask("GET", &path, &[&hers], "").await;
        assert_eq!(answer.status, if number <= own { 200 } else { 404 });
        let theirs = format!("Authorization: Bearer {}", ada.token());
        let there = bench.ask("GET", &path, &[&theirs], "").await;
        assert_ne!(answer.body, there.body, "row {number}");
    }

    // A recall there is none here: its row opens nothing, and closes nothing.
    let audit = bench.within(&bench.account, AccountCommand::Audit);
    let mut audit = audit.as_array().unwrap().iter();
    let recalled = audit.find(|row| row["event"] == "recalled").unwrap();
    let place = format!("/v1/bundles/{}", looked.sha256);
    let mut answers = Vec::new();
    for again in [json!(null), recalled["number"].clone()] {
        let declared = json!({
            "bytes": looked.bytes.len(), "chunks": [looked.sha256], "name": "one", "again_after": again,
        });
        let put = bench
            .ask("PUT", &place, &[&hers], &declared.to_string())
            .await;
        answers.push((put.status, put.body));
    }
    assert_eq!(answers[0].0, 200);
    assert_eq!(answers[0], answers[1]);

    // A browser shows the account of its token, whatever it asks for.
    let origin = format!("Origin: https://{}", bench.proxy.address);
    let kind = "Content-Type: application/json";
    let (first, second) = (
        signed_in(&bench, &ada.token()).await,
        signed_in(&bench, &eve.token()).await,
    );
    let asked = [origin.as_str(), first.as_str(), kind];
    let listed = bench.ask("POST", "/api/clusters", &asked, "{}").await;
    assert!(listed.body.contains("Scheduler-"), "{}", listed.body);
    let asked = [origin.as_str(), second.as_str(), kind];
    let listed = bench.ask("POST", "/api/clusters", &asked, "{}").await;
    assert!(!listed.body.contains("Scheduler-"), "{}", listed.body);
    let one = json!({"id": 1}).to_string();
    let found = bench.ask("POST", "/api/cluster", &asked, &one).await;
    assert_eq!(found.status, 404, "{}", found.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn invites_of_somebody_who_is_no_admin_any_more_let_nobody_in() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Admin).await;
    let invite = || AccountCommand::Invite {
        name: "me again".into(),
        role: Role::Admin,
        bundle: None,
        days: 3_650,
        token_days: 3_650,
    };
    let mut codes = Vec::new();
    for (name, demoted) in [("eve", false), ("mallory", true)] {
        let eve = bench.laptop(&bench.account, name, Role::Admin).await;
        let member = eve.team.member.clone();
        let made = eve.laptop.command(&eve.team, &invite()).await.unwrap();
        codes.push(made["code"].as_str().unwrap().to_owned());
        let token = AccountCommand::TokenNew {
            member: ada.team.member.clone(),
            device: "spare".into(),
            scope: Scope::Full,
            days: 1,
        };
        let token = eve.laptop.command(&eve.team, &token).await.unwrap();
        let over = match demoted {
            true => AccountCommand::MemberRole {
                member,
                role: Role::Viewer,
            },
            false => AccountCommand::MemberRemove { member },
        };
        let said = ada.laptop.command(&ada.team, &over).await.unwrap();
        // They have seen tokens of others: an admin is told which.
        assert_eq!(said["tokens_made_for_others"], json!([token["token"]]));
    }
    // So after a restart, too.
    bench.restart().await;
    for code in codes {
        let joined = ada.laptop.join(&code.parse().unwrap(), "x").await;
        assert!(matches!(joined, Err(Fault::Unknown(_))), "{joined:?}");
    }
    let code = ada.laptop.command(&ada.team, &invite()).await.unwrap();
    let code = code["code"].as_str().unwrap().parse().unwrap();
    ada.laptop.join(&code, "x").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_revoked_ends_in_the_middle_of_an_upload() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell(
        "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51",
        1,
        2_700_000,
    );
    let looked = ada.look("large", Level::Everything);
    let mut passed = 0;
    let ended = ada
        .send_until(&looked, &|| false, &mut |_| {
            passed += 1;
            if passed == 2 {
                bench.within(
                    &bench.account,
                    AccountCommand::TokenRevoke {
                        token: ada.team.token_id.clone(),
                    },
                );
            }
        })
        .await;
    assert!(matches!(ended, Err(Fault::Unknown(_))), "{ended:?}");
    assert_eq!(passed, 2);
    assert!(matches!(
        ada.laptop.me(&ada.team).await,
        Err(Fault::Unknown(_))
    ));
    let none: Vec<String> = Vec::new();
    assert_eq!(bench.users(&bench.account), none);
    // With a new invite it goes on.
    let again = Laptop::new(
        &ada.laptop.dir,
        std::sync::Arc::new(bobbin_core::clock::SystemClock),
    );
    let code = bench.invite(&bench.account, "ada", Role::Member, None);
    let team = again.join(&code, "laptop").await.unwrap();
    let ada = Desk { team, ..ada };
    ada.approve(&looked);
    ada.send(&looked).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_that_is_handed_out_ends_with_the_token_and_with_a_recall() {
    const LARGE: u64 = 64 << 20;
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    let looked = ada.look("one", Level::Names);
    ada.send(&looked).await.unwrap();
    let account = bench.hub_dir().join("accounts").join(&bench.account);
    let file = account.join("bundles").join(&looked.sha256);
    // More than all that lies between a hub and who reads slowly.
    let large = fs::OpenOptions::new().write(true).open(&file).unwrap();
    large.set_len(LARGE).unwrap();
    drop(large);
    let vera = bench.laptop(&bench.account, "vera", Role::Viewer).await;
    let grace = bench.laptop(&bench.account, "grace", Role::Member).await;
    let token = vera.team.token_id.clone();
    let sha256 = looked.sha256.clone();
    for (reader, over) in [
        (&vera, AccountCommand::TokenRevoke { token }),
        (&grace, AccountCommand::Recall { sha256 }),
    ] {
        let theirs = format!("Authorization: Bearer {}", reader.token());
        let path = format!("/v1/bundles/{}/file", looked.sha256);
        let mut stream = bench.begin("GET", &path, &[&theirs], "").await;
        let mut bytes = vec![0; 1_000];
        stream.read_exact(&mut bytes).await.unwrap();
        assert!(bytes.starts_with(b"HTTP/1.1 200 "));
        bench.within(&bench.account, over);
        // It may end without TLS's own goodbye.
        let _ = stream.read_to_end(&mut bytes).await;
        assert!((bytes.len() as u64) < LARGE / 2, "{}", bytes.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fetch_that_breaks_off_says_that_its_token_was_revoked_and_leaves_nothing() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 300_000);
    let looked = ada.look("large", Level::Everything);
    ada.send(&looked).await.unwrap();
    let vera = bench.laptop(&bench.account, "vera", Role::Viewer).await;
    let folder = bench.dir.path().join("fetched");
    fs::create_dir(&folder).unwrap();
    let to = folder.join("one.bobbin");
    bench.proxy.plan.lock().unwrap().hold_down = Some(50_000);
    let fetching = vera.laptop.fetch(&vera.team, &looked.sha256, &to);
    let revoking = async {
        bench.proxy.until_held().await;
        assert!(!to.exists());
        let token = vera.team.token_id.clone();
        bench.within(&bench.account, AccountCommand::TokenRevoke { token });
        let mut plan = bench.proxy.plan.lock().unwrap();
        (plan.hold_down, plan.cut_down) = (None, Some(1));
    };
    let (fetched, ()) = tokio::join!(fetching, revoking);
    assert!(
        matches!(&fetched, Err(Fault::Unknown(why)) if why.contains("revoked")),
        "{fetched:?}"
    );
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_removed_while_a_request_came_is_not_obeyed() {
    let bench = Bench::start().await;
    let invite = AccountCommand::Invite {
        name: "me again".into(),
        role: Role::Admin,
        bundle: None,
        days: 1,
        token_days: 1,
    };
    let invite = serde_json::to_string(&invite).unwrap();
    let sha256 = "0".repeat(64);
    let declared = json!({"bytes": 1, "chunks": [sha256], "name": "one"}).to_string();
    let bundle = format!("/v1/bundles/{sha256}");
    for (name, method, path, body) in [
        ("eve", "POST", "/v1/account", &invite),
        ("mallory", "PUT", bundle.as_str(), &declared),
    ] {
        let eve = bench.laptop(&bench.account, name, Role::Admin).await;
        let hers = format!("Authorization: Bearer {}", eve.token());
        let mut stream = bench.announce(method, path, &[&hers], body.len()).await;
        bench.until_shown(&eve.team.token_id).await;
        let member = eve.team.member.clone();
        bench.within(&bench.account, AccountCommand::MemberRemove { member });
        stream.write_all(body.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        let answer = Answer::read(stream).await;
        assert_eq!(answer.status, 401, "{name}: {}", answer.body);
    }
    let invites = bench.within(&bench.account, AccountCommand::Invites);
    let mut invites = invites.as_array().unwrap().iter();
    assert!(invites.all(|one| one["over"] == true));
    let account = bench.hub_dir().join("accounts").join(&bench.account);
    assert_eq!(fs::read_dir(account.join("incoming")).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_and_invites_expire_and_roles_bind() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    let looked = ada.look("one", Level::Names);
    ada.send(&looked).await.unwrap();
    let other = ada.look("two", Level::Metrics);
    ada.send(&other).await.unwrap();
    let vera = bench.laptop(&bench.account, "vera", Role::Viewer).await;
    let gus = bench
        .laptop_for(
            &bench.account,
            "gus",
            Role::Guest,
            Some(looked.sha256.clone()),
        )
        .await;
    vera.approve(&looked);
    for reader in [&vera, &gus] {
        let to = reader.laptop.dir.join("fetched.bobbin");
        reader
            .laptop
            .fetch(&reader.team, &looked.sha256, &to)
            .await
            .unwrap();
        assert_eq!(fs::read(to).unwrap(), looked.bytes);
        let govern = reader
            .laptop
            .command(&reader.team, &AccountCommand::Members)
            .await;
        assert!(matches!(govern, Err(Fault::Refused(_))));
        assert!(matches!(
            reader.laptop.recall(&reader.team, &looked.sha256).await,
            Err(Fault::Refused(_))
        ));
        reader.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e59", 1, 10);
        let own = reader.look("own", Level::Metrics);
        assert!(matches!(reader.send(&own).await, Err(Fault::Refused(_))));
    }
    assert_eq!(vera.laptop.shared(&vera.team).await.unwrap().len(), 2);
    // A guest knows of one bundle alone.
    assert_eq!(gus.laptop.shared(&gus.team).await.unwrap().len(), 1);
    let me = gus.laptop.me(&gus.team).await.unwrap();
    assert_eq!((me.quota_bytes, me.used_bytes, me.rows), (None, None, None));
    let his = format!("Authorization: Bearer {}", gus.token());
    let row = bench.ask("GET", "/v1/chain/1", &[&his], "").await;
    assert_eq!(row.status, 404);
    let to = gus.laptop.dir.join("no.bobbin");
    assert_eq!(
        gus.laptop.fetch(&gus.team, &other.sha256, &to).await,
        Err(Fault::Absent)
    );
    assert!(!to.exists());

    // A token for looking, of somebody who may do more.
    let made = bench.within(
        &bench.account,
        AccountCommand::TokenNew {
            member: ada.team.member.clone(),
            device: "browser".into(),
            scope: Scope::Read,
            days: 1,
        },
    );
    let read = format!("Authorization: Bearer {}", made["text"].as_str().unwrap());
    let path = format!("/v1/bundles/{}", looked.sha256);
    assert_eq!(bench.ask("GET", &path, &[&read], "").await.status, 200);
    assert_eq!(bench.ask("DELETE", &path, &[&read], "").await.status, 403);

    let late = bench.invite(&bench.account, "late", Role::Member, None);
    bench
        .clock
        .set(Micros(bench.clock.now().0 + 2 * 86_400_000_000));
    assert_eq!(bench.ask("GET", &path, &[&read], "").await.status, 401);
    assert!(matches!(
        ada.laptop.join(&late, "x").await,
        Err(Fault::Unknown(_))
    ));
    ada.laptop.me(&ada.team).await.unwrap();
    bench
        .clock
        .set(Micros(bench.clock.now().0 + 40 * 86_400_000_000));
    assert!(matches!(
        ada.laptop.me(&ada.team).await,
        Err(Fault::Unknown(_))
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_is_exported_whole_and_removed_with_all_that_it_holds() {
    let mut bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Admin).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    let looked = ada.look("one", Level::Names);
    ada.send(&looked).await.unwrap();
    let path = bench.dir.path().join("export");
    bench.run(Command::AccountExport {
        account: "blue".into(),
        path: path.clone(),
    });
    let bundle = path
        .join("bundles")
        .join(format!("{}.bobbin", looked.sha256));
    assert_eq!(fs::read(bundle).unwrap(), looked.bytes);
    let audit = fs::read_to_string(path.join("audit.ndjson")).unwrap();
    assert!(
        audit.contains("\"joined\"") && audit.contains("\"committed\""),
        "{audit}"
    );
    // The export itself is the last that happened.
    let last: Value = serde_json::from_str(audit.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["event"], &last["by"], &last["bundles"]),
        (&json!("exported"), &json!("hub"), &json!(1))
    );
    let rows = bench.within(&bench.account, AccountCommand::Audit);
    assert_eq!(rows.as_array().unwrap().last(), Some(&last));
    // Neither a token nor an invite stands there.
    assert!(
        !audit.contains("bobbin_token") && !audit.contains("bobbin_invite"),
        "{audit}"
    );

    let folder = bench.hub_dir().join("accounts").join(&bench.account);
    bench.run(Command::AccountRemove {
        account: "blue".into(),
    });
    assert!(!folder.exists());
    assert!(matches!(
        ada.laptop.me(&ada.team).await,
        Err(Fault::Unknown(_))
    ));
    bench.restart().await;
    assert_eq!(bench.run(Command::Accounts), json!([]));
    let tombstone = fs::read_to_string(bench.hub_dir().join("hub.ndjson")).unwrap();
    assert!(tombstone.contains("account_removed"), "{tombstone}");
}
