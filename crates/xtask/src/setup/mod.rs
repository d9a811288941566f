//! Installs what is missing, shows each step, and is quick when nothing is.

mod node;
mod python;
mod room;
mod rust;
mod system;

use std::time::Instant;

use crate::process::{Failure, Options, Result, say};

pub use node::peers;
pub use python::environment_python;
#[cfg(feature = "bench")]
pub use python::peer_python;
pub use room::free_bytes;

/// What the clone is made ready for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To build and open the window.
    App,
    /// To run every suite as well.
    Test,
}

/// `cargo xtask setup [--for app|test]`.
///
/// # Errors
/// Something is missing that cannot be installed from here; the message says what to install.
pub fn main(given: &[String]) -> Result {
    let options = Options::read(given, &[], &["--for"])?;
    let purpose = match options.values("--for").last() {
        None | Some("test") => Purpose::Test,
        Some("app") => Purpose::App,
        Some(other) => return Err(Failure::usage(format!("--for {other}: it is app or test"))),
    };
    set_up(purpose)
}

/// Makes the clone ready, where there is room for what is built next.
///
/// # Errors
/// As [`install`], or the disk has clearly too little room.
pub fn set_up(purpose: Purpose) -> Result {
    room::check(purpose)?;
    install(purpose)
}

/// Installs what is missing.
///
/// # Errors
/// As [`main`].
pub fn install(purpose: Purpose) -> Result {
    let begun = Instant::now();
    eprintln!("set-up");
    // Whoever has no Node hears it before anything large is installed.
    node::packages()?;
    system::packages(purpose)?;
    if purpose == Purpose::Test {
        peers()?;
        rust::components()?;
        python::environments()?;
    }
    say(
        "ready",
        &format!("after {:.1} s", begun.elapsed().as_secs_f64()),
    );
    Ok(())
}
