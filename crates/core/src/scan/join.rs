//! Literals side by side are one text to Python: `'abc' 'def'`, `'abc' + 'def'`.

use std::ops::Range;

/// A text with its literals joined, and where each piece of it stood.
pub(super) struct Joined {
    pub(super) text: String,
    /// Where pieces begin: in the joined text, and in the one before.
    pieces: Vec<(usize, usize)>,
}

impl Joined {
    /// Where something stood before: from the piece that it begins in to the one that it ends in. None where it lies in one.
    pub(super) fn range(&self, at: Range<usize>) -> Option<Range<usize>> {
        let piece = |place: usize| {
            self.pieces
                .partition_point(|(joined, _)| *joined <= place)
                .checked_sub(1)
        };
        let (first, last) = (piece(at.start)?, piece(at.end.checked_sub(1)?)?);
        if first == last {
            return None;
        }
        let before = |piece: usize, place: usize| {
            self.pieces
                .get(piece)
                .map(|(joined, before)| before + (place - joined))
        };
        Some(before(first, at.start)?..before(last, at.end - 1)? + 1)
    }
}

/// None where there are no two literals side by side.
pub(super) fn joined(text: &str) -> Option<Joined> {
    let bytes = text.as_bytes();
    let mut joined = Joined {
        text: String::new(),
        pieces: vec![(0, 0)],
    };
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        if let Some(length) = matches!(bytes[at], b'"' | b'\'')
            .then(|| seam(bytes, at))
            .flatten()
        {
            joined.text.push_str(&text[from..at]);
            from = at + length;
            at = from;
            joined.pieces.push((joined.text.len(), from));
        } else {
            at += 1;
        }
    }
    if joined.pieces.len() == 1 {
        return None;
    }
    joined.text.push_str(&text[from..]);
    Some(joined)
}

/// The length of the seam between two literals that begins with the quote at `at`.
fn seam(bytes: &[u8], at: usize) -> Option<usize> {
    const MOST: usize = 120;
    let quote = bytes[at];
    let mut plus = false;
    let mut blank = false;
    let end = bytes.len().min(at + MOST);
    let mut next = at + 1;
    while next < end {
        match bytes[next] {
            b' ' | b'\t' | b'\n' | b'\r' => blank = true,
            b'\\' if bytes.get(next + 1) == Some(&b'\n') => {}
            b'+' if !plus => plus = true,
            byte if byte == quote => return (plus || blank).then_some(next + 1 - at),
            _ => return None,
        }
        next += 1;
    }
    None
}
