//! Each role against each route, and a role that changes.

use bobbin_core::ledger::digest;
use bobbin_core::share::Level;
use bobbin_http::hub::AccountCommand;
use bobbin_http::sync::Found;
use bobbin_http::team::{Role, Scope};
use serde_json::json;

use super::bench::{Bench, Looked};
use super::reconcile::FIRST;

const ROLES: [&str; 5] = ["guest", "viewer", "member", "admin who looks", "admin"];

/// Two bundles of a member who asks for nothing.
async fn shared(bench: &Bench) -> (Looked, Looked) {
    let mia = bench.laptop(&bench.account, "mia", Role::Member).await;
    mia.tell(FIRST, 1, 100);
    let one = mia.look("one", Level::Names);
    let two = mia.look("two", Level::Metrics);
    mia.send(&one).await.unwrap();
    mia.send(&two).await.unwrap();
    (one, two)
}

/// A token of each: the guest's is for this bundle, and the first one of the admin is read-only.
async fn tokens(bench: &Bench, one: &Looked) -> [String; 5] {
    let account = &bench.account;
    let bundle = Some(one.sha256.clone());
    let guest = bench.laptop_for(account, "gus", Role::Guest, bundle).await;
    let viewer = bench.laptop(account, "vera", Role::Viewer).await;
    let member = bench.laptop(account, "bo", Role::Member).await;
    let admin = bench.laptop(account, "ada", Role::Admin).await;
    let looks = bench.within(
        account,
        AccountCommand::TokenNew {
            member: admin.team.member.clone(),
            device: "browser".into(),
            scope: Scope::Read,
            days: 1,
        },
    );
    let looks = looks["text"].as_str().unwrap().to_owned();
    [
        guest.token(),
        viewer.token(),
        member.token(),
        looks,
        admin.token(),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn each_role_may_do_what_it_may_and_nothing_else() {
    let bench = Bench::start().await;
    let (one, two) = shared(&bench).await;
    let tokens = tokens(&bench, &one).await;
    let new = digest(b"x");
    let declared = json!({"bytes": 1, "chunks": [new], "name": "new"}).to_string();
    let members = json!({"command": "members"}).to_string();
    let place = |sha256: &str, of: &str| format!("/v1/bundles/{sha256}{of}");
    let (one, two) = (one.sha256.as_str(), two.sha256.as_str());

    let all = [200; 5];
    let no_guest = [404, 200, 200, 200, 200];
    let shares = [403, 403, 200, 403, 200];
    let governs = [403, 403, 403, 403, 200];
    let none_of_it = [403, 403, 404, 403, 404];
    // A commit of what nobody declared; then an upload, which is given up; then a recall of what somebody else shared.
    let routes = [
        ("GET", "/v1/me".to_owned(), "", all),
        ("GET", "/v1/bundles".to_owned(), "", all),
        ("GET", "/v1/chain/1".to_owned(), "", no_guest),
        ("GET", place(one, ""), "", all),
        ("GET", place(two, ""), "", no_guest),
        ("GET", place(one, "/file"), "", all),
        ("GET", place(two, "/file"), "", no_guest),
        ("POST", place(&new, "/commit"), "", none_of_it),
        ("PUT", place(&new, ""), declared.as_str(), shares),
        ("PUT", place(&new, "/chunks/0"), "x", shares),
        ("DELETE", place(&new, ""), "", shares),
        ("DELETE", place(two, ""), "", governs),
        ("POST", "/v1/account".to_owned(), members.as_str(), governs),
    ];
    for (method, path, body, statuses) in routes {
        for ((who, token), status) in ROLES.iter().zip(&tokens).zip(statuses) {
            let token = format!("Authorization: Bearer {token}");
            let answer = bench.ask(method, &path, &[&token], body).await;
            let said = answer.body;
            assert_eq!(answer.status, status, "{who}: {method} {path}: {said}");
        }
    }
    let origin = format!("Origin: https://{}", bench.proxy.address);
    let form = "Content-Type: application/x-www-form-urlencoded";
    let signed_in = [403, 303, 303, 303, 303];
    for ((who, token), status) in ROLES.iter().zip(&tokens).zip(signed_in) {
        let body = format!("token={token}");
        let answer = bench.ask("POST", "/sign-in", &[&origin, form], &body).await;
        assert_eq!(answer.status, status, "{who}: {}", answer.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_but_an_admin_governs() {
    let bench = Bench::start().await;
    let (one, _) = shared(&bench).await;
    let tokens = tokens(&bench, &one).await;
    let members = bench.within(&bench.account, AccountCommand::Members);
    let member = &members[0]["member"];
    let commands = [
        json!({"command": "members"}),
        json!({"command": "member_role", "member": member, "role": "viewer"}),
        json!({"command": "member_remove", "member": member}),
        json!({"command": "invite", "name": "x", "role": "admin", "bundle": null, "days": 1, "token_days": 1}),
        json!({"command": "invites"}),
        json!({"command": "invite_revoke", "invite": "x"}),
        json!({"command": "tokens"}),
        json!({"command": "token_new", "member": member, "device": "x", "scope": "full", "days": 1}),
        json!({"command": "token_revoke", "token": "x"}),
        json!({"command": "bundles"}),
        json!({"command": "recall", "sha256": one.sha256}),
        json!({"command": "audit"}),
    ];
    let rows = || {
        let audit = bench.within(&bench.account, AccountCommand::Audit);
        audit.as_array().unwrap().len()
    };
    let before = rows();
    for command in commands {
        // It is one that an admin may give.
        let text = command.to_string();
        serde_json::from_value::<AccountCommand>(command).unwrap();
        for (who, token) in ROLES.iter().zip(&tokens).take(4) {
            let token = format!("Authorization: Bearer {token}");
            let answer = bench.ask("POST", "/v1/account", &[&token], &text).await;
            assert_eq!(answer.status, 403, "{who}: {text}: {}", answer.body);
        }
    }
    assert_eq!(rows(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_became_a_guest_does_not_take_their_bundles_for_lost() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell(FIRST, 1, 100);
    ada.send(&ada.look("one", Level::Names)).await.unwrap();
    for role in [Role::Guest, Role::Viewer] {
        let member = ada.team.member.clone();
        bench.within(&bench.account, AccountCommand::MemberRole { member, role });
        let found = ada.laptop.look_back(&ada.team).await.unwrap();
        assert_eq!(found, Found::default(), "{role:?}");
    }
    let held = bench.within(&bench.account, AccountCommand::Bundles);
    assert_eq!(held.as_array().unwrap().len(), 1);
}
