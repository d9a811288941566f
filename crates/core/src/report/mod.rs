//! Reports: what a bundle of one cluster, or of the two of a comparison, tells, as one HTML file that opens anywhere, and as a
//! few lines of Markdown.
//!
//! A report holds the answers to the questions that its page asks, put to a store that holds that bundle and nothing else. So it
//! tells nothing that the bundle does not.

mod answers;
mod html;
mod markdown;
mod questions;

use crate::Result;
use serde_json::Value;

pub(crate) use answers::{Answers, answers};
pub(crate) use html::{Head, html};
pub(crate) use markdown::{Run, of_cluster, of_comparison};
pub(crate) use questions::{Told, of_comparison as comparison_questions, of_run as run_questions};

/// The page of a report, as it is built beside Bobbin's own: one script and one style.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub script: &'static str,
    pub style: &'static str,
}

/// Puts a question by its command's name, and gives the answer as JSON.
type Ask<'a> = dyn Fn(&str, &Value) -> Result<String> + 'a;
