//! What is kept for how long, asked and set from the shell.

use super::lost::batch;
use crate::support::{Sandbox, Server, post};

#[test]
fn what_is_due_is_removed_and_it_is_said_when_that_is_done() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let token = std::fs::read_to_string(server.token_file()).unwrap();
    let body = batch("one", "i", 1);
    assert_eq!(
        post(server.tcp(), "/v1/batches", token.trim(), &body).status,
        200
    );
    server.stop();
    let pruned = sandbox.bobbin(&["storage", "--prune", "--json"]);
    assert_eq!(pruned.code, 0, "{pruned:?}");
    let answer = pruned.json();
    assert!(answer["storage"]["worked_micros"].is_i64(), "{answer}");
    assert_eq!(answer["preview"]["clusters"], 0);
}
