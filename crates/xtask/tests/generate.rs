//! `cargo xtask generate` itself: what is in the folder once it was run, and what it refuses.

#![cfg(feature = "bench")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    env, fs,
    path::PathBuf,
    process::{self, Command, Output},
};

use rusqlite::{Connection, OpenFlags};

const DAY_MICROS: i64 = 86_400_000_000;

/// A place for a folder that is not there yet. Removed when dropped.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        Self(env::temp_dir().join(format!("bobbin-generate-{}", process::id())))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs it with these words.
fn generate(words: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("generate")
        .args(words.split_whitespace())
        .output()
        .unwrap()
}

#[test]
fn a_folder_is_filled_as_the_options_say_and_the_same_command_adds_nothing() {
    let place = Place::new();
    let folder = place.0.display();
    let words = format!(
        "{folder} --clusters 12 --members 3 --days 5 --seed 2 --until 20000 --groups 6 --stacks 0"
    );
    let mut batches = Vec::new();
    for _ in 0..2 {
        let done = generate(&words);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{said}");
        let file = place.0.join("bobbin.sqlite");
        let db = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let count = |sql: &str| -> i64 { db.query_one(sql, [], |row| row.get(0)).unwrap() };
        assert_eq!(count("select count(*) from cluster"), 12);
        let first = count("select min(started_micros) from cluster") / DAY_MICROS;
        let last = count("select max(started_micros) from cluster") / DAY_MICROS;
        assert!(19_995 <= first && last < 20_000, "{first} to {last}");
        assert_eq!(count("select count(*) from task_group"), 72);
        assert_eq!(count("select count(*) from profile"), 0);
        let members = count("select count(distinct user) from cluster");
        assert!((1..=3).contains(&members), "{members}");
        // All that can wait is done.
        assert_eq!(count("select count(*) from usage_day_stale"), 0);
        assert!(count("select count(*) from usage_day") > 0);
        batches.push(count("select count(*) from batch"));
    }
    assert_eq!(batches[0], batches[1]);
}

#[test]
fn what_it_cannot_understand_is_wrong_use() {
    for words in [
        "",
        "one two",
        "folder --until tomorrow",
        "folder --clusters",
        "folder --clusters -1",
        "folder --groups 0",
        "folder --members 0",
        "folder --days 0",
        "folder --weeks 3",
    ] {
        let done = generate(words);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{words}: {said}");
        assert!(said.starts_with("error: "), "{words}: {said}");
    }
}
