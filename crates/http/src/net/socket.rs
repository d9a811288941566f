//! The Unix socket: mode 0600 in a folder of mode 0700, for processes of the same user.
//!
//! It is in the data folder where the kernel takes so long a path; otherwise in a folder of its own under
//! `XDG_RUNTIME_DIR` or the temporary folder, which somebody else may have made first and is therefore looked at.

use std::fs::{self, DirBuilder, Permissions};
use std::io::{Error as IoError, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use bobbin_core::{Error, Result};
use sha2::{Digest, Sha256};
use tokio::net::{UnixListener, UnixStream};

use super::accept::{Service, next};
use super::serve::serve;
use super::{Peer, Way};

/// The longest path that every Unix takes: `sun_path` has 104 bytes on macOS and 108 on Linux, one of them a zero.
const LONGEST_PATH: usize = 103;
const FILE: &str = "receiver.sock";

/// A listening socket's file. Dropping it removes the file.
#[derive(Debug)]
pub struct SocketFile {
    path: PathBuf,
    /// The folder made for it alone.
    folder: Option<PathBuf>,
    /// The user that owns it and may connect.
    uid: u32,
}

/// A socket that listens.
pub struct Listener {
    listener: UnixListener,
    /// The user that may connect.
    uid: u32,
}

/// Listens in the data folder `dir`, or beside it where its path is too long. There always is a socket, other than on Windows.
///
/// # Errors
/// As [`SocketFile::listen`].
pub async fn listen(dir: &Path) -> Result<Option<(Listener, SocketFile)>> {
    let (listener, file) = SocketFile::listen(dir).await?;
    let uid = file.uid;
    Ok(Some((Listener { listener, uid }, file)))
}

/// Connects to a socket of this machine.
///
/// # Errors
/// Nobody listens there.
pub async fn connect(path: &Path) -> std::io::Result<UnixStream> {
    UnixStream::connect(path).await
}

/// Accepts processes of one user until told to stop. The mode of the socket keeps others out already; the kernel's word on who
/// connects holds even when somebody loosened it.
pub async fn accept_socket(Listener { listener, uid }: Listener, service: Service) {
    let mut stop = service.stop.clone();
    while let Some((stream, _)) = next(|| listener.accept(), &mut stop).await {
        if !stream.peer_cred().is_ok_and(|peer| peer.uid() == uid) {
            (service.refused)("other_user");
        } else if let Some(place) = service.admit(Peer::Socket) {
            let Service {
                handler,
                deadlines,
                stop,
                ..
            } = service.clone();
            tokio::spawn(async move {
                serve(stream, Way::Socket, &place, handler, deadlines, stop).await
            });
        }
    }
}

impl SocketFile {
    /// Listens in the data folder `dir`, or beside it where its path is too long.
    ///
    /// # Errors
    /// [`Error::AddressTaken`] when another process answers there; [`Error::Loosened`] when others may enter the
    /// folder; [`Error::Refused`] when what lies there is not ours; [`Error::Io`].
    async fn listen(dir: &Path) -> Result<(UnixListener, Self)> {
        let uid = own_uid().map_err(|source| Error::Io {
            path: dir.into(),
            source,
        })?;
        let near = std::path::absolute(dir)
            .map_err(|source| Error::Io {
                path: dir.into(),
                source,
            })?
            .join(FILE);
        let (path, folder) = if near.as_os_str().len() <= LONGEST_PATH {
            (near, None)
        } else {
            let folder = elsewhere(&near, uid);
            make_private(&folder, uid)?;
            (folder.join(FILE), Some(folder))
        };
        let parent = path.parent().unwrap_or(dir);
        check_private(parent, uid)?;
        remove_stale(&path, uid).await?;

        let at = |source| Error::Io {
            path: path.clone(),
            source,
        };
        let listener = UnixListener::bind(&path).map_err(at)?;
        let at = |source| Error::Io {
            path: path.clone(),
            source,
        };
        fs::set_permissions(&path, Permissions::from_mode(0o600)).map_err(at)?;
        Ok((listener, Self { path, folder, uid }))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, path = %self.path.display(), "the socket's file was missing");
        }
        if let Some(folder) = &self.folder
            && let Err(error) = fs::remove_dir(folder)
        {
            tracing::debug!(%error, path = %folder.display(), "Bobbin could not remove the socket's folder");
        }
    }
}

/// The user of this process, as the kernel would tell the other end of a socket.
fn own_uid() -> std::io::Result<u32> {
    let (one, _other) = UnixStream::pair()?;
    Ok(one.peer_cred()?.uid())
}

/// A folder with a short path, the same for one data folder each time.
fn elsewhere(near: &Path, uid: u32) -> PathBuf {
    let digest = Sha256::digest(near.as_os_str().as_bytes());
    let tag: String = digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    match std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from) {
        Some(runtime) if runtime.is_absolute() && runtime.as_os_str().len() < 48 => {
            runtime.join(format!("bobbin-{tag}"))
        }
        _ => {
            let temp = std::env::temp_dir();
            let base = if temp.as_os_str().len() < 48 {
                temp
            } else {
                PathBuf::from("/tmp")
            };
            base.join(format!("bobbin-{uid}-{tag}"))
        }
    }
}

fn make_private(folder: &Path, uid: u32) -> Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => Ok(()),
        Err(source) if source.kind() == ErrorKind::AlreadyExists => check_private(folder, uid),
        Err(source) => Err(Error::Io {
            path: folder.into(),
            source,
        }),
    }
}

/// Refuses a folder of somebody else, one that is a link, and one that others may enter.
fn check_private(folder: &Path, uid: u32) -> Result<()> {
    let found = fs::symlink_metadata(folder).map_err(|source| Error::Io {
        path: folder.into(),
        source,
    })?;
    if !found.is_dir() || found.uid() != uid {
        return Err(Error::Refused(format!(
            "{} is not a folder owned by this user",
            folder.display()
        )));
    }
    match found.mode() & 0o777 {
        mode if mode & 0o077 == 0 => Ok(()),
        mode => Err(Error::Loosened {
            path: folder.into(),
            mode,
        }),
    }
}

/// Removes the socket of a receiver that was killed: ours, and nobody answers.
async fn remove_stale(path: &Path, uid: u32) -> Result<()> {
    let at = |source: IoError| Error::Io {
        path: path.into(),
        source,
    };
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(source) if source.kind() == ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(at(source)),
    };
    if !found.file_type().is_socket() || found.uid() != uid {
        return Err(Error::Refused(format!(
            "{} is not a socket owned by this user",
            path.display()
        )));
    }
    match UnixStream::connect(path).await {
        Err(source) if source.kind() == ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(at)
        }
        Ok(_) => Err(Error::AddressTaken {
            address: path.display().to_string(),
        }),
        Err(source) => Err(at(source)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn private_dir() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o700)).unwrap();
        dir
    }

    #[tokio::test]
    async fn the_socket_is_for_its_owner_alone_and_goes_with_its_receiver() {
        let dir = private_dir();
        let (_listener, file) = SocketFile::listen(dir.path()).await.unwrap();
        assert_eq!(fs::metadata(file.path()).unwrap().mode() & 0o777, 0o600);
        assert!(UnixStream::connect(file.path()).await.is_ok());
        let path = file.path().to_path_buf();
        drop(file);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_stale_socket_is_replaced_and_a_live_one_is_not() {
        let dir = private_dir();
        let path = dir.path().join(FILE);
        drop(UnixListener::bind(&path).unwrap());
        assert!(path.exists());
        let (_listener, file) = SocketFile::listen(dir.path()).await.unwrap();
        let second = SocketFile::listen(dir.path()).await;
        assert!(matches!(second, Err(Error::AddressTaken { .. })));
        assert!(file.path().exists());
    }

    #[tokio::test]
    async fn what_is_not_a_socket_stays() {
        let dir = private_dir();
        let path = dir.path().join(FILE);
        fs::write(&path, "precious").unwrap();
        assert!(matches!(
            SocketFile::listen(dir.path()).await,
            Err(Error::Refused(_))
        ));
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    }

    #[tokio::test]
    async fn a_long_path_gets_a_private_folder_elsewhere() {
        let dir = private_dir();
        let deep = dir.path().join("d".repeat(120));
        DirBuilder::new().mode(0o700).create(&deep).unwrap();
        let (_listener, file) = SocketFile::listen(&deep).await.unwrap();
        assert!(file.path().as_os_str().len() <= LONGEST_PATH);
        let folder = file.path().parent().unwrap().to_path_buf();
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        assert!(UnixStream::connect(file.path()).await.is_ok());
        drop(file);
        assert!(!folder.exists());
    }

    #[tokio::test]
    async fn a_folder_that_others_may_enter_is_refused() {
        let dir = private_dir();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(
            SocketFile::listen(dir.path()).await,
            Err(Error::Loosened { mode: 0o755, .. })
        ));
    }

    #[test]
    fn a_planted_link_is_refused() {
        let dir = private_dir();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("/tmp", &link).unwrap();
        let uid = fs::metadata(dir.path()).unwrap().uid();
        assert!(matches!(make_private(&link, uid), Err(Error::Refused(_))));
    }
}
