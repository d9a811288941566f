//! The code of two runs, line by line.

use super::Side;
use crate::query::types::{CodeComparison, ComputationCode, DiffLine, Frame, SnippetDifference};

/// Pairs of lines that one comparison looks at, over all pieces of code; what goes beyond is told as replaced. A piece of
/// 2,000 lines that all changed is within it.
const PAIRS: usize = 8_000_000;

/// What differs in the code that called. Each piece counts once, however often it ran.
pub(super) fn compare(a: &Side, b: &Side) -> CodeComparison {
    let locked = |side: &Side| side.code.contains(&ComputationCode::Locked);
    if locked(a) || locked(b) {
        return CodeComparison::Locked {
            same: codes(a) == codes(b),
        };
    }
    let (of_a, of_b) = (snippets(a), snippets(b));
    if of_a.is_empty() || of_b.is_empty() {
        return CodeComparison::Missing {
            both: of_a.is_empty() && of_b.is_empty(),
            b: of_b.is_empty(),
        };
    }
    let only = |these: &[&Frame], those: &[&Frame]| -> Vec<Frame> {
        let other = these
            .iter()
            .filter(|one| those.iter().all(|two| two.code != one.code));
        other.map(|frame| (*frame).clone()).collect()
    };
    let (mut left, right) = (only(&of_a, &of_b), only(&of_b, &of_a));
    if left.is_empty() && right.is_empty() {
        return CodeComparison::Same {
            snippets: of_a.len() as u64,
        };
    }
    let (mut snippets, mut pairs) = (Vec::new(), PAIRS);
    for frame in right {
        // The one that begins alike, else the next in order.
        let first = frame.code.lines().next();
        let alike = left
            .iter()
            .position(|other| other.code.lines().next() == first);
        let other = match alike {
            Some(at) => Some(left.remove(at)),
            None if left.is_empty() => None,
            None => Some(left.remove(0)),
        };
        let before = other.as_ref().map_or("", |other| &other.code);
        snippets.push(SnippetDifference {
            filename: frame.filename,
            ..difference(before, &frame.code, &mut pairs)
        });
    }
    for frame in left {
        snippets.push(SnippetDifference {
            filename: frame.filename,
            ..difference(&frame.code, "", &mut pairs)
        });
    }
    CodeComparison::Different { snippets }
}

/// The calling frames, each text once, oldest first.
fn snippets(side: &Side) -> Vec<&Frame> {
    let mut found = Vec::<&Frame>::new();
    for code in &side.code {
        if let ComputationCode::Frames { frames } = code
            && let Some(frame) = frames.last()
            && found.iter().all(|other| other.code != frame.code)
        {
            found.push(frame);
        }
    }
    found
}

fn codes(side: &Side) -> Vec<&Option<Vec<u8>>> {
    let mut codes: Vec<_> = side.fingerprints.iter().map(|(code, _)| code).collect();
    codes.sort();
    codes.dedup();
    codes
}

/// The lines of both texts in order, with a longest common subsequence of them told once. `pairs` is how many of their
/// lines may still be looked at.
fn difference(a: &str, b: &str, pairs: &mut usize) -> SnippetDifference {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
    let head = a.iter().zip(&b).take_while(|(one, two)| one == two).count();
    let tail = a[head..]
        .iter()
        .rev()
        .zip(b[head..].iter().rev())
        .take_while(|(one, two)| one == two)
        .count();
    let mut told = Told {
        a: &a,
        b: &b,
        lines: Vec::new(),
    };
    for at in 0..head {
        told.both(at, at);
    }
    let (end_a, end_b) = (a.len() - tail, b.len() - tail);
    let left = pairs.checked_sub((end_a - head).saturating_mul(end_b - head));
    if let Some(left) = left {
        *pairs = left;
        told.middle(head, end_a, end_b);
    } else {
        (head..end_a).for_each(|at| told.only_a(at));
        (head..end_b).for_each(|at| told.only_b(at));
    }
    for back in (0..tail).rev() {
        told.both(a.len() - 1 - back, b.len() - 1 - back);
    }
    SnippetDifference {
        filename: None,
        lines: told.lines,
        replaced_whole: left.is_none(),
    }
}

struct Told<'a> {
    a: &'a [&'a str],
    b: &'a [&'a str],
    lines: Vec<DiffLine>,
}

impl Told<'_> {
    fn line(&mut self, a: Option<usize>, b: Option<usize>) {
        let number = |at: usize| at as u32 + 1;
        let text = a.map_or_else(|| b.map_or("", |b| self.b[b]), |a| self.a[a]);
        self.lines.push(DiffLine {
            a: a.map(number),
            b: b.map(number),
            text: text.to_owned(),
        });
    }

    fn both(&mut self, a: usize, b: usize) {
        self.line(Some(a), Some(b));
    }

    fn only_a(&mut self, a: usize) {
        self.line(Some(a), None);
    }

    fn only_b(&mut self, b: usize) {
        self.line(None, Some(b));
    }

    /// By the lengths of the longest common subsequences of what follows each pair of lines.
    fn middle(&mut self, head: usize, end_a: usize, end_b: usize) {
        let (n, m) = (end_a - head, end_b - head);
        let mut longest = vec![0u16; (n + 1) * (m + 1)];
        let at = |i: usize, j: usize| i * (m + 1) + j;
        for i in (0..n).rev() {
            for j in (0..m).rev() {
                longest[at(i, j)] = if self.a[head + i] == self.b[head + j] {
                    longest[at(i + 1, j + 1)] + 1
                } else {
                    longest[at(i + 1, j)].max(longest[at(i, j + 1)])
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < n || j < m {
            if i < n && j < m && self.a[head + i] == self.b[head + j] {
                self.both(head + i, head + j);
                (i, j) = (i + 1, j + 1);
            } else if j == m || (i < n && longest[at(i + 1, j)] >= longest[at(i, j + 1)]) {
                self.only_a(head + i);
                i += 1;
            } else {
                self.only_b(head + j);
                j += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn lines(a: &str, b: &str) -> Vec<DiffLine> {
        let mut pairs = PAIRS;
        difference(a, b, &mut pairs).lines
    }

    fn drawn(lines: &[DiffLine]) -> Vec<String> {
        let mark = |line: &DiffLine| match (line.a, line.b) {
            (Some(_), None) => '-',
            (None, _) => '+',
            _ => ' ',
        };
        lines
            .iter()
            .map(|line| format!("{}{}", mark(line), line.text))
            .collect()
    }

    #[test]
    fn a_changed_line_is_taken_away_and_put() {
        let told = lines(
            "def f():\n    a = 1\n    return a\n",
            "def f():\n    a = 2\n    b = 3\n    return a\n",
        );
        assert_eq!(
            drawn(&told),
            [
                " def f():",
                "-    a = 1",
                "+    a = 2",
                "+    b = 3",
                "     return a"
            ]
        );
        assert_eq!((told[4].a, told[4].b), (Some(3), Some(4)));
        assert_eq!(drawn(&lines("", "x")), ["+x"]);
    }

    #[test]
    fn beyond_so_many_pairs_of_lines_code_is_told_as_replaced() {
        let (one, two) = ("head\na\nb\nc\ntail", "head\nb\nd\ntail");
        let mut pairs = 8;
        let told = difference(one, two, &mut pairs);
        assert_eq!((told.replaced_whole, pairs), (false, 2));
        assert_eq!(
            drawn(&told.lines),
            [" head", "-a", " b", "-c", "+d", " tail"]
        );
        let told = difference(one, two, &mut pairs);
        assert_eq!((told.replaced_whole, pairs), (true, 2));
        assert_eq!(
            drawn(&told.lines),
            [" head", "-a", "-b", "-c", "+b", "+d", " tail"]
        );
        // What has nothing beside it needs none.
        assert!(!difference("a\nb", "", &mut 0).replaced_whole);
    }

    fn text() -> impl Strategy<Value = String> {
        vec("[a-c]", 0..30).prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_from_the_difference(a in text(), b in text()) {
            let told = lines(&a, &b);
            let side = |number: fn(&DiffLine) -> Option<u32>| -> Vec<&str> {
                told.iter().filter(|line| number(line).is_some()).map(|line| line.text.as_str()).collect()
            };
            prop_assert_eq!(side(|line| line.a), a.lines().collect::<Vec<_>>());
            prop_assert_eq!(side(|line| line.b), b.lines().collect::<Vec<_>>());
        }
    }
}
