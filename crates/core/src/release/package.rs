//! Packages as they lie on the disk.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::check::{BesidePackage, CheckedPackage};
use super::file::Package;
use crate::Result;
use crate::install::at;
use crate::signature::hexadecimal;

const CHUNK: usize = 1 << 16;

impl Package {
    /// What a release file says of a package.
    ///
    /// # Errors
    /// [`crate::Error::Io`].
    pub fn of(path: &Path) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut file = File::open(path).map_err(at(path))?;
        let mut hash = Sha256::new();
        let mut chunk = vec![0; CHUNK];
        let mut bytes = 0;
        loop {
            match file.read(&mut chunk) {
                Ok(0) => break,
                Ok(read) => {
                    hash.update(&chunk[..read]);
                    bytes += read as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(at(path)(error)),
            }
        }
        Ok(Self {
            name: name.into_owned(),
            bytes,
            sha256: hexadecimal(&hash.finalize()),
        })
    }
}

/// Those packages of a release that are in a folder. One of another size is not read: it is another file.
///
/// # Errors
/// [`crate::Error::Io`].
pub fn beside(folder: &Path, packages: &[CheckedPackage]) -> Result<Vec<BesidePackage>> {
    let mut found = Vec::new();
    for package in packages {
        let path = folder.join(&package.name);
        let bytes = match fs::metadata(&path) {
            // What is no file, such as a pipe, could keep its reader waiting.
            Ok(about) if about.is_file() => about.len(),
            Ok(_) => continue,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(at(&path)(error)),
        };
        let sha256 = (bytes == package.bytes)
            .then(|| Package::of(&path))
            .transpose()?
            .map(|found| found.sha256);
        found.push(BesidePackage {
            name: package.name.clone(),
            bytes,
            sha256,
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beside_is_found_by_its_name_and_read_if_its_size_fits() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.deb"), "abc").unwrap();
        fs::write(dir.path().join("b.deb"), "abc").unwrap();
        fs::create_dir(dir.path().join("c.deb")).unwrap();
        let package = |name: &str, bytes| CheckedPackage {
            name: name.into(),
            bytes,
            sha256: String::new(),
            checked: false,
        };
        let released = [
            package("a.deb", 3),
            package("b.deb", 4),
            package("c.deb", 3),
            package("d.deb", 3),
        ];
        let found = beside(dir.path(), &released).unwrap();
        let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["a.deb", "b.deb"]);
        let of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(found[0].sha256.as_deref(), Some(of_abc));
        assert_eq!((found[1].bytes, &found[1].sha256), (3, &None));
    }
}
