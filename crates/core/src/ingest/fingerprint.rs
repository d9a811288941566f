//! What stays of code when its looks are taken away, so that the same computation is recognised again.
//!
//! Comments, blank space, line breaks inside brackets, docstrings and the contents of every string and number go; names,
//! operators and the order of statements stay, and so does which statement made the call. So a new date in a path, a
//! formatter or a remark makes no new computation; another function, column attribute or order of steps does.
//!
//! Only the innermost frame counts: how many frames are sent is the client's choice, and may change between runs.

use crate::seal::FingerprintKey;
use crate::wire::CodeFrame;

/// The fingerprint of the code that started a computation; `None` without code.
pub(super) fn fingerprint(key: &FingerprintKey, frames: &[CodeFrame]) -> Option<[u8; 16]> {
    let frame = frames.last()?;
    Some(key.fingerprint(&normalised(&frame.code, frame.line_relative)))
}

/// The code as a line for each statement, its tokens parted by blanks, and the statement that has `line` (from 0) marked.
fn normalised(code: &str, line: Option<u32>) -> String {
    let mut statements = Statements::default();
    for token in Tokens::new(code) {
        statements.take(token, line);
    }
    statements.end();
    statements.text
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece<'a> {
    /// A name or an operator's letter.
    Word(&'a str),
    Text,
    Number,
    LineBreak,
}

struct Token<'a> {
    piece: Piece<'a>,
    /// From 0.
    line: u32,
}

/// Statements as they are written down.
#[derive(Default)]
struct Statements {
    text: String,
    tokens: Vec<String>,
    /// Open brackets: a line break inside them ends nothing.
    depth: usize,
    called: bool,
}

impl Statements {
    fn take(&mut self, token: Token<'_>, line: Option<u32>) {
        if Some(token.line) == line && token.piece != Piece::LineBreak {
            self.called = true;
        }
        match token.piece {
            Piece::LineBreak if self.depth == 0 => self.end(),
            Piece::LineBreak => {}
            Piece::Word(word) => {
                match word {
                    "(" | "[" | "{" => self.depth += 1,
                    ")" | "]" | "}" => {
                        self.depth = self.depth.saturating_sub(1);
                        // A formatter puts it there, and takes it away.
                        if self.tokens.last().is_some_and(|last| last == ",") {
                            self.tokens.pop();
                        }
                    }
                    _ => {}
                }
                self.tokens.push(word.to_owned());
            }
            // Texts side by side are one.
            Piece::Text if self.tokens.last().is_some_and(|last| last == "\"") => {}
            Piece::Text => self.tokens.push("\"".into()),
            Piece::Number => self.tokens.push("0".into()),
        }
    }

    fn end(&mut self) {
        // A statement that is a text is a docstring.
        if !self.tokens.is_empty() && self.tokens != ["\""] {
            if self.called {
                self.text.push('>');
            }
            self.text += &self.tokens.join(" ");
            self.text.push('\n');
        }
        self.tokens.clear();
        self.called = false;
    }
}

/// Python's tokens, as far as they are needed: it need not be right for what Python would refuse, only the same each time.
struct Tokens<'a> {
    rest: &'a str,
    line: u32,
}

impl<'a> Tokens<'a> {
    fn new(code: &'a str) -> Self {
        Self {
            rest: code,
            line: 0,
        }
    }

    /// Cuts `bytes` off the rest.
    fn cut(&mut self, bytes: usize) -> &'a str {
        let (token, rest) = self.rest.split_at(bytes);
        self.line += token.matches('\n').count() as u32;
        self.rest = rest;
        token
    }

    /// Length of a text with its prefix, if one begins here.
    fn text(&self) -> Option<usize> {
        let prefix = self
            .rest
            .find(|letter: char| !letter.is_ascii_alphabetic())
            .filter(|prefix| *prefix <= 2)?;
        let (word, quoted) = self.rest.split_at(prefix);
        if !word.chars().all(|letter| "rRbBuUfFtT".contains(letter)) {
            return None;
        }
        let quote = quoted
            .chars()
            .next()
            .filter(|quote| matches!(quote, '"' | '\''))?;
        let three: String = std::iter::repeat_n(quote, 3).collect();
        let (begin, end) = match quoted.starts_with(&three) {
            true => (3, three.as_str()),
            false => (1, &three[..1]),
        };
        let mut at = begin;
        while at < quoted.len() {
            let rest = &quoted[at..];
            if rest.starts_with(end) {
                return Some(prefix + at + end.len());
            }
            // A text in single quotes ends with its line, whether it is closed or not.
            if begin == 1 && rest.starts_with('\n') {
                return Some(prefix + at);
            }
            let mut letters = rest.chars();
            let escaped = letters.next() == Some('\\');
            at += rest.chars().next().map_or(1, char::len_utf8);
            if escaped {
                at += letters.next().map_or(0, char::len_utf8);
            }
        }
        Some(self.rest.len())
    }

    fn word(&self) -> usize {
        self.rest
            .find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            .unwrap_or(self.rest.len())
    }

    /// Length of a number: `1_000`, `0xff`, `1.5e-3`, `2j`.
    fn number(&self) -> usize {
        let mut before = '0';
        self.rest
            .find(|letter: char| {
                let sign = matches!(letter, '+' | '-') && matches!(before, 'e' | 'E');
                before = letter;
                !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.') || sign)
            })
            .unwrap_or(self.rest.len())
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let first = self.rest.chars().next()?;
            let line = self.line;
            let token = |piece| Some(Token { piece, line });
            if let Some(length) = self.text() {
                self.cut(length);
                return token(Piece::Text);
            }
            match first {
                '\n' => {
                    self.cut(1);
                    return token(Piece::LineBreak);
                }
                '#' => {
                    self.cut(self.rest.find('\n').unwrap_or(self.rest.len()));
                }
                '\\' if self.rest[1..].starts_with('\n') => {
                    self.cut(2);
                }
                '0'..='9' => {
                    self.cut(self.number());
                    return token(Piece::Number);
                }
                '.' if self.rest[1..].starts_with(|letter: char| letter.is_ascii_digit()) => {
                    self.cut(self.number());
                    return token(Piece::Number);
                }
                _ if first.is_whitespace() => {
                    self.cut(first.len_utf8());
                }
                _ if first.is_alphabetic() || first == '_' => {
                    let length = self.word();
                    return token(Piece::Word(self.cut(length)));
                }
                _ => return token(Piece::Word(self.cut(first.len_utf8()))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn same(one: &str, two: &str) -> bool {
        normalised(one, None) == normalised(two, None)
    }

    const CODE: &str = "def nightly(day):\n    df = dd.read_parquet(f\"s3://lake/{day}\")\n    return df.groupby('a').sum().compute()\n";

    #[test]
    fn the_looks_of_code_do_not_count() {
        assert!(same(
            CODE,
            "def nightly(  day ):\n  \"\"\"Every night.\n\n  With # in it.\"\"\"\n  # a remark\n  df = dd.read_parquet(\n     f'''s3://pond/{day}''',  # there\n  )\n\n  return df.groupby(\"b\") \\\n    .sum().compute()",
        ));
        assert!(same("x = 1_000 + .5", "x = 0x1F + 1e-9"));
        assert!(same("f('a' \"b\")", "f('a')"));
    }

    #[test]
    fn what_code_does_counts() {
        for other in [
            "df.groupby('a').mean()",
            "ef.groupby('a').sum()",
            "df.groupby('a', 1).sum()",
            "df.groupby(a).sum()",
        ] {
            assert!(!same("df.groupby('a').sum()", other), "{other}");
        }
        assert!(!same("a = 1\nb = 2", "b = 2\na = 1"));
        assert!(!same("a\nb", "a b"));
    }

    #[test]
    fn the_statement_that_calls_is_marked_wherever_a_formatter_breaks_it() {
        let one = "a = x.compute()\nb = x.compute()\n";
        assert_ne!(normalised(one, Some(0)), normalised(one, Some(1)));
        let broken = "# first\na = x.compute()\n\nb = (\n    x.compute(\n    ),\n)\n";
        let whole = "a = x.compute()\nb = (x.compute(),)\n";
        assert_eq!(normalised(broken, Some(4)), normalised(whole, Some(1)));
    }

    #[test]
    fn only_the_innermost_frame_counts() {
        let dir = tempfile::tempdir().unwrap();
        let key = FingerprintKey::load_or_make(dir.path()).unwrap();
        let frame = |code: &str| CodeFrame {
            code: code.into(),
            filename: Some("/tmp/ipykernel_1/2.py".into()),
            line_relative: Some(0),
            line: Some(7),
        };
        let deep = fingerprint(&key, &[frame("main()"), frame("x.compute()")]);
        let moved = CodeFrame {
            filename: None,
            line: None,
            ..frame("x.compute()")
        };
        assert_eq!(deep, fingerprint(&key, &[moved]));
        assert_ne!(deep, fingerprint(&key, &[frame("main()")]));
        assert_eq!(fingerprint(&key, &[]), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_to_its_end(code in "(?s).{0,200}", line in proptest::option::of(0u32..9)) {
            normalised(&code, line);
        }

        #[test]
        fn literals_leave_no_trace(secret in "[a-z]{6,12}", number in 1000u32..) {
            let code = format!("f(g, '{secret}', f\"x{{{secret}}}\", {number}) # {secret}");
            let text = normalised(&code, None);
            prop_assert!(!text.contains(&secret) && !text.contains(&number.to_string()));
        }
    }
}
