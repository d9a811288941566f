//! Updates that the reader has a say in: a release file says what a version brings, and this says whether to believe it.
//!
//! Nothing here looks for updates. Somebody gets a release file, which `cargo xtask package --sign` wrote, along with the packages; it
//! is read here, its signature is checked, and the packages are compared with it. Nothing is installed, and no connection opened.
//!
//! ```text
//! bobbin-0.2.0.release   {"text":"{\"format\":\"bobbin-release\",…}","signature":"…"}
//! ```
//!
//! The signature is over the bytes of `text`. The file is written in one way only, so that no byte of it can change unseen.

mod check;
mod file;
mod key;
mod package;
mod version;

pub use check::{
    BesidePackage, CheckReleaseRequest, CheckedPackage, ReleaseAge, ReleaseCheck, ThisBuild, check,
};
pub use file::{MOST_BYTES, Package, Release, read, write};
pub use key::{built_in, fingerprint};
pub use package::beside;
