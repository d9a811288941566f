//! A filter's SQL for connections that are not Bobbin's own. They have no `holds(part, text, …)`, which is there for
//! its speed. What takes its place gives the same rows: to SQLite's `lower`, too, only A to Z have a lower case.

/// `sql`, which has values and no parameters, with `instr(lower(text), lower(part)) > 0` for each text of
/// `holds(part, text, …)`.
pub(crate) fn plain(sql: &str) -> String {
    let mut plain = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(token) = take(&mut rest) {
        match token == "holds" && rest.starts_with('(') {
            true => plain += &spelled_out(&mut rest),
            false => plain += token,
        }
    }
    plain
}

/// What a call means; `rest` begins with its arguments, and goes on behind them.
fn spelled_out(rest: &mut &str) -> String {
    take(rest);
    let (part, mut last) = argument(rest);
    let mut each = Vec::new();
    while !last {
        let (text, is_last) = argument(rest);
        let text = text.trim_start();
        each.push(format!("instr(lower({text}), lower({part})) > 0"));
        last = is_last;
    }
    format!("({})", each.join(" or "))
}

/// An argument, which is a value or a column, and whether it is the last; `rest` goes on behind the sign that ends it.
fn argument(rest: &mut &str) -> (String, bool) {
    let mut argument = String::new();
    while let Some(token) = take(rest) {
        match token {
            "," => return (argument, false),
            ")" => break,
            token => argument += token,
        }
    }
    (argument, true)
}

/// The word, text, quoted name, comment or sign that `rest` begins with; `rest` goes on behind it.
fn take<'sql>(rest: &mut &'sql str) -> Option<&'sql str> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let sql = *rest;
    let first = sql.chars().next()?;
    let inside = &sql[first.len_utf8()..];
    let more = match first {
        // A quote that is doubled ends one text and begins the next.
        '\'' | '"' => inside.find(first).map(|at| at + 1),
        '-' if inside.starts_with('-') => inside.find('\n'),
        letter if is_word(letter) => inside.find(|letter: char| !is_word(letter)),
        _ => Some(0),
    };
    let end = more.map_or(sql.len(), |more| first.len_utf8() + more);
    let (token, after) = sql.split_at(end);
    *rest = after;
    Some(token)
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::Bench;

    #[test]
    fn the_function_is_spelled_out_and_all_else_stays() {
        let one = "select 1 -- it's\nwhere (instr(lower(c.name), lower('it''s')) > 0) and 1";
        let two = "(instr(lower(a), lower('a,(é')) > 0 or instr(lower(b), lower('a,(é')) > 0)";
        for (sql, told) in [
            ("select 1 -- it's\nwhere holds('it''s', c.name) and 1", one),
            ("holds('a,(é', a, b)", two),
        ] {
            assert_eq!(plain(sql), told);
        }
        for sql in [
            "",
            "select 'holds(''x'', y)', \"holds(\" || withholds('x', y), holds -- holds('x', y)",
            "select 'é",
        ] {
            assert_eq!(plain(sql), sql);
        }
    }

    proptest! {
        #[test]
        fn what_is_spelled_out_gives_what_the_function_gives(
            text in "[abAB éÉİ\n%_\\\\']{0,20}",
            part in "[abAB éÉi%_\\\\']{0,3}",
        ) {
            static BENCH: OnceLock<Bench> = OnceLock::new();
            let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
            let asked = format!("holds({}, null, {})", quoted(&part), quoted(&text));
            let sql = format!("select {asked}, coalesce({}, false)", plain(&asked));
            let app = &BENCH.get_or_init(Bench::new).app;
            let (own, anybodys): (bool, bool) = app
                .read(|db| Ok(db.query_one(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?))
                .unwrap();
            prop_assert_eq!(own, anybodys, "{}", sql);
        }
    }
}
