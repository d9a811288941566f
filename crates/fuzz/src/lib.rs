//! What strangers send, changed at random.
//!
//! A [`Target`] is a plain function over bytes that panics where something that must hold does not, so any fuzzer can call
//! it. [`drive()`] is ours: it changes inputs that are known to go different ways, and keeps each that goes a way not seen
//! before. It needs no instrumented build, so it runs in the tests, and for hours with `cargo xtask fuzz TARGET`.

mod corpus;
mod drive;
mod import;
mod mutate;
mod targets;

pub use corpus::corpus;
pub use drive::{Found, Ran, drive};
pub use targets::{TARGETS, Target};
