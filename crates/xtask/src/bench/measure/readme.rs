//! Tables of the README that benches write.

use std::fs;

use crate::{
    files::root,
    process::{Failure, Result},
};

/// Puts a table in the place of the one that this bench wrote before.
///
/// # Errors
/// The README cannot be read or written, or has no place for it.
pub fn write(bench: &str, table: &str) -> Result {
    let path = root().join("README.md");
    let text = fs::read_to_string(&path)?;
    Ok(fs::write(&path, with_table(&text, bench, table)?)?)
}

fn with_table(text: &str, bench: &str, table: &str) -> Result<String> {
    let begin = format!("<!-- Written by `cargo xtask bench {bench} --readme`. -->\n");
    let end = "<!-- The end of it. -->\n";
    let parts = text
        .split_once(&begin)
        .and_then(|(head, rest)| Some((head, rest.split_once(end)?.1)));
    let (head, tail) = parts.ok_or_else(|| {
        Failure::new(format!(
            "the README has no place for the table of bench {bench}"
        ))
    })?;
    Ok(format!("{head}{begin}{table}{end}{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_takes_the_place_of_the_old_one_of_its_bench() {
        let place = |bench: &str, table: &str| {
            format!(
                "<!-- Written by `cargo xtask bench {bench} --readme`. -->\n{table}<!-- The end of it. -->\n"
            )
        };
        let readme = format!(
            "before\n{}between\n{}after\n",
            place("plugin", "kept\n"),
            place("views", "stale\n")
        );
        let written = with_table(&readme, "views", "fresh\n").unwrap();
        assert_eq!(written, readme.replace("stale", "fresh"));
        assert!(with_table("a README without the marks", "views", "").is_err());
    }

    #[test]
    fn the_readme_has_a_place_for_each_table() {
        let text = fs::read_to_string(root().join("README.md")).unwrap();
        for bench in ["desktop", "plugin", "views"] {
            assert!(with_table(&text, bench, "").is_ok(), "{bench}");
        }
    }
}
