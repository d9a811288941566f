//! The list with 100,000 clusters: which index answers which question.

mod measured;

use rusqlite::Connection;

use super::*;
use crate::model::Micros;
use crate::query::filter::parse;
use crate::query::price::price_book;
use crate::query::types::ClusterRow;
use crate::testing::*;

const INDEXED: &[ClusterOrder] = &[
    ClusterOrder::Started,
    ClusterOrder::Name,
    ClusterOrder::User,
    ClusterOrder::Host,
    ClusterOrder::Project,
    ClusterOrder::Seen,
];

/// By figures that each batch may change: an index knows those of clusters that are over.
const FIGURES: &[ClusterOrder] = &[
    ClusterOrder::Duration,
    ClusterOrder::WorkersPeak,
    ClusterOrder::ThreadsPeak,
    ClusterOrder::MemoryPeak,
    ClusterOrder::TasksCompleted,
    ClusterOrder::ComputeSeconds,
    ClusterOrder::ThreadSeconds,
    ClusterOrder::Efficiency,
    ClusterOrder::LastWork,
    ClusterOrder::Exceptions,
];

fn orders() -> impl Iterator<Item = ClusterOrder> {
    let all = INDEXED.iter().chain(FIGURES);
    all.copied().chain([ClusterOrder::Cost])
}

/// 100,000 clusters over a year, with the same spread of figures every time.
const MANY: &str = "
insert into cluster (
    scheduler_id, first_at_micros, said_started_micros, name, user, host, project, tags, note, pinned_micros
)
with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000)
select
    printf('Scheduler-%08x', i * 2654435761 % 4294967296),
    1699999200000000 + i * 31536000000000 / 100000,
    1699999200000000 + i * 31536000000000 / 100000,
    (i % 10) || ' etl nightly ' || i,
    'user' || (i * 7919 % 200 * (i % 3) / 2),
    'host' || (i % 40),
    iif(i % 4 = 0, null, 'project' || (i % 25)),
    json_object('env', iif(i % 5 = 0, 'prod', 'dev'), 'ci', 'yes'),
    iif(i % 997 = 0, 'a note', null),
    iif(i % 1009 = 0, 1, null)
from n;

insert into cluster_total (
    cluster_id, last_heard_micros, silent_after_micros, interval_micros, stop_at_micros, sample_at_micros,
    samples, workers, threads, workers_peak, threads_peak, memory_peak_bytes, compute_micros, thread_micros,
    tasks_completed, tasks_erred, computations, exceptions, tasks
)
select
    id,
    started_micros + id * 7919 % 20000 * 1000000,
    iif(id % 1000 = 1, 1800000000000000, started_micros + id * 7919 % 20000 * 1000000 + 30000000),
    10000000,
    iif(id % 50 in (0, 1), null, started_micros + id * 7919 % 20000 * 1000000),
    started_micros + id * 7919 % 20000 * 1000000,
    100,
    id % 30,
    id % 30 * 4,
    id % 30,
    id % 30 * 4,
    id * 104729 % 40000 * 1048576,
    id * 1299709 % 90000 * 1000000,
    id * 1299709 % 90000 * 3000000,
    id * 15485863 % 2000000,
    id % 3,
    id % 8,
    iif(id % 33 = 0, 1 + id % 5, 0),
    '{\"memory\":3}'
from cluster;

insert into name (text)
with recursive n (i) as (select 1 union all select i + 1 from n where i < 500)
select 'function_' || i from n union all select 'inc' union all select 'ValueError' union all select 'KeyError';

insert into cluster_prefix (prefix_id, cluster_id)
with recursive n (i) as (select 0 union all select i + 1 from n where i < 7)
select 1 + (c.id * 31 + n.i * 17) % 501, c.id from cluster as c, n;

insert into exception (
    cluster_id, exception_id, at_micros, seq, rank, origin, type_id, first_seen_micros, last_seen_micros, count, dependents
)
select c.id, 'e', 1, 1, 1, 'user', n.id, c.started_micros, c.started_micros + 1000000, 1, 0
from cluster as c
join name as n on n.text = iif(c.id % 2 = 0, 'ValueError', 'KeyError')
where c.id % 33 = 0;
";

fn many(clusters: u32) -> Bench {
    let bench = Bench::new();
    bench.at(370 * 86_400);
    let sql = MANY.replace("100000", &clusters.to_string());
    bench
        .app
        .write(move |db| Ok(db.execute_batch(&sql)?))
        .unwrap();
    bench
}

fn moment(bench: &Bench) -> Moment {
    Moment {
        now: bench.app.now(),
        zone: chrono_tz::Tz::UTC,
    }
}

fn costs(db: &Connection) -> Result<CostSql> {
    CostSql::of(db, &price_book(db, false)?.prices)
}

fn plan(db: &Connection, sql: &str, compiled: &Compiled) -> String {
    let mut statement = db.prepare(&format!("explain query plan {sql}")).unwrap();
    let page = named_params! { ":limit": 100, ":offset": 0 };
    let more = if sql.contains(":limit") { page } else { &[] };
    let rows = statement
        .query_map(&*compiled.parameters(sql, more), |row| {
            row.get::<_, String>(3)
        })
        .unwrap();
    rows.collect::<rusqlite::Result<Vec<_>>>()
        .unwrap()
        .join("\n")
}

#[test]
fn an_order_is_read_from_its_index_and_only_what_is_not_over_is_sorted() {
    let bench = many(2_000);
    bench
        .app
        .read(|db| {
            let compiled = compile(&parse("")?, moment(&bench), &costs(db)?);
            for direction in [Direction::Ascending, Direction::Descending] {
                for by in INDEXED {
                    let (sql, _) = selection(&compiled, *by, direction);
                    let plan = plan(db, &sql, &compiled);
                    assert!(plan.contains("INDEX cluster_"), "{by:?}: {plan}");
                    // Of what is equal there are few rows.
                    let sorts = plan.replace("TEMP B-TREE FOR LAST TERM", "");
                    assert!(!sorts.contains("TEMP B-TREE"), "{by:?}: {plan}");
                }
                for by in FIGURES {
                    let (sql, _) = selection(&compiled, *by, direction);
                    let plan = plan(db, &sql, &compiled);
                    let (over, alive) = plan.split_once("RIGHT").unwrap();
                    assert!(over.contains("INDEX cluster_total_by_"), "{by:?}: {plan}");
                    assert!(!over.contains("TEMP B-TREE"), "{by:?}: {plan}");
                    assert!(
                        alive.contains("SCAN t USING INDEX cluster_total_alive"),
                        "{by:?}: {plan}"
                    );
                }
                // A price of cores alone is in the order of their time; any other is computed of each.
                let other = CostSql {
                    along: None,
                    ..costs(db)?
                };
                let other = compile(&parse("")?, moment(&bench), &other);
                for (compiled, index) in [
                    (&compiled, "COVERING INDEX cluster_total_by_thread_time"),
                    (&other, "COVERING INDEX cluster_total_figures"),
                ] {
                    let (sql, _) = selection(compiled, ClusterOrder::Cost, direction);
                    let plan = plan(db, &sql, compiled);
                    assert!(plan.contains(index), "{plan}");
                }
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn common_filters_search_an_index() {
    let bench = many(2_000);
    bench
        .app
        .read(|db| {
            for (text, index) in [
                ("user:user7", "SEARCH c USING INDEX cluster_user"),
                ("project:project3", "SEARCH c USING INDEX cluster_project"),
                ("host:host1", "SEARCH c USING INDEX cluster_host"),
                ("has:pin", "USING INDEX cluster_pinned"),
                ("has:note", "USING INDEX cluster_noted"),
                ("state:running", "SEARCH t USING INDEX cluster_total_alive"),
                ("state:lost", "SEARCH t USING INDEX cluster_total_alive"),
                ("has:exception", "INDEX cluster_total_exceptions"),
                ("-has:exception", "INDEX cluster_total_no_exceptions"),
                ("has:code", "INDEX cluster_total_codes"),
                ("-has:code", "INDEX cluster_total_no_codes"),
                (
                    "since:9d until:2d",
                    "SEARCH t USING INDEX cluster_total_seen",
                ),
                ("since:9d until:2d", "INDEX cluster_total_started"),
                ("until:9d", "INDEX cluster_total_started"),
                (
                    "workers>=10",
                    "SEARCH t USING COVERING INDEX cluster_total_by_workers",
                ),
                (
                    "workers>=10 tasks>9",
                    "SCAN t USING COVERING INDEX cluster_total_figures",
                ),
                (
                    "workers>=10 since:9d",
                    "SCAN t USING COVERING INDEX cluster_total_figures",
                ),
                (
                    "duration>1h efficiency<50%",
                    "SCAN t USING COVERING INDEX cluster_total_figures",
                ),
            ] {
                let compiled = compile(&parse(text)?, moment(&bench), &costs(db)?);
                let (sql, counting) =
                    selection(&compiled, ClusterOrder::Started, Direction::Descending);
                let walked = by_index(sql.clone(), ClusterOrder::Started);
                let plans = [&sql, &counting, &walked]
                    .map(|sql| plan(db, sql, &compiled))
                    .join("\n");
                assert!(plans.contains(index), "{text}: {plans}");
            }
            for (text, index) in [
                ("tag:env=prod", "SEARCH tag USING COVERING INDEX tag_name"),
                ("etl", "cluster_text VIRTUAL TABLE INDEX"),
                ("tl", "SCAN x"),
                (
                    "tl host:host1",
                    "SEARCH x USING INTEGER PRIMARY KEY (rowid=?)",
                ),
                ("function:inc", "SEARCH cluster_prefix USING PRIMARY KEY"),
                ("function:*nc", "COVERING INDEX cluster_prefix_of"),
            ] {
                let compiled = compile(&parse(text)?, moment(&bench), &costs(db)?);
                let (sql, _) = selection(&compiled, ClusterOrder::Started, Direction::Descending);
                let plan = plan(db, &sql, &compiled);
                assert!(plan.contains(index), "{text}: {plan}");
            }
            // Newest first, one user's are a range of the index.
            let compiled = compile(&parse("user:user7")?, moment(&bench), &costs(db)?);
            let (sql, _) = selection(&compiled, ClusterOrder::Started, Direction::Descending);
            assert!(
                !plan(db, &sql, &compiled).contains("FOR ORDER BY"),
                "{}",
                plan(db, &sql, &compiled)
            );
            Ok(())
        })
        .unwrap();
}

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
    let with_code = |bench: &Bench| {
        bench
            .app
            .read(|db| {
                let compiled = compile(&parse("has:code")?, moment(bench), &costs(db)?);
                let mut found = few(db, &compiled)?.unwrap();
                found.sort_unstable();
                Ok(found)
            })
            .unwrap()
    };
    let change = |sql: &'static str| {
        bench
            .app
            .write(move |db| Ok(db.execute_batch(sql)?))
            .unwrap();
    };
    assert_eq!(with_code(&bench), [0i64; 0]);
    change(
        "insert into computation_code (cluster_id, computation_id, at_micros, seq, rank, frames_sealed)
         values (1, 'a', 1, 1, 1, x''), (2, 'a', 1, 1, 1, x''), (2, 'b', 1, 1, 1, x'')",
    );
    assert_eq!(with_code(&bench), [1, 2]);
    change("delete from computation_code where computation_id = 'a'");
    assert_eq!(with_code(&bench), [2]);
    change("delete from computation_code");
    assert_eq!(with_code(&bench), [0i64; 0]);
}

#[test]
fn a_list_by_cost_says_what_each_cluster_says_of_itself() {
    use crate::query::types::{AppliesTo, PriceTerms, Range, Rate};
    let bench = many(2_000);
    // A year from here on.
    let year = 1_699_999_200_000_000;
    let day = 86_400_000_000;
    let price = |from: i64, to: Option<i64>, applies_to, core: f64| PriceTerms {
        name: format!("{core}"),
        provenance: String::new(),
        from_micros: Micros(from),
        to_micros: to.map(Micros),
        applies_to,
        rate: Rate::Rented {
            core_hour: Range {
                low: core,
                high: core * 1.5,
            },
            memory_gib_hour: Range::default(),
            machine_hour: Range {
                low: 0.0,
                high: 0.1,
            },
            workers_per_machine: 2,
        },
    };
    let host = |pattern: &str| AppliesTo::Host {
        pattern: pattern.into(),
    };
    let tag = |pattern: &str| AppliesTo::Tag {
        name: "env".into(),
        pattern: pattern.into(),
    };
    let book = [
        price(year + 100 * day, None, AppliesTo::Everything, 0.01),
        price(year, Some(year + 50 * day), host("HOST1*"), 0.02),
        price(
            year,
            None,
            AppliesTo::Project {
                pattern: "project7".into(),
            },
            0.04,
        ),
        price(year + 200 * day, Some(year + 300 * day), tag("Pro*"), 0.08),
        price(year + 5 * day, None, host("nowhere"), 9.0),
    ];
    bench
        .app
        .write(move |db| {
            // By hand it is something else.
            db.execute_batch(
                "update cluster set own_tags = '{\"env\":\"mine\"}' where id % 100 = 0",
            )?;
            crate::query::remove_price(db, Micros(1), 1)?;
            for terms in &book {
                crate::query::set_price(db, Micros(1), None, terms)?;
            }
            Ok(())
        })
        .unwrap();
    let list = |text: &str, direction| {
        let request = ClustersRequest {
            text: Some(text.into()),
            order: ClusterOrder::Cost,
            direction,
            limit: 1_000,
            ..ClustersRequest::default()
        };
        let pages = [0, 1_000].map(|offset| {
            let request = ClustersRequest {
                offset,
                ..request.clone()
            };
            crate::api::clusters(&bench.app, request).unwrap().rows
        });
        pages.concat()
    };
    let middle = |row: &ClusterRow| {
        row.cost
            .map(|cost| (cost.low_nanos + cost.high_nanos) as f64 / 2e9)
    };
    let all = list("", Direction::Descending);
    assert_eq!(all.len(), 2_000);
    let costs: Vec<Option<f64>> = all.iter().map(middle).collect();
    let priced = costs.iter().flatten().count();
    assert!((500..1_900).contains(&priced), "{priced}");
    assert!(costs.windows(2).all(
        |two| two[0] >= two[1] || (two[0].unwrap_or(0.0) - two[1].unwrap_or(0.0)).abs() < 1e-8
    ));
    let mut turned: Vec<i64> = list("", Direction::Ascending)
        .iter()
        .map(|row| row.id)
        .collect();
    turned.reverse();
    assert_eq!(turned, all.iter().map(|row| row.id).collect::<Vec<_>>());
    for (text, holds) in [
        (
            "cost>1.2345",
            (|cost| cost > Some(1.2345)) as fn(Option<f64>) -> bool,
        ),
        ("-has:cost", |cost| cost.is_none()),
        ("cost<=0.5", |cost| cost.is_some_and(|cost| cost <= 0.5)),
    ] {
        let found = list(text, Direction::Descending);
        let wanted = costs.iter().filter(|cost| holds(**cost)).count();
        assert!(wanted > 0 && wanted < 2_000, "{text}: {wanted}");
        assert_eq!(found.len(), wanted, "{text}");
        assert!(found.iter().all(|row| holds(middle(row))), "{text}");
    }
}
