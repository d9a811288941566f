//! Stories through the real binary, most of them with real Dask clusters.
//!
//! Each has a data folder, a home and a Dask configuration of its own. A story that needs a Python environment says so and
//! is skipped where there is none; with `BOBBIN_STORIES=required` it fails instead.

#![expect(
    clippy::unwrap_used,
    reason = "a story that meets something unexpected has failed"
)]

mod stories;
mod support;
