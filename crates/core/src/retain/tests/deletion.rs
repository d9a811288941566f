//! Clusters that a reader deletes: gone from every table, from the file and from the log, undone for ten seconds.

use super::*;

/// Tables that know of no cluster.
const OF_NONE: &[&str] = &[
    "deleted_cluster",
    "deletions_done",
    "budget",
    "code_forgotten",
    "frame",
    "frame_file",
    "frame_forgotten",
    // Its names of files go by the clusters that each told of: the text is looked for below.
    "inbox_taken",
    "ingest_key",
    "install_key",
    "name",
    "price_change",
    "retention",
    "retention_clock",
    "saved_view",
    "sqlite_sequence",
    "usage_day",
    "usage_day_stale",
    "usage_ever",
    "user_merge",
];

/// Rows of a cluster in every table, by the columns that may name it.
fn rows_of(db: &Connection, cluster: i64, scheduler_id: &str) -> BTreeMap<String, i64> {
    let instances = format!("select id from instance where cluster_id = {cluster}");
    let tables: Vec<String> = db
        .prepare("select name from pragma_table_list where schema = 'main' and type = 'table' and name <> 'sqlite_schema'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(|row| row.unwrap())
        .collect();
    let mut rows = BTreeMap::new();
    for table in tables {
        let columns: Vec<String> = db
            .prepare(&format!("select name from pragma_table_info('{table}')"))
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(|row| row.unwrap())
            .collect();
        let has = |name: &str| columns.iter().any(|column| column == name);
        let condition = if table == "cluster" {
            format!("id = {cluster}")
        } else if has("cluster_id") {
            format!("cluster_id = {cluster}")
        } else if has("instance_id") && !has("scheduler_id") {
            format!("instance_id in ({instances})")
        } else if has("scheduler_id") {
            format!("scheduler_id = '{scheduler_id}'")
        } else {
            assert!(
                OF_NONE.contains(&table.as_str()),
                "does {table} hold something of a cluster? Then its deletion and this test have to know"
            );
            continue;
        };
        let count = db
            .query_one(
                &format!("select count(*) from {table} where {condition}"),
                [],
                |row| row.get(0),
            )
            .unwrap();
        rows.insert(table, count);
    }
    rows
}

#[test]
fn a_deleted_cluster_leaves_every_table_the_file_and_the_log_and_the_others_stay() {
    let bench = Bench::new();
    bench
        .at(30)
        .send(batch_of(
            "Scheduler-canary",
            "canary-instance",
            1,
            &everything("canary"),
        ))
        .send(batch_of(
            "Scheduler-other",
            "other-instance",
            1,
            &everything("other"),
        ));
    for seq in 0..40 {
        let filler = with(event(40), json!({"payload": {"text": "x".repeat(20_000)}}));
        let group = with(
            group(40, &format!("g{seq}-canary"), 1.0),
            json!({"name": format!("canary-{seq}")}),
        );
        bench.send(batch_of(
            "Scheduler-canary",
            "canary-instance",
            100 + seq * 2,
            &[filler, group],
        ));
    }
    let canary = cluster_id(&bench.app, "Scheduler-canary");
    let other = cluster_id(&bench.app, "Scheduler-other");
    api::mark_clusters(
        &bench.app,
        serde_json::from_value(
            json!({"ids": [canary], "note": "canary-note", "tags": {"canary-own": "y"}}),
        )
        .unwrap(),
    )
    .unwrap();
    let opened = stopped(&bench);
    let db = &opened.db;
    // What other rooms write of a cluster, and what retention itself does.
    db.execute_batch(&format!(
        "insert into pruned values ({canary}, 'events', 1, 30, 1), ({other}, 'events', 1, 30, 1);
         insert into imported values ({canary}, 1, 1, '{{}}', '{{}}', null, null), ({other}, 1, 1, '{{}}', '{{}}', null, null);
         insert into profile_merged select instance_id, 99 from profile;
         insert into stalled_hour values ({canary}, 1, 1), ({other}, 1, 1);
         insert or ignore into stalled_due values ({canary}, 1), ({other}, 1);
         insert into too_many values ({canary}, 'span', 1), ({other}, 'span', 1);
         insert into secret values ({canary}, 'code', 'c', x'01', 'r', 'w'), ({other}, 'code', 'c', x'01', 'r', 'w');
         insert into computation_forgotten values ({canary}, 'c', null), ({other}, 'c', null);
         insert into inbox_file (folder, name, size_bytes, modified_micros, offset_bytes, scheduler_id, instance_id)
         values ('f', 'a', 1, 1, 1, 'Scheduler-canary', 'i'), ('f', 'b', 1, 1, 1, 'Scheduler-other', 'i');
         insert into inbox_taken (id, folder, name, at_micros, fate, left_out)
         values (1, 'f', 'canary.bobbin', 1, 'read', 0), (2, 'f', 'other.bobbin', 1, 'read', 0);
         insert into inbox_taken_cluster values (1, {canary}), (2, {other});"
    ))
    .unwrap();
    let mut retention = Retention::default();
    ask(db, &[canary], Micros(at(3 * DAY)), true).unwrap();
    let before = rows_of(db, canary, "Scheduler-canary");
    let of_other = rows_of(db, other, "Scheduler-other");
    let unfilled: Vec<_> = before.iter().filter(|(_, rows)| **rows == 0).collect();
    assert!(
        unfilled.is_empty(),
        "this story has nothing for {unfilled:?}"
    );
    let keys: i64 = count(db, "select count(*) from data_key");
    let wrapped = |cluster: i64| -> Vec<Vec<u8>> {
        let sql = format!("select wrapped from data_key where cluster_id = {cluster}");
        let mut find = db.prepare(&sql).unwrap();
        let rows = find.query_map([], |row| row.get(0)).unwrap();
        rows.map(|row| row.unwrap()).collect()
    };
    let (destroyed, kept) = (wrapped(canary), wrapped(other));
    db.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))
        .unwrap();
    let size = fs::metadata(bench.path().join(FILE)).unwrap().len();
    assert!(found(bench.path(), "canary") > 100);
    assert!(destroyed.iter().all(|key| found(bench.path(), key) > 0));

    settle(db, &mut retention, at(3 * DAY));

    let after = rows_of(db, canary, "Scheduler-canary");
    let left: Vec<_> = after.iter().filter(|(_, rows)| **rows > 0).collect();
    assert!(left.is_empty(), "{left:?}");
    let mut expected = of_other.clone();
    expected.insert("deletion".into(), 0);
    assert_eq!(rows_of(db, other, "Scheduler-other"), expected);
    assert_eq!(found(bench.path(), "canary"), 0, "a word of it is left");
    assert!(found(bench.path(), "other-prefix") > 0);
    // With a copy of its keys a copy of its texts could be read.
    assert!(!destroyed.is_empty() && !kept.is_empty());
    assert!(destroyed.iter().all(|key| found(bench.path(), key) == 0));
    assert!(kept.iter().all(|key| found(bench.path(), key) > 0));
    assert_eq!(
        count(db, "select count(*) from data_key"),
        keys - before["data_key"]
    );
    let smaller = fs::metadata(bench.path().join(FILE)).unwrap().len();
    assert!(smaller + 700_000 < size, "{size} became {smaller}");
    assert_eq!(
        count(db, "select count(*) from pragma_foreign_key_check"),
        0
    );
    assert_eq!(count(db, "select clusters from usage_ever"), 1);
    assert_eq!(count(db, "pragma freelist_count"), 0);
}

#[test]
fn every_reference_to_what_is_removed_has_an_index() {
    let dir = tempfile::tempdir().unwrap();
    let opened = open_owner(dir.path(), Micros(at(0))).unwrap();
    let unindexed: Vec<String> = opened
        .db
        .prepare(
            "select t.name || '.' || f.\"from\" from sqlite_schema as t join pragma_foreign_key_list(t.name) as f
             where t.type = 'table' and f.\"table\" in ('cluster', 'instance', 'name') and not exists (
                 select 1 from pragma_index_list(t.name) as i join pragma_index_info(i.name) as c
                 where c.seqno = 0 and c.name = f.\"from\" and i.partial = 0
             ) and not exists (
                 select 1 from pragma_table_info(t.name) as c where c.name = f.\"from\" and c.pk = 1
             )",
        )
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(|row| row.unwrap())
        .collect();
    assert!(
        unindexed.is_empty(),
        "a removal would read all of {unindexed:?}"
    );
}

#[test]
fn what_a_deleted_cluster_sends_is_not_stored_and_is_counted() {
    let bench = Bench::new();
    bench.send(batch(1, &everything("canary")));
    let id = cluster_id(&bench.app, "Scheduler-1");
    bench
        .app
        .write(move |db| ask(db, &[id], Micros(at(0)), true).map(drop))
        .unwrap();
    gone(&bench, id);
    let late = bench.app.ingest(batch(1, &everything("canary"))).unwrap();
    assert!(!late.duplicate);
    assert_eq!(late.refused.len(), late.records as usize);
    bench.send(batch_of("Scheduler-1", "new", 1, &[sample(90, 1.0)]));
    let list = api::clusters(&bench.app, ClustersRequest::default()).unwrap();
    assert_eq!(list.total, 0);
    let batches: i64 = bench
        .app
        .read(|db| Ok(count(db, "select batches from deleted_cluster")))
        .unwrap();
    assert_eq!(batches, 2);
}

/// Waits until a cluster is no more.
pub(super) fn gone(bench: &Bench, id: i64) {
    for _ in 0..2_000 {
        let there = bench
            .app
            .read(|db| {
                Ok(count(
                    db,
                    &format!("select count(*) from cluster where id = {id}"),
                ))
            })
            .unwrap();
        if there == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("cluster {id} is still there");
}

#[test]
fn for_ten_seconds_a_deletion_is_undone_and_then_it_is_not() {
    let bench = Bench::new();
    bench
        .send(batch_of("Scheduler-1", "i", 1, &everything("one")))
        .send(batch_of("Scheduler-2", "i", 1, &everything("two")));
    let (one, two) = (
        cluster_id(&bench.app, "Scheduler-1"),
        cluster_id(&bench.app, "Scheduler-2"),
    );
    let opened = stopped(&bench);
    let db = &opened.db;
    let mut retention = Retention::default();
    ask(db, &[one, two], Micros(at(100)), false).unwrap();
    settle(db, &mut retention, at(109));
    assert_eq!(count(db, "select count(*) from cluster"), 2);
    assert_eq!(undo(db, &[two]).unwrap(), 1);
    settle(db, &mut retention, at(110));
    assert_eq!(count(db, "select min(id) from cluster"), two);
    assert_eq!(undo(db, &[one]).unwrap(), 0);
}

#[test]
fn what_had_not_begun_when_bobbin_broke_off_is_not_deleted_and_what_had_is() {
    let bench = Bench::new();
    bench
        .send(batch_of("Scheduler-1", "i", 1, &everything("one")))
        .send(batch_of("Scheduler-2", "i", 1, &everything("two")));
    let (one, two) = (
        cluster_id(&bench.app, "Scheduler-1"),
        cluster_id(&bench.app, "Scheduler-2"),
    );
    let opened = stopped(&bench);
    ask(&opened.db, &[one], Micros(at(100)), true).unwrap();
    ask(&opened.db, &[two], Micros(at(100)), false).unwrap();
    // It begins, and no more.
    step(&opened.db, &mut Retention::default(), at(101));
    drop(opened);
    let again = App::open(bench.path(), api::Role::Owner, bench.clock.clone()).unwrap();
    let bench = Bench {
        app: again,
        ..bench
    };
    bench.at(1_000);
    gone(&bench, one);
    assert_eq!(cluster_id(&bench.app, "Scheduler-2"), two);
}

#[test]
fn whoever_stops_bobbin_right_after_deleting_has_deleted() {
    let bench = Bench::new();
    bench.send(batch(1, &everything("canary")));
    let id = cluster_id(&bench.app, "Scheduler-1");
    bench
        .app
        .write(move |db| ask(db, &[id], Micros(at(0)), false).map(drop))
        .unwrap();
    bench.app.drain().unwrap();
    assert_eq!(found(bench.path(), "canary-name"), 0);
}
