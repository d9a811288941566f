//! `bobbin close`: a cluster that allows it closes, and what stands in the way is told.

use super::attach::{Apart, reaches, tell};
use super::lost::batch;
use crate::support::{Sandbox, Server, newest, post};

#[test]
fn a_cluster_that_allows_it_is_closed_from_the_command_line() {
    let Some(python) = newest("`bobbin close`") else {
        return;
    };
    let mut sandbox = Sandbox::new();
    sandbox.set("DASK_BOBBIN__REMOTE_CLOSE", true);
    let server = Server::start(&sandbox);
    assert_eq!(sandbox.bobbin(&["connect"]).code, 0);
    let mut apart = Apart::start(&python, &sandbox, &[]);
    tell(&mut apart.script, "work");
    reaches(&sandbox, &apart.id, "idle");
    let asked = sandbox.bobbin(&["close", &apart.id, "--json"]);
    assert_eq!(
        (asked.code, &asked.json()["id"]),
        (0, &1.into()),
        "{asked:?}"
    );
    apart.scheduler.end();
    let shown = reaches(&sandbox, &apart.id, "finished");
    assert_eq!(shown["cluster"]["facts"]["stop_reason"], "remote_close");
    let late = sandbox.bobbin(&["close", &apart.id]);
    assert!(
        late.code == 3 && late.talk.contains("has finished"),
        "{late:?}"
    );
    server.stop();
}

#[test]
fn what_stands_in_the_way_of_closing_is_told() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let token = std::fs::read_to_string(server.token_file()).unwrap();
    let sent = post(
        server.tcp(),
        "/v1/batches",
        token.trim(),
        &batch("Scheduler-one", "i", 1),
    );
    assert_eq!(sent.status, 200);
    let close = |cluster, code, about: &str| {
        let outcome = sandbox.bobbin(&["close", cluster]);
        assert!(
            outcome.code == code && outcome.talk.contains(about),
            "{outcome:?}"
        );
    };
    close("Scheduler-one", 3, "bobbin.remote-close: true");
    close("nobody", 1, "`bobbin clusters` lists them");
    server.stop();
    close("Scheduler-one", 1, "Bobbin is not running");
}
