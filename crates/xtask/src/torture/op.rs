//! What happens to files and folders, as far as a power cut goes.

/// A file or a folder, whatever it is called.
pub type Id = u64;

/// The folder that all others are below.
pub const ROOT: Id = 0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
}

/// One thing that happened to a file or a folder, or to those who write.
#[derive(Clone, Debug)]
pub enum Op {
    /// A new one, in which nothing is.
    Made {
        folder: Id,
        name: String,
        id: Id,
        kind: Kind,
    },
    /// It has this name, too.
    Named {
        folder: Id,
        name: String,
        id: Id,
    },
    Renamed {
        from: (Id, String),
        to: (Id, String),
    },
    Unnamed {
        folder: Id,
        name: String,
    },
    Wrote {
        file: Id,
        at: u64,
        bytes: Vec<u8>,
    },
    Cut {
        file: Id,
        size: u64,
    },
    /// What a file holds, or which names are in a folder.
    Synced(Id),
    /// Somebody was told that this is stored.
    Acknowledged(usize),
}
