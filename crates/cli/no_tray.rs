//! `bobbin tray` on Windows: there is no tray yet, nor a window that it would be the closed form of.

use std::path::Path;

use crate::args::TrayArgs;
use crate::failure::Failure;

/// Says so.
pub fn run(_: &Path, _: &TrayArgs) -> Result<(), Failure> {
    Err(Failure::failed("there is no tray on Windows")
        .hint("`bobbin serve --ui` receives, and has the page in a browser"))
}
