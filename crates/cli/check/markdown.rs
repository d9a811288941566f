//! A check as Markdown, for a comment: what a cluster wrote stays text in it.

use bobbin_core::api::{Check, CheckVerdict};

use super::{compare, named, verdict};
use crate::visible;

pub fn of(told: &Check) -> String {
    let mark = match told.verdict {
        CheckVerdict::Passed => "✅",
        CheckVerdict::Failed => "❌",
        CheckVerdict::Refused => "⚠️",
    };
    let mut text = format!("### {mark} Bobbin: the check {}\n", verdict(told));
    let list = |items: &[String]| -> String {
        items
            .iter()
            .map(|item| format!("- {}\n", plain(item)))
            .collect()
    };
    if !told.reasons.is_empty() {
        text += &format!("\n{}", list(&told.reasons));
    }
    let words: Vec<String> = told
        .measures
        .iter()
        .filter(|measure| !measure.exceeded)
        .map(|measure| measure.words.clone())
        .collect();
    if !words.is_empty() {
        text += &format!("\n{}", list(&words));
    }
    if !told.new_exceptions.is_empty() {
        let new: Vec<String> = told.new_exceptions.iter().map(named).collect();
        text += &format!("\nNew exceptions:\n\n{}", list(&new));
    }
    for note in &told.notes {
        text += &format!("\n*{}*\n", plain(note));
    }
    if let Some(comparison) = &told.comparison {
        let body = compare::text(comparison, compare::Called::Start);
        let fence = fence(&body);
        text += &format!(
            "\n<details><summary>From A, the median run, to B, this run</summary>\n\n{fence}text\n{body}{fence}\n\n</details>\n"
        );
    }
    text
}

/// Longer than any run of backticks in it.
fn fence(body: &str) -> String {
    let longest = body
        .split(|letter| letter != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// Neither a link, a mention, a picture nor HTML.
fn plain(text: &str) -> String {
    let shown = escaped(&visible::plain(text));
    // An address becomes a link by itself, unless something stands within how it begins.
    let parted = shown.replace("://", ":<!-- -->//");
    parted
        .split_inclusive('.')
        .map(|part| match part.strip_suffix('.') {
            Some(before) if ends_with_www(before) => format!("{before}<!-- -->."),
            _ => part.to_owned(),
        })
        .collect()
}

fn ends_with_www(text: &str) -> bool {
    let from = text.len().saturating_sub(3);
    text.get(from..)
        .is_some_and(|end| end.eq_ignore_ascii_case("www"))
}

fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut plain, letter| {
        match letter {
            '<' => plain.push_str("&lt;"),
            '>' => plain.push_str("&gt;"),
            '&' => plain.push_str("&amp;"),
            // A mention needs its letters beside the sign.
            '@' | '#' => {
                plain.push(letter);
                plain.push_str("<!-- -->");
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '(' | ')' | '!' | '|' | '~' => {
                plain.push('\\');
                plain.push(letter);
            }
            other => plain.push(other),
        }
        plain
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_cluster_wrote_stays_text() {
        let shown = plain("<img src=x> [a](http://b) @team #1 `c` *d*");
        assert_eq!(
            shown,
            "&lt;img src=x&gt; \\[a\\]\\(http:<!-- -->//b\\) @<!-- -->team #<!-- -->1 \\`c\\` \\*d\\*"
        );
        assert_eq!(
            plain("see https://x.example, WWW.x.example and ö.www.y"),
            "see https:<!-- -->//x.example, WWW<!-- -->.x.example and ö.www<!-- -->.y"
        );
        assert_eq!(fence("a ````` b"), "``````");
        assert_eq!(fence("plain"), "```");
    }
}
