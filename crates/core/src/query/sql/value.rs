//! One value of an answer.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, named_params};

use crate::Result;
use crate::hex::hexadecimal;
use crate::query::types::SqlValue;

/// Integers up to this survive JavaScript.
const EXACT: u64 = 1 << 53;
/// Bytes of a blob that are shown.
const SHOWN: usize = 16;
/// `1 | key id (8) | nonce (24) | tag (16)`: the least that a sealed value has.
const SEALED_BYTES: usize = 1 + 8 + 24 + 16;

/// # Errors
/// [`crate::Error::Sqlite`].
pub(super) fn read(db: &Connection, column: &str, value: ValueRef<'_>) -> Result<SqlValue> {
    Ok(match value {
        ValueRef::Null => SqlValue::Null(()),
        ValueRef::Integer(number) if number.unsigned_abs() <= EXACT => SqlValue::Integer(number),
        ValueRef::Integer(number) => SqlValue::Number {
            number: number.to_string(),
        },
        ValueRef::Real(number) if number.is_finite() => SqlValue::Real(number),
        ValueRef::Real(number) => SqlValue::Number {
            number: if number > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            }
            .into(),
        },
        ValueRef::Text(text) => SqlValue::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(blob) if column.ends_with("_sealed") || sealed(db, blob)? => {
            SqlValue::Sealed {
                sealed_bytes: blob.len() as u64,
            }
        }
        ValueRef::Blob(blob) => SqlValue::Blob {
            blob_bytes: blob.len() as u64,
            hex: hexadecimal(&blob[..blob.len().min(SHOWN)]),
        },
    })
}

/// Whether it begins with the number of a key of this store, whatever its column is called here.
fn sealed(db: &Connection, blob: &[u8]) -> Result<bool> {
    let key = match blob {
        [1, rest @ ..] if blob.len() >= SEALED_BYTES => rest.first_chunk::<8>(),
        _ => None,
    };
    let Some(key) = key else {
        return Ok(false);
    };
    let known = db
        .prepare_cached(include_str!("../data_key.sql"))?
        .query_one(
            named_params! { ":id": i64::from_be_bytes(*key) },
            |_| Ok(()),
        )
        .optional()?;
    Ok(known.is_some())
}

/// About what it takes in an answer.
pub(super) fn bytes(value: &SqlValue) -> u64 {
    const FRAME: u64 = 8;
    FRAME
        + match value {
            SqlValue::Text(text) => text.len() as u64,
            SqlValue::Number { number } => number.len() as u64,
            SqlValue::Blob { .. } => 64,
            SqlValue::Null(())
            | SqlValue::Integer(_)
            | SqlValue::Real(_)
            | SqlValue::Sealed { .. } => 8,
        }
}
