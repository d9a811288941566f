//! Reading that refuses what `serde_json` lets pass: an object with the same key twice.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use memchr::memchr2_iter;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Reads an object of free keys.
pub(super) fn map<'de, D, V>(deserializer: D) -> Result<BTreeMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    struct Keys<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for Keys<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
            let mut map = BTreeMap::new();
            while let Some((key, value)) = access.next_entry()? {
                if map.insert(key, value).is_some() {
                    return Err(A::Error::custom(TWICE));
                }
            }
            Ok(map)
        }
    }

    deserializer.deserialize_map(Keys(PhantomData))
}

/// Reads any JSON.
pub(super) fn value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Any.deserialize(deserializer)
}

/// What is said of an object with the same key twice.
pub(super) const TWICE: &str = "duplicate field in an object";

struct Any;

impl<'de> DeserializeSeed<'de> for Any {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Any {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(Any)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if map.insert(key, access.next_value_seed(Any)?).is_some() {
                return Err(A::Error::custom(TWICE));
            }
        }
        Ok(Value::Object(map))
    }
}

/// Whether more than so many objects and arrays lie in one another anywhere in a JSON text.
pub(super) fn is_deeper(line: &[u8], most: usize) -> bool {
    // Where not so many begin at all, which is nearly always, it need not be looked at closely.
    memchr2_iter(b'{', b'[', line).nth(most).is_some() && depth(line) > most
}

/// How many objects and arrays lie in one another at the deepest place of a JSON text.
fn depth(line: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0usize, 0usize, false, false);
    for &byte in line {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
        } else {
            match byte {
                b'"' => in_string = true,
                b'{' | b'[' => {
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_comes_twice_is_refused_at_any_depth() {
        let mut deserializer = serde_json::Deserializer::from_str(r#"{"a":[{"b":1,"b":2}]}"#);
        assert!(value(&mut deserializer).is_err());
        let mut deserializer = serde_json::Deserializer::from_str(r#"{"a":1,"a":1}"#);
        assert!(map::<_, u64>(&mut deserializer).is_err());
    }

    #[test]
    fn depth_counts_brackets_outside_of_text() {
        assert_eq!(depth(br#"{"a":"]]}}{{{\"[[","b":[[1]]}"#), 3);
        assert_eq!(depth(b"7"), 0);
    }

    #[test]
    fn a_text_is_deeper_by_what_lies_in_one_another_and_not_by_how_much_there_is() {
        for line in [
            &br#"[[[1]]]"#[..],
            br#"{"a":{"b":[]}}"#,
            br#"[[[1]],[[2]],[[3]]]"#,
        ] {
            assert!(!is_deeper(line, 3));
            assert!(is_deeper(line, 2));
        }
        assert!(!is_deeper(br#"[[],[],[],{},{}]"#, 2));
        assert!(!is_deeper(br#"["[[[[[[{"]"#, 1));
    }
}
