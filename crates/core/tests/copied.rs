//! What copying a store takes in memory, however large it is. The only test of its program: SQLite counts what all hold.

use std::sync::Arc;

use bobbin_core::api::{App, Role};
use bobbin_core::clock::SystemClock;
use rusqlite::{Connection, OpenFlags, ffi};

const MB: i64 = 1_000_000;

#[test]
fn a_copy_of_a_large_store_takes_little_memory() {
    let dir = tempfile::tempdir().unwrap();
    let open = || App::open(dir.path(), Role::Owner, Arc::new(SystemClock)).unwrap();
    open().drain().unwrap();
    let file = dir.path().join("bobbin.sqlite");
    let db = Connection::open_with_flags(&file, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    db.execute(
        "with recursive n (i) as (select 1 union all select i + 1 from n where i < 4000)
         insert into name (text) select hex(randomblob(4000)) from n",
        [],
    )
    .unwrap();
    drop(db);
    assert!(file.metadata().unwrap().len() > 60 * MB as u64);
    let app = open();
    // SAFETY: both read a count, and the second begins it anew.
    let held = || unsafe { (ffi::sqlite3_memory_used(), ffi::sqlite3_memory_highwater(1)) };
    let (before, _) = held();
    app.snapshot().unwrap();
    let (after, most) = held();
    assert!(most - before > MB, "it is counted: {before}, {most}");
    assert!(most - before < 12 * MB, "{before}, {most}");
    assert!(after - before < MB, "{before}, {after}");
}
