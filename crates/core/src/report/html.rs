//! The file itself. It runs the one script that it was written with, known by its hash, and can ask nobody for anything.

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{Answers, Page};
use crate::model::Micros;
use crate::share::Choice;
use crate::share::stage::base64;
use crate::{Error, Result};

/// What a report says of itself.
#[derive(Debug, Serialize)]
pub(crate) struct Head {
    /// The version of Bobbin that wrote it.
    pub(crate) bobbin: &'static str,
    pub(crate) written_micros: Micros,
    pub(crate) choice: Choice,
    /// The numbers by which the answers name its clusters: one, or A and B of a comparison.
    pub(crate) ids: Vec<i64>,
    /// What each of them cost, in words; null where that is not known or was not asked for.
    pub(crate) costs: Vec<Option<String>>,
    /// The same in a few lines of Markdown.
    pub(crate) summary: String,
}

/// # Errors
/// [`Error::Refused`] for a page that cannot stand in a file.
pub(crate) fn html(page: &Page, head: &Head, answers: &Answers) -> Result<String> {
    let Page { script, style } = page;
    for (text, end) in [(script, "</script"), (style, "</style")] {
        // An end tag inside would end it, and what a browser changes while it reads has another hash.
        if text.to_ascii_lowercase().contains(end)
            || text.contains("<!--")
            || text.contains(['\r', '\0'])
        {
            return Err(Error::Refused(
                "the report page cannot be written to a file".into(),
            ));
        }
    }
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
        hash(script),
        hash(style)
    );
    let data = format!(
        r#"{{"head":{},"left_out":{},"answers":[{}]}}"#,
        serde_json::to_string(head)?,
        answers.left_out,
        answers.rows.join(",\n")
    );
    // Inside of JSON this letter stands in texts alone: no text can end the element, or begin a comment.
    let data = data.replace('<', "\\u003c");
    let summary = escaped(&head.summary);
    Ok(format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Bobbin report</title>
<style>{style}</style>
</head>
<body>
<div id="app"></div>
<noscript><p>This report needs JavaScript, which is off. Summary:</p><pre>{summary}</pre></noscript>
<script type="application/json" id="report">{data}</script>
<script>{script}</script>
</body>
</html>
"#
    ))
}

/// As a policy names what may run.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text)))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(summary: &str) -> Head {
        Head {
            bobbin: "0.1.0",
            written_micros: Micros(1),
            choice: Choice::default(),
            ids: vec![1],
            costs: vec![None],
            summary: summary.into(),
        }
    }

    const PAGE: Page = Page {
        script: "alert(1)",
        style: "p{}",
    };

    #[test]
    fn no_text_leaves_its_place() {
        let answers = Answers {
            rows: vec![r#"{"answer":"</script><!--<script>"}"#.into()],
            ..Answers::default()
        };
        let text = html(&PAGE, &head("</pre><img src=x>"), &answers).unwrap();
        assert_eq!(text.matches("</script>").count(), 2);
        assert!(!text.contains("<!--") && !text.contains("<img"));
        let (_, data) = text.split_once(r#"id="report">"#).unwrap();
        let (data, _) = data.split_once("</script>").unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["answers"][0]["answer"], "</script><!--<script>");
        // `openssl dgst -sha256 -binary | base64` of the script.
        assert!(text.contains("script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"));
    }

    #[test]
    fn a_page_that_would_end_early_is_refused() {
        let page = Page {
            script: "x='</SCRIPT>'",
            ..PAGE
        };
        assert!(html(&page, &head(""), &Answers::default()).is_err());
    }
}
