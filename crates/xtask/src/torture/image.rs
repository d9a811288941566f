//! What a disk may hold after the power went: of what was written since a file was last synced, any sectors, in any order.

use std::{collections::BTreeMap, fs, io, path::Path};

use fastrand::Rng;

use super::vfs::Op;

/// Disks write these whole or not at all.
const SECTOR: u64 = 512;

/// How much of what was not synced is on the disk.
#[derive(Clone, Copy, Debug)]
pub enum Kept {
    Nothing,
    All,
    /// Each sector with this chance, in percent.
    Some(u8),
}

/// A change that was not synced.
#[derive(Clone)]
enum Change {
    Wrote { at: u64, bytes: Vec<u8> },
    Cut(u64),
}

#[derive(Clone, Default)]
struct File {
    synced: Vec<u8>,
    since: Vec<Change>,
    /// In the folder as everybody sees it, and as it is on the disk.
    there: bool,
    there_synced: bool,
    /// SQLite's own file system syncs the folder of a new log or journal with the first sync of the file.
    new: bool,
}

/// A disk, as far as one folder goes.
#[derive(Clone, Default)]
pub struct Disk(BTreeMap<String, File>);

impl Disk {
    /// A disk on which this file is, empty.
    pub fn with(name: &str) -> Self {
        let file = File {
            there: true,
            there_synced: true,
            ..File::default()
        };
        Self([(name.to_owned(), file)].into())
    }

    pub fn apply(&mut self, op: &Op) {
        match op {
            Op::Created(name) => {
                let file = self.0.entry(name.clone()).or_default();
                if !file.there_synced {
                    *file = File::default();
                }
                (file.there, file.new) = (true, true);
            }
            Op::Wrote { file, at, bytes } => {
                let (at, bytes) = (*at, bytes.clone());
                self.file(file).since.push(Change::Wrote { at, bytes });
            }
            Op::Cut { file, size } => self.file(file).since.push(Change::Cut(*size)),
            Op::Synced(name) => {
                let file = self.file(name);
                let since = std::mem::take(&mut file.since);
                file.synced = content(&file.synced, &since, |_| true);
                if std::mem::take(&mut file.new) {
                    self.sync_folder();
                }
            }
            Op::Deleted { file, synced } => {
                self.file(file).there = false;
                if *synced {
                    self.sync_folder();
                }
            }
            Op::Acknowledged(_) => {}
        }
    }

    fn file(&mut self, name: &str) -> &mut File {
        self.0.entry(name.to_owned()).or_default()
    }

    fn sync_folder(&mut self) {
        self.0.retain(|_, file| file.there);
        for file in self.0.values_mut() {
            file.there_synced = true;
        }
    }

    /// Writes into `folder` what may be there after the power went now.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, folder: &Path, kept: Kept, rng: &mut Rng) -> io::Result<()> {
        let mut keeps = || match kept {
            Kept::Nothing => false,
            Kept::All => true,
            Kept::Some(percent) => rng.u8(..100) < percent,
        };
        for (name, file) in &self.0 {
            let is_there = if file.there == file.there_synced || keeps() {
                file.there
            } else {
                file.there_synced
            };
            if is_there {
                let bytes = content(&file.synced, &file.since, |_| keeps());
                fs::write(folder.join(name), bytes)?;
            }
        }
        Ok(())
    }
}

/// `from` with those sectors of the changes that `keeps` says.
fn content(from: &[u8], changes: &[Change], mut keeps: impl FnMut(u64) -> bool) -> Vec<u8> {
    let mut content = from.to_vec();
    for change in changes {
        match change {
            Change::Cut(size) => {
                if keeps(*size) {
                    content.resize(*size as usize, 0);
                }
            }
            Change::Wrote { at, bytes } => {
                let end = at + bytes.len() as u64;
                let mut from = *at;
                while from < end {
                    let to = end.min((from / SECTOR + 1) * SECTOR);
                    if keeps(from) {
                        if content.len() < to as usize {
                            content.resize(to as usize, 0);
                        }
                        let piece = &bytes[(from - at) as usize..(to - at) as usize];
                        content[from as usize..to as usize].copy_from_slice(piece);
                    }
                    from = to;
                }
            }
        }
    }
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrote(at: u64, bytes: Vec<u8>) -> Op {
        Op::Wrote {
            file: "a".into(),
            at,
            bytes,
        }
    }

    fn after(disk: &Disk, kept: Kept) -> Vec<u8> {
        let folder = std::env::temp_dir().join(format!("bobbin-image-{}", fastrand::u64(..)));
        fs::create_dir(&folder).unwrap();
        disk.write(&folder, kept, &mut Rng::with_seed(1)).unwrap();
        let bytes = fs::read(folder.join("a")).unwrap();
        fs::remove_dir_all(folder).unwrap();
        bytes
    }

    #[test]
    fn what_was_synced_stays_and_the_rest_may_go_by_sectors() {
        let mut disk = Disk::with("a");
        disk.apply(&wrote(0, vec![1; 1_024]));
        disk.apply(&Op::Synced("a".into()));
        disk.apply(&wrote(256, vec![2; 1_024]));
        assert_eq!(after(&disk, Kept::Nothing), [1; 1_024]);
        let all = after(&disk, Kept::All);
        assert_eq!((all[255], all[256], all.len()), (1, 2, 1_280));
        let some = after(&disk, Kept::Some(50));
        for sector in some[..1_024].chunks(256).skip(2) {
            assert!(sector.iter().all(|byte| *byte == sector[0]));
        }
    }

    #[test]
    fn a_file_is_there_for_sure_once_its_folder_was_synced() {
        let mut disk = Disk::default();
        disk.apply(&Op::Created("a".into()));
        disk.apply(&wrote(0, vec![1]));
        let folder = std::env::temp_dir().join(format!("bobbin-image-{}", fastrand::u64(..)));
        fs::create_dir(&folder).unwrap();
        let mut rng = Rng::with_seed(1);
        disk.write(&folder, Kept::Nothing, &mut rng).unwrap();
        assert!(!folder.join("a").exists());
        disk.apply(&Op::Synced("a".into()));
        disk.write(&folder, Kept::Nothing, &mut rng).unwrap();
        assert_eq!(fs::read(folder.join("a")).unwrap(), [1]);
        fs::remove_dir_all(folder).unwrap();
    }
}
