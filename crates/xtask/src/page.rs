//! The page, built once for each state of its sources.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    files::root,
    process::{Result, run, say},
    stamp::Stamp,
};

/// Builds `ui/dist`, the page and that of reports, if a source changed. It is embedded in both binaries, so it comes before cargo.
///
/// # Errors
/// The build fails.
pub fn build() -> Result {
    let ui = root().join("ui");
    let stamp = Stamp::of("page", &sources(&ui)?, "")?;
    // Without the page, cargo leaves a line of text as dist/index.html; the assets come from the real build only.
    let built = ["dist/assets", "dist/report"].map(|folder| ui.join(folder).is_dir());
    if stamp.is_current() && built == [true; 2] {
        say("page", "unchanged");
        return Ok(());
    }
    run(Command::new("npm")
        .args(["run", "--silent", "build", "--", "--logLevel", "warn"])
        .current_dir(&ui))?;
    Ok(stamp.keep()?)
}

/// Everything in `ui` that is neither installed nor built, and the icon that it shows.
fn sources(ui: &std::path::Path) -> Result<Vec<PathBuf>> {
    let mut sources = vec![root().join("assets/icons")];
    for entry in fs::read_dir(ui)? {
        let path = entry?.path();
        if !matches!(
            path.file_name().and_then(|name| name.to_str()),
            Some("node_modules" | "dist")
        ) {
            sources.push(path);
        }
    }
    Ok(sources)
}
