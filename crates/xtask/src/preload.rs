//! A small library in C that a program loads before all others: its functions stand in for those of the system.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::process::{Result, run_quietly};

/// The library, built.
pub struct Preload {
    library: PathBuf,
}

impl Preload {
    /// Builds one of this name in this folder; `defined` are names of the source with their values.
    ///
    /// # Errors
    /// It does not build.
    pub fn build(
        folder: &Path,
        name: &str,
        source: &str,
        defined: &[(&str, String)],
    ) -> Result<Self> {
        let folder = folder.canonicalize()?;
        let file = folder.join(name).with_extension("c");
        let library = file.with_extension("so");
        fs::write(&file, source)?;
        let mut build = Command::new("cc");
        build.args(["-shared", "-fPIC", "-O2", "-o"]);
        build.arg(&library).arg(&file);
        for (name, value) in defined {
            build.arg(format!("-D{name}={value}"));
        }
        run_quietly(&mut build)?;
        Ok(Self { library })
    }

    /// Has a program load it when it starts.
    pub fn before(&self, program: &mut Command) {
        program.env("LD_PRELOAD", &self.library);
    }

    /// Where it is.
    pub fn library(&self) -> &Path {
        &self.library
    }
}
