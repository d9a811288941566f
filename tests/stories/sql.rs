//! The store asked in SQL: by the shell, and by what people have anyway.

use std::fs;

use serde_json::json;

use super::lost::batch;
use super::shell::fails;
use crate::support::{Outcome, Page, Sandbox, Server, eventually, newest, post};

/// A store with one cluster.
fn told(sandbox: &Sandbox) -> Server {
    let server = Server::start(sandbox);
    let token = fs::read_to_string(server.token_file()).unwrap();
    let answer = post(
        server.tcp(),
        "/v1/batches",
        &token,
        &batch("Scheduler-one", "i", 1),
    );
    assert_eq!(answer.status, 200);
    server
}

#[test]
fn the_shell_asks_beside_the_one_who_writes_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let server = told(&sandbox);
    let answer = sandbox
        .bobbin(&["sql", "select scheduler_id from cluster", "--json"])
        .json();
    assert_eq!(answer["results"][0]["rows"][0][0], "Scheduler-one");
    let table = sandbox.bobbin(&["sql", "select scheduler_id, 7 as n from cluster"]);
    assert_eq!(
        table.out, "scheduler_id   n\nScheduler-one  7\n",
        "{table:?}"
    );
    let csv = sandbox.bobbin(&["sql", "--csv", "select '=1+1' as a, 2 as b"]);
    assert_eq!(csv.out, "a,b\r\n\"'=1+1\",2\r\n");
    assert!(
        sandbox
            .bobbin(&["sql", "--tables"])
            .out
            .contains("cluster\n  id (integer)")
    );

    fails(
        &sandbox.bobbin(&["sql", "delete from cluster", "--json"]),
        3,
        "queries are read-only",
    );
    fails(
        &sandbox.bobbin(&["sql", "selec 1", "--json"]),
        2,
        "syntax error",
    );
    fails(
        &sandbox.bobbin(&[
            "sql",
            "--seconds",
            "1",
            "--json",
            "with recursive n (i) as (select 1 union all select i + 1 from n) select max(i) from n",
        ]),
        3,
        "longer than 1 s",
    );
    let limited = sandbox.bobbin(&["sql", "--limit", "1", "select 1 union select 2"]);
    assert!(limited.talk.contains("--limit"), "{limited:?}");
    server.stop();
}

/// With so little memory that a sort that does not go to the disk fails.
#[cfg(target_os = "linux")]
#[test]
fn a_large_sort_takes_disk_and_little_memory() {
    let sandbox = Sandbox::new();
    told(&sandbox).stop();
    let sorts = "with recursive n (i) as (select 1 union all select i + 1 from n where i < 400)
        select substr(t, -3) as last from (select hex(zeroblob(400000)) || i as t from n) order by t desc";
    let told = sandbox.shell(&format!(
        "ulimit -d 131072; exec '{}' sql --seconds 60 \"{sorts}\"",
        env!("CARGO_BIN_EXE_bobbin")
    ));
    assert_eq!(told.lines().count(), 401, "{told}");
}

#[test]
fn the_file_opens_in_pandas_and_in_python_as_it_is() {
    let Some(python) = newest("the file in pandas") else {
        return;
    };
    let sandbox = Sandbox::new();
    let server = told(&sandbox);
    let store = sandbox.data_dir().join("bobbin.sqlite");
    let read = || {
        let outcome = Outcome::of(python.script(&sandbox, "read_store.py").arg(&store));
        assert_eq!(outcome.code, 0, "{outcome:?}");
    };
    read();
    server.stop();
    // And when nobody writes.
    read();
}

/// A statement that holds so many values of a megabyte at once: they are all worked out before any of them is compared.
fn holds(megabytes: usize) -> String {
    let values: Vec<String> = (0..megabytes)
        .map(|number| format!("hex(zeroblob({}))", 520_000 - number))
        .collect();
    let most: Vec<String> = values
        .chunks(90)
        .map(|some| format!("max({})", some.join(", ")))
        .collect();
    // One inside the other, so that none is forgotten.
    let nested = most
        .into_iter()
        .reduce(|all, one| one.replacen("max(", &format!("max({all}, "), 1));
    format!("select length({})", nested.unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn a_statement_that_takes_all_it_can_takes_nothing_from_the_receiver() {
    let sandbox = Sandbox::new();
    let server = Server::start_with(&sandbox, &["--ui"]);
    let page = Page::open(&server);
    let asked =
        |sql: &str, seconds: u32| page.call("sql", &json!({"sql": sql, "seconds": seconds}));
    let answer = asked(&holds(50), 60);
    assert_eq!(
        answer.json["results"][0]["rows"][0][0], 1_040_000,
        "{answer:?}"
    );
    let answer = asked(&holds(900), 60);
    assert_eq!(answer.json["code"], "refused", "{answer:?}");
    let said = answer.json["message"].as_str().unwrap();
    assert!(said.contains("more than 256 MiB of memory"), "{said}");
    // It listens, and never held what was asked for.
    let token = fs::read_to_string(server.token_file()).unwrap();
    let answer = post(server.tcp(), "/v1/batches", &token, &batch("one", "i", 1));
    assert_eq!(answer.status, 200);
    let status = fs::read_to_string(format!("/proc/{}/status", server.process.id())).unwrap();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .unwrap();
    assert!(peak.parse::<u64>().unwrap() < 400_000, "{peak} kB");
    fails(
        &sandbox.bobbin(&["sql", &holds(900), "--json"]),
        3,
        "of memory",
    );
    server.stop();
}

/// Answering processes that are children of a server's.
#[cfg(target_os = "linux")]
fn answering(server: &Server) -> usize {
    let children = format!("/proc/{0}/task", server.process.id());
    fs::read_dir(children)
        .unwrap()
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .map(|children| children.split_whitespace().count())
        .sum()
}

#[cfg(target_os = "linux")]
#[test]
fn a_question_that_is_cancelled_or_whose_asker_is_gone_leaves_no_process_behind() {
    // Straight on, with no place where SQLite would look up.
    let terms: Vec<String> = (0..400)
        .map(|number| {
            format!(
                "length(replace(hex(zeroblob({})), '0', '1')) > 0",
                300_000 - number
            )
        })
        .collect();
    let endless =
        "with recursive n (i) as (select 1 union all select i + 1 from n) select max(i) from n";
    let sandbox = Sandbox::new();
    let server = Server::start_with(&sandbox, &["--ui"]);
    let page = Page::open(&server);
    for sql in [
        endless.to_owned(),
        format!("{endless} where {}", terms.join(" + ")),
    ] {
        let request = json!({"sql": sql, "seconds": 60, "question": "q"});
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| page.call("sql", &request));
            eventually("the question", || match answering(&server) {
                0 => Err("nobody answers".to_owned()),
                _ => Ok(()),
            });
            eventually("its end", || {
                let told = page.call("cancel_sql", &json!({"question": "q"}));
                match told.json["running"] == true {
                    true => Ok(()),
                    false => Err(told.json.to_string()),
                }
            });
            let answer = asking.join().unwrap();
            let said = answer.json["message"].as_str().unwrap();
            assert!(said.contains("cancelled"), "{said}");
        });
        assert_eq!(answering(&server), 0);
    }
    server.stop();
}
