//! `POST /api/save`: what the page shows as a file, byte for byte; what it is, and how much of it, is in a header.

use bobbin_core::api::{self, App, SaveRequest};
use hyper::StatusCode;
use hyper::header::{CONTENT_DISPOSITION, HeaderName, HeaderValue};

use crate::answer::{Refusal, Response, typed};

/// A `Saved` as JSON, with what is not ASCII escaped.
const SAVED: HeaderName = HeaderName::from_static("bobbin-saved");

/// Makes the file, and writes down that it left. `beside`: of the store of a bundle that is open beside this one; the
/// ledger is the reader's own.
pub fn save(app: &App, beside: Option<&str>, request: &str) -> Result<Response, Refusal> {
    let asked: SaveRequest =
        serde_json::from_str(request).map_err(|error| bobbin_core::Error::Invalid {
            what: "request",
            value: "save".into(),
            reason: error.to_string(),
        })?;
    let of = api::store_of_file(app, beside, &asked)?;
    let made = bobbin_save::made(&of, &asked)?;
    let saved = api::note_saved(app, &made, None)?;
    let told = serde_json::to_string(&saved).map_err(bobbin_core::Error::Json)?;
    // The name is of letters, digits, `-`, `_` and `.` alone, as are the other texts.
    let name = format!("attachment; filename=\"{}\"", made.name);
    let mut response = typed(StatusCode::OK, made.media_type, made.bytes);
    for (header, value) in [(CONTENT_DISPOSITION, name), (SAVED, told)] {
        let value = HeaderValue::try_from(value)
            .map_err(|error| bobbin_core::Error::NotAnswered(error.to_string()))?;
        response.headers_mut().insert(header, value);
    }
    Ok(response)
}
