//! The JSON documents in a page: what stands in `<script type="application/json">`, and nothing else of it.

use memchr::{memchr, memchr2};
use serde_json::Value;

use crate::foreign::{Outcome, Wrong, is};

/// Documents of one page.
const DOCUMENTS: usize = 64;
/// What all values of a page may weigh: a map takes much more room than a number.
const WEIGHT: u64 = 16_000_000;
const MAP: u64 = 20;

/// All JSON documents.
pub(super) fn documents(html: &str) -> Outcome<Vec<Value>> {
    let mut documents = Vec::new();
    let mut weight = 0;
    let mut rest = html;
    while let Some((attributes, body)) = next_script(rest) {
        let Some(end) = find(body, "</script") else {
            return is("it is cut off: a script in it has no end");
        };
        let (inside, after) = body.split_at(end);
        rest = after;
        if !is_json(attributes) {
            continue;
        }
        weight += weigh(inside);
        if weight > WEIGHT {
            return Err(Wrong::Is(
                "it holds more values than Bobbin reads from one report".into(),
            ));
        }
        if documents.len() == DOCUMENTS {
            return is("it holds more documents than a report");
        }
        match serde_json::from_str(inside.trim()) {
            Ok(document) => documents.push(document),
            Err(error) => {
                return Err(Wrong::Is(format!(
                    "the document in it is not JSON (line {}, column {})",
                    error.line(),
                    error.column()
                )));
            }
        }
    }
    Ok(documents)
}

/// Attributes and what follows of the next script.
fn next_script(html: &str) -> Option<(&str, &str)> {
    let begin = find(html, "<script")? + "<script".len();
    let end = html[begin..].find('>')? + begin;
    Some((&html[begin..end], &html[end + 1..]))
}

fn is_json(attributes: &str) -> bool {
    let plain = attributes
        .to_ascii_lowercase()
        .replace(['"', '\'', ' '], "");
    plain.contains("type=application/json")
}

/// Where a word in small ASCII letters stands, whatever its case.
fn find(text: &str, word: &str) -> Option<usize> {
    let (bytes, word) = (text.as_bytes(), word.as_bytes());
    let mut from = 0;
    while let Some(at) = memchr(word[0], &bytes[from..]) {
        let begin = from + at;
        let found = bytes.get(begin..begin + word.len())?;
        if found.eq_ignore_ascii_case(word) {
            return Some(begin);
        }
        from = begin + 1;
    }
    None
}

/// What the values of a document weigh, before any of them takes room.
fn weigh(json: &str) -> u64 {
    let mut weight = 0;
    let mut rest = json.as_bytes();
    while let Some(quote) = memchr(b'"', rest) {
        weight += weigh_plain(&rest[..quote]);
        rest = behind_text(&rest[quote + 1..]);
    }
    weight + weigh_plain(rest)
}

/// The same for what holds no text.
fn weigh_plain(json: &[u8]) -> u64 {
    let weights = json.iter().map(|byte| match byte {
        b'{' => MAP,
        b'[' | b',' => 1,
        _ => 0,
    });
    weights.sum()
}

/// What follows the text that begins here.
fn behind_text(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let Some(at) = memchr2(b'"', b'\\', rest) {
        if rest[at] == b'"' {
            return &rest[at + 1..];
        }
        // A letter that is escaped ends nothing.
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_documents_are_taken() {
        let html = r#"<!DOCTYPE html><SCRIPT TYPE='application/json' id=x>{"a": "<b>"}</SCRIPT>
            <script type="text/javascript">{"never": 1}</script><script>alert("application/json")</script>
            <script  id="y"  type = "application/json">[1]</script>"#;
        let found = documents(html).unwrap();
        assert_eq!(
            found,
            [serde_json::json!({"a": "<b>"}), serde_json::json!([1])]
        );
    }

    #[test]
    fn what_is_cut_too_heavy_or_no_json_is_refused() {
        let script = |inside: &str| format!(r#"<script type="application/json">{inside}</script>"#);
        assert!(documents(&script("{}")[..30]).is_ok_and(|found| found.is_empty()));
        assert!(documents(r#"<script type="application/json">{}"#).is_err());
        assert!(documents(&script("{'a': 1}")).is_err());
        assert!(documents(&script(&"[".repeat(100_000))).is_err());
        assert!(documents(&script(&format!("[{}0]", "{},".repeat(900_000)))).is_err());
        assert!(documents(&script("[]").repeat(65)).is_err());
        // Brackets in texts weigh nothing.
        assert_eq!(weigh(r#"["{{[[\"{{", 1]"#), 2);
        assert_eq!(weigh(r#"{"a\\": [",", "\\\""], "b": {}}"#), 2 * MAP + 3);
        // One without an end is no JSON, and weighs what is before it.
        for cut in [r#"[1, "a,["#, r#"[1, "a,\"#, r#"[1, ""#] {
            assert_eq!(weigh(cut), 2, "{cut}");
        }
    }
}
