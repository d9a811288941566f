//! The data folder, opened for reading beside whoever writes to it.

use std::path::Path;
use std::sync::Arc;

use bobbin_core::api::{App, Role};
use bobbin_core::clock::SystemClock;

use crate::failure::Failure;

/// Opens without creating or changing anything.
pub fn reader(data_dir: &Path) -> Result<App, Failure> {
    Ok(App::open(data_dir, Role::Reader, Arc::new(SystemClock))?)
}

/// Opens as the one writer.
pub fn owner(data_dir: &Path) -> Result<App, Failure> {
    Ok(App::open(data_dir, Role::Owner, Arc::new(SystemClock))?)
}
