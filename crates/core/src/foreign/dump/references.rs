//! What stands for an object in a dump: the text that Python shows of it.

use serde_json::Value;

/// The name in `<NAME: memory: 3 released: 4>`, as groups and prefixes are shown. A name may hold colons and blanks itself.
pub(super) fn name_of(reference: &str) -> Option<&str> {
    let mut rest = reference.strip_prefix('<')?.strip_suffix('>')?;
    // From the end: ` state: count`, as often as there are states.
    while let Some(shorter) = without_state(rest) {
        rest = shorter;
    }
    rest.trim_end()
        .strip_suffix(':')
        .filter(|name| !name.is_empty())
}

fn without_state(text: &str) -> Option<&str> {
    let (rest, count) = text.rsplit_once(' ')?;
    let is_count = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    let rest = rest.strip_suffix(':').filter(|_| is_count)?;
    let (rest, state) = rest.rsplit_once(' ')?;
    let is_state = !state.is_empty()
        && state
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_state.then_some(rest)
}

/// The key in `<TaskState KEY state>`, as Python shows it.
pub(super) fn task_of(reference: &str) -> Option<&str> {
    let inner = reference.strip_prefix("<TaskState ")?.strip_suffix('>')?;
    inner.rsplit_once(' ').map(|(key, _)| key)
}

/// A key as Python shows it: lists were tuples.
pub(super) fn shown(key: &Value) -> String {
    match key {
        Value::String(text) => quoted(text),
        Value::Array(parts) => {
            let parts: Vec<String> = parts.iter().map(shown).collect();
            match &parts[..] {
                [one] => format!("({one},)"),
                parts => format!("({})", parts.join(", ")),
            }
        }
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut out = String::from(quote);
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            letter if letter == quote => {
                out.push('\\');
                out.push(letter);
            }
            letter => out.push(letter),
        }
    }
    out.push(quote);
    out
}

/// Type and message of `ValueError('no')`, as Python shows an exception. Nothing is evaluated: a single text loses its quotes.
pub(super) fn exception(text: &str) -> (String, String) {
    let end =
        text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '.'));
    let Some((kind, rest)) = end.filter(|&end| end > 0).map(|end| text.split_at(end)) else {
        return ("Exception".into(), text.into());
    };
    let Some(inner) = rest.strip_prefix('(') else {
        return ("Exception".into(), text.into());
    };
    let inner = inner.strip_suffix(')').unwrap_or(inner);
    let kind = kind.rsplit('.').next().unwrap_or(kind).to_owned();
    let message = if kind == "KeyError" {
        None
    } else {
        unquoted(inner)
    };
    (kind, message.unwrap_or_else(|| inner.into()))
}

/// One text without its quotes; none if this is more than one.
fn unquoted(text: &str) -> Option<String> {
    let text = text.strip_suffix(',').unwrap_or(text);
    let quote = text
        .chars()
        .next()
        .filter(|first| matches!(first, '\'' | '"'))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut out = String::with_capacity(inner.len());
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                plain @ ('\\' | '\'' | '"') => out.push(plain),
                // Others are kept as they are shown.
                other => out.extend(['\\', other]),
            },
            letter if letter == quote => return None,
            letter => out.push(letter),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_cut_out_of_what_is_shown() {
        for (reference, wanted) in [
            ("<load-01: memory: 24>", Some("load-01")),
            ("<load-01: memory: 24 no-worker: 3>", Some("load-01")),
            ("<a: b: memory: 2 released: 1>", Some("a: b")),
            ("<rows 3: memory: 24>", Some("rows 3")),
            ("<n: 5: memory: 24>", Some("n: 5")),
            ("<empty: >", Some("empty")),
            ("<: memory: 1>", None),
            ("load", None),
        ] {
            assert_eq!(name_of(reference), wanted, "{reference}");
        }
    }

    #[test]
    fn a_key_is_shown_as_python_shows_it() {
        for (key, reference) in [
            (json!("broken-01"), "<TaskState 'broken-01' erred>"),
            (
                json!(["load", 3, [1.5]]),
                "<TaskState ('load', 3, (1.5,)) memory>",
            ),
            (json!("('load', 3)"), "<TaskState \"('load', 3)\" released>"),
            (json!("a'b\"c\\"), "<TaskState 'a\\'b\"c\\\\' erred>"),
        ] {
            assert_eq!(
                task_of(reference),
                Some(shown(&key).as_str()),
                "{reference}"
            );
        }
    }

    #[test]
    fn an_exception_is_its_type_and_message() {
        for (text, kind, message) in [
            ("ValueError('canary 1')", "ValueError", "canary 1"),
            ("ValueError(\"it's\")", "ValueError", "it's"),
            ("KeyError('x')", "KeyError", "'x'"),
            ("OSError(2, 'No such file')", "OSError", "2, 'No such file'"),
            ("module.Special('a\\nb')", "Special", "a\nb"),
            ("ValueError()", "ValueError", ""),
            ("no exception", "Exception", "no exception"),
            ("('x')", "Exception", "('x')"),
        ] {
            assert_eq!(exception(text), (kind.into(), message.into()), "{text}");
        }
    }
}
