//! Which fields of an object nobody reads: a record may have some of a later version, in it or in what it holds.
//!
//! A reader skips what it does not know by `deserialize_ignored_any`, and that is counted here on its way to the reader of JSON.
//! Only fields of the record itself are named: nothing is noted of the others, and nearly all records have none to name.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// Reads a record, and names those of its fields in which something was not read: each as often as it is there.
pub(super) fn read<'de, T, D>(deserializer: D, unread: &mut Vec<String>) -> Result<T, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(Record {
        inner: deserializer,
        unread,
    })
}

/// The record itself, and what reads it. It is an object.
struct Record<'a, X> {
    inner: X,
    unread: &'a mut Vec<String>,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Record<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_map(Record {
            inner: visitor,
            unread: self.unread,
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Record<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Fields {
            inner: access,
            unread: self.unread,
            name: Cow::Borrowed(""),
        })
    }
}

/// The fields of the record.
struct Fields<'a, 'de, A> {
    inner: A,
    unread: &'a mut Vec<String>,
    /// Of the field that comes.
    name: Cow<'de, str>,
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Fields<'_, 'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let Some(Name(name)) = self.inner.next_key()? else {
            return Ok(None);
        };
        self.name = name;
        seed.deserialize((&*self.name).into_deserializer())
            .map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let skipped = Cell::new(false);
        let value = self.inner.next_value_seed(Within {
            inner: seed,
            skipped: &skipped,
        })?;
        if skipped.get() {
            self.unread.push(self.name.to_string());
        }
        Ok(value)
    }
}

/// Anything within a field of the record; `skipped` becomes true once something of it is not read.
struct Within<'a, X> {
    inner: X,
    skipped: &'a Cell<bool>,
}

impl<'a, X> Within<'a, X> {
    fn with<Y>(&self, inner: Y) -> Within<'a, Y> {
        let skipped = self.skipped;
        Within { inner, skipped }
    }
}

macro_rules! pass_on {
    ($($name:ident($($argument:ident: $type:ty),*))*) => {$(
        fn $name<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = self.with(visitor);
            self.inner.$name($($argument,)* visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Within<'_, D> {
    type Error = D::Error;

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.skipped.set(true);
        self.inner.deserialize_ignored_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }

    pass_on! {
        deserialize_any() deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
        deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128()
        deserialize_f32() deserialize_f64() deserialize_char() deserialize_str() deserialize_string() deserialize_bytes()
        deserialize_byte_buf() deserialize_option() deserialize_unit() deserialize_seq() deserialize_map()
        deserialize_identifier()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }
}

macro_rules! hand_on {
    ($($name:ident($type:ty))*) => {$(
        fn $name<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$name(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Within<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    hand_on! {
        visit_bool(bool) visit_i8(i8) visit_i16(i16) visit_i32(i32) visit_i64(i64) visit_i128(i128) visit_u8(u8)
        visit_u16(u16) visit_u32(u32) visit_u64(u64) visit_u128(u128) visit_f32(f32) visit_f64(f64) visit_char(char)
        visit_str(&str) visit_borrowed_str(&'de str) visit_string(String) visit_bytes(&[u8])
        visit_borrowed_bytes(&'de [u8]) visit_byte_buf(Vec<u8>)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let deserializer = self.with(deserializer);
        self.inner.visit_some(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<V::Value, D::Error> {
        let deserializer = self.with(deserializer);
        self.inner.visit_newtype_struct(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let access = self.with(access);
        self.inner.visit_seq(access)
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let access = self.with(access);
        self.inner.visit_map(access)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let access = self.with(access);
        self.inner.visit_enum(access)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Within<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        let deserializer = self.with(deserializer);
        self.inner.deserialize(deserializer)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Within<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let seed = self.with(seed);
        self.inner.next_element_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Within<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.with(seed);
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'a, 'de, A: EnumAccess<'de>> EnumAccess<'de> for Within<'a, A> {
    type Error = A::Error;
    type Variant = Within<'a, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let skipped = self.skipped;
        let (value, inner) = self.inner.variant_seed(seed)?;
        Ok((value, Within { inner, skipped }))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Within<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.with(seed);
        self.inner.newtype_variant_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let visitor = self.with(visitor);
        self.inner.tuple_variant(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = self.with(visitor);
        self.inner.struct_variant(fields, visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Way {
        Plain,
        Pair(u8, Inner),
        Named { inner: Inner },
        One(Inner),
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    struct Inner {
        a: Option<f64>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Outer {
        inner: Option<Inner>,
        list: Vec<(u8, Inner)>,
        #[serde(default)]
        ways: Vec<Way>,
        text: String,
    }

    fn read_all(text: &str) -> serde_json::Result<(Outer, Vec<String>)> {
        let mut unread = Vec::new();
        let outer = read(&mut serde_json::Deserializer::from_str(text), &mut unread)?;
        Ok((outer, unread))
    }

    #[test]
    fn a_field_that_is_not_read_is_named_wherever_it_is_in_the_record() {
        for (text, expected) in [
            (r#"{"inner":{"a":1},"list":[],"text":""}"#, ""),
            (
                r#"{"inner":null,"list":[],"text":"","more":{"inner":1}}"#,
                "more",
            ),
            (r#"{"inner":{"b":1},"list":[],"text":""}"#, "inner"),
            (
                r#"{"inner":{"b":1,"c":2},"list":[[1,{"b":[]}]],"text":""}"#,
                "inner list",
            ),
            (
                r#"{"n\u0065w":1,"inner":{"a":null},"list":[],"text":"","new":2}"#,
                "new new",
            ),
            (
                r#"{"list":[],"text":"","inner":null,"ways":["plain",{"pair":[1,{"a":1}]}]}"#,
                "",
            ),
            (
                r#"{"list":[],"text":"","inner":null,"ways":[{"pair":[1,{"b":1}]}]}"#,
                "ways",
            ),
            (
                r#"{"list":[],"text":"","inner":null,"ways":[{"named":{"inner":{"b":1}}}]}"#,
                "ways",
            ),
            (
                r#"{"list":[],"text":"","inner":null,"ways":[{"named":{"inner":{},"b":1}}]}"#,
                "ways",
            ),
            (
                r#"{"list":[],"text":"","inner":null,"ways":[{"one":{"b":1}}]}"#,
                "ways",
            ),
        ] {
            assert_eq!(read_all(text).unwrap().1.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn what_is_read_and_what_is_wrong_is_as_without_it() {
        for text in [
            r#"{"inner":{"a":1.5},"list":[[1,{"a":null}]],"text":"é\n","ways":["plain",{"one":{"a":2}}]}"#,
            r#"{"inner":null,"list":[],"text":7}"#,
            r#"{"inner":null,"list":[[256,{}]],"text":""}"#,
            r#"{"inner":null,"inner":null,"list":[],"text":""}"#,
            r#"{"list":[]}"#,
            r#"{"list":[],"text":"","inner":{"a":1,"a":2}}"#,
            r#"{"list":[],"text":"","inner":null,"ways":["other"]}"#,
            r#"{"list":[],"text":"#,
            r#""text""#,
        ] {
            let with = read_all(text).map(|(outer, _)| outer);
            let without = serde_json::from_str::<Outer>(text);
            match (with, without) {
                (Ok(with), Ok(without)) => assert_eq!(with, without),
                (Err(with), Err(without)) => {
                    assert_eq!(with.to_string(), without.to_string(), "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
