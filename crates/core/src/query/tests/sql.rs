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
