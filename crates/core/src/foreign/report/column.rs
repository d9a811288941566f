//! A column of a table: a plain list, or an array that was packed as base64.

use std::io::Read;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde_json::Value;

use super::escape::unescaped;
use crate::foreign::records::at_most;
use crate::foreign::{Outcome, Wrong};

/// Numbers of one packed column, of which each may be a single byte: Dask keeps 100,000 rectangles.
const PACKED: usize = 2_000_000;
/// How gzip begins.
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];

/// A column, still as it came.
pub(super) enum Column<'a> {
    Values(&'static str, &'a [Value]),
    Numbers(Vec<f64>),
}

impl<'a> Column<'a> {
    pub(super) fn of(value: &'a Value, name: &'static str) -> Outcome<Self> {
        if let Some(values) = value.as_array() {
            return Ok(Self::Values(name, values));
        }
        // `{"__ndarray__": base64, …}` of Bokeh 2, `{"type": "ndarray", "array": …}` of Bokeh 3.
        let array = value.get("__ndarray__").or_else(|| value.get("array"));
        match array {
            Some(Value::Array(values)) => Ok(Self::Values(name, values)),
            Some(array) => {
                let packed = array.as_str().or_else(|| array["data"].as_str());
                let dtype = value["dtype"].as_str();
                let big = value["order"].as_str() == Some("big");
                Option::zip(packed, dtype)
                    .ok_or_else(|| wrong(name))
                    .and_then(|(packed, dtype)| unpack(packed, dtype, big, name))
                    .map(Self::Numbers)
            }
            None => Err(wrong(name)),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Values(_, values) => values.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }

    /// As finite numbers.
    pub(super) fn numbers(&self) -> Outcome<Vec<f64>> {
        match self {
            Self::Numbers(numbers) => Ok(numbers.clone()),
            Self::Values(name, values) => values
                .iter()
                .map(|value| value.as_f64().filter(|number| number.is_finite()))
                .collect::<Option<_>>()
                .ok_or_else(|| wrong(name)),
        }
    }

    /// As texts; numbers are written as such.
    pub(super) fn texts(&self) -> Outcome<Vec<String>> {
        match self {
            Self::Values(name, values) => values
                .iter()
                .map(|value| match value {
                    Value::String(text) => Some(unescaped(text)),
                    Value::Number(number) => Some(number.to_string()),
                    Value::Null => Some(String::new()),
                    _ => None,
                })
                .collect::<Option<_>>()
                .ok_or_else(|| wrong(name)),
            Self::Numbers(numbers) => Ok(numbers.iter().map(f64::to_string).collect()),
        }
    }

    /// As they came; none for packed numbers.
    pub(super) fn values(&self) -> &'a [Value] {
        match self {
            Self::Values(_, values) => values,
            Self::Numbers(_) => &[],
        }
    }
}

fn wrong(name: &str) -> Wrong {
    Wrong::Is(format!("its column {name} contains unexpected values"))
}

/// Numbers of one of numpy's types.
fn unpack(packed: &str, dtype: &str, big: bool, name: &str) -> Outcome<Vec<f64>> {
    let size = match dtype {
        "float64" | "int64" | "uint64" => 8,
        "float32" | "int32" | "uint32" => 4,
        "int16" | "uint16" => 2,
        _ => 1,
    };
    // Four letters are three bytes.
    at_most(
        packed.len() / 4 * 3 / size,
        PACKED,
        "rows in a packed column",
    )?;
    let bytes = STANDARD.decode(packed).map_err(|_| wrong(name))?;
    // Numbers that begin as gzip does are no whole gzip.
    match inflated(&bytes, PACKED * size)? {
        Some(numbers) => numbers_of(&numbers, dtype, big),
        None => numbers_of(&bytes, dtype, big),
    }
    .ok_or_else(|| wrong(name))
}

/// What newer versions of Bokeh 3 pack with gzip; none where it is not packed so.
fn inflated(bytes: &[u8], most: usize) -> Outcome<Option<Vec<u8>>> {
    if !bytes.starts_with(&GZIP) {
        return Ok(None);
    }
    let mut whole = Vec::new();
    let read = GzDecoder::new(bytes)
        .take(most as u64 + 1)
        .read_to_end(&mut whole);
    at_most(whole.len(), most, "bytes in a packed column")?;
    Ok(read.ok().map(|_| whole))
}

fn numbers_of(bytes: &[u8], dtype: &str, big: bool) -> Option<Vec<f64>> {
    macro_rules! numbers {
        ($type:ty) => {{
            const SIZE: usize = size_of::<$type>();
            let chunks = bytes.chunks_exact(SIZE);
            if !chunks.remainder().is_empty() {
                return None;
            }
            chunks
                .map(|chunk| {
                    let chunk: [u8; SIZE] = chunk.try_into().ok()?;
                    let number = if big {
                        <$type>::from_be_bytes(chunk)
                    } else {
                        <$type>::from_le_bytes(chunk)
                    };
                    Some(number as f64).filter(|number| number.is_finite())
                })
                .collect()
        }};
    }
    match dtype {
        "float64" => numbers!(f64),
        "float32" => numbers!(f32),
        "int64" => numbers!(i64),
        "uint64" => numbers!(u64),
        "int32" => numbers!(i32),
        "uint32" => numbers!(u32),
        "int16" => numbers!(i16),
        "uint16" => numbers!(u16),
        "int8" => numbers!(i8),
        "uint8" | "bool" => numbers!(u8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn packed_arrays_of_both_layouts_are_numbers() {
        let packed = STANDARD.encode([1.5_f64, -2.0].map(f64::to_le_bytes).concat());
        for value in [
            json!({"__ndarray__": packed, "dtype": "float64", "shape": [2], "order": "little"}),
            json!({"type": "ndarray", "array": {"type": "bytes", "data": packed}, "dtype": "float64", "shape": [2], "order": "little"}),
            json!({"type": "ndarray", "array": [1.5, -2.0], "dtype": "object", "shape": [2]}),
            json!([1.5, -2]),
        ] {
            let column = Column::of(&value, "x").unwrap();
            assert_eq!(
                (column.len(), column.numbers().unwrap()),
                (2, vec![1.5, -2.0])
            );
        }
        // As newer ones have it.
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut gzip, &[1.5_f64, -2.0].map(f64::to_le_bytes).concat())
            .unwrap();
        let gzip = gzip.finish().unwrap();
        let of = |bytes: &[u8], dtype: &str| {
            let data = STANDARD.encode(bytes);
            json!({"type": "ndarray", "array": {"type": "bytes", "data": data}, "dtype": dtype, "shape": [2], "order": "little"})
        };
        let read = |value: &Value| Column::of(value, "x").and_then(|column| column.numbers());
        assert_eq!(read(&of(&gzip, "float64")).unwrap(), [1.5, -2.0]);
        assert!(read(&of(&gzip[..11], "float64")).is_err());
        // Bytes that only begin so.
        assert_eq!(
            read(&of(&[0x1f, 0x8b, 8, 0], "uint16")).unwrap(),
            [35_615.0, 8.0]
        );
        let big = STANDARD.encode(258_u16.to_be_bytes());
        let value = json!({"__ndarray__": big, "dtype": "uint16", "order": "big"});
        assert_eq!(Column::of(&value, "x").unwrap().numbers().unwrap(), [258.0]);
    }

    #[test]
    fn more_rows_than_any_report_has_are_refused_before_they_take_room() {
        // A bomb of a few kilobytes.
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut gzip, &vec![0; PACKED + 1]).unwrap();
        let data = STANDARD.encode(gzip.finish().unwrap());
        let bomb =
            json!({"type": "ndarray", "array": {"type": "bytes", "data": data}, "dtype": "uint8"});
        assert!(Column::of(&bomb, "x").is_err());
        let rows = |rows: usize| json!({"__ndarray__": STANDARD.encode(vec![1_u8; rows]), "dtype": "uint8"});
        assert_eq!(
            Column::of(&rows(PACKED - 2), "x").unwrap().len(),
            PACKED - 2
        );
        let Err(Wrong::Is(why)) = Column::of(&rows(PACKED + 9), "x") else {
            panic!("taken");
        };
        assert!(why.contains("rows in a packed column"), "{why}");
    }

    #[test]
    fn what_is_none_is_refused() {
        for value in [
            json!("x"),
            json!({"__ndarray__": "AAA=", "dtype": "float64"}),
            json!({"__ndarray__": "not base64!", "dtype": "int8"}),
            json!({"__ndarray__": "AAAA", "dtype": "complex128"}),
            json!({"__ndarray__": STANDARD.encode(f64::NAN.to_le_bytes()), "dtype": "float64"}),
            json!({"type": "ndarray", "array": {"type": "bytes", "data": {"path": "/etc/passwd"}}, "dtype": "int8"}),
        ] {
            assert!(Column::of(&value, "x").is_err(), "{value}");
        }
        assert!(
            Column::of(&json!([1, "a"]), "x")
                .unwrap()
                .numbers()
                .is_err()
        );
        assert!(Column::of(&json!([{}]), "x").unwrap().texts().is_err());
    }
}
