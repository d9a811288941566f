//! Finding functions: what a search means, and how much of a tree it finds.

use regex::{Regex, RegexBuilder};

use super::library::module;
use crate::query::{StackFrame, Tree};
use crate::{Error, Result};

/// Nodes that are told, for going from one to the next.
const KEYS: usize = 500;
/// Memory of one expression.
const EXPRESSION_BYTES: usize = 1 << 20;

/// Alternatives, each of terms that all must hold.
pub(crate) struct Search(Vec<Vec<Term>>);

struct Term {
    of: Of,
    not: bool,
    what: What,
}

#[derive(Clone, Copy)]
enum Of {
    Anything,
    Function,
    File,
    Module,
}

enum What {
    /// In lower case.
    Part(String),
    Expression(Regex),
}

impl Search {
    /// Reads what was typed; `None` if nothing was.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an expression that cannot be read.
    pub(crate) fn read(text: &str) -> Result<Option<Self>> {
        let mut alternatives = vec![Vec::new()];
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix(',') {
                alternatives.push(Vec::new());
                rest = after.trim_start();
                continue;
            }
            let (term, after) = Term::read(rest)?;
            if let (Some(term), Some(last)) = (term, alternatives.last_mut()) {
                last.push(term);
            }
            rest = after.trim_start();
        }
        alternatives.retain(|terms| !terms.is_empty());
        Ok((!alternatives.is_empty()).then_some(Self(alternatives)))
    }

    pub(crate) fn finds(&self, frame: &StackFrame) -> bool {
        let all = |terms: &Vec<Term>| terms.iter().all(|term| term.holds(frame));
        self.0.iter().any(all)
    }
}

impl Term {
    /// The first term of a text, and what comes after it.
    fn read(text: &str) -> Result<(Option<Self>, &str)> {
        let (not, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let fields = [
            ("fn:", Of::Function),
            ("file:", Of::File),
            ("mod:", Of::Module),
        ];
        let field = fields
            .iter()
            .find_map(|(name, of)| Some((*of, text.strip_prefix(name)?)));
        let (of, text) = field.unwrap_or((Of::Anything, text));
        // A path begins with a slash too: an expression has another one, at the end of a word.
        if let Some((expression, after)) = text.strip_prefix('/').and_then(expression) {
            let what = What::Expression(compiled(expression)?);
            return Ok((Some(Self { of, not, what }), after));
        }
        let (word, after) = match text.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => {
                let end = text.find([' ', '\t', ',']).unwrap_or(text.len());
                text.split_at(end)
            }
        };
        let what = What::Part(word.to_lowercase());
        Ok(((!word.is_empty()).then_some(Self { of, not, what }), after))
    }

    fn holds(&self, frame: &StackFrame) -> bool {
        let found = match self.of {
            Of::Anything => self.what.is_in(&frame.name) || self.what.is_in(&frame.file),
            Of::Function => self.what.is_in(&frame.name),
            Of::File => self.what.is_in(&frame.file),
            Of::Module => self.what.is_in(&module(&frame.file)),
        };
        found != self.not
    }
}

impl What {
    fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Part(part) => text.to_lowercase().contains(part),
            Self::Expression(expression) => expression.is_match(text),
        }
    }
}

/// Up to a slash that ends a word, and what comes after it.
fn expression(text: &str) -> Option<(&str, &str)> {
    let ends =
        |at: usize| text[at + 1..].is_empty() || text[at + 1..].starts_with([' ', '\t', ',']);
    let (end, _) = text
        .match_indices('/')
        .find(|&(at, _)| at > 0 && ends(at))?;
    Some((&text[..end], &text[end + 1..]))
}

/// The engine takes time linear in what is searched, whatever the expression.
fn compiled(expression: &str) -> Result<Regex> {
    RegexBuilder::new(expression)
        .case_insensitive(true)
        .size_limit(EXPRESSION_BYTES)
        .dfa_size_limit(EXPRESSION_BYTES)
        .build()
        .map_err(|error| {
            let reason = error.to_string();
            Error::Invalid {
                what: "search",
                value: format!("/{expression}/"),
                // What is wrong stands last, below a drawing of where.
                reason: reason
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .replace("error: ", ""),
            }
        })
}

/// What a search finds in one tree.
pub(crate) struct Matches {
    /// Of each function, whether it is found.
    pub(crate) frames: Vec<bool>,
    /// Distinct functions.
    pub(crate) functions: u64,
    /// Samples with one of them in their stack.
    pub(crate) total: u64,
    /// The lowest of each stack, from left to right.
    pub(crate) keys: Vec<u64>,
    /// How many nodes before each place are found.
    before: Vec<u32>,
}

impl Matches {
    pub(crate) fn find(tree: &Tree, search: &Search) -> Self {
        let frames: Vec<bool> = tree
            .frames
            .iter()
            .map(|frame| search.finds(frame))
            .collect();
        let mut before = Vec::with_capacity(tree.len() + 1);
        before.push(0);
        let mut found = Self {
            functions: 0,
            total: 0,
            keys: Vec::new(),
            before,
            frames,
        };
        let mut seen = vec![false; tree.frames.len()];
        let mut covered = 0;
        for at in 0..tree.len() {
            let frame = tree.frame_of[at] as usize;
            let here = found.frames.get(frame).copied().unwrap_or(false);
            found.before.push(found.before[at] + u32::from(here));
            if !here {
                continue;
            }
            found.functions += u64::from(!std::mem::replace(&mut seen[frame], true));
            if at >= covered {
                covered = tree.end[at] as usize;
                found.total = found.total.saturating_add(tree.total[at]);
                if found.keys.len() < KEYS {
                    found.keys.push(tree.keys[at]);
                }
            }
        }
        found
    }

    /// Whether the node is found.
    pub(crate) fn at(&self, node: usize) -> bool {
        self.before[node + 1] > self.before[node]
    }

    /// Whether something in the node's subtree is found.
    pub(crate) fn inside(&self, tree: &Tree, node: usize) -> bool {
        self.before[tree.end[node] as usize] > self.before[node]
    }
}
