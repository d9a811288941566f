//! The benches themselves.

mod batches;
mod commits;
mod desk;
mod desktop;
mod figure;
mod folder;
mod hub;
mod interval;
mod large;
mod measured;
mod mlflow;
mod overload;
mod page;
mod peer;
mod plugin;
mod post;
mod promise;
mod report;
mod server;
mod size;
mod slow;
mod store;
mod stores;
mod views;
mod written;

use std::path::Path;

use crate::{
    ending,
    process::{Failure, Options, Result},
};
use promise::Promise;
use size::Size;

pub use peer::{NAME as PEER, process as peer};

/// Measures what has this name, and prints it.
///
/// # Errors
/// The name is not known, what is measured fails, or it is beyond what is promised.
pub fn measure(name: &str, bobbin: &Path, options: &Options) -> Result {
    let (quick, dev) = (options.has("--quick"), options.has("--dev"));
    let size = match (dev, quick) {
        // Figures of unoptimised builds mean nothing, however long they were measured.
        (true, _) => Size::Smoke,
        (false, true) => Size::Quick,
        (false, false) => Size::Full,
    };
    ending::watch()?;
    let write_down = options.has("--write");
    let figures = match name {
        "desk" => desk::measure(size, write_down)?,
        "desktop" => desktop::measure(bobbin, size, write_down)?,
        "hub" => hub::measure(bobbin, size, write_down)?,
        "ingest" => store::ingest(bobbin, size)?,
        "overload" => overload::measure(bobbin, size, minutes(options)?, write_down)?,
        "plugin" => plugin::measure(bobbin, size, write_down)?,
        "report" => report::measure(bobbin, size, write_down)?,
        "store" => store::measure(bobbin, size, write_down)?,
        "views" if options.has("--stores") => return stores::Stores::find_or_make(size).map(drop),
        "views" => views::measure(bobbin, size, write_down)?,
        other => return Err(Failure::usage(format!("there is no bench {other}"))),
    };
    figure::print(&figures, options.has("--json"), dev);
    // What was measured is told also where it is too much.
    let promises: &[Promise] = match name {
        "desk" => &desk::PROMISES,
        "desktop" => &desktop::PROMISES,
        "hub" => &hub::PROMISES,
        "ingest" | "store" => &store::PROMISES,
        "overload" => return overload::promised(&figures, size),
        "report" => &report::PROMISES,
        "views" => &views::PROMISES,
        // The plugin's are of a difference, and it keeps them itself.
        _ => &[],
    };
    promise::kept_at_full_size(&figures, promises, size)
}

/// How long something is kept up, where that was said.
fn minutes(options: &Options) -> Result<Option<f64>> {
    let Some(text) = options.values("--minutes").last() else {
        return Ok(None);
    };
    match text.parse::<f64>() {
        Ok(minutes) if minutes > 0.0 && minutes.is_finite() => Ok(Some(minutes)),
        _ => Err(Failure::usage(format!(
            "--minutes takes a number, not {text:?}"
        ))),
    }
}
