//! The data folder, opened for reading beside whoever writes to it.

use std::path::Path;
use std::sync::Arc;

use bobbin_core::Code;
use bobbin_core::api::{self, App, ClusterRow, Role};
use bobbin_core::clock::SystemClock;

use crate::failure::Failure;

/// Opens without creating or changing anything.
pub fn reader(data_dir: &Path) -> Result<App, Failure> {
    open(data_dir, Role::Reader)
}

/// Opens as the one writer.
pub fn owner(data_dir: &Path) -> Result<App, Failure> {
    open(data_dir, Role::Owner)
}

fn open(data_dir: &Path, role: Role) -> Result<App, Failure> {
    let keyring = bobbin_keyring::system();
    let app = App::open_with(data_dir, role, Arc::new(SystemClock), keyring)?;
    if let Some(page) = bobbin_http::report_page() {
        app.set_report_page(page);
    }
    app.set_probe(bobbin_http::probe);
    Ok(app)
}

/// The cluster that is meant. An unknown one fails with 1.
pub fn cluster(app: &App, text: &str) -> Result<ClusterRow, Failure> {
    api::find_cluster(app, text).map_err(|error| {
        let failure = Failure::from(error);
        match failure.code {
            Code::NotFound if failure.hint.is_none() => {
                failure.hint("`bobbin clusters` lists them")
            }
            _ => failure,
        }
    })
}
