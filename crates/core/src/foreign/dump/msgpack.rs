//! MessagePack, as far as dumps go: maps, lists, texts, numbers. What has a type of its own is refused, and bytes are passed over.

use super::tokens::{DEPTH, Room, TEXT_BYTES, Token, Tokens};
use crate::foreign::input::Input;
use crate::foreign::{Outcome, is};

const PIECE: usize = 16 << 10;

/// Reads tokens from a file.
pub(super) struct Msgpack<'a> {
    input: &'a mut Input,
    /// Values that are still to come in each map and list that is open.
    open: Vec<u64>,
    room: Room,
}

impl<'a> Msgpack<'a> {
    pub(super) fn new(input: &'a mut Input) -> Self {
        Self {
            input,
            open: Vec::new(),
            room: Room::default(),
        }
    }

    fn bytes<const N: usize>(&mut self) -> Outcome<[u8; N]> {
        let mut bytes = [0; N];
        self.input.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn begin(&mut self, token: Token, values: u64) -> Outcome<Token> {
        if self.open.len() == DEPTH {
            return is("it is nested deeper than a dump");
        }
        self.open.push(values);
        Ok(token)
    }

    /// Takes no more room than it has read, whatever length it was told.
    fn text(&mut self, length: u64) -> Outcome<Token> {
        let mut kept = Vec::new();
        self.run(length, &mut |piece| {
            let room = TEXT_BYTES.saturating_sub(kept.len());
            kept.extend_from_slice(&piece[..piece.len().min(room)]);
        })?;
        Ok(Token::Text(match String::from_utf8(kept) {
            Ok(text) => text,
            // Cut within a letter, or no text at all.
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }))
    }

    fn run(&mut self, length: u64, each: &mut dyn FnMut(&[u8])) -> Outcome<()> {
        // No longer than what is read: a dump has a million texts, most of them of a few letters.
        let mut piece = vec![0; length.min(PIECE as u64) as usize];
        let mut left = length;
        while left > 0 {
            let next = left.min(PIECE as u64) as usize;
            self.input.fill(&mut piece[..next])?;
            each(&piece[..next]);
            left -= next as u64;
        }
        Ok(())
    }

    fn binary(&mut self, length: u64) -> Outcome<Token> {
        self.run(length, &mut |_| {})?;
        Ok(Token::Bytes)
    }
}

impl Tokens for Msgpack<'_> {
    fn room(&mut self) -> &mut Room {
        &mut self.room
    }

    fn next(&mut self) -> Outcome<Token> {
        match self.open.last_mut() {
            Some(0) => {
                self.open.pop();
                return Ok(Token::End);
            }
            Some(left) => *left -= 1,
            None => {}
        }
        let [first] = self.bytes()?;
        match first {
            0x00..=0x7f => Ok(Token::Whole(first.into())),
            0x80..=0x8f => self.begin(Token::Map, 2 * u64::from(first & 0x0f)),
            0x90..=0x9f => self.begin(Token::List, u64::from(first & 0x0f)),
            0xa0..=0xbf => self.text(u64::from(first & 0x1f)),
            0xc0 => Ok(Token::Null),
            0xc2 => Ok(Token::Bool(false)),
            0xc3 => Ok(Token::Bool(true)),
            0xc4 => self
                .bytes::<1>()
                .map(u8::from_be_bytes)
                .and_then(|length| self.binary(length.into())),
            0xc5 => self
                .bytes()
                .map(u16::from_be_bytes)
                .and_then(|length| self.binary(length.into())),
            0xc6 => self
                .bytes()
                .map(u32::from_be_bytes)
                .and_then(|length| self.binary(length.into())),
            0xca => Ok(Token::Number(f32::from_be_bytes(self.bytes()?).into())),
            0xcb => Ok(Token::Number(f64::from_be_bytes(self.bytes()?))),
            0xcc => Ok(Token::Whole(u8::from_be_bytes(self.bytes()?).into())),
            0xcd => Ok(Token::Whole(u16::from_be_bytes(self.bytes()?).into())),
            0xce => Ok(Token::Whole(u32::from_be_bytes(self.bytes()?).into())),
            0xcf => {
                let number = u64::from_be_bytes(self.bytes()?);
                Ok(i64::try_from(number).map_or(Token::Number(number as f64), Token::Whole))
            }
            0xd0 => Ok(Token::Whole(i8::from_be_bytes(self.bytes()?).into())),
            0xd1 => Ok(Token::Whole(i16::from_be_bytes(self.bytes()?).into())),
            0xd2 => Ok(Token::Whole(i32::from_be_bytes(self.bytes()?).into())),
            0xd3 => Ok(Token::Whole(i64::from_be_bytes(self.bytes()?))),
            0xd9 => self
                .bytes::<1>()
                .map(u8::from_be_bytes)
                .and_then(|length| self.text(length.into())),
            0xda => self
                .bytes()
                .map(u16::from_be_bytes)
                .and_then(|length| self.text(length.into())),
            0xdb => self
                .bytes()
                .map(u32::from_be_bytes)
                .and_then(|length| self.text(length.into())),
            0xdc => self
                .bytes()
                .map(u16::from_be_bytes)
                .and_then(|items| self.begin(Token::List, items.into())),
            0xdd => self
                .bytes()
                .map(u32::from_be_bytes)
                .and_then(|items| self.begin(Token::List, items.into())),
            0xde => self
                .bytes()
                .map(u16::from_be_bytes)
                .and_then(|pairs| self.begin(Token::Map, 2 * u64::from(pairs))),
            0xdf => self
                .bytes()
                .map(u32::from_be_bytes)
                .and_then(|pairs| self.begin(Token::Map, 2 * u64::from(pairs))),
            0xe0..=0xff => Ok(Token::Whole((first as i8).into())),
            0xc1 | 0xc7..=0xc9 | 0xd4..=0xd8 => {
                is("it holds a value of a type that no dump has; Bobbin never opens such values")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_whole_up_to_what_is_kept_of_it() {
        for length in [0, 1, 300, PIECE, PIECE + 1, 3 * PIECE, TEXT_BYTES + 1] {
            let text: String = ('a'..='z').cycle().take(length).collect();
            let mut bytes = vec![0xdb];
            bytes.extend((length as u32).to_be_bytes());
            bytes.extend(text.as_bytes());
            bytes.push(0xc3);
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("file");
            std::fs::write(&path, bytes).unwrap();
            let mut input = Input::open(&path).unwrap();
            let mut tokens = Msgpack::new(&mut input);
            let kept = text[..length.min(TEXT_BYTES)].to_owned();
            assert_eq!(tokens.next().unwrap(), Token::Text(kept));
            // It ends where what follows begins.
            assert_eq!(tokens.next().unwrap(), Token::Bool(true));
        }
    }
}
