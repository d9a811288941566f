//! Each SQL file against a fresh store.

use std::fs;
use std::path::{Path, PathBuf};

use crate::testing::*;

fn sql_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("migrations") {
            sql_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "sql")
            && !path.parent().unwrap().ends_with("migrations")
        {
            found.push(path);
        }
    }
}

#[test]
fn every_sql_file_can_be_prepared_and_has_named_parameters_only() {
    let bench = Bench::new();
    let mut files = Vec::new();
    sql_files(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    assert!(files.len() > 50);
    for file in files {
        let sql = fs::read_to_string(&file).unwrap();
        bench
            .app
            .read(|db| {
                let statement = db
                    .prepare(&sql)
                    .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
                for at in 1..=statement.parameter_count() {
                    let name = statement.parameter_name(at).unwrap_or_default();
                    assert!(
                        name.starts_with(':'),
                        "{}: parameter {at} has no name",
                        file.display()
                    );
                }
                Ok(())
            })
            .unwrap();
    }
}

#[test]
fn counting_and_listing_ask_for_the_same_clusters() {
    let conditions = |sql: &str| {
        let from = sql.find("\nwhere\n").unwrap();
        let to = sql.find("\norder by").unwrap_or(sql.len());
        sql[from..to].trim().to_owned()
    };
    assert_eq!(
        conditions(include_str!("../clusters.sql")),
        conditions(include_str!("../clusters_count.sql"))
    );
    assert!(include_str!("../clusters.sql").contains("order by c.started_micros desc, c.id desc"));
}
