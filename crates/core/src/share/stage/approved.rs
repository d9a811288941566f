//! Staged bytes, and the approval of them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::hex::hexadecimal;
use crate::install::at;
use crate::model::Micros;
use crate::system::open_unfollowed;
use crate::{Error, Result};

/// The exact bytes that a person is to see, in a file of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct Staged {
    pub(super) id: i64,
    pub(super) destination: String,
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

impl Staged {
    /// Bobbin's number of the stage.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Whom it is for, as the destination is called here.
    pub fn destination(&self) -> &str {
        &self.destination
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Of the file, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The file, if it holds the bytes that were staged.
    ///
    /// # Errors
    /// [`Error::Refused`] if it was changed; [`Error::Io`].
    pub fn open(&self) -> Result<File> {
        let mut file = open_unfollowed(&self.path).map_err(at(&self.path))?;
        let mut hash = Sha256::new();
        let mut piece = vec![0; 1 << 16];
        let mut bytes = 0;
        loop {
            match file.read(&mut piece).map_err(at(&self.path))? {
                0 => break,
                read => {
                    hash.update(&piece[..read]);
                    bytes += read as u64;
                }
            }
        }
        if bytes != self.bytes || hexadecimal(&hash.finalize()) != self.sha256 {
            return Err(Error::Refused(format!(
                "{} was changed since it was staged",
                self.path.display()
            )));
        }
        // From its beginning.
        std::io::Seek::rewind(&mut file).map_err(at(&self.path))?;
        Ok(file)
    }
}

/// Staged bytes that a person approved for their destination, or that a standing approval covers. Only the desk makes one,
/// and only of bytes that are unchanged and have no open finding; whatever sends takes one.
#[derive(Clone, Debug, PartialEq)]
pub struct Approved {
    pub(super) staged: Staged,
    pub(super) at: Micros,
    pub(super) standing: bool,
}

impl Approved {
    /// What was approved.
    pub fn staged(&self) -> &Staged {
        &self.staged
    }

    /// When.
    pub fn at(&self) -> Micros {
        self.at
    }

    /// Whether nobody looked: an approval of numbers and names in advance covers it.
    pub fn standing(&self) -> bool {
        self.standing
    }
}
