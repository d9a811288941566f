//! Answers as files that other programs read: tables as CSV, JSON and Parquet, profiles, pictures, recordings, and the ledger.
//!
//! Core knows what a table and a profile are; here is what needs a library of its own: Parquet and drawing. Whoever saves a
//! file asks [`made`] for its bytes, puts them where the reader wants them, and has `api::note_saved` write it down.

pub mod parquet;
pub mod picture;

use std::fmt;

use bobbin_core::api::{self, App, Made, Part, SaveRequest, TableFormat};

/// `std::result::Result` with core's error.
pub type Result<T> = std::result::Result<T, bobbin_core::Error>;

/// The file that is asked for.
///
/// # Errors
/// Those of the questions behind it.
pub fn made(app: &App, asked: &SaveRequest) -> Result<Made> {
    match asked {
        SaveRequest::Table { table, format } => written(app, &api::table_of(app, table)?, *format),
        SaveRequest::Picture { picture } => picture::picture(app, picture),
        SaveRequest::Profile { profile } => api::profile_out(app, profile),
        SaveRequest::Recording { recording } => api::recording_out(app, recording),
        SaveRequest::Chain => api::chain_out(app),
    }
}

/// A table as a file.
///
/// # Errors
/// Those of the writers, which write to memory.
pub fn written(app: &App, part: &Part, format: TableFormat) -> Result<Made> {
    Ok(match format {
        TableFormat::Csv => {
            let text = api::csv(&part.table).into_bytes();
            Made::of(part, "csv", "text/csv; charset=utf-8", text)
        }
        TableFormat::Json => {
            let text = api::table_document(app, part)?;
            Made::of(part, "json", "application/json", text)
        }
        TableFormat::Parquet => {
            let bytes = parquet::encoded(&part.table, "").map_err(|error| fault(&error))?;
            Made::of(part, "parquet", "application/vnd.apache.parquet", bytes)
        }
    })
}

/// What cannot happen to bytes in memory, in words.
fn fault(error: &dyn fmt::Display) -> bobbin_core::Error {
    bobbin_core::Error::NotAnswered(error.to_string())
}
