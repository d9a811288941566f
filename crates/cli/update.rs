//! `bobbin update FILE`: what a release file brings, and whether it and its packages can be trusted. It installs nothing, opens no
//! connection, and needs no store.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use bobbin_core::api::{
    self, CheckReleaseRequest, CheckedPackage, MOST_RELEASE_BYTES, ReleaseAge, ReleaseCheck,
    ThisBuild,
};
use clap::Args;

use crate::failure::Failure;
use crate::{print, visible};

#[derive(Debug, Args)]
pub struct UpdateArgs {
    /// The release file, bobbin-VERSION.release, with the packages in the same folder; without it, show what this build is
    pub file: Option<PathBuf>,
    /// The public key that must have signed it, in hexadecimal [default: the one that was built in, if any]
    #[arg(long, value_name = "KEY", requires = "file")]
    pub key: Option<String>,
}

/// Runs the verb.
pub fn run(json: bool, args: &UpdateArgs) -> Result<(), Failure> {
    let Some(file) = &args.file else {
        let build = api::build_facts();
        return if json {
            print::json(&build)
        } else {
            print::write(&about(&build))
        };
    };
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut request = CheckReleaseRequest {
        file: read(file)?,
        key: args.key.clone(),
        folder: Some(folder.display().to_string()),
        beside: None,
    };
    // Its names are worth looking for once its signature holds.
    let signed = api::release_check(&request)?;
    let here = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    request.beside = Some(api::packages_beside(here, &signed.packages)?);
    let checked = api::release_check(&request)?;
    if json {
        return print::json(&checked);
    }
    print::write(&text(&checked))?;
    if !checked.install.is_empty() {
        print::talk("Nothing was installed. After you install it, quit Bobbin and start it again.");
    }
    Ok(())
}

/// No more than one byte too many: core says what is wrong with it then.
fn read(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MOST_RELEASE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| Failure::io("the release file", path, &error))?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::refused(format!(
            "{} is not a release file: it is not text",
            path.display()
        ))
        .hint("choose the file whose name ends in .release")
    })
}

fn about(build: &ThisBuild) -> String {
    format!(
        "Bobbin {}\nstore schema  {}\nbatch format  {}\nrelease key   {}\n\
         Bobbin never checks for updates. When you have a release file, `bobbin update FILE` checks it.\n",
        build.version,
        build.store_schema,
        build.batch_format,
        print::or_dash(build.release_key.as_ref(), |key| format!(
            "{key} ({})",
            print::or_dash(build.release_key_fingerprint.as_ref(), String::clone)
        )),
    )
}

fn text(checked: &ReleaseCheck) -> String {
    let age = match checked.age {
        ReleaseAge::Newer => "newer than this build",
        ReleaseAge::Same => "the version of this build",
        ReleaseAge::Older => "older than this build",
    };
    let mut text = format!(
        "Bobbin {} of {} is {age} ({})\nsigned with the key {}\n\n{}\n\n",
        checked.version,
        checked.released,
        checked.build.version,
        checked.key_fingerprint,
        visible::plain(&checked.data_format),
    );
    let rows: Vec<Vec<String>> = checked.packages.iter().map(row).collect();
    text.push_str(&print::table(
        &["package", "size", "SHA-256"],
        &[false, true, false],
        &rows,
    ));
    text.push_str(&format!(
        "\nWhat changes\n\n  {}\n",
        visible::plain_lines(&checked.changes, "  ")
    ));
    if !checked.install.is_empty() {
        text.push_str("\nTo install it\n\n");
    }
    for (at, command) in checked.install.iter().enumerate() {
        let or = if at == 0 { "" } else { "or\n" };
        text.push_str(&format!("{or}  {}\n", visible::plain(command)));
    }
    text
}

fn row(package: &CheckedPackage) -> Vec<String> {
    let found = if package.checked {
        "matches the release"
    } else {
        "not in this folder"
    };
    vec![
        visible::plain(&package.name),
        print::bytes(package.bytes),
        found.into(),
    ]
}
