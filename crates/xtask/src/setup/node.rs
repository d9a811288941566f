//! Node, the page's packages, and the programs that tests and benches lay Bobbin beside.

use std::process::Command;

use crate::{
    files::root,
    process::{Failure, Result, ask, run, say},
    stamp::Stamp,
};

/// The oldest Node that the page's build tool runs on.
const OLDEST: (u32, u32) = (20, 19);

/// Installs the packages that `ui/package-lock.json` names, if it changed.
///
/// # Errors
/// Node is missing or too old, or npm fails.
pub fn packages() -> Result {
    let found = ask(Command::new("node").arg("--version"));
    let version = found.as_deref().and_then(version);
    if version.is_none_or(|version| version < OLDEST)
        || ask(Command::new("npm").arg("--version")).is_none()
    {
        let found = found.unwrap_or_else(|| "none".into());
        return Err(Failure::new(format!(
            "Node {}.{} or newer is needed, found {found}",
            OLDEST.0, OLDEST.1
        ))
        .hint("install Node 20 or newer with npm, from your distribution or from nodejs.org"));
    }
    install("node", "ui", found.as_deref().unwrap_or_default(), &[])
}

/// Installs what `tests/peers/package-lock.json` names, if it changed. None of it runs a script to be installed.
///
/// # Errors
/// npm fails.
pub fn peers() -> Result {
    install("peers", "tests/peers", "", &["--ignore-scripts"])
}

/// What is named in the lock of a folder. `made_with` changes what was installed.
fn install(name: &str, folder: &str, made_with: &str, options: &[&str]) -> Result {
    let place = root().join(folder);
    let stamp = Stamp::of(name, &[place.join("package-lock.json")], made_with)?;
    if stamp.is_current() && place.join("node_modules").is_dir() {
        say("Node packages", &format!("{folder} is unchanged"));
        return Ok(());
    }
    say(
        "Node packages",
        &format!("installing what {folder}/package-lock.json names"),
    );
    run(Command::new("npm")
        .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
        .args(options)
        .current_dir(&place))?;
    Ok(stamp.keep()?)
}

/// `v20.19.4` as (20, 19).
fn version(printed: &str) -> Option<(u32, u32)> {
    let mut parts = printed
        .strip_prefix('v')?
        .split('.')
        .map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn node_prints_its_version_with_a_v() {
        assert_eq!(version("v20.19.4"), Some((20, 19)));
        assert_eq!(version("20"), None);
    }
}
