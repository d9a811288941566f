//! The tables of a bundle: what a Bobbin shows that imported it and nothing else, so that sums are those of the window.

use std::path::Path;
use std::sync::Arc;

use bobbin_core::Result;
use bobbin_core::api::{self, App, Role, Table};
use bobbin_core::clock::SystemClock;

/// Reads all of a bundle, in a private folder that goes with it.
///
/// # Errors
/// As [`api::import`].
pub(crate) fn of_bundle(bundle: &Path) -> Result<Vec<Table>> {
    let folder = tempfile::tempdir().map_err(|source| bobbin_core::Error::Io {
        path: std::env::temp_dir(),
        source,
    })?;
    let app = App::open(
        &folder.path().join("store"),
        Role::Owner,
        Arc::new(SystemClock),
    )?;
    api::import(&app, bundle)?;
    let tables = api::tables(&app);
    app.drain()?;
    tables
}
