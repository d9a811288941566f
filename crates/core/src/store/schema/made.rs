//! What the statements that made tables, indexes and triggers say beyond what SQLite tells of them.

/// A statement in one line, without its comments.
fn plain(made: &str) -> String {
    let lines = made.lines();
    let words: Vec<&str> = lines
        .filter_map(|line| line.split("--").next())
        .flat_map(str::split_whitespace)
        .collect();
    words.join(" ")
}

/// What stands before the bracket that ends it.
fn inside(rest: &str) -> Option<&str> {
    let mut depth = 1;
    let end = rest.find(|sign: char| {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    Some(rest[..end].trim())
}

/// What each `check (…)` of a table demands, in order.
pub(super) fn checks(made: &str) -> Vec<String> {
    let plain = plain(made);
    let demanded = plain.split("check (").skip(1).filter_map(inside);
    demanded.map(str::to_owned).collect()
}

/// The columns of a table that follow from others, each with what they follow by.
pub(super) fn computed(made: &str) -> Vec<(String, String)> {
    let plain = plain(made);
    let Some(columns) = plain.split_once('(').and_then(|(_, rest)| inside(rest)) else {
        return Vec::new();
    };
    let mut depth = 0;
    let each = columns.split(|sign: char| {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0 && sign == ','
    });
    each.filter_map(|one| {
        let (column, rest) = one.trim().split_once(' ')?;
        let (_, of) = rest.split_once("generated always as (")?;
        Some((column.to_owned(), inside(of)?.to_owned()))
    })
    .collect()
}

/// Which rows an index has, where it has not all.
pub(super) fn condition(made: &str) -> Option<String> {
    let plain = plain(made);
    plain
        .split_once(" where ")
        .map(|(_, condition)| condition.to_owned())
}

/// After what a trigger runs, such as `after insert`.
pub(super) fn event(made: &str) -> String {
    let plain = plain(made);
    let told = plain.split(" on ").next().unwrap_or_default();
    // Behind `create trigger` and its name.
    told.splitn(4, ' ').nth(3).unwrap_or_default().to_owned()
}

#[test]
fn what_a_statement_says_is_read_past_brackets_commas_and_comments() {
    let table = "CREATE TABLE one (
        -- A comment, (with both.
        first integer not null check (first in (1, 2)),
        second integer generated always as (coalesce(first, (3))) virtual,
        check (length(hex(first)) > 0)
    ) strict";
    assert_eq!(checks(table), ["first in (1, 2)", "length(hex(first)) > 0"]);
    let of = ("second".to_owned(), "coalesce(first, (3))".to_owned());
    assert_eq!(computed(table), [of]);
    let index = "CREATE INDEX one_first on one (first)\n    where first > 1";
    assert_eq!(condition(index).as_deref(), Some("first > 1"));
    assert_eq!(condition("CREATE INDEX one_first on one (first)"), None);
    let trigger = "CREATE TRIGGER one_new after update of first, second on one\nwhen true begin";
    assert_eq!(event(trigger), "after update of first, second");
}
