//! The Debian packages: `bobbin`, and `bobbin-desktop`, which needs it. A machine without a display takes the first alone.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{MAINTAINER, Package, VERSION, tree, tree::Tree};
use crate::{
    files::files_below,
    process::{Failure, Result, ask, run, say, shown},
};

/// What one package says of itself.
struct About {
    name: &'static str,
    binary: &'static str,
    /// Needed beside the libraries that the binary names.
    also_needs: Option<&'static str>,
    summary: &'static str,
    words: &'static str,
}

const HEADLESS: About = About {
    name: "bobbin",
    binary: "usr/bin/bobbin",
    also_needs: None,
    summary: "analytics of Dask clusters, on one's own machine",
    words: " Dask schedulers report to a receiver on the same laptop, and everything is\n \
            kept in one SQLite file there. This is the command line, the receiver, the\n \
            page for a browser and the team hub.",
};

const DESKTOP: About = About {
    name: "bobbin-desktop",
    binary: "usr/bin/bobbin-desktop",
    also_needs: Some("bobbin (= {version})"),
    summary: "window of Bobbin, the analytics viewer for Dask",
    words: " Shows what Dask clusters did: whether computations finished, what failed, what\n \
            it cost, what takes most of the time, and why a cluster still runs.",
};

/// Both packages, in the folder of packages.
///
/// # Errors
/// A tool of Debian's fails.
pub fn write(package: &Package) -> Result<[PathBuf; 2]> {
    let headless = Tree::at(package.work.join("headless"));
    tree::headless(package, &headless)?;
    let desktop = Tree::at(package.work.join("desktop"));
    tree::desktop(package, &desktop)?;
    Ok([
        pack(package, &HEADLESS, &headless)?,
        pack(package, &DESKTOP, &desktop)?,
    ])
}

fn pack(package: &Package, about: &About, tree: &Tree) -> Result<PathBuf> {
    let architecture = ask(Command::new("dpkg").arg("--print-architecture"))
        .ok_or_else(|| Failure::new("dpkg does not say which architecture this is"))?;
    let mut depends = libraries(package, &tree.root.join(about.binary))?;
    if let Some(also) = about.also_needs {
        depends.insert(0, also.replace("{version}", VERSION));
    }
    let mut control = format!(
        "Package: {}\nVersion: {VERSION}\nArchitecture: {architecture}\nMaintainer: {MAINTAINER}\n\
         Installed-Size: {}\nDepends: {}\n",
        about.name,
        kibibytes(&tree.root)?,
        depends.join(", "),
    );
    control.push_str(&format!(
        "Section: science\nPriority: optional\nDescription: {}\n{}\n",
        about.summary, about.words
    ));
    sums(tree)?;
    tree.bytes(control.as_bytes(), "DEBIAN/control", 0o644)?;
    tree.open_folders()?;
    package.date(&tree.root)?;
    let file = package
        .out
        .join(format!("{}_{VERSION}_{architecture}.deb", about.name));
    run(Command::new("dpkg-deb")
        .args(["--root-owner-group", "-Zxz", "-z3", "--build"])
        .arg(&tree.root)
        .arg(&file)
        .env("SOURCE_DATE_EPOCH", package.epoch.to_string()))?;
    say("package", &file.display().to_string());
    Ok(file)
}

/// The packages whose libraries the binary names, with the versions that have what it uses.
fn libraries(package: &Package, binary: &Path) -> Result<Vec<String>> {
    // It wants to stand in a source package.
    let debian = package.work.join("debian");
    fs::create_dir_all(&debian)?;
    fs::write(debian.join("control"), "Source: bobbin\n")?;
    let mut look = Command::new("dpkg-shlibdeps");
    look.arg("-O").arg(binary).current_dir(&package.work);
    let output = look.output().map_err(|error| {
        Failure::new(format!("dpkg-shlibdeps does not start: {error}")).hint("install dpkg-dev")
    })?;
    let printed = String::from_utf8_lossy(&output.stdout);
    match printed.trim().strip_prefix("shlibs:Depends=") {
        Some(names) if output.status.success() => {
            Ok(names.split(", ").map(str::to_owned).collect())
        }
        _ => Err(
            Failure::new(format!("`{}` ended with {}", shown(&look), output.status))
                .hint(String::from_utf8_lossy(&output.stderr)),
        ),
    }
}

/// `DEBIAN/md5sums`, by which `dpkg --verify` finds what changed on the disk.
fn sums(tree: &Tree) -> Result {
    let files = files_below(std::slice::from_ref(&tree.root))?;
    let mut look = Command::new("md5sum");
    look.current_dir(&tree.root);
    for file in &files {
        look.arg(file.strip_prefix(&tree.root).unwrap_or(file));
    }
    let output = look.output()?;
    if !output.status.success() {
        return Err(Failure::new(format!("md5sum ended with {}", output.status)));
    }
    tree.bytes(&output.stdout, "DEBIAN/md5sums", 0o644)
}

fn kibibytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for file in files_below(&[folder.to_owned()])? {
        bytes += fs::metadata(file)?.len();
    }
    Ok(bytes.div_ceil(1024))
}
