//! A dump as a stream of tokens, of whichever format it is: so a dump of gigabytes is never here whole.

use serde_json::{Map, Value};

use crate::foreign::{Outcome, Wrong, is};

/// Maps and lists in one another. Dask's dumps have a dozen.
pub(super) const DEPTH: usize = 64;
/// A text is kept up to this length.
pub(super) const TEXT_BYTES: usize = 256 << 10;
/// Values of one task, group or worker that are looked at together.
const VALUES: usize = 200_000;
/// Values that are kept of one dump, and the bytes of their texts. 100,000 groups and 50,000 workers are less.
const KEPT: usize = 8_000_000;
const KEPT_BYTES: usize = 256 << 20;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Map,
    List,
    /// Of the map or list that began last.
    End,
    Text(String),
    Whole(i64),
    Number(f64),
    Bool(bool),
    Null,
    /// What no text is: never opened, never kept.
    Bytes,
}

/// What may still be kept of a dump.
#[derive(Clone, Copy)]
pub(super) struct Room {
    values: usize,
    bytes: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            values: KEPT,
            bytes: KEPT_BYTES,
        }
    }
}

impl Room {
    /// For one value with so much text.
    pub(super) fn one(&mut self, bytes: usize) -> Outcome<()> {
        let left = Option::zip(self.values.checked_sub(1), self.bytes.checked_sub(bytes));
        let Some((values, bytes)) = left else {
            return is("it holds more values, or longer text, than Bobbin keeps of one dump");
        };
        *self = Self { values, bytes };
        Ok(())
    }

    /// For a value and all that is in it.
    pub(super) fn take(&mut self, value: &Value) -> Outcome<()> {
        match value {
            Value::Object(fields) => {
                self.one(0)?;
                for (key, value) in fields {
                    self.one(key.len())?;
                    self.take(value)?;
                }
                Ok(())
            }
            Value::Array(items) => {
                self.one(0)?;
                items.iter().try_for_each(|item| self.take(item))
            }
            Value::String(text) => self.one(text.len()),
            _ => self.one(0),
        }
    }

    /// For what is not kept any longer.
    pub(super) fn give_back(&mut self, value: &Value) {
        let mut whole = Self {
            values: usize::MAX,
            bytes: usize::MAX,
        };
        // There is room for whatever is here already.
        let _ = whole.take(value);
        self.values += usize::MAX - whole.values;
        self.bytes += usize::MAX - whole.bytes;
    }
}

/// A format.
pub(super) trait Tokens {
    /// What may still be kept of it.
    fn room(&mut self) -> &mut Room;

    /// The next token. Maps and lists are closed by [`Token::End`], and are at most [`DEPTH`] deep.
    fn next(&mut self) -> Outcome<Token>;
}

/// Ends a map: its next key, or none.
fn key(tokens: &mut dyn Tokens) -> Outcome<Option<String>> {
    Ok(Some(match tokens.next()? {
        Token::End => return Ok(None),
        Token::Text(text) => text,
        Token::Whole(number) => number.to_string(),
        Token::Number(number) => number.to_string(),
        Token::Bool(one) => one.to_string(),
        Token::Null => "null".into(),
        Token::Bytes => String::new(),
        compound @ (Token::Map | Token::List) => {
            value_of(tokens, compound, &mut { VALUES })?.to_string()
        }
    }))
}

/// Calls `each` with every key of a map that has begun; it must read the value.
pub(super) fn entries(
    tokens: &mut dyn Tokens,
    each: &mut dyn FnMut(&mut dyn Tokens, String) -> Outcome<()>,
) -> Outcome<()> {
    while let Some(key) = key(tokens)? {
        each(tokens, key)?;
    }
    Ok(())
}

/// The same for a value that should be a map; whether it was one. Another one is passed over.
pub(super) fn map(
    tokens: &mut dyn Tokens,
    each: &mut dyn FnMut(&mut dyn Tokens, String) -> Outcome<()>,
) -> Outcome<bool> {
    match tokens.next()? {
        Token::Map => entries(tokens, each).map(|()| true),
        other => pass(tokens, &other).map(|()| false),
    }
}

/// Calls `each` with every item of what should be a list; whether it was one. Of the room it must take what it keeps of an item.
pub(super) fn list(
    tokens: &mut dyn Tokens,
    each: &mut dyn FnMut(&mut Room, Value) -> Outcome<()>,
) -> Outcome<bool> {
    match tokens.next()? {
        Token::List => loop {
            match tokens.next()? {
                Token::End => return Ok(true),
                token => {
                    let before = *tokens.room();
                    let item = value_of(tokens, token, &mut { VALUES })?;
                    *tokens.room() = before;
                    each(tokens.room(), item)?;
                }
            }
        },
        other => pass(tokens, &other).map(|()| false),
    }
}

/// Reads over the next value.
pub(super) fn skip(tokens: &mut dyn Tokens) -> Outcome<()> {
    let token = tokens.next()?;
    pass(tokens, &token)
}

/// Reads over what began with this token.
fn pass(tokens: &mut dyn Tokens, first: &Token) -> Outcome<()> {
    let mut open = match first {
        Token::Map | Token::List => 1,
        Token::End => return is("a map in it has a key without a value"),
        _ => return Ok(()),
    };
    while open > 0 {
        match tokens.next()? {
            Token::Map | Token::List => open += 1,
            Token::End => open -= 1,
            _ => {}
        }
    }
    Ok(())
}

/// The next value.
pub(super) fn value(tokens: &mut dyn Tokens) -> Outcome<Value> {
    let token = tokens.next()?;
    value_of(tokens, token, &mut { VALUES })
}

/// The next value, of which only these fields are kept where it is a map; of `counted` how many there are in them.
pub(super) fn fields(
    tokens: &mut dyn Tokens,
    kept: &[&str],
    counted: &[&str],
) -> Outcome<Map<String, Value>> {
    let mut found = Map::new();
    map(tokens, &mut |tokens, key| {
        if kept.contains(&key.as_str()) {
            found.insert(key, value(tokens)?);
        } else if counted.contains(&key.as_str()) {
            found.insert(key, count(tokens)?.into());
        } else {
            skip(tokens)?;
        }
        Ok(())
    })?;
    Ok(found)
}

/// How many items the next value has.
fn count(tokens: &mut dyn Tokens) -> Outcome<u64> {
    let mut items = 0;
    match tokens.next()? {
        Token::Map => entries(tokens, &mut |tokens, _| {
            items += 1;
            skip(tokens)
        })?,
        Token::List => loop {
            match tokens.next()? {
                Token::End => break,
                token => pass(tokens, &token)?,
            }
            items += 1;
        },
        other => pass(tokens, &other)?,
    }
    Ok(items)
}

/// Of one entry at most so many, of all that are kept as many as there is room for. As deep as tokens may be, so the machine's own
/// stack is enough.
fn value_of(tokens: &mut dyn Tokens, token: Token, most: &mut usize) -> Outcome<Value> {
    *most = most
        .checked_sub(1)
        .ok_or_else(|| Wrong::Is("one of its entries holds more values than Bobbin reads".into()))?;
    tokens.room().one(match &token {
        Token::Text(text) => text.len(),
        _ => 0,
    })?;
    Ok(match token {
        Token::Map => {
            let mut fields = Map::new();
            while let Some(key) = key(tokens)? {
                tokens.room().one(key.len())?;
                let token = tokens.next()?;
                fields.insert(key, value_of(tokens, token, most)?);
            }
            Value::Object(fields)
        }
        Token::List => {
            let mut items = Vec::new();
            loop {
                match tokens.next()? {
                    Token::End => break Value::Array(items),
                    token => items.push(value_of(tokens, token, most)?),
                }
            }
        }
        Token::End => return is("a map in it has a key without a value"),
        Token::Text(text) => Value::String(text),
        Token::Whole(number) => number.into(),
        // Infinities are no numbers of JSON.
        Token::Number(number) => {
            serde_json::Number::from_f64(number).map_or(Value::Null, Value::Number)
        }
        Token::Bool(one) => Value::Bool(one),
        Token::Null | Token::Bytes => Value::Null,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn room_is_taken_and_given_back_for_all_that_a_value_holds() {
        let mut room = Room {
            values: 6,
            bytes: 7,
        };
        let value = json!({"key": ["text", 1, null]});
        room.take(&value).unwrap();
        assert_eq!((room.values, room.bytes), (0, 0));
        assert!(room.one(0).is_err());
        room.give_back(&value);
        assert_eq!((room.values, room.bytes), (6, 7));
        assert!(room.one(8).is_err());
        room.one(7).unwrap();
        assert!(room.take(&value).is_err());
    }
}
