//! `bobbin tray` on Windows: there is no tray yet, nor a window that it would be the closed form of.

use std::path::Path;

use crate::args::TrayArgs;
use crate::failure::Failure;

/// Says so.
pub fn run(_: &Path, _: &TrayArgs) -> Result<(), Failure> {
    Err(Failure::failed("the tray is not available on Windows")
        .hint("`bobbin serve --ui` receives reports and serves the page to a browser"))
}
