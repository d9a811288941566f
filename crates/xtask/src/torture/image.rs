//! What a disk may hold after the power went: of what was written since a file was last synced, any sectors, in any order; of the
//! names that changed since their folder was, any.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{DirBuilder, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use fastrand::Rng;

use super::op::{Id, Kind, Op, ROOT};

/// Disks write these whole or not at all.
const SECTOR: u64 = 512;

/// How much of what was not synced is on the disk.
#[derive(Clone, Copy, Debug)]
pub enum Kept {
    Nothing,
    All,
    /// Each sector and each change of a name with this chance, in percent.
    Some(u8),
    /// Those before one of them, in the order in which they lie there.
    Before(usize),
    /// One of them.
    Only(usize),
    /// All but one of them.
    Without(usize),
}

/// What was not synced, each of which is on the disk or not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    /// A change of names, by its number.
    Naming(u64),
    Cut(Id),
    /// What was written to a sector of a file, once or several times.
    Sector(Id, u64),
}

impl Kept {
    /// Says of each piece whether it is on the disk.
    fn each(self, rng: &mut Rng) -> impl FnMut(Piece) -> bool {
        let mut numbers: BTreeMap<Piece, usize> = BTreeMap::new();
        move |piece| {
            let next = numbers.len();
            let number = *numbers.entry(piece).or_insert(next);
            match self {
                Self::Nothing => false,
                Self::All => true,
                Self::Some(percent) => rng.u8(..100) < percent,
                Self::Before(end) => number < end,
                Self::Only(one) => number == one,
                Self::Without(one) => number != one,
            }
        }
    }
}

/// A sync that the disk does not hear, to see that it is needed. Of a name with a date the beginning will do, with its dash.
#[derive(Clone, Copy, Debug)]
pub enum Unheard {
    /// Of what is in each file that ever has this name, whatever it is called then.
    Bytes(&'static str),
    /// Of the folder in which something has this name, as far as that goes.
    Name(&'static str),
}

/// A change that was not synced.
enum Change {
    Wrote { at: u64, bytes: Vec<u8> },
    Cut(u64),
}

type Names = BTreeMap<String, Id>;

enum Content {
    File {
        synced: Vec<u8>,
        since: Vec<Change>,
    },
    Folder {
        synced: Names,
        /// As everybody sees it.
        now: Names,
    },
}

struct Node {
    content: Content,
    /// Each that it ever had.
    names: Vec<String>,
}

impl Node {
    fn new(kind: Kind) -> Self {
        let content = match kind {
            Kind::File => Content::File {
                synced: Vec::new(),
                since: Vec::new(),
            },
            Kind::Folder => Content::Folder {
                synced: Names::new(),
                now: Names::new(),
            },
        };
        Self {
            content,
            names: Vec::new(),
        }
    }
}

/// A change of names in one folder that was not synced. The disk has all of it or nothing: what is renamed has one name or the
/// other, and a name stands for one file or the other.
struct Naming {
    folder: Id,
    names: Vec<(String, Option<Id>)>,
    /// Where something went to another folder, the change there: no disk loses it in both.
    arrival: Option<u64>,
}

/// A disk, as far as one folder goes.
pub struct Disk {
    nodes: BTreeMap<Id, Node>,
    namings: BTreeMap<u64, Naming>,
    /// Namings so far.
    count: u64,
    unheard: Option<Unheard>,
    /// Files whose syncs are not heard.
    unsynced: BTreeSet<Id>,
}

impl Disk {
    /// A disk on which nothing is, and all this is to happen.
    pub fn new(unheard: Option<Unheard>, ops: &[Op]) -> Self {
        Self {
            nodes: [(ROOT, Node::new(Kind::Folder))].into(),
            namings: BTreeMap::new(),
            count: 0,
            unheard,
            unsynced: match unheard {
                Some(Unheard::Bytes(of)) => Self::called(of, ops),
                Some(Unheard::Name(_)) | None => BTreeSet::new(),
            },
        }
    }

    /// What has this name at any time: a file is synced before it is called what it is to be.
    fn called(of: &str, ops: &[Op]) -> BTreeSet<Id> {
        let mut disk = Self::new(None, &[]);
        let names = ops.iter().filter(|op| !matches!(op, Op::Wrote { .. }));
        names.for_each(|op| disk.apply(op));
        let nodes = disk.nodes.into_iter();
        nodes
            .filter(|(_, node)| node.names.iter().any(|name| is_called(name, of)))
            .map(|(id, _)| id)
            .collect()
    }

    pub fn apply(&mut self, op: &Op) {
        match op {
            Op::Made {
                folder,
                name,
                id,
                kind,
            } => {
                self.nodes.insert(*id, Node::new(*kind));
                self.name(*folder, vec![(name.clone(), Some(*id))], None);
            }
            Op::Named { folder, name, id } => {
                self.name(*folder, vec![(name.clone(), Some(*id))], None);
            }
            Op::Renamed { from, to } => self.rename(from, to),
            Op::Unnamed { folder, name } => {
                self.name(*folder, vec![(name.clone(), None)], None);
            }
            Op::Wrote { file, at, bytes } => {
                let (at, bytes) = (*at, bytes.clone());
                self.change(*file, Change::Wrote { at, bytes });
            }
            Op::Cut { file, size } => self.change(*file, Change::Cut(*size)),
            Op::Synced(id) => self.sync(*id),
            Op::Acknowledged(_) => {}
        }
    }

    /// Changes names in a folder; gives the number of that change.
    fn name(&mut self, folder: Id, names: Vec<(String, Option<Id>)>, arrival: Option<u64>) -> u64 {
        for (name, id) in &names {
            if let Some(id) = id
                && let Some(node) = self.nodes.get_mut(id)
            {
                node.names.push(name.clone());
            }
        }
        if let Some(Content::Folder { now, .. }) = self.content(folder) {
            put(now, &names);
        }
        self.count += 1;
        let naming = Naming {
            folder,
            names,
            arrival,
        };
        self.namings.insert(self.count, naming);
        self.count
    }

    fn rename(&mut self, from: &(Id, String), to: &(Id, String)) {
        let Some(Content::Folder { now, .. }) = self.content(from.0) else {
            return;
        };
        let Some(id) = now.get(&from.1).copied() else {
            return;
        };
        let (gone, come) = ((from.1.clone(), None), (to.1.clone(), Some(id)));
        if from.0 == to.0 {
            self.name(from.0, vec![gone, come], None);
        } else {
            let arrival = self.name(to.0, vec![come], None);
            self.name(from.0, vec![gone], Some(arrival));
        }
    }

    fn change(&mut self, file: Id, change: Change) {
        if let Some(Content::File { since, .. }) = self.content(file) {
            since.push(change);
        }
    }

    fn content(&mut self, id: Id) -> Option<&mut Content> {
        self.nodes.get_mut(&id).map(|node| &mut node.content)
    }

    fn sync(&mut self, id: Id) {
        if self.unsynced.contains(&id) {
            return;
        }
        match self.content(id) {
            Some(Content::Folder { .. }) => self.settle(id, self.count),
            Some(Content::File { synced, since }) => {
                *synced = after(id, synced, since, &mut |_| true);
                since.clear();
            }
            None => {}
        }
    }

    /// The changes of names in a folder up to this one are on the disk, and so is where that went to which left.
    fn settle(&mut self, folder: Id, last: u64) {
        let due: Vec<u64> = self
            .namings
            .range(..=last)
            .filter(|(_, naming)| naming.folder == folder && self.hears(naming))
            .map(|(number, _)| *number)
            .collect();
        for number in due {
            let Some(naming) = self.namings.remove(&number) else {
                continue;
            };
            if let Some(arrival) = naming.arrival
                && let Some(there) = self.namings.get(&arrival).map(|there| there.folder)
            {
                self.settle(there, arrival);
            }
            if let Some(Content::Folder { synced, .. }) = self.content(folder) {
                put(synced, &naming.names);
            }
        }
    }

    fn hears(&self, naming: &Naming) -> bool {
        match self.unheard {
            Some(Unheard::Name(of)) => !naming.names.iter().any(|(name, _)| is_called(name, of)),
            _ => true,
        }
    }

    /// How many pieces were not synced.
    pub fn unsynced(&self) -> usize {
        let mut pieces = BTreeSet::new();
        self.left(|piece| {
            pieces.insert(piece);
            true
        });
        pieces.len()
    }

    /// Makes the folder `to` with what may be there after the power went now, for its owner alone as Bobbin leaves it.
    ///
    /// # Errors
    /// It is there already, or cannot be written.
    pub fn write(&self, to: &Path, kept: Kept, rng: &mut Rng) -> io::Result<()> {
        for (path, bytes) in self.left(kept.each(rng)) {
            let path = to.join(path);
            match bytes {
                None => DirBuilder::new().mode(0o700).create(&path)?,
                Some(bytes) => OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .mode(0o600)
                    .open(&path)?
                    .write_all(&bytes)?,
            }
        }
        Ok(())
    }

    /// What is there with those pieces that `keeps` says: folders, without bytes, before what is in them.
    fn left(&self, mut keeps: impl FnMut(Piece) -> bool) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        let folders = self.folders(&mut keeps);
        // Of two names of a file both show the same.
        let mut files: BTreeMap<Id, Vec<u8>> = BTreeMap::new();
        let mut paths: Vec<(PathBuf, Id)> = vec![(PathBuf::new(), ROOT)];
        let mut left = Vec::new();
        while let Some((path, id)) = paths.pop() {
            match self.nodes.get(&id).map(|node| &node.content) {
                Some(Content::Folder { .. }) => {
                    let names = folders.get(&id).into_iter().flatten();
                    paths.extend(names.map(|(name, id)| (path.join(name), *id)));
                    left.push((path, None));
                }
                Some(Content::File { synced, since }) => {
                    let bytes = files
                        .entry(id)
                        .or_insert_with(|| after(id, synced, since, &mut keeps));
                    left.push((path, Some(bytes.clone())));
                }
                None => {}
            }
        }
        left
    }

    /// The names in each folder, with those changes that `keeps` says.
    fn folders(&self, keeps: &mut impl FnMut(Piece) -> bool) -> BTreeMap<Id, Names> {
        let mut folders: BTreeMap<Id, Names> = BTreeMap::new();
        for (id, node) in &self.nodes {
            if let Content::Folder { synced, .. } = &node.content {
                folders.insert(*id, synced.clone());
            }
        }
        let mut chosen = BTreeSet::new();
        for (number, naming) in &self.namings {
            let has_arrived = naming.arrival.is_none_or(|arrival| {
                chosen.contains(&arrival) || !self.namings.contains_key(&arrival)
            });
            if has_arrived && keeps(Piece::Naming(*number)) {
                chosen.insert(*number);
                put(folders.entry(naming.folder).or_default(), &naming.names);
            }
        }
        folders
    }
}

/// Whether this is the name, or begins so, with a date behind it.
fn is_called(name: &str, of: &str) -> bool {
    name.strip_prefix(of)
        .is_some_and(|rest| rest.is_empty() || of.ends_with(['-', '_']))
}

fn put(to: &mut Names, names: &[(String, Option<Id>)]) {
    for (name, id) in names {
        match id {
            Some(id) => to.insert(name.clone(), *id),
            None => to.remove(name),
        };
    }
}

/// The file with those sectors of the changes that `keeps` says.
fn after(
    id: Id,
    from: &[u8],
    changes: &[Change],
    keeps: &mut impl FnMut(Piece) -> bool,
) -> Vec<u8> {
    let mut content = from.to_vec();
    for change in changes {
        match change {
            Change::Cut(size) => {
                if keeps(Piece::Cut(id)) {
                    content.resize(*size as usize, 0);
                }
            }
            Change::Wrote { at, bytes } => {
                let end = at + bytes.len() as u64;
                let mut from = *at;
                while from < end {
                    let to = end.min((from / SECTOR + 1) * SECTOR);
                    if keeps(Piece::Sector(id, from / SECTOR)) {
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
    use std::fs;

    use super::*;

    const FILE: Id = 1;
    const INNER: Id = 2;

    /// A folder of its own, removed when dropped.
    struct Place(PathBuf);

    impl Place {
        fn new() -> Self {
            Self(std::env::temp_dir().join(format!("bobbin-image-{}", fastrand::u64(..))))
        }

        /// What the disk may hold there.
        fn after(&self, disk: &Disk, kept: Kept) -> &Path {
            let _ = fs::remove_dir_all(&self.0);
            disk.write(&self.0, kept, &mut Rng::with_seed(1)).unwrap();
            &self.0
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn made(folder: Id, name: &str, id: Id, kind: Kind) -> Op {
        let name = name.into();
        Op::Made {
            folder,
            name,
            id,
            kind,
        }
    }

    fn wrote(at: u64, bytes: Vec<u8>) -> Op {
        let file = FILE;
        Op::Wrote { file, at, bytes }
    }

    fn renamed(from: (Id, &str), to: (Id, &str)) -> Op {
        Op::Renamed {
            from: (from.0, from.1.into()),
            to: (to.0, to.1.into()),
        }
    }

    fn disk(unheard: Option<Unheard>, ops: &[Op]) -> Disk {
        let mut disk = Disk::new(unheard, ops);
        ops.iter().for_each(|op| disk.apply(op));
        disk
    }

    /// A file whose name is on the disk.
    fn named(name: &str) -> [Op; 2] {
        [made(ROOT, name, FILE, Kind::File), Op::Synced(ROOT)]
    }

    #[test]
    fn what_was_synced_stays_and_the_rest_may_go_by_sectors() {
        let mut disk = disk(None, &named("a"));
        disk.apply(&wrote(0, vec![1; 1_024]));
        disk.apply(&Op::Synced(FILE));
        disk.apply(&wrote(256, vec![2; 1_024]));
        let place = Place::new();
        let bytes = |kept| fs::read(place.after(&disk, kept).join("a")).unwrap();
        assert_eq!(bytes(Kept::Nothing), [1; 1_024]);
        let all = bytes(Kept::All);
        assert_eq!((all[255], all[256], all.len()), (1, 2, 1_280));
        let some = bytes(Kept::Some(50));
        for sector in some[..1_024].chunks(256).skip(2) {
            assert!(sector.iter().all(|byte| *byte == sector[0]));
        }
    }

    #[test]
    fn one_sector_is_lost_or_alone_kept() {
        let mut disk = disk(None, &named("a"));
        assert_eq!(disk.unsynced(), 0);
        // Two writes meet in the second sector, which the disk has whole or not at all.
        disk.apply(&wrote(256, vec![1; 300]));
        disk.apply(&wrote(556, vec![1; 724]));
        assert_eq!(disk.unsynced(), 3);
        let place = Place::new();
        let bytes = |kept| fs::read(place.after(&disk, kept).join("a")).unwrap();
        // What lies before the first is a hole.
        let of = |sectors: [(u8, usize); 3]| {
            let sectors = sectors.map(|(byte, count)| vec![byte; count]);
            [vec![0; 256], sectors.concat()].concat()
        };
        let (first, last) = ((1, 256), (1, 256));
        assert_eq!(bytes(Kept::Without(1)), of([first, (0, 512), last]));
        assert_eq!(bytes(Kept::Only(1)), of([(0, 256), (1, 512), (0, 0)]));
        assert_eq!(bytes(Kept::Before(2)), of([first, (1, 512), (0, 0)]));
        assert!(bytes(Kept::Before(0)).is_empty());
    }

    #[test]
    fn a_file_is_there_for_sure_once_its_folder_was_synced() {
        let ops = [
            made(ROOT, "a", FILE, Kind::File),
            wrote(0, vec![1]),
            Op::Synced(FILE),
        ];
        let mut disk = disk(None, &ops);
        let place = Place::new();
        assert!(!place.after(&disk, Kept::Nothing).join("a").exists());
        disk.apply(&Op::Synced(ROOT));
        let there = place.after(&disk, Kept::Nothing).join("a");
        assert_eq!(fs::read(there).unwrap(), [1]);
    }

    #[test]
    fn a_name_that_is_taken_over_is_the_old_files_or_the_new_ones() {
        let mut disk = disk(None, &named("a"));
        for op in [
            wrote(0, vec![1]),
            Op::Synced(FILE),
            made(ROOT, "a.new", INNER, Kind::File),
            renamed((ROOT, "a.new"), (ROOT, "a")),
        ] {
            disk.apply(&op);
        }
        let place = Place::new();
        let bytes = |disk: &Disk| fs::read(place.after(disk, Kept::Nothing).join("a")).unwrap();
        assert_eq!(bytes(&disk), [1]);
        disk.apply(&Op::Synced(ROOT));
        // Its bytes were not synced.
        assert!(bytes(&disk).is_empty());
    }

    #[test]
    fn what_goes_to_another_folder_is_in_one_of_both() {
        let there = |disk: &Disk, kept| {
            let place = Place::new();
            let root = place.after(disk, kept);
            (root.join("a").exists(), root.join("in/a").exists())
        };
        let mut moved = named("a").to_vec();
        moved.extend([
            made(ROOT, "in", INNER, Kind::Folder),
            Op::Synced(ROOT),
            renamed((ROOT, "a"), (INNER, "a")),
        ]);
        let mut disk = disk(None, &moved);
        assert_eq!(there(&disk, Kept::Nothing), (true, false));
        assert_eq!(there(&disk, Kept::All), (false, true));
        disk.apply(&Op::Synced(INNER));
        assert_eq!(there(&disk, Kept::Nothing), (true, true));
        disk.apply(&Op::Synced(ROOT));
        assert_eq!(there(&disk, Kept::Nothing), (false, true));
    }

    #[test]
    fn a_sync_of_where_it_left_has_it_where_it_came() {
        let mut ops = named("a").to_vec();
        ops.extend([
            made(ROOT, "in", INNER, Kind::Folder),
            Op::Synced(ROOT),
            renamed((ROOT, "a"), (INNER, "a")),
            Op::Synced(ROOT),
        ]);
        let place = Place::new();
        let root = place.after(&disk(None, &ops), Kept::Nothing);
        assert!(!root.join("a").exists() && root.join("in/a").exists());
    }

    #[test]
    fn a_sync_that_is_not_heard_keeps_nothing() {
        let name = |name: &str| name.to_owned();
        let linked = Op::Named {
            folder: ROOT,
            name: name("a"),
            id: FILE,
        };
        let unnamed = Op::Unnamed {
            folder: ROOT,
            name: name(".7.new"),
        };
        // It has its name by either way once it is whole.
        for named in [
            vec![renamed((ROOT, ".7.new"), (ROOT, "a"))],
            vec![linked, unnamed],
        ] {
            let mut ops = vec![
                made(ROOT, ".7.new", FILE, Kind::File),
                wrote(0, vec![1]),
                Op::Synced(FILE),
            ];
            ops.extend(named);
            ops.push(Op::Synced(ROOT));
            let place = Place::new();
            let bytes = |unheard| {
                let left = disk(unheard, &ops);
                fs::read(place.after(&left, Kept::Nothing).join("a")).ok()
            };
            assert_eq!(bytes(None), Some(vec![1]));
            assert_eq!(bytes(Some(Unheard::Bytes("b"))), Some(vec![1]));
            assert_eq!(bytes(Some(Unheard::Bytes("a"))), Some(vec![]));
            assert_eq!(bytes(Some(Unheard::Name("a"))), None);
        }
        assert!(is_called("damaged-2999", "damaged-") && !is_called("ab", "a"));
    }
}
