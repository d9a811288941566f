//! Whether a folder may be shared with other machines: by a network file system, or by a program that copies it away.
//!
//! The write-ahead log needs memory that all who use the store share, which machines do not; and a copy of the file
//! without its log lacks the last commits. On such folders the store keeps a rollback journal instead.

use std::path::Path;

/// Why the folder is taken for shared: the name of its file system, or of the program that copies it away.
pub(crate) fn shared_by(dir: &Path) -> Option<&'static str> {
    file_system(dir).or_else(|| copied_by(dir))
}

#[cfg(target_os = "linux")]
fn file_system(dir: &Path) -> Option<&'static str> {
    let found = rustix::fs::statfs(dir).ok()?;
    // Its type differs from machine to machine; the numbers have 32 bits.
    network(found.f_type as u32)
}

#[cfg(target_os = "macos")]
fn file_system(dir: &Path) -> Option<&'static str> {
    let found = rustix::fs::statfs(dir).ok()?;
    let letters = found.f_fstypename.iter().take_while(|letter| **letter != 0);
    let name: String = letters
        .map(|letter| char::from(letter.cast_unsigned()))
        .collect();
    ["nfs", "smbfs", "afpfs", "webdav"]
        .into_iter()
        .find(|network| *network == name)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn file_system(_dir: &Path) -> Option<&'static str> {
    None
}

/// The numbers of network file systems, as `statfs(2)` gives them. FUSE is left out: most of what it serves is local.
#[cfg(any(target_os = "linux", test))]
fn network(number: u32) -> Option<&'static str> {
    Some(match number {
        0x6969 => "NFS",
        0x517b | 0xfe53_4d42 | 0xff53_4d42 => "SMB",
        0x0102_1997 => "9P",
        0x5346_414f => "AFS",
        0x00c3_6400 => "Ceph",
        0x0bd0_0bd0 => "Lustre",
        0x4750_4653 => "GPFS",
        0x1983_0326 => "BeeGFS",
        0x7461_636f => "OCFS2",
        0x0116_1970 => "GFS2",
        0x7375_7245 => "Coda",
        _ => return None,
    })
}

fn copied_by(dir: &Path) -> Option<&'static str> {
    let folders = dir
        .components()
        .filter_map(|part| part.as_os_str().to_str());
    folders.into_iter().find_map(|folder| {
        ["Dropbox", "OneDrive", "Google Drive", "Nextcloud", "iCloud"]
            .into_iter()
            .find(|program| folder.starts_with(program))
            .or((folder == "Mobile Documents").then_some("iCloud"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_known_by_their_number() {
        assert_eq!(network(0x6969), Some("NFS"));
        assert_eq!(network(0xff53_4d42), Some("SMB"));
        // ext4, Btrfs, XFS, memory, overlay.
        for local in [0xef53, 0x9123_683e, 0x5846_5342, 0x0102_1994, 0x794c_7630] {
            assert_eq!(network(local), None);
        }
    }

    #[test]
    fn folders_that_are_copied_away_are_known_by_their_name() {
        assert_eq!(
            copied_by(Path::new("/home/ada/Dropbox (Lab)/bobbin")),
            Some("Dropbox")
        );
        assert_eq!(copied_by(Path::new("/home/ada/projects/bobbin")), None);
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(shared_by(dir.path()), None);
    }
}
