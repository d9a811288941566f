//! Node, the page's packages, and the programs that tests and benches lay Bobbin beside.

use std::process::Command;

use crate::{
    files::root,
    process::{Failure, Result, ask, run, say},
    stamp::Stamp,
};

/// What [`will_do`], in words.
const NEEDED: &str = "20 from 20.19, 22 from 22.13, or 24 and newer";

/// Installs the packages that `ui/package-lock.json` names, if it changed.
///
/// # Errors
/// Node or npm is missing, Node is too old, or npm fails.
pub fn packages() -> Result {
    let node = ask(Command::new("node").arg("--version"));
    if !node.as_deref().and_then(version).is_some_and(will_do) {
        let found = node.as_deref().unwrap_or("none");
        return Err(
            Failure::new(format!("Node {NEEDED} is needed, found {found}"))
                .hint("install it with npm, from your distribution or from nodejs.org"),
        );
    }
    if ask(Command::new("npm").arg("--version")).is_none() {
        return Err(Failure::new("npm is needed, and only Node is here")
            .hint("install npm, which Debian packs apart from Node: sudo apt install npm"));
    }
    install("node", "ui", node.as_deref().unwrap_or_default(), &[])
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

/// Whether the tools that build and test the page run on this Node: the newest of each line that is kept up.
fn will_do((major, minor): (u32, u32)) -> bool {
    match major {
        20 => minor >= 19,
        22 => minor >= 13,
        _ => major >= 24,
    }
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
    use std::fs;

    use super::{NEEDED, version, will_do};
    use crate::files::root;

    #[test]
    fn node_prints_its_version_with_a_v() {
        assert_eq!(version("v20.19.4"), Some((20, 19)));
        assert_eq!(version("20"), None);
    }

    #[test]
    fn what_the_tools_of_the_page_do_not_run_on_is_refused() {
        let runs = |printed: &str| version(printed).is_some_and(will_do);
        for printed in ["v20.19.2", "v22.13.0", "v24.0.0", "v25.2.1"] {
            assert!(runs(printed), "{printed}");
        }
        for printed in ["v18.19.0", "v20.18.1", "v21.7.0", "v22.12.0", "v23.11.0"] {
            assert!(!runs(printed), "{printed}");
        }
    }

    #[test]
    fn the_readme_and_the_page_ask_for_the_node_that_is_checked() {
        let text = |file: &str| fs::read_to_string(root().join(file)).unwrap();
        assert!(text("README.md").contains(&format!("({NEEDED})")));
        let engines = "^20.19.0 || ^22.13.0 || >=24.0.0";
        for file in ["ui/package.json", "ui/package-lock.json"] {
            assert!(
                text(file).contains(&format!(r#""node": "{engines}""#)),
                "{file}"
            );
        }
        for (range, before) in engines
            .split(" || ")
            .zip(["v20.18.9", "v22.12.9", "v23.99.0"])
        {
            let least = format!("v{}", range.trim_start_matches(['^', '>', '=']));
            assert!(version(&least).is_some_and(will_do), "{least}");
            assert!(!version(before).is_some_and(will_do), "{before}");
        }
    }
}
