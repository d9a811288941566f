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

#[cfg(windows)]
fn file_system(dir: &Path) -> Option<&'static str> {
    use std::path::{Component, Prefix};

    // A drive that stands for a share is called by the name of the share then.
    let real = dir.canonicalize().ok()?;
    let Component::Prefix(prefix) = real.components().next()? else {
        return None;
    };
    let is_share = matches!(prefix.kind(), Prefix::UNC(..) | Prefix::VerbatimUNC(..));
    is_share.then_some("a network share")
}

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
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
    dir.ancestors().find_map(|folder| {
        by_name(folder.file_name()?.to_str()?)
            .or_else(|| folder.join(".stfolder").exists().then_some("Syncthing"))
    })
}

/// Whose folder is called so. Some add a name or an account to theirs: `Dropbox (Work)`, `GoogleDrive-ada@example.org`.
fn by_name(folder: &str) -> Option<&'static str> {
    let exactly = match folder {
        "Mobile Documents" => Some("iCloud"),
        // macOS keeps those of all programs there.
        "CloudStorage" => Some("a cloud drive"),
        "Box" | "Box Sync" => Some("Box"),
        "MEGA" | "MEGAsync" => Some("MEGA"),
        "pCloudDrive" | "pCloud Drive" => Some("pCloud"),
        _ => None,
    };
    let begins = [
        ("Dropbox", "Dropbox"),
        ("OneDrive", "OneDrive"),
        ("Google Drive", "Google Drive"),
        ("GoogleDrive", "Google Drive"),
        ("Nextcloud", "Nextcloud"),
        ("ownCloud", "ownCloud"),
        ("iCloud", "iCloud"),
    ];
    exactly.or_else(|| {
        let found = begins.iter().find(|(begin, _)| folder.starts_with(begin));
        found.map(|(_, program)| *program)
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
        for (folder, program) in [
            ("GoogleDrive-ada@example.org/My Drive", "Google Drive"),
            ("SomeDrive-ada", "a cloud drive"),
        ] {
            let dir = Path::new("/Users/ada/Library/CloudStorage").join(folder);
            assert_eq!(copied_by(&dir), Some(program));
        }
        assert_eq!(copied_by(Path::new("/home/ada/Box/bobbin")), Some("Box"));
        for not in ["projects", "Boxes", "nextcloud-plugin"] {
            assert_eq!(copied_by(&Path::new("/home/ada").join(not)), None);
        }
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(shared_by(dir.path()), None);
        let data = dir.path().join("work/bobbin");
        std::fs::create_dir_all(&data).unwrap();
        std::fs::create_dir(dir.path().join(".stfolder")).unwrap();
        assert_eq!(shared_by(&data), Some("Syncthing"));
    }
}
