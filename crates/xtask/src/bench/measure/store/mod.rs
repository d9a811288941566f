//! What the store does with batches, how large it is, and how long its answers take as it grows.

mod ask;
mod disk;
mod ingest;
mod replay;

use std::path::Path;

use super::{figure::Figure, folder::Folder, size::Size};
use crate::process::Result;

/// # Errors
/// The receiver does not start or refuses, or a store cannot be filled or read.
pub fn measure(bobbin: &Path, size: Size) -> Result<Vec<Figure>> {
    let folder = Folder::make("store")?;
    let mut figures = ingest::measure(bobbin, &folder.0, size)?;
    figures.extend(disk::measure(&folder.0.join("disk"), size)?);
    figures.extend(ask::measure(&folder.0.join("ask"), size)?);
    Ok(figures)
}

/// The first part of [`measure`].
///
/// # Errors
/// The receiver does not start or refuses.
pub fn ingest(bobbin: &Path, size: Size) -> Result<Vec<Figure>> {
    let folder = Folder::make("ingest")?;
    ingest::measure(bobbin, &folder.0, size)
}

fn figure(metric: impl Into<String>, unit: &str, values: Vec<f64>) -> Figure {
    Figure {
        bench: "store",
        metric: metric.into(),
        unit: unit.into(),
        values,
        peer: None,
    }
}
