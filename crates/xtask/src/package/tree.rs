//! Which file of the clone lies where once it is installed.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use super::{Package, licences};
use crate::{
    files::{files_below, root},
    process::{Failure, Result, run, run_quietly},
};

/// A folder that is filled like the root of a machine.
pub struct Tree {
    pub root: PathBuf,
}

impl Tree {
    pub fn at(root: PathBuf) -> Self {
        Self { root }
    }

    /// Copies one file. `to` is its path on the machine, without the leading slash.
    pub fn file(&self, from: &Path, to: &str, mode: u32) -> Result {
        let bytes = fs::read(from).map_err(|error| {
            Failure::new(format!("{} cannot be packed: {error}", from.display()))
        })?;
        self.bytes(&bytes, to, mode)
    }

    pub fn bytes(&self, bytes: &[u8], to: &str, mode: u32) -> Result {
        let to = self.root.join(to);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&to, bytes)?;
        fs::set_permissions(&to, fs::Permissions::from_mode(mode))?;
        Ok(())
    }

    /// Debian's policy: 0755 for folders, whatever the umask of whoever packs.
    pub fn open_folders(&self) -> Result {
        run_quietly(
            Command::new("find")
                .arg(&self.root)
                .args(["-type", "d", "-exec", "chmod", "0755", "{}", "+"]),
        )
    }
}

/// The program without a window, the words about it, and the service that receives while no window is open.
pub fn headless(package: &Package, tree: &Tree) -> Result {
    tree.file(&package.bobbin, "usr/bin/bobbin", 0o755)?;
    words(
        package,
        tree,
        &Places {
            bash: "usr/share/bash-completion/completions/bobbin",
            zsh: "usr/share/zsh/vendor-completions/_bobbin",
            fish: "usr/share/fish/vendor_completions.d/bobbin.fish",
            man: "usr/share/man/man1",
            manual: "usr/share/doc/bobbin",
        },
    )?;
    tree.file(
        &asset("bobbin.service"),
        "usr/lib/systemd/user/bobbin.service",
        0o644,
    )?;
    documents(package, tree, "bobbin")
}

/// Where the words about the program lie.
pub struct Places {
    pub bash: &'static str,
    pub zsh: &'static str,
    pub fish: &'static str,
    pub man: &'static str,
    /// README, with all that it links to.
    pub manual: &'static str,
}

/// What shells complete, what `man` shows, and the manual.
pub fn words(package: &Package, tree: &Tree, places: &Places) -> Result {
    for (shell, place) in [
        ("bash", places.bash),
        ("zsh", places.zsh),
        ("fish", places.fish),
    ] {
        tree.bytes(&said(package, &["completions", shell])?, place, 0o644)?;
    }
    let pages = package.work.join("pages");
    if pages.exists() {
        fs::remove_dir_all(&pages)?;
    }
    fs::create_dir_all(&pages)?;
    run(Command::new(&package.bobbin).arg("man").arg(&pages))?;
    manual(tree, &pages, places.man)?;
    let readme = Path::new(places.manual).join("README.md");
    tree.bytes(
        readme_of_packages()?.as_bytes(),
        &readme.to_string_lossy(),
        0o644,
    )?;
    let documents = ["CHANGELOG.md", "docs", "assets/images"].map(|path| root().join(path));
    for file in files_below(&documents)? {
        let place = Path::new(places.manual).join(file.strip_prefix(root()).unwrap_or(&file));
        tree.file(&file, &place.to_string_lossy(), 0o644)?;
    }
    Ok(())
}

/// README without the part for who has a clone, which links to what is only there.
fn readme_of_packages() -> Result<String> {
    const CLONE: &str = "## Working on Bobbin\n";
    let text = fs::read_to_string(root().join("README.md"))?;
    let parts = text.split_once(CLONE).and_then(|(before, part)| {
        let (_, after) = part.split_once("\n## ")?;
        Some(format!("{before}## {after}"))
    });
    parts.ok_or_else(|| {
        Failure::new("README has no part for who has a clone, with another behind it")
    })
}

/// The window: its place in menus, its icons, and the kind of file and link that it opens.
pub fn desktop(package: &Package, tree: &Tree) -> Result {
    tree.file(&package.desktop, "usr/bin/bobbin-desktop", 0o755)?;
    tree.file(
        &asset("org.bobbin.desktop.desktop"),
        "usr/share/applications/org.bobbin.desktop.desktop",
        0o644,
    )?;
    tree.file(
        &asset("org.bobbin.desktop.xml"),
        "usr/share/mime/packages/org.bobbin.desktop.xml",
        0o644,
    )?;
    let icons = root().join("assets/icons");
    for size in [32, 128, 256, 512] {
        tree.file(
            &icons.join(format!("bobbin-{size}.png")),
            &format!("usr/share/icons/hicolor/{size}x{size}/apps/org.bobbin.desktop.png"),
            0o644,
        )?;
    }
    tree.file(
        &icons.join("bobbin.svg"),
        "usr/share/icons/hicolor/scalable/apps/org.bobbin.desktop.svg",
        0o644,
    )?;
    let pages = package.work.join("desktop-pages");
    fs::create_dir_all(&pages)?;
    fs::copy(asset("bobbin-desktop.1"), pages.join("bobbin-desktop.1"))?;
    manual(tree, &pages, "usr/share/man/man1")?;
    documents(package, tree, "bobbin-desktop")
}

/// Pages of the manual, packed as Debian's policy wants them.
fn manual(tree: &Tree, pages: &Path, place: &str) -> Result {
    pack(&files_below(&[pages.to_owned()])?)?;
    for page in files_below(&[pages.to_owned()])? {
        tree.file(&page, &format!("{place}/{}", name(&page)), 0o644)?;
    }
    Ok(())
}

/// Puts files in the place of these, with `.gz` behind their names.
fn pack(files: &[PathBuf]) -> Result {
    run_quietly(
        Command::new("gzip")
            .args(["--best", "--no-name"])
            .args(files),
    )
}

/// Debian's policy wants the words of a licence that it has no copy of itself.
fn documents(package: &Package, tree: &Tree, of: &str) -> Result {
    let folder = format!("usr/share/doc/{of}");
    let mut text = fs::read_to_string(asset("copyright"))?;
    text.push_str("\nLicense: MIT\n");
    for line in fs::read_to_string(root().join("LICENSE-MIT"))?
        .lines()
        .skip(2)
    {
        text.push_str(&format!(" {}\n", if line.is_empty() { "." } else { line }));
    }
    tree.bytes(text.as_bytes(), &format!("{folder}/copyright"), 0o644)?;
    let others = licences::of(of)?;
    tree.bytes(
        others.as_bytes(),
        &format!("{folder}/THIRD-PARTY.txt"),
        0o644,
    )?;
    let changes = package.work.join("changelog");
    fs::write(&changes, package.changelog(of)?)?;
    pack(std::slice::from_ref(&changes))?;
    let packed = changes.with_extension("gz");
    tree.file(&packed, &format!("{folder}/changelog.gz"), 0o644)?;
    Ok(fs::remove_file(packed)?)
}

fn asset(name: &str) -> PathBuf {
    root().join("assets/package").join(name)
}

fn name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// What the program prints, such as completions.
fn said(package: &Package, words: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(&package.bobbin).args(words).output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(Failure::new(format!(
            "`bobbin {}` ended with {}",
            words.join(" "),
            output.status
        )))
    }
}
