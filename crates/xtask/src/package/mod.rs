//! What people install: two Debian packages, and an archive of the program without a window.
//!
//! Debian's own tools make the packages, which are on every machine that builds there: `dpkg-shlibdeps` reads from the binaries
//! what they need, `dpkg-deb` writes the file.

mod archive;
mod deb;
mod licences;
mod sign;
mod tree;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    files::{root, target},
    page,
    process::{Failure, Options, Result, ask, cargo, run, run_quietly, say},
    setup::{self, Purpose},
};

/// What one build packs, and where.
struct Package {
    bobbin: PathBuf,
    desktop: PathBuf,
    /// Files that are made on the way.
    work: PathBuf,
    /// Where what is made lies at the end.
    out: PathBuf,
    /// The time of every file in it, s: the same sources give the same bytes.
    epoch: u64,
}

/// Packages that were made, before their folder is tidied.
struct Made {
    package: Package,
    #[cfg_attr(
        not(feature = "sign"),
        expect(dead_code, reason = "what signs names them")
    )]
    files: Vec<PathBuf>,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

const MAINTAINER: &str = "The Bobbin authors <bobbin@localhost>";

/// `cargo xtask package [--dev] [--binaries DIR] [--out DIR] [--sign KEY_FILE]`, or `--new-key KEY_FILE`.
///
/// # Errors
/// Something does not build, or a tool of Debian's is missing.
pub fn main(given: &[String]) -> Result {
    let options = Options::read(
        given,
        &["--dev"],
        &["--binaries", "--out", "--sign", "--new-key"],
    )?;
    if !options.words.is_empty() {
        return Err(Failure::usage("package takes options only").hint("cargo xtask help"));
    }
    let signs = |name: &str| options.values(name).next().is_some();
    if signs("--sign") || signs("--new-key") {
        return sign::main(given, &options);
    }
    make(&options, None)?.tidy()
}

/// Makes all packages. The programs trust the releases that `release_key` signs, if they are built here.
fn make(options: &Options, release_key: Option<&str>) -> Result<Made> {
    let binaries = match options.values("--binaries").last() {
        Some(folder) => PathBuf::from(folder),
        None => build(options.has("--dev"), release_key)?,
    };
    let out = match options.values("--out").last() {
        Some(folder) => PathBuf::from(folder),
        None => target().join("packages"),
    };
    fs::create_dir_all(&out)?;
    // Beside the packages, so that two runs with places of their own do not meet.
    let work = out.join(".work");
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    fs::create_dir_all(&work)?;
    let package = Package {
        bobbin: stripped(&binaries, "bobbin", &work)?,
        desktop: stripped(&binaries, "bobbin-desktop", &work)?,
        epoch: epoch(),
        work,
        out,
    };
    let mut files = vec![archive::write(&package)?];
    if ask(Command::new("dpkg-deb").arg("--version")).is_some() {
        files.extend(deb::write(&package)?);
    } else {
        say("packages", "left out: there is no dpkg-deb here");
    }
    Ok(Made { package, files })
}

impl Made {
    fn tidy(self) -> Result {
        Ok(fs::remove_dir_all(&self.package.work)?)
    }
}

/// The folder of both binaries, built.
fn build(dev: bool, release_key: Option<&str>) -> Result<PathBuf> {
    setup::set_up(Purpose::App)?;
    page::build()?;
    let mut build = cargo();
    build.args([
        "build",
        "--package",
        "bobbin",
        "--package",
        "bobbin-desktop",
    ]);
    if !dev {
        build.arg("--release");
    }
    // Whoever named one wants that one, such as while keys change.
    if let (Some(key), None) = (release_key, env::var_os("BOBBIN_RELEASE_KEY")) {
        build.env("BOBBIN_RELEASE_KEY", key);
    }
    run(&mut build)?;
    Ok(target().join(if dev { "debug" } else { "release" }))
}

/// A copy without symbols, which an optimised build has none of anyway.
fn stripped(binaries: &Path, name: &str, work: &Path) -> Result<PathBuf> {
    let copy = work.join(name);
    let built = binaries.join(name);
    fs::copy(&built, &copy).map_err(|error| {
        Failure::new(format!("{} cannot be packed: {error}", built.display()))
            .hint("leave --binaries out, and it is built")
    })?;
    run(Command::new("strip").arg("--strip-unneeded").arg(&copy))?;
    Ok(copy)
}

/// When the sources were last changed, s since 1970: `SOURCE_DATE_EPOCH` where it is set, as reproducible builds have it, or the time of
/// the last commit. 0 outside of a clone.
fn epoch() -> u64 {
    let given = env::var("SOURCE_DATE_EPOCH").ok();
    given
        .or_else(|| {
            ask(Command::new("git")
                .args(["log", "-1", "--format=%ct"])
                .current_dir(root()))
        })
        .and_then(|seconds| seconds.trim().parse().ok())
        .unwrap_or(0)
}

impl Package {
    /// What changed, in the form that Debian's tools read. The words are in `CHANGELOG.md`, which is packed as it is.
    fn changelog(&self, of: &str) -> Result<String> {
        let day = ask(Command::new("date").args([
            "--utc",
            "--rfc-email",
            "--date",
            &format!("@{}", self.epoch),
        ]))
        .ok_or_else(|| Failure::new(format!("there is no date for {} s", self.epoch)))?;
        Ok(format!(
            "{of} ({VERSION}) unstable; urgency=medium\n\n  * /usr/share/doc/bobbin/CHANGELOG.md has what changed.\n\n -- {MAINTAINER}  {day}\n"
        ))
    }

    /// Gives everything below a folder the one time.
    fn date(&self, folder: &Path) -> Result {
        run_quietly(Command::new("find").arg(folder).args([
            "-exec",
            "touch",
            "--no-dereference",
            "--date",
            &format!("@{}", self.epoch),
            "{}",
            "+",
        ]))
    }
}
