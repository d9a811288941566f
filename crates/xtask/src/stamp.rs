//! Remembers what a step was last done with, so that the second time is quick.
//!
//! A stamp is a file in `target/stamps` holding a hash of the contents of all inputs. Times of files are not used: a
//! fresh clone and a changed branch both touch them without changing a byte.

use std::{
    collections::hash_map::DefaultHasher,
    fs,
    hash::{Hash, Hasher},
    io,
    path::PathBuf,
};

use crate::files::{files_below, root, target};

/// What a step was done with.
pub struct Stamp {
    path: PathBuf,
    hash: String,
}

impl Stamp {
    /// Hashes the contents of everything below `inputs`, and `also`: a version or a flag.
    ///
    /// # Errors
    /// An input cannot be read.
    pub fn of(name: &str, inputs: &[PathBuf], also: &str) -> io::Result<Self> {
        let mut hasher = DefaultHasher::new();
        also.hash(&mut hasher);
        for path in files_below(inputs)? {
            path.strip_prefix(root()).unwrap_or(&path).hash(&mut hasher);
            fs::read(&path)?.hash(&mut hasher);
        }
        Ok(Self {
            path: target().join("stamps").join(name),
            hash: format!("{:016x}", hasher.finish()),
        })
    }

    /// Whether the step was last done with just these inputs.
    pub fn is_current(&self) -> bool {
        fs::read_to_string(&self.path).is_ok_and(|kept| kept == self.hash)
    }

    /// The step is done.
    ///
    /// # Errors
    /// The stamp cannot be written.
    pub fn keep(&self) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&self.path, &self.hash)
    }
}
