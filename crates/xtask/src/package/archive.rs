//! The archive: the program without a window and the words about it, for machines that have no `dpkg`.

use std::{env::consts, fs, path::PathBuf, process::Command};

use super::{
    Package, VERSION, licences,
    tree::{self, Places, Tree},
};
use crate::{
    files::root,
    process::{Failure, Result, run, say},
};

/// Where the manual puts the program of the archive. systemd looks for a bare name in the system's folders alone.
const PROGRAM: &str = "%h/.local/bin/bobbin";

/// One folder, named like the file.
///
/// # Errors
/// A file is missing, or `tar` fails.
pub fn write(package: &Package) -> Result<PathBuf> {
    let name = format!("bobbin-{VERSION}-{}-{}", consts::ARCH, consts::OS);
    let tree = Tree::at(package.work.join(&name));
    tree.file(&package.bobbin, "bobbin", 0o755)?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        tree.file(&root().join(licence), licence, 0o644)?;
    }
    tree::words(
        package,
        &tree,
        &Places {
            bash: "completions/bobbin.bash",
            zsh: "completions/_bobbin",
            fish: "completions/bobbin.fish",
            man: "man/man1",
            manual: "",
        },
    )?;
    tree.bytes(service()?.as_bytes(), "bobbin.service", 0o644)?;
    tree.bytes(licences::of("bobbin")?.as_bytes(), "THIRD-PARTY.txt", 0o644)?;
    tree.open_folders()?;
    package.date(&tree.root)?;
    let file = package.out.join(format!("{name}.tar.gz"));
    run(Command::new("tar")
        .args([
            "--create",
            "--sort=name",
            "--owner=0",
            "--group=0",
            "--numeric-owner",
            "--use-compress-program=gzip --no-name",
        ])
        .arg("--file")
        .arg(&file)
        .arg("--directory")
        .arg(&package.work)
        .arg(&name))?;
    say("archive", &file.display().to_string());
    Ok(file)
}

/// The package's service, with the program where the archive's is.
fn service() -> Result<String> {
    let text = fs::read_to_string(root().join("assets/package/bobbin.service"))?;
    text.contains("ExecStart=bobbin ")
        .then(|| text.replace("ExecStart=bobbin ", &format!("ExecStart={PROGRAM} ")))
        .ok_or_else(|| Failure::new("the service starts no bare bobbin"))
}
