//! Tables of the documents, between two marks that say which command writes them.

use std::fs;

use crate::{
    files::root,
    process::{Failure, Result},
};

/// Replaces the table that this command wrote before; `table` is given what that is.
///
/// # Errors
/// The page cannot be read or written, or has no place for the table.
pub fn write(page: &str, command: &str, table: impl FnOnce(&str) -> String) -> Result {
    let path = root().join(page);
    let written = with_table(&fs::read_to_string(&path)?, command, table).ok_or_else(|| {
        Failure::new(format!(
            "{page} has no place for the table of cargo xtask {command} --write"
        ))
    })?;
    Ok(fs::write(&path, written)?)
}

/// The text of a page with another table; none where it has no place for it.
pub fn with_table(text: &str, command: &str, new: impl FnOnce(&str) -> String) -> Option<String> {
    let begin = format!("<!-- Written by `cargo xtask {command} --write`. -->\n");
    let end = "<!-- The end of it. -->\n";
    let (head, rest) = text.split_once(&begin)?;
    let (old, tail) = rest.split_once(end)?;
    Some(format!("{head}{begin}{}{end}{tail}", new(old)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_takes_the_place_of_the_old_one_of_its_command() {
        let place = |command: &str, table: &str| {
            format!(
                "<!-- Written by `cargo xtask {command} --write`. -->\n{table}<!-- The end of it. -->\n"
            )
        };
        let text = format!(
            "before\n{}between\n{}after\n",
            place("bench plugin", "kept\n"),
            place("torture", "stale\n")
        );
        let fresh = |old: &str| old.replace("stale", "fresh");
        let written = with_table(&text, "torture", fresh).unwrap();
        assert_eq!(written, text.replace("stale", "fresh"));
        assert!(with_table("a page without the marks", "torture", fresh).is_none());
    }
}
