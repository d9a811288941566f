//! A team's hub and a laptop, from the shell: joined, staged, approved, sent, seen, recalled, and all of it in the ledger.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use super::compare::run;
use super::shell::fails;
use crate::support::{Outcome, Process, Sandbox, Server, post};

/// A running `bobbin hub serve`.
struct Hub {
    process: Process,
    listening: Value,
}

impl Hub {
    fn start(sandbox: &Sandbox) -> Self {
        Self::start_at(sandbox, "127.0.0.1:0")
    }

    fn start_at(sandbox: &Sandbox, listen: &str) -> Self {
        let mut command = sandbox.command(Path::new(env!("CARGO_BIN_EXE_bobbin")));
        command
            .env("BOBBIN_LOG", "debug")
            .env("BOBBIN_HUB_DIR", sandbox.path("hub"))
            .args(["hub", "serve", "--listen", listen]);
        let mut process = Process::start("bobbin hub serve", &mut command);
        let listening = process.hear();
        assert_eq!(listening["event"], "listening", "{listening}");
        Self { process, listening }
    }
}

/// Asks the hub of this machine.
fn hub(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let dir = sandbox.path("hub");
    let mut all = vec!["hub", "--hub-dir", dir.to_str().unwrap(), "--json"];
    all.extend(arguments);
    sandbox.bobbin(&all).done().unwrap()
}

fn queue_of(sandbox: &Sandbox) -> Value {
    sandbox.bobbin(&["queue", "--json"]).done().unwrap()
}

/// One cluster reports to a Bobbin that is closed then.
fn nightly_reports(sandbox: &Sandbox) {
    let here = Server::start(sandbox);
    let token = fs::read_to_string(here.token_file()).unwrap();
    let batch = run("nightly", 40, 1.0, "2026.8.0");
    assert_eq!(post(here.tcp(), "/v1/batches", &token, &batch).status, 200);
    here.stop();
}

/// Joins with a code that no command line shows.
fn join(sandbox: &Sandbox, code: &str) -> Outcome {
    let mut command = sandbox.command(Path::new(env!("CARGO_BIN_EXE_bobbin")));
    let mut child = command
        .args(["join", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{code}").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    Outcome {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        talk: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_cluster_goes_to_the_team_as_it_was_approved_and_is_recalled() {
    let (server, ada) = (Sandbox::new(), Sandbox::new());
    nightly_reports(&ada);
    // Nothing ever left.
    let ledger = || ada.bobbin(&["ledger", "--json"]).done().unwrap();
    assert_eq!(
        (&ledger()["connections"], &ledger()["rows"]),
        (&json!(0), &json!([]))
    );
    assert!(ada.bobbin(&["ledger"]).out.contains("none, since install"));
    fails(
        &ada.bobbin(&["push", "--json"]),
        3,
        "you have not joined a team",
    );

    let mut running = Hub::start(&server);
    assert_ne!(running.listening["certificate_sha256"], "");
    hub(&server, &["account", "add", "blue"]);
    let invited = hub(
        &server,
        &[
            "--account",
            "blue",
            "invite",
            "new",
            "Ada",
            "--role",
            "admin",
        ],
    );
    let code = invited["code"].as_str().unwrap().to_owned();
    let joined = join(&ada, &code).done().unwrap();
    assert_eq!(
        (&joined["account_name"], &joined["role"]),
        (&json!("blue"), &json!("admin"))
    );
    // From then on something may be sent, and the row about it says so.
    assert_eq!(joined["sharing"], "ask");
    let rows = ledger()["rows"].as_array().unwrap().clone();
    assert_eq!(
        rows.last().unwrap()["what"],
        "joined blue; sharing: Ask each time, was Local only"
    );
    // It works once.
    assert_eq!(join(&Sandbox::new(), &code).code, 3);

    // Nothing goes that nobody approved.
    let fine = |sent: &[&str]| json!({"sent": sent, "left": [], "lost": [], "recalled_again": [], "back": []});
    let pushed = ada.bobbin(&["push", "--json"]).done().unwrap();
    assert_eq!(pushed, fine(&[]));
    let staged = ada
        .bobbin(&["stage", "nightly", "--to", "blue", "--json"])
        .done()
        .unwrap();
    let sha256 = staged["stage"]["sha256"].as_str().unwrap();
    ada.bobbin(&["push", "--json"]).done().unwrap();
    assert_eq!(hub(&server, &["--account", "blue", "bundles"]), json!([]));
    ada.bobbin(&["approve", sha256, "--json"]).done().unwrap();

    // What was withdrawn is sent by nobody, and no connection is opened for that.
    let opened = || ledger()["connections"].clone();
    let before = opened();
    let withdrawn = ada
        .bobbin(&["recall", &sha256[..12], "--json"])
        .done()
        .unwrap();
    assert_eq!(withdrawn, json!({"sha256": sha256, "withdrawn": true}));
    assert_eq!(opened(), before);
    assert_eq!(queue_of(&ada)["bundles"][0]["state"], "withdrawn");
    let pushed = ada.bobbin(&["push", "--json"]).done().unwrap();
    assert_eq!(pushed, fine(&[]));
    ada.bobbin(&["approve", sha256, "--json"]).done().unwrap();

    // Paused, nothing goes; then all of it does, once.
    ada.bobbin(&["queue", "--pause", "--json"]).done().unwrap();
    fails(&ada.bobbin(&["push", "--json"]), 3, "paused");
    ada.bobbin(&["queue", "--resume", "--json"]).done().unwrap();
    // Nor does anything while sharing is local only: no connection is opened for it either.
    let settings = ada.data_dir().join("settings.toml");
    fs::write(&settings, "sharing = \"local\"\n").unwrap();
    let before = ledger()["rows"].as_array().unwrap().len();
    let refused = ada.bobbin(&["push", "--json"]);
    fails(&refused, 3, "Local only");
    for word in ["settings.toml", "sharing = \"ask\""] {
        assert!(refused.talk.contains(word), "{refused:?}");
    }
    // The file was edited: that is a row, and there is no other.
    let rows = ledger()["rows"].as_array().unwrap().clone();
    assert_eq!(rows.len(), before + 1);
    assert_eq!(
        rows[before]["what"],
        "sharing: Local only, was Ask each time"
    );
    fs::write(&settings, "sharing = \"ask\"\n").unwrap();
    let pushed = ada.bobbin(&["push", "--json"]).done().unwrap();
    assert_eq!(pushed, fine(&[sha256]));
    assert_eq!(queue_of(&ada)["bundles"][0]["state"], "sent");
    assert_eq!(
        ada.bobbin(&["push", "--json"]).done().unwrap()["sent"],
        json!([])
    );
    // Sent again it follows the policy as it is by then.
    let (file, policy) = (
        ada.data_dir().join("queue.json"),
        ada.data_dir().join("bobbin-policy.toml"),
    );
    let before = fs::read(&file).unwrap();
    let mut queue: Value = serde_json::from_slice(&before).unwrap();
    let name = format!(
        "{sha256} {}",
        queue_of(&ada)["bundles"][0]["to"].as_str().unwrap()
    );
    queue["items"][&name]["lost"] = json!(true);
    fs::write(&file, queue.to_string()).unwrap();
    fs::write(&policy, "level = 'metrics'\n").unwrap();
    let again = ada.bobbin(&["push", "--again", "--json"]);
    let pushed: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!(
        (again.code, &pushed["sent"], &pushed["left"][0]["sha256"]),
        (1, &json!([]), &json!(sha256))
    );
    let why = pushed["left"][0]["why"].as_str().unwrap();
    assert!(why.contains("bobbin-policy.toml was changed"), "{why}");
    fs::write(&file, before).unwrap();
    fs::remove_file(&policy).unwrap();
    let shared = hub(&server, &["--account", "blue", "bundles"]);
    assert_eq!(
        (&shared[0]["sha256"], &shared[0]["member_name"]),
        (&json!(sha256), &json!("Ada"))
    );
    // An admin has a say from the laptop, too.
    let members = ada
        .bobbin(&["hub", "member", "list", "--json"])
        .done()
        .unwrap();
    assert_eq!(members[0]["name"], "Ada");
    let fetched = ada.path("work").join("fetched.bobbin");
    ada.bobbin(&[
        "fetch",
        sha256,
        "--output",
        fetched.to_str().unwrap(),
        "--json",
    ])
    .done()
    .unwrap();
    let staged_file = staged["stage"]["path"].as_str().unwrap();
    assert_eq!(fs::read(&fetched).unwrap(), fs::read(staged_file).unwrap());

    // A name that fits any bundle, or too many, is none.
    for name in ["", &sha256[..5], "zzzzzzzz"] {
        let refused = ada.bobbin(&["recall", name, "--json"]);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(
            refused.talk.contains("at least the first 6 digits"),
            "{refused:?}"
        );
    }
    let recalled = ada
        .bobbin(&["recall", &sha256[..12], "--json"])
        .done()
        .unwrap();
    assert_eq!(
        (&recalled["recalled"], &recalled["signed"]),
        (&json!(true), &json!(true))
    );
    // What was recalled stays so.
    assert_eq!(
        ada.bobbin(&["push", "--json"]).done().unwrap()["sent"],
        json!([])
    );
    // Here nothing is deleted.
    assert_eq!(
        ada.bobbin(&["clusters", "--json"]).done().unwrap()["total"],
        1
    );
    let rows = ledger()["rows"].as_array().unwrap().clone();
    let kinds: Vec<&str> = rows.iter().filter_map(|row| row["kind"].as_str()).collect();
    for kind in [
        "connection",
        "policy_change",
        "approved",
        "upload_started",
        "receipt",
        "recall",
    ] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    assert_eq!(ada.bobbin(&["ledger", "--verify"]).code, 0);
    let head = rows.last().unwrap()["hash"].as_str().unwrap();
    assert_eq!(ada.bobbin(&["ledger", "--verify", "--head", head]).code, 0);
    assert_eq!(ada.bobbin(&["ledger", "--verify", "--head", "0"]).code, 1);
    let file = ada.data_dir().join("ledger.ndjson");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("approved", "Approved", 1)).unwrap();
    assert_eq!(ada.bobbin(&["ledger", "--verify"]).code, 1);

    running.process.terminate();
    running.process.end_well();
    // With the hub stopped its folder answers, and no secret stands in its log or its files.
    assert_eq!(hub(&server, &["account", "list"])[0]["bundles"], 0);
    let talk = running.process.talk();
    let invite = code.rsplit(':').next().unwrap();
    for (name, bytes) in Sandbox::contents(&server.path("hub")) {
        let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        assert!(
            !text.contains(invite) && !text.contains("bobbin_token_"),
            "{}",
            name.display()
        );
    }
    assert!(
        !talk.contains(invite) && !talk.contains("bobbin_token_"),
        "{talk}"
    );
}

#[test]
fn whoever_runs_the_hub_has_every_say_in_an_account_while_it_runs_and_while_it_does_not() {
    let (server, ada) = (Sandbox::new(), Sandbox::new());
    let mut running = Hub::start(&server);
    let blue = |arguments: &[&str]| {
        let all = [&["--account", "blue"][..], arguments].concat();
        hub(&server, &all)
    };
    let text = |answer: &Value, name: &str| answer[name].as_str().unwrap().to_owned();
    let added = hub(&server, &["account", "add", "blue", "--quota", "1GiB"]);
    assert_eq!(added["quota_bytes"], 1 << 30);
    let quota = blue(&["account", "quota", "2GiB"]);
    assert_eq!(quota["quota_bytes"], 2_u64 << 30);
    assert_eq!(blue(&["account", "level", "errors"])["level"], "errors");

    let invited = blue(&["invite", "new", "Ada", "--role", "admin"]);
    join(&ada, &text(&invited, "code")).done().unwrap();
    let other = blue(&["invite", "new", "Bo"]);
    assert_eq!(blue(&["invite", "list"]).as_array().unwrap().len(), 2);
    let over = blue(&["invite", "revoke", &text(&other, "invite")]);
    assert_eq!(over["over"], true);
    let code = text(&other, "code");
    assert_eq!(join(&Sandbox::new(), &code).code, 3);

    let members = blue(&["member", "list"]);
    let member = members[0]["member"].as_str().unwrap();
    let made = blue(&["token", "new", member, "--device", "browser", "--read"]);
    assert_eq!(blue(&["token", "list"]).as_array().unwrap().len(), 2);
    let revoked = blue(&["token", "revoke", &text(&made, "token")]);
    assert_eq!(revoked["revoked"], true);
    let role = blue(&["member", "role", member, "viewer"]);
    assert_eq!(role["role"], "viewer");
    for (arguments, days) in [
        (&["backups", "--days", "30"][..], json!(30)),
        (&["backups"][..], json!(30)),
        (&["backups", "--not-stated"][..], json!(null)),
    ] {
        assert_eq!(hub(&server, arguments)["backup_days"], days);
    }

    // Now its folder is opened.
    running.process.terminate();
    running.process.end_well();
    assert_eq!(blue(&["bundles"]), json!([]));
    let removed = blue(&["member", "remove", member]);
    assert_eq!(removed["removed"], true);
    let audit = blue(&["audit"]);
    let events: Vec<&str> = audit
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| row["event"].as_str())
        .collect();
    assert_eq!(
        events,
        [
            "opened",
            "quota_set",
            "level_set",
            "invite_made",
            "joined",
            "invite_made",
            "invite_revoked",
            "token_made",
            "token_revoked",
            "role_set",
            "member_removed",
        ]
    );
    let export = server.path("export");
    blue(&["account", "export", export.to_str().unwrap()]);
    assert!(export.join("audit.ndjson").is_file());
    assert_eq!(blue(&["account", "remove"])["name"], "blue");
    assert_eq!(hub(&server, &["account", "list"]), json!([]));
}

#[test]
fn a_recall_of_what_never_came_is_not_called_signed() {
    let (server, ada) = (Sandbox::new(), Sandbox::new());
    nightly_reports(&ada);
    let mut running = Hub::start(&server);
    hub(&server, &["account", "add", "blue"]);
    let invited = hub(&server, &["--account", "blue", "invite", "new", "Ada"]);
    let code = invited["code"].as_str().unwrap();
    join(&ada, code).done().unwrap();
    let staged = ada
        .bobbin(&["stage", "nightly", "--to", "blue", "--json"])
        .done()
        .unwrap();
    let sha256 = staged["stage"]["sha256"].as_str().unwrap();
    ada.bobbin(&["approve", sha256, "--json"]).done().unwrap();
    running.process.terminate();
    running.process.end_well();
    let pushed = ada.bobbin(&["push", "--attempts", "1", "--json"]);
    assert_eq!(pushed.code, 1, "{pushed:?}");

    let listen = running.listening["tcp"].as_str().unwrap();
    let mut again = Hub::start_at(&server, listen);
    let recall = ["recall", &sha256[..12]];
    let recalled = ada.bobbin(&[&recall[..], &["--json"]].concat());
    let recalled = recalled.done().unwrap();
    assert_eq!(
        (&recalled["recalled"], &recalled["signed"]),
        (&json!(true), &json!(false))
    );
    let said = ada.bobbin(&recall).out;
    assert!(said.contains("never had all of it"), "{said}");
    again.process.terminate();
    again.process.end_well();
}

#[test]
fn what_was_approved_for_a_hub_goes_to_no_other_that_is_called_the_same_nor_past_a_policy() {
    let (first, second, ada) = (Sandbox::new(), Sandbox::new(), Sandbox::new());
    nightly_reports(&ada);
    let mut hubs = [&first, &second].map(Hub::start);
    let pins = [0, 1].map(|one: usize| {
        let pin = hubs[one].listening["certificate_sha256"].as_str().unwrap();
        pin.to_owned()
    });
    let join_at = |server: &Sandbox| {
        let code = &hub(server, &["--account", "blue", "invite", "new", "Ada"])["code"];
        join(&ada, code.as_str().unwrap()).done().unwrap();
    };
    for server in [&first, &second] {
        hub(server, &["account", "add", "blue"]);
    }
    let stage = || {
        let staged = ada
            .bobbin(&["stage", "nightly", "--to", "blue", "--json"])
            .done()
            .unwrap();
        staged["stage"]["sha256"].as_str().unwrap().to_owned()
    };
    let left = || -> (i32, String) {
        let pushed = ada.bobbin(&["push", "--json"]);
        let document: Value = serde_json::from_str(&pushed.out).unwrap();
        assert_eq!(document["sent"], json!([]), "{document}");
        (pushed.code, document["left"][0]["why"].to_string())
    };
    join_at(&first);
    let sha256 = stage();
    ada.bobbin(&["approve", &sha256, "--json"]).done().unwrap();
    join_at(&second);
    let (code, why) = left();
    assert_eq!(code, 1);
    assert!(pins.iter().all(|pin| why.contains(pin.as_str())), "{why}");
    ada.bobbin(&["approve", &sha256, "--json"]).done().unwrap();
    let pushed = ada.bobbin(&["push", "--json"]).done().unwrap();
    assert_eq!(pushed["sent"], json!([sha256]));
    assert_eq!(hub(&first, &["--account", "blue", "bundles"]), json!([]));

    // A policy that came since the approval.
    let policy = ada.data_dir().join("bobbin-policy.toml");
    fs::write(&policy, "must_drop = ['clusters']\n").unwrap();
    let sha256 = stage();
    ada.bobbin(&["approve", &sha256, "--json"]).done().unwrap();
    fs::write(&policy, "must_drop = ['clusters', 'users']\n").unwrap();
    let (code, why) = left();
    assert_eq!(code, 1);
    assert!(why.contains("must_drop has users"), "{why}");
    for hub in &mut hubs {
        hub.process.terminate();
        hub.process.end_well();
    }
}
