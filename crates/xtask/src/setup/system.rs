//! System packages, through the package manager where it is known.

use std::process::Command;

use super::Purpose;
use crate::process::{Failure, Result, ask, run, say};

/// To build the window.
const BUILD: [&str; 4] = [
    "build-essential",
    "pkg-config",
    "libdbus-1-dev",
    "libwebkit2gtk-4.1-dev",
];

/// To run it: a page without fonts is a page of boxes, and `kill`, which containers lack, tells whether a demo is open.
const RUN: [&str; 2] = ["fonts-dejavu-core", "procps"];

/// To test it: a display, a driver for the web view, a second engine, pictures, a session bus with a keyring and a desktop on it, what reads
/// the entries of menus, another program that reads recovery keys, a spreadsheet that would run formulas, a server for clusters that start
/// over SSH, Java for Spark, and Python to make environments with.
const TEST: [&str; 19] = [
    "age",
    "chromium",
    "dbus-daemon",
    "default-jre-headless",
    "desktop-file-utils",
    "gir1.2-gtk-3.0",
    "gnome-keyring",
    "imagemagick",
    "libglib2.0-bin",
    "libreoffice-calc",
    SSH_SERVER,
    "python3-dbus",
    "python3-gi",
    "python3-venv",
    "webkit2gtk-driver",
    "x11-utils",
    "xauth",
    "xdotool",
    "xvfb",
];

/// Its service is switched off as it is installed: the tests start one of their own, and nobody shall be able to log in to
/// a machine because Bobbin's tests ran there.
const SSH_SERVER: &str = "openssh-server";

/// While this file exists, Debian and its kin start no SSH service.
const NO_SSH_SERVICE: &str = "/etc/ssh/sshd_not_to_be_run";

/// What other platforms call the same things.
const ELSEWHERE: [(&str, &str); 4] = [
    (
        "dnf",
        "gcc gcc-c++ make pkgconf-pkg-config dbus-devel webkit2gtk4.1-devel dejavu-sans-fonts",
    ),
    (
        "pacman",
        "base-devel pkgconf dbus webkit2gtk-4.1 ttf-dejavu",
    ),
    (
        "zypper",
        "gcc gcc-c++ make pkgconf dbus-1-devel webkit2gtk3-devel dejavu-fonts",
    ),
    (
        "brew",
        "nothing: there is no window on macOS yet; install the Xcode command line tools",
    ),
];

/// Installs the packages that are missing.
///
/// # Errors
/// The package manager is not known here, or fails.
pub fn packages(purpose: Purpose) -> Result {
    let mut wanted: Vec<&str> = BUILD.into_iter().chain(RUN).collect();
    if purpose == Purpose::Test {
        wanted.extend(TEST);
    }
    if ask(Command::new("dpkg-query").arg("--version")).is_none() {
        return elsewhere(purpose);
    }
    let missing = missing(&wanted, &installed(&wanted));
    if missing.is_empty() {
        say(
            "system packages",
            &format!("{} of {} there", wanted.len(), wanted.len()),
        );
        return Ok(());
    }
    say(
        "system packages",
        &format!("installing {}", missing.join(" ")),
    );
    if missing.contains(&SSH_SERVER) {
        say(
            "system packages",
            "the SSH service stays off while the file below exists",
        );
        run(as_root("mkdir").args(["-p", "/etc/ssh"]))?;
        run(as_root("touch").arg(NO_SSH_SERVICE))?;
    }
    run(as_root("apt-get").args(["update", "--quiet"]))?;
    let mut install = as_root("apt-get");
    install
        .args(["install", "--yes", "--quiet", "--no-install-recommends"])
        .args(&missing);
    run(install.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Those of `wanted` that dpkg has, as it prints them: `STATUS NAME` a line.
fn installed(wanted: &[&str]) -> String {
    // dpkg-query fails as a whole when it has never heard of one of them, and still prints the others.
    let answer = Command::new("dpkg-query")
        .args(["--show", "--showformat=${db:Status-Status} ${Package}\n"])
        .args(wanted)
        .output();
    answer
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default()
}

fn missing<'a>(wanted: &[&'a str], installed: &str) -> Vec<&'a str> {
    let there = |name: &str| {
        installed
            .lines()
            .any(|line| line.strip_prefix("installed ") == Some(name))
    };
    wanted.iter().copied().filter(|name| !there(name)).collect()
}

fn as_root(program: &str) -> Command {
    if ask(Command::new("id").arg("-u")).as_deref() == Some("0") {
        return Command::new(program);
    }
    let mut command = Command::new("sudo");
    command.arg(program);
    command
}

/// Where dpkg is not: nothing is installed, what is there is believed.
fn elsewhere(purpose: Purpose) -> Result {
    let builds = cfg!(target_os = "macos")
        || ask(Command::new("pkg-config").args(["--exists", "webkit2gtk-4.1"])).is_some();
    let runs_tests = purpose == Purpose::App
        || ["Xvfb", "WebKitWebDriver"]
            .iter()
            .all(|program| on_path(program));
    if builds && runs_tests {
        say(
            "system packages",
            "there (this platform's package manager is not asked)",
        );
        return Ok(());
    }
    let mut hint = String::from("install them by hand, then run this again:");
    for (manager, names) in ELSEWHERE {
        hint.push_str(&format!("\n  {manager:<8}{names}"));
    }
    if purpose == Purpose::Test {
        hint.push_str("\n  and for the tests: Xvfb, WebKitWebDriver, Chromium, ImageMagick, xdotool, dbus-run-session, LibreOffice Calc, sshd, Java, Python 3.11");
    }
    Err(Failure::new("system packages are missing, and this platform's package manager is not one that Bobbin knows").hint(hint))
}

fn on_path(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    })
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn a_package_that_was_removed_or_never_heard_of_is_missing() {
        let printed = "installed xvfb\nconfig-files chromium\nnot-installed xdotool\n";
        assert_eq!(
            missing(&["xvfb", "chromium", "xdotool", "xauth"], printed),
            ["chromium", "xdotool", "xauth"]
        );
    }
}
