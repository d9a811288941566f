//! What is found, whichever way it is looked for.

use rusqlite::Connection;

use super::*;
use crate::api::{ExceptionKindsRequest, ExceptionsRequest, SearchKind, SearchRequest};
use crate::model::Micros;
use crate::query::filter::{Term, parse};
use crate::query::{Counted, Unsealer};

#[test]
fn a_filter_reads_one_table_whatever_it_asks_and_pages_are_the_same_whichever_way_they_are_found() {
    let bench = many(600);
    for text in [
        "user:user1*",
        "user:user1* tasks>1000000",
        "(user:user7 or has:exception) tasks>10",
        "project:project3 -state:lost",
        "-project:project3 workers>4",
        "has:note exceptions<9",
        "since:200d until:100d nightly",
        "since:200d until:100d -etl",
        "tl -3",
        "function:*1* -function:*2*",
        "function:inc or 12",
        "function:FUNCTION_12",
        "host:host1 since:200d",
        "has:code or has:pin",
        "tag:env=prod efficiency>30",
        "cost>1 name:etl",
    ] {
        // A read each: one is ended after five seconds.
        let check = |db: &Connection| {
            let compiled = compile(&parse(text)?, moment(&bench), &costs(db)?);
            assert!(
                !(compiled.tables.cluster && compiled.tables.total),
                "{text}"
            );
            let mut found = few(db, &compiled)?.unwrap();
            found.sort_unstable();
            for by in orders() {
                for direction in [Direction::Ascending, Direction::Descending] {
                    let (whole, counting) = selection(&compiled, by, direction);
                    let total: usize =
                        db.query_row(&counting, &*compiled.parameters(&counting, &[]), |row| {
                            row.get(0)
                        })?;
                    assert_eq!(total, found.len(), "{text}");
                    let part = named_params! { ":limit": 50, ":offset": 3 };
                    let one = ids(db, &whole, &compiled.parameters(&whole, part))?;
                    let page = Page {
                        by,
                        direction,
                        limit: 50,
                        offset: 3,
                    };
                    let sorted = in_order(db, &found, &compiled, &page)?;
                    assert_eq!(one, sorted, "{text} {by:?}");
                    let walked = by_index(whole, by);
                    let walked = ids(db, &walked, &compiled.parameters(&walked, part))?;
                    assert_eq!(one, walked, "{text} {by:?}");
                    let followed = along(db, &found, &compiled, &page)?;
                    assert_eq!(one, followed, "{text} {by:?}");
                }
            }
            Ok(())
        };
        bench.app.read(check).unwrap();
    }
}

/// The plain way: every row of both tables, put in order by itself.
fn plainly(bench: &Bench, condition: &str, order: &str) -> Vec<i64> {
    let sql = format!(
        "select t.cluster_id from cluster_total as t not indexed cross join cluster as c on c.id = t.cluster_id
         where {condition} order by {order}"
    );
    let read = |db: &Connection| ids(db, &sql, &[]);
    bench.app.read(read).unwrap()
}

#[test]
fn a_cluster_with_functions_that_differ_in_case_alone_is_found_once() {
    let bench = many(60);
    let twice = "insert into name (text) values ('INC');
        insert or ignore into cluster_prefix (prefix_id, cluster_id)
        select n.id, c.id from name as n, cluster as c where n.text in ('inc', 'INC') and c.id <= 3";
    bench
        .app
        .write(move |db| Ok(db.execute_batch(twice)?))
        .unwrap();
    let read = |db: &Connection| {
        let compiled = compile(&parse("function:inc")?, moment(&bench), &costs(db)?);
        let mut found = all(db, &compiled)?;
        found.sort_unstable();
        Ok(found)
    };
    let found = bench.app.read(read).unwrap();
    let condition = "t.cluster_id in (select cluster_id from cluster_prefix where prefix_id in \
                     (select id from name where text like 'inc'))";
    assert!(found.starts_with(&[1, 2, 3]), "{found:?}");
    assert_eq!(found, plainly(&bench, condition, "t.cluster_id"));
}

/// Where `ad` begins, ends and is all of a text, between letters of any kind; and where it is not.
const TEXTS: [&str; 12] = [
    "ad", "AD", "x\"ad", "éad", "adé", "日ad本", "a", "d a", "\"a", "%d", "da_", "",
];

#[test]
fn two_letters_are_found_wherever_they_stand_in_a_text() {
    let bench = many(60);
    let write = |db: &Connection| {
        for at in 0..60 {
            // Each by itself, and the last of what a cluster is called.
            let column = match at / TEXTS.len() {
                0 => "given_name = ?1",
                1 => "note = ?1",
                2 => "project = ?1",
                3 => "host = ?1, project = null",
                _ => "tags = '{}', own_tags = json_object(?1, '')",
            };
            let sql = format!("update cluster set {column} where id = ?2");
            db.execute(&sql, (TEXTS[at % TEXTS.len()], at + 1))?;
        }
        Ok(())
    };
    bench.app.write(write).unwrap();
    let plain = "select c.id from cluster as c
        where holds(:word, c.given_name, c.name, c.scheduler_id, c.user, c.said_user, c.host, c.project, c.note)
            or exists (
                select 1 from tag as g
                where g.cluster_id = c.id and holds(:word, iif(g.value = '', g.name, g.name || '=' || g.value))
            )
        order by c.id";
    let letters = ['a', 'd', 'D', 'x', '"', '%', '_', 'é', '-', 'h', '0', ' '];
    let check = |db: &Connection| {
        for (first, second) in letters.iter().flat_map(|a| letters.map(|b| (*a, b))) {
            let word = String::from_iter([first, second]);
            let wanted = ids(db, plain, named_params! { ":word": word })?;
            match word.as_str() {
                "ad" => assert!((30..60).contains(&wanted.len()), "{wanted:?}"),
                "%_" => assert!(wanted.is_empty(), "{wanted:?}"),
                _ => {}
            }
            let alone = Filter::Term(Term::Word(word.clone()));
            let every = Filter::Term(Term::Word("nightly".into()));
            for filter in [alone.clone(), Filter::all(vec![alone, every])] {
                let compiled = compile(&filter, moment(&bench), &costs(db)?);
                let mut found = all(db, &compiled)?;
                found.sort_unstable();
                assert_eq!(found, wanted, "{word:?}");
            }
        }
        Ok(())
    };
    bench.app.read(check).unwrap();
}

#[test]
fn two_letters_are_found_however_many_pieces_they_begin() {
    let bench = many(60);
    let every: Vec<i64> = (1..=60).collect();
    // With that of the second cluster they are as many as the index is asked for, and one more.
    for pieces in [999, 1_000] {
        let write = move |db: &Connection| {
            db.execute(
                "with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)
                 update cluster set note = (select group_concat('zq' || char(20000 + i), '') from n) where id = 1",
                [pieces],
            )?;
            let others =
                "update cluster set given_name = iif(id = 2, 'aZQ', 'z q') where id in (2, 3)";
            db.execute(others, [])?;
            Ok(())
        };
        bench.app.write(write).unwrap();
        let check = |db: &Connection| {
            let begun = "select count(*) from cluster_text_term where term like 'zq%'";
            let begun: i64 = db.query_one(begun, [], |row| row.get(0))?;
            assert_eq!(begun, pieces + 1);
            for (text, wanted) in [
                ("zq", &every[..2]),
                ("Zq nightly", &every[..2]),
                ("-zq", &every[2..]),
                ("zq or name:\"z q\"", &every[..3]),
            ] {
                let request = ClustersRequest {
                    text: Some(text.into()),
                    limit: 60,
                    ..ClustersRequest::default()
                };
                let page = crate::query::clusters(db, bench.app.now(), &request)?;
                let mut found: Vec<i64> = page.rows.iter().map(|found| found.row.id).collect();
                found.sort_unstable();
                assert_eq!(found, wanted, "{text} {pieces}");
                assert_eq!(page.total, wanted.len() as u64, "{text} {pieces}");
            }
            Ok(())
        };
        bench.app.read(check).unwrap();
    }
}

#[test]
fn a_cluster_whose_deletion_was_begun_is_in_no_list_and_no_number() {
    let bench = many(60);
    let moment = moment(&bench);
    let keys = bench.app.keys().clone();
    // In one transaction: its last row would soon go.
    let check = move |db: &Connection| {
        db.execute_batch(
            "insert or ignore into cluster_prefix (prefix_id, cluster_id)
             select n.id, c.id from name as n, cluster as c where n.text = 'inc' and c.id <= 2;
             update cluster set given_name = 'twice' where id <= 2;
             insert into deletion (cluster_id, asked_micros, due_micros, begun) values (1, 0, 0, 1);
             delete from cluster_total where cluster_id = 1",
        )?;
        for text in [
            "",
            "nightly",
            "function:inc",
            "host:host1",
            "-user:nobody",
            "host:host1 nightly",
            "host:host* tasks>0",
        ] {
            for by in orders() {
                let request = ClustersRequest {
                    text: Some(text.into()),
                    order: by,
                    limit: 60,
                    ..ClustersRequest::default()
                };
                let page = crate::query::clusters(db, moment.now, &request)?;
                let found: Vec<i64> = page.rows.iter().map(|found| found.row.id).collect();
                assert!(!found.is_empty() && !found.contains(&1), "{text} {by:?}");
                assert_eq!(page.total, found.len() as u64, "{text} {by:?}");
            }
        }
        let hosts = crate::query::complete(db, "host:host1", 10, moment)?.options;
        let host = hosts.iter().find(|option| option.text == "host:host1");
        assert_eq!(host.and_then(|option| option.clusters), Some(1));
        assert_eq!(crate::query::store_facts(db)?.clusters, 59);
        assert_eq!(crate::query::find(db, moment.now, "twice")?.row.id, 2);
        for text in ["twice", "tw"] {
            let request = SearchRequest {
                text: text.into(),
                ..SearchRequest::default()
            };
            let groups = crate::query::search(db, &keys, &request)?.groups;
            let hits = groups.iter().flat_map(|group| &group.hits);
            let found: Vec<i64> = hits.map(|hit| hit.cluster_id).collect();
            assert_eq!(found, [2], "{text}");
        }
        Ok(())
    };
    bench.app.write(check).unwrap();
}

/// Of functions, frames and failures one that two clusters have, and one that is of the first alone, which is being deleted.
const GOING: &str = "
insert into name (text) values ('gone_too'), ('gone_alone');
insert into frame_file (id, path) values (1, 'gone.py');
insert into frame (file_id, name, line) values (1, 'gone_too', 1), (1, 'gone_alone', 1);
create temp table gone as
select n.id as name_id, f.id as frame_id, n.text, c.id as cluster_id
from name as n
join frame as f on f.name = n.text
join cluster as c on c.id = 1 or c.id = 2 and n.text = 'gone_too';
insert into cluster_prefix (prefix_id, cluster_id) select name_id, cluster_id from gone;
insert into cluster_frame (frame_id, cluster_id) select frame_id, cluster_id from gone;
insert into exception (
    cluster_id, exception_id, at_micros, seq, rank, origin, type_id, message_sealed, first_seen_micros,
    last_seen_micros, count, dependents, fingerprint
)
select
    cluster_id, text, 1, 1, 1, 'user', name_id, x'00', 10 + cluster_id, 2000000000000000 - cluster_id, 1, 0, text
from gone;
insert into computation_code (cluster_id, computation_id, at_micros, seq, rank, frames_sealed)
select id, 'c', 1, 1, 1, x'00' from cluster where id <= 2;
insert into deletion (cluster_id, asked_micros, due_micros, begun) values (1, 0, 0, 1);
delete from cluster_total where cluster_id = 1;
";

#[test]
fn a_cluster_whose_deletion_was_begun_is_in_no_hit_and_no_failure() {
    let bench = many(60);
    let keys = bench.app.keys().clone();
    // In one transaction: its last row would soon go.
    let check = move |db: &Connection| {
        db.execute_batch(GOING)?;
        let mut request = SearchRequest {
            text: "gone".into(),
            ..SearchRequest::default()
        };
        let groups = crate::query::search(db, &keys, &request)?.groups;
        let kinds: Vec<SearchKind> = groups.iter().map(|group| group.kind).collect();
        assert_eq!(
            kinds,
            [
                SearchKind::Function,
                SearchKind::Frame,
                SearchKind::Exception
            ]
        );
        for group in groups {
            let found: Vec<_> = group
                .hits
                .iter()
                .map(|hit| (hit.cluster_id, hit.after.as_str(), hit.clusters))
                .collect();
            assert_eq!(found, [(2, "_too", Some(1))], "{:?}", group.kind);
        }
        request.sealed = true;
        let sealed = crate::query::search(db, &keys, &request)?.sealed;
        let looked: Vec<_> = sealed.iter().map(|one| (one.looked, one.total)).collect();
        assert_eq!(looked, [(1, 1), (1, 1)], "messages and code");

        let mut unsealer = Unsealer::new(&keys);
        let counted = Counted::default();
        let mut request = ExceptionKindsRequest::default();
        let found = crate::query::exception_kinds(db, &mut unsealer, &counted, &request)?;
        // The other one is of those that all clusters come with.
        assert_eq!((found.total, found.rows.len()), (2, 2));
        let kind = &found.rows[0];
        assert_eq!((kind.newest.cluster_id, kind.count), (2, 1));
        assert_eq!((kind.clusters, kind.ever_clusters), (1, 1));
        assert_eq!(kind.ever_first_seen_micros, Micros(12));
        let places: Vec<i64> = kind.places.iter().map(|place| place.cluster_id).collect();
        assert_eq!((places, kind.places_total), (vec![2], 1));
        request.id = Some(1);
        let found = crate::query::exception_kinds(db, &mut unsealer, &counted, &request)?;
        assert_eq!((found.total, found.rows.len()), (0, 0));

        let request = ExceptionsRequest::default();
        let list = crate::query::exceptions(db, &mut unsealer, &request)?;
        let found: Vec<i64> = list.rows.iter().map(|row| row.cluster_id).collect();
        assert_eq!((found, list.total), (vec![2, 33], 2));
        Ok(())
    };
    bench.app.write(check).unwrap();
}

#[test]
fn clusters_that_are_over_and_those_that_are_not_are_one_list() {
    let bench = many(9_000);
    let now = bench.app.now().0;
    let lasted = format!(
        "iif(t.stop_at_micros is null and t.silent_after_micros >= {now}, {now} - t.started_micros, t.lasted_micros)"
    );
    let filters = [
        ("", "true".to_owned()),
        ("workers>=10", "t.workers_peak >= 10".into()),
        (
            "tasks>1000000 erred>=1",
            "t.tasks_completed > 1000000 and t.tasks_erred >= 1".into(),
        ),
        ("duration>2h", format!("{lasted} > 7200000000")),
        (
            "duration>2h efficiency>=0.3 since:200d",
            format!(
                "{lasted} > 7200000000 and t.efficiency >= 0.3 and t.seen_micros >= {}",
                now - 200 * 86_400_000_000
            ),
        ),
        ("efficiency<=0.3", "t.efficiency <= 0.3".into()),
        ("stalled>1h", "t.stalled_micros > 3600000000".into()),
        (
            "stalled<=2h workers>=10",
            "t.stalled_micros <= 7200000000 and t.workers_peak >= 10".into(),
        ),
        (
            "compute<1h state:lost",
            format!(
                "t.compute_micros < 3600000000 and t.stop_at_micros is null and t.silent_after_micros < {now}"
            ),
        ),
        (
            "exceptions>0 -has:code",
            "t.exceptions > 0 and t.codes = 0".into(),
        ),
        (
            "-memory>4GiB",
            "not coalesce(t.memory_peak_bytes > 4294967296, false)".into(),
        ),
        (
            "threads>20 user:user1*",
            "t.threads_peak > 20 and c.user like 'user1%'".into(),
        ),
        ("etl threads>20", "t.threads_peak > 20".into()),
        ("name:77", "c.shown_name like '%77%'".into()),
        (
            "computations=3 or tasks<1000",
            "(t.computations = 3 or t.tasks_completed < 1000)".into(),
        ),
    ];
    for (text, condition) in filters {
        for (by, order) in [
            (ClusterOrder::Started, "t.started_micros"),
            (ClusterOrder::LastWork, "t.last_completed_micros"),
            (ClusterOrder::Duration, "t.lasted_micros"),
            (ClusterOrder::WorkersPeak, "t.workers_peak"),
            (ClusterOrder::MemoryPeak, "t.memory_peak_bytes"),
            (ClusterOrder::TasksCompleted, "t.tasks_completed"),
            (ClusterOrder::StalledSeconds, "t.stalled_micros"),
            (ClusterOrder::Efficiency, "t.efficiency"),
            (ClusterOrder::Exceptions, "t.exceptions"),
            (
                ClusterOrder::Cost,
                "iif(t.thread_micros > 0, t.thread_micros * 2.0, null)",
            ),
        ] {
            for (direction, way) in [
                (Direction::Ascending, "asc"),
                (Direction::Descending, "desc"),
            ] {
                let wanted = plainly(
                    &bench,
                    &condition,
                    &format!("{order} {way}, t.cluster_id {way}"),
                );
                for offset in [0, wanted.len() / 2] {
                    let request = ClustersRequest {
                        text: Some(text.into()),
                        order: by,
                        direction,
                        offset: offset as u64,
                        limit: 200,
                        ..ClustersRequest::default()
                    };
                    let found = crate::api::clusters(&bench.app, request).unwrap();
                    let page: Vec<i64> = found.rows.iter().map(|row| row.id).collect();
                    let end = wanted.len().min(offset + 200);
                    assert_eq!(
                        page,
                        wanted[offset..end],
                        "{text} {by:?} {direction:?} {offset}"
                    );
                    assert_eq!(found.total, wanted.len() as u64, "{text}");
                }
            }
        }
    }
}

#[test]
fn what_leaves_many_in_both_tables_is_looked_for_in_each_by_itself() {
    let bench = many(9_000);
    for (text, apart) in [
        ("user:u* tasks>10", true),
        (
            "-project:project3 -has:exception (host:host1* or has:code)",
            true,
        ),
        ("user:u* since:90d", true),
        // What is asked of one table alone leaves few, or nothing is.
        ("user:user7 tasks>10", false),
        ("user:u* or tasks>10", false),
        ("user:u* -host:host1", false),
        ("tasks>10 since:100d", false),
    ] {
        let filter = parse(text).unwrap();
        let check = |db: &Connection| {
            let costs = costs(db)?;
            let found = both(db, halves(&filter, moment(&bench), &costs))?;
            assert_eq!(found.is_some(), apart, "{text}");
            let compiled = compile(&filter, moment(&bench), &costs);
            let mut wanted = all(db, &compiled)?;
            wanted.sort_unstable();
            assert!(!wanted.is_empty(), "{text}");
            assert_eq!(found.unwrap_or(wanted.clone()), wanted, "{text}");
            Ok(wanted.len() as u64)
        };
        let total = bench.app.read(check).unwrap();
        for by in orders() {
            // A read each: one is ended after five seconds.
            let check = |db: &Connection| {
                let costs = costs(db)?;
                let compiled = compile(&filter, moment(&bench), &costs);
                for offset in [0, total / 2, total] {
                    let page = Page::of(&ClustersRequest {
                        order: by,
                        offset,
                        limit: 70,
                        ..ClustersRequest::default()
                    });
                    let (sql, _) = selection(&compiled, by, page.direction);
                    let part = named_params! { ":limit": page.limit, ":offset": page.offset };
                    let one = ids(db, &sql, &compiled.parameters(&sql, part))?;
                    let listed = matching(db, &filter, moment(&bench), &costs, &page)?;
                    assert_eq!((one, total), listed, "{text} {by:?}");
                }
                Ok(())
            };
            bench.app.read(check).unwrap();
        }
    }
}

#[test]
fn clusters_of_many_functions_are_those_of_each() {
    let bench = many(2_000);
    let total = |text: &str| {
        let request = ClustersRequest {
            text: Some(text.into()),
            ..ClustersRequest::default()
        };
        crate::api::clusters(&bench.app, request).unwrap().total
    };
    // Of the first there are more rows than are gathered, of the others fewer.
    for pattern in ["*1*", "*12*", "function_12*", "*nc"] {
        let naive: u64 = bench
            .app
            .read(|db| {
                let sql = "select count(distinct x.cluster_id) from cluster_prefix as x join name as n on n.id = x.prefix_id
                    where n.text glob ?1";
                Ok(db.query_row(sql, [pattern], |row| row.get(0))?)
            })
            .unwrap();
        assert!((1..2_000).contains(&naive), "{pattern}: {naive}");
        assert_eq!(total(&format!("function:{pattern}")), naive, "{pattern}");
        assert_eq!(
            total(&format!("-function:{pattern}")),
            2_000 - naive,
            "{pattern}"
        );
    }
}

#[test]
fn a_cluster_has_code_as_long_as_any_of_its_computations_has() {
    let bench = many(3);
    let now = moment(&bench);
    let steps = [
        "",
        "insert into computation_code (cluster_id, computation_id, at_micros, seq, rank, frames_sealed)
         values (1, 'a', 1, 1, 1, x''), (2, 'a', 1, 1, 1, x''), (2, 'b', 1, 1, 1, x'')",
        "delete from computation_code where computation_id = 'a'",
        "delete from computation_code",
    ];
    let (tell, told) = std::sync::mpsc::sync_channel(steps.len());
    // In one go: code of that age is removed by the store itself before long.
    bench
        .app
        .write(move |db| {
            for sql in steps {
                db.execute_batch(sql)?;
                let compiled = compile(&parse("has:code")?, now, &costs(db)?);
                let mut found = few(db, &compiled)?.unwrap_or_default();
                found.sort_unstable();
                tell.send(found).unwrap();
            }
            Ok(())
        })
        .unwrap();
    let found: Vec<Vec<i64>> = told.into_iter().collect();
    assert_eq!(found, [vec![], vec![1, 2], vec![2], vec![]]);
}
