//! Node and the page's packages.

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
    let ui = root().join("ui");
    let stamp = Stamp::of(
        "node",
        &[ui.join("package-lock.json")],
        found.as_deref().unwrap_or_default(),
    )?;
    if stamp.is_current() && ui.join("node_modules").is_dir() {
        say("Node packages", "unchanged");
        return Ok(());
    }
    say(
        "Node packages",
        "installing what ui/package-lock.json names",
    );
    run(Command::new("npm")
        .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(&ui))?;
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
