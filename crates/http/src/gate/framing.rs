//! How long a body is and how it is packed, by what its headers say.

use hyper::StatusCode;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, TRANSFER_ENCODING};

use crate::answer::Refusal;

/// How a body is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    Identity,
    Gzip,
    /// Packed, then sealed to the install.
    Sealed,
}

/// The type of a body that is a sealed batch.
const SEALED: &[u8] = b"application/vnd.bobbin.sealed";

impl Coding {
    /// As the headers say.
    ///
    /// # Errors
    /// 415 for anything but gzip or none: other formats unpack a few bytes into gigabytes, or need a window of many
    /// megabytes before the first byte.
    pub fn of(headers: &HeaderMap) -> Result<Self, Refusal> {
        let sealed = headers
            .get(CONTENT_TYPE)
            .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(SEALED));
        let plain = if sealed { Self::Sealed } else { Self::Identity };
        let mut values = headers.get_all(CONTENT_ENCODING).iter();
        match (values.next().map(|value| value.as_bytes()), values.next()) {
            (None, _) => Ok(plain),
            (Some(value), None) if value.eq_ignore_ascii_case(b"identity") => Ok(plain),
            (Some(value), None) if value.eq_ignore_ascii_case(b"gzip") && !sealed => Ok(Self::Gzip),
            _ => Err(Refusal::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_encoding",
                "send a body with gzip or uncompressed; compress an encrypted one before encrypting it",
            )),
        }
    }
}

/// The length of a body, which must be announced and at most `most`.
///
/// # Errors
/// 411 for a body in chunks: room is set aside before a body is read, and one that comes with both a length and chunks
/// is how requests are smuggled. 413 beyond `most`.
pub fn announced(headers: &HeaderMap, body: &Incoming, most: u64) -> Result<u64, Refusal> {
    match body.size_hint().exact() {
        Some(length) if !headers.contains_key(TRANSFER_ENCODING) => {
            if length > most {
                let message = format!("the body has {length} bytes; the maximum is {most}");
                return Err(
                    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message).closing(),
                );
            }
            Ok(length)
        }
        _ => Err(Refusal::new(
            StatusCode::LENGTH_REQUIRED,
            "length_required",
            "the request must give the length of the body",
        )
        .closing()),
    }
}
