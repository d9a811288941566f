//! The trees of flame graphs, kept from one request to the next, and what was found out about each.

use std::sync::{Arc, Mutex, OnceLock};

use super::FlameAbout;
use super::kept::Kept;
use super::kept_lines::KeptLines;
use crate::insight::flame::{Both, Matches, Search};
use crate::lock::lock;
use crate::query::{CountedLines, ProfileRecord, Selected, StackFrame, Tree};
use crate::{Error, Result};

/// Memory of the trees that are kept.
const KEPT_BYTES: usize = 256 << 20;

/// Trees that are merged at the same time.
const AT_ONCE: usize = 4;

/// What flame graphs of one open Bobbin are made of.
#[derive(Default)]
pub(super) struct Trees {
    pub(super) kept: Kept<String, Held, KEPT_BYTES>,
    /// One of each name is merged at a time: two questions about the same come together.
    merging: [Mutex<()>; AT_ONCE],
    lines: KeptLines,
}

/// One tree, and what was found out about it.
pub(super) struct Held {
    pub(super) tree: Tree,
    pub(super) counts: OnceLock<Vec<(u64, u64)>>,
    /// Of a tree that was merged with lines, as far as they were counted.
    pub(super) lines: CountedLines,
    /// The last search.
    pub(super) found: Mutex<Option<(String, Arc<Matches>)>>,
    /// Of a merged tree; none of one made from it.
    pub(super) made: Option<Made>,
    /// Of two trees over each other.
    pub(super) both: Option<Both>,
    /// Whether there was more than fits.
    pub(super) truncated: bool,
    /// What each of the changes by which it was made is about, by name.
    pub(super) transformed: Vec<Option<String>>,
}

/// What a tree was merged from.
pub(super) struct Made {
    pub(super) about: FlameAbout,
    pub(super) selected: Selected,
    /// What its clusters said is off.
    pub(super) off: String,
    /// Whether samples were counted by line, too.
    pub(super) with_lines: bool,
    /// If all of it is in the tree, as finely as it was told.
    pub(super) whole: Option<Whole>,
}

/// All that is in a tree.
pub(super) struct Whole {
    /// The newest first.
    pub(super) records: Vec<ProfileRecord>,
    /// Those of each record.
    pub(super) stacks: usize,
}

impl Trees {
    pub(super) fn lines(&self) -> &KeptLines {
        &self.lines
    }

    /// The tree of this name, kept or made.
    pub(super) fn find_or_make(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<Held>,
    ) -> Result<Arc<Held>> {
        if let Some(held) = self.kept.find(name) {
            return Ok(held);
        }
        let place = name.bytes().next().map_or(0, usize::from) % AT_ONCE;
        let _one = lock(&self.merging[place]);
        if let Some(held) = self.kept.find(name) {
            return Ok(held);
        }
        let held = make()?;
        Ok(self.kept.keep(name.to_owned(), held.bytes(), held))
    }
}

impl Held {
    pub(super) fn new(tree: Tree, made: Option<Made>) -> Self {
        Self {
            tree,
            counts: OnceLock::new(),
            lines: CountedLines::default(),
            found: Mutex::default(),
            made,
            both: None,
            truncated: false,
            transformed: Vec::new(),
        }
    }

    /// What it was merged from, but for what is told anew with each answer.
    pub(super) fn about(&self) -> Result<&FlameAbout> {
        self.made
            .as_ref()
            .map(|made| &made.about)
            .ok_or_else(|| Error::NotFound {
                kind: "profile",
                id: "of this name".into(),
            })
    }

    fn bytes(&self) -> usize {
        let counts = self.tree.frames.len() * 16;
        let made = self.made.as_ref().map_or(0, Made::bytes);
        let both = self.both.as_ref().map_or(0, Both::bytes);
        self.tree.bytes() + counts + self.lines.bytes() + made + both
    }

    pub(super) fn samples(&self) -> Result<u64> {
        Ok(self.about()?.samples)
    }

    pub(super) fn functions(&self) -> impl Iterator<Item = (&StackFrame, (u64, u64))> {
        self.tree.frames.iter().zip(self.counts().iter().copied())
    }

    pub(super) fn counted_lines(&self) -> &CountedLines {
        &self.lines
    }

    pub(super) fn counts(&self) -> &[(u64, u64)] {
        self.counts.get_or_init(|| self.tree.functions())
    }

    pub(super) fn matches(&self, text: &str, search: &Search) -> Arc<Matches> {
        let mut found = lock(&self.found);
        if let Some((known, matches)) = &*found
            && known == text
        {
            return Arc::clone(matches);
        }
        let matches = Arc::new(Matches::find(&self.tree, search));
        *found = Some((text.to_owned(), Arc::clone(&matches)));
        matches
    }
}

impl Made {
    fn bytes(&self) -> usize {
        let whole = self.whole.as_ref();
        whole.map_or(0, |whole| size_of_val(&*whole.records))
    }
}
