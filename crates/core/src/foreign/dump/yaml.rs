//! YAML, as far as dumps go: no anchors, no aliases and no tags, of which Dask writes none.

use yaml_rust2::parser::{Event, Parser, Tag};
use yaml_rust2::scanner::TScalarStyle;

use super::tokens::{DEPTH, Room, TEXT_BYTES, Token, Tokens};
use crate::foreign::{Outcome, Wrong, is};

/// Reads tokens from a text.
pub(super) struct Yaml<'a> {
    parser: Parser<std::str::Chars<'a>>,
    depth: usize,
    room: Room,
}

impl<'a> Yaml<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            parser: Parser::new(text.chars()),
            depth: 0,
            room: Room::default(),
        }
    }

    /// Fails unless nothing follows.
    pub(super) fn end(&mut self) -> Outcome<()> {
        match self.event()? {
            Event::DocumentEnd => {}
            _ => return is("it contains more than one dump"),
        }
        match self.event()? {
            Event::StreamEnd => Ok(()),
            _ => is("it contains more than one dump"),
        }
    }

    fn event(&mut self) -> Outcome<Event> {
        match self.parser.next_token() {
            Ok((event, _)) => Ok(event),
            Err(error) => Err(Wrong::Is(format!(
                "it is not valid YAML (line {})",
                error.marker().line()
            ))),
        }
    }

    fn begin(&mut self, token: Token, anchor: usize, tag: Option<&Tag>) -> Outcome<Token> {
        plain(anchor, tag)?;
        if self.depth == DEPTH {
            return is("it is nested deeper than a dump");
        }
        self.depth += 1;
        Ok(token)
    }
}

/// A tag may name a class to be made, and an anchor may stand for any amount.
fn plain(anchor: usize, tag: Option<&Tag>) -> Outcome<()> {
    if anchor != 0 {
        return is("it holds an anchor, which no dump has");
    }
    match tag {
        Some(_) => is("it holds a value of a type that no dump has; Bobbin never creates such values"),
        None => Ok(()),
    }
}

impl Tokens for Yaml<'_> {
    fn room(&mut self) -> &mut Room {
        &mut self.room
    }

    fn next(&mut self) -> Outcome<Token> {
        loop {
            return match self.event()? {
                Event::StreamStart | Event::DocumentStart | Event::Nothing => continue,
                Event::StreamEnd | Event::DocumentEnd => is("it is cut off: its end is missing"),
                Event::Alias(_) => is("it holds an alias, which no dump has"),
                Event::MappingStart(anchor, tag) => self.begin(Token::Map, anchor, tag.as_ref()),
                Event::SequenceStart(anchor, tag) => self.begin(Token::List, anchor, tag.as_ref()),
                Event::MappingEnd | Event::SequenceEnd => {
                    self.depth = self.depth.saturating_sub(1);
                    Ok(Token::End)
                }
                Event::Scalar(text, style, anchor, tag) => {
                    plain(anchor, tag.as_ref())?;
                    Ok(match style {
                        TScalarStyle::Plain => scalar(text),
                        _ => Token::Text(cut(text)),
                    })
                }
            };
        }
    }
}

fn cut(mut text: String) -> String {
    if text.len() > TEXT_BYTES {
        text.truncate(text.floor_char_boundary(TEXT_BYTES));
    }
    text
}

/// A value without quotes, by the words that Python's writer uses.
fn scalar(text: String) -> Token {
    match text.as_str() {
        "" | "~" | "null" => return Token::Null,
        "true" => return Token::Bool(true),
        "false" => return Token::Bool(false),
        ".nan" | ".inf" | "-.inf" => return Token::Number(f64::NAN),
        _ => {}
    }
    let number = text
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    if number {
        if let Ok(whole) = text.parse() {
            return Token::Whole(whole);
        }
        if let Ok(number) = text.parse() {
            return Token::Number(number);
        }
    }
    Token::Text(cut(text))
}
