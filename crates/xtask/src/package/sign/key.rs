//! The key that signs releases.

use std::path::Path;

use bobbin_core::{Error, release::fingerprint, signature::SigningKey};

use crate::process::{Failure, Result, say};

/// Reads a key.
///
/// # Errors
/// The file is missing, or holds no key.
pub fn load(path: &Path) -> Result<SigningKey> {
    SigningKey::load(path).map_err(|error| {
        failure(&error).hint(format!(
            "`cargo xtask package --new-key {}` makes a key",
            path.display()
        ))
    })
}

/// Makes a key, and prints its public half: stdout is for answers.
///
/// # Errors
/// There is a file already, or it cannot be written.
pub fn make(path: &Path) -> Result {
    let public = SigningKey::make(path)
        .map_err(|error| failure(&error))?
        .public();
    say(
        "private key",
        &format!("{}: keep it secret, and keep a copy", path.display()),
    );
    say("fingerprint", &fingerprint(&public));
    println!("{public}");
    Ok(())
}

/// An error of core's, in the form of this program's.
pub fn failure(error: &Error) -> Failure {
    let failure = Failure::new(error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
