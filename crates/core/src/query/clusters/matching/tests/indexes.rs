//! Which index answers which question.

use rusqlite::Connection;

use super::*;
use crate::query::filter::parse;
use crate::store::schema::BY_PARTS;

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
                    "stalled>1h",
                    "SEARCH t USING COVERING INDEX cluster_total_by_stalled",
                ),
                (
                    "workers>=10 tasks>9",
                    "SCAN t USING COVERING INDEX cluster_total_figures",
                ),
                (
                    "user:user7 tasks>9",
                    "SEARCH t USING COVERING INDEX cluster_total_by_tasks",
                ),
                (
                    "-tasks>9 tag:env=prod",
                    "SCAN t USING COVERING INDEX cluster_total_by_tasks",
                ),
                (
                    "user:user7 duration>1h",
                    "SCAN t USING COVERING INDEX cluster_total_figures",
                ),
                (
                    "workers>=10 stalled>1h",
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
                ("tl", "cluster_text VIRTUAL TABLE INDEX"),
                ("tl host:host1", "SCAN cluster_text_term VIRTUAL TABLE"),
                ("t", "SCAN x"),
                ("tä", "SCAN x"),
                (
                    "t host:host1",
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

/// Whether a statement reads from the rows of any table, and not from indexes alone.
fn reads_rows(db: &Connection, sql: &str, compiled: &Compiled) -> bool {
    let mut statement = db.prepare(&format!("explain {sql}")).unwrap();
    let steps = statement
        .query_map(&*compiled.parameters(sql, &[]), |row| {
            let (step, cursor): (String, i64) = (row.get("opcode")?, row.get("p1")?);
            Ok((step, cursor, row.get::<_, Option<String>>("p4")?))
        })
        .unwrap();
    let steps: Vec<_> = steps.collect::<rusqlite::Result<_>>().unwrap();
    let of_index = |cursor: i64| {
        steps.iter().any(|(step, opened, what)| {
            let keys = what.as_ref().is_some_and(|what| what.starts_with("k("));
            step == "OpenRead" && *opened == cursor && keys
        })
    };
    steps
        .iter()
        .any(|(step, cursor, _)| step == "Column" && !of_index(*cursor))
}

#[test]
fn names_alone_are_read_from_their_index_and_not_from_rows() {
    let bench = many(60);
    let check = |db: &Connection| {
        for (text, rows) in [
            ("name:etl", false),
            ("-name:etl", false),
            ("name:e*l", false),
            ("name:etl (name:7 or -name:8)", false),
            ("name:etl has:note", true),
            ("name:etl user:user7", true),
        ] {
            let compiled = compile(&parse(text)?, moment(&bench), &costs(db)?);
            for sql in [compiled.finding(), compiled.counting()] {
                assert_eq!(reads_rows(db, &sql, &compiled), rows, "{text}: {sql}");
                let plan = plan(db, &sql, &compiled);
                let named = plan.contains("SCAN c USING INDEX cluster_shown_name");
                assert_eq!(named, !rows, "{text}: {plan}");
            }
        }
        // Beside figures, too.
        let compiled = compile(
            &parse("name:etl or workers>3")?,
            moment(&bench),
            &costs(db)?,
        );
        let plan = plan(db, &compiled.finding(), &compiled);
        assert!(
            plan.contains("SCAN c USING INDEX cluster_shown_name"),
            "{plan}"
        );
        Ok(())
    };
    bench.app.read(check).unwrap();
}

#[test]
fn every_index_that_is_there_for_the_list_is_read() {
    let bench = many(2_000);
    let filters = [
        "has:pin",
        "has:note",
        "has:exception",
        "-has:exception",
        "has:code",
        "-has:code",
        "since:9d until:2d",
        "until:9d",
        "workers>=10 tasks>9",
    ];
    bench
        .app
        .read(|db| {
            let mut plans = Vec::new();
            let all = compile(&parse("")?, moment(&bench), &costs(db)?);
            for by in INDEXED.iter().chain(FIGURES) {
                let (sql, _) = selection(&all, *by, Direction::Descending);
                let plan = plan(db, &sql, &all);
                plans.push((sql, plan));
            }
            for text in filters {
                let compiled = compile(&parse(text)?, moment(&bench), &costs(db)?);
                let (sql, counting) =
                    selection(&compiled, ClusterOrder::Started, Direction::Descending);
                let walked = by_index(sql.clone(), ClusterOrder::Started);
                for sql in [sql, counting, walked] {
                    let plan = plan(db, &sql, &compiled);
                    plans.push((sql, plan));
                }
            }
            let steps = plans.iter().flat_map(|(_, plan)| plan.lines());
            let read: Vec<&str> = steps.clone().flat_map(str::split_whitespace).collect();
            let idle: Vec<&str> = BY_PARTS
                .into_iter()
                .filter(|index| !read.contains(index))
                .collect();
            assert_eq!(idle, Vec::<&str>::new());
            // It is searched, or gives an order, or has a part of the rows. One is looked through whole, instead of them.
            let searched = steps.filter(|step| step.starts_with("SEARCH "));
            let searched: Vec<&str> = searched.flat_map(str::split_whitespace).collect();
            let over = |plan: &str| plan.split("\nRIGHT\n").next().unwrap().to_owned();
            let in_order: String = plans
                .iter()
                .filter(|(sql, _)| sql.contains("order by"))
                .map(|(_, plan)| over(plan))
                .filter(|plan| !plan.contains("TEMP B-TREE FOR ORDER BY"))
                .map(|plan| plan + "\n")
                .collect();
            let in_order: Vec<&str> = in_order.split_whitespace().collect();
            let part = "select exists (
                    select 1 from sqlite_schema
                    where name = ?1 and sql like '%where%'
                        and sql not like '%where stop_at_micros is not null%'
                )";
            let mut whole = Vec::new();
            for index in BY_PARTS {
                let part: bool = db.query_one(part, [index], |row| row.get(0))?;
                if !part && !searched.contains(&index) && !in_order.contains(&index) {
                    whole.push(index);
                }
            }
            assert_eq!(whole, ["cluster_total_figures"]);
            Ok(())
        })
        .unwrap();
}

#[test]
fn the_filters_that_the_page_of_the_schema_names_with_indexes_are_understood() {
    let words = include_str!("../../../../store/schema_words.txt");
    let named = words.split('`').skip(1).step_by(2);
    let filters: Vec<&str> = named.filter(|name| name.contains(':')).collect();
    assert!(filters.len() > 4, "{filters:?}");
    for filter in filters {
        let parsed = parse(filter).map_err(crate::Error::from);
        assert!(parsed.is_ok(), "{filter}: {:?}", parsed.err());
    }
}
