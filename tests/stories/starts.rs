//! Many first starts at once: one of them has the folder, and the others say so.

use std::fs;
use std::path::Path;

use super::lost::batch;
use crate::support::{Process, Sandbox, eventually, post};

const STARTS: usize = 20;

#[test]
fn of_twenty_first_starts_at_once_one_listens_and_the_others_say_why_they_do_not() {
    let sandbox = Sandbox::new();
    let data = sandbox.data_dir();
    assert!(!data.exists());
    let mut running: Vec<Process> = (0..STARTS)
        .map(|number| {
            let mut command = sandbox.command(Path::new(env!("CARGO_BIN_EXE_bobbin")));
            command.arg("--data-dir").arg(&data);
            command.args(["serve", "--port", "0"]);
            Process::start(&format!("bobbin serve, number {number}"), &mut command)
        })
        .collect();
    let mut refused = Vec::new();
    eventually("all but one have ended", || {
        refused.extend(running.extract_if(.., |process| !process.runs()));
        match running.len() {
            1 => Ok(()),
            others => Err(format!("{others} run")),
        }
    });
    for process in &mut refused {
        assert_eq!(process.end().code(), Some(3), "{}", process.talk());
        eventually("it says why", || {
            let talk = process.talk();
            let told = format!("error: another Bobbin already writes to {}", data.display());
            match talk.contains(&told) && talk.contains("\nhint: use the window that is open") {
                true => Ok(()),
                false => Err(talk),
            }
        });
    }
    let mut server = running.remove(0);
    let listening = server.hear();
    let token = fs::read_to_string(listening["token_file"].as_str().unwrap()).unwrap();
    let tcp = listening["tcp"].as_str().unwrap();
    let answer = post(tcp, "/v1/batches", &token, &batch("Scheduler-one", "i", 1));
    assert_eq!(answer.status, 200, "{answer:?}");
    server.terminate();
    server.end_well();

    let key = fs::read_to_string(data.join("key")).unwrap();
    assert_eq!(key.lines().count(), 2, "a first line, and one key");
    let keys = sandbox.bobbin(&["sql", "select count(*) from install_key", "--json"]);
    assert_eq!(keys.json()["results"][0]["rows"][0][0], 1, "{keys:?}");
    // Nobody left a part of a file behind.
    for name in Sandbox::contents(&data).keys() {
        assert!(!name.to_string_lossy().contains(".new"), "{name:?}");
    }
}
