//! What a program does to files and folders, noted by a library that it loads before all others (`notes.c`).

use std::{
    collections::HashMap,
    fs,
    io::{self, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::Command,
};

use super::op::{Id, Kind, Op, ROOT};
use crate::{
    preload::Preload,
    process::{Failure, Result, ask},
};

/// The library, and the file of its notes.
pub struct Notes {
    library: Preload,
    file: PathBuf,
}

impl Notes {
    /// Builds the library in this folder; or says why programs cannot be watched here.
    ///
    /// # Errors
    /// It does not build.
    pub fn build(folder: &Path) -> Result<std::result::Result<Self, String>> {
        if !cfg!(target_os = "linux") {
            return Ok(Err("programs are watched on Linux alone".into()));
        }
        if ask(Command::new("cc").arg("--version")).is_none() {
            return Ok(Err("there is no C compiler `cc`".into()));
        }
        let file = folder.join("notes");
        fs::write(&file, "")?;
        let library = Preload::build(folder, "notes", include_str!("notes.c"), &[])?;
        Ok(Ok(Self { library, file }))
    }

    /// Has a program note what it does.
    pub fn before(&self, program: &mut Command) {
        self.library.before(program);
        program.env("TORTURE_NOTES", &self.file);
    }

    /// Notes that somebody was told something.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn acknowledge(&self, index: usize) -> io::Result<()> {
        let mut file = fs::OpenOptions::new().append(true).open(&self.file)?;
        file.write_all(format!("A {index} 0 0 0 0\n").as_bytes())
    }

    /// What was done in a folder that was empty then.
    ///
    /// # Errors
    /// The notes cannot be read, or something came into the folder from elsewhere.
    pub fn ops(&self, folder: &Path) -> Result<Vec<Op>> {
        let found = folder.metadata()?;
        read(&fs::read(&self.file)?, (found.dev(), found.ino()))
    }
}

/// As the system tells files from each other: by device and number.
type Inode = (u64, u64);

fn read(mut notes: &[u8], root: Inode) -> Result<Vec<Op>> {
    let mut known = Known {
        ids: HashMap::from([(root, ROOT)]),
        last: ROOT,
    };
    let mut ops = Vec::new();
    while !notes.is_empty() {
        let (note, behind) =
            Note::first(notes).ok_or_else(|| Failure::new("a note cannot be read"))?;
        ops.extend(known.op(&note)?);
        notes = behind;
    }
    Ok(ops)
}

struct Note<'a> {
    letter: &'a str,
    numbers: [u64; 4],
    more: &'a [u8],
}

impl<'a> Note<'a> {
    /// The first of several, and what is behind it.
    fn first(notes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let end = notes.iter().position(|byte| *byte == b'\n')?;
        let mut words = std::str::from_utf8(&notes[..end]).ok()?.split(' ');
        let letter = words.next()?;
        let mut number = || words.next()?.parse::<u64>().ok();
        let numbers = [number()?, number()?, number()?, number()?];
        let length = usize::try_from(number()?).ok()?;
        let (more, behind) = notes[end + 1..].split_at_checked(length)?;
        let note = Self {
            letter,
            numbers,
            more,
        };
        Some((note, behind))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(self.more).into_owned()
    }
}

/// The files and folders below the one that is looked at.
struct Known {
    ids: HashMap<Inode, Id>,
    last: Id,
}

impl Known {
    /// What a note says, if it is of that folder.
    fn op(&mut self, note: &Note<'_>) -> Result<Option<Op>> {
        let [device, number, one, two] = note.numbers;
        if note.letter == "A" {
            return Ok(Some(Op::Acknowledged(device as usize)));
        }
        let of = self.ids.get(&(device, number)).copied();
        let other = self.ids.get(&(one, two)).copied();
        Ok(match note.letter {
            "F" => self.made(of, note, Kind::File),
            "D" => self.made(of, note, Kind::Folder),
            "N" => match (of, other) {
                (Some(folder), Some(id)) => Some(Op::Named {
                    folder,
                    name: note.text(),
                    id,
                }),
                (Some(_), None) => return Err(from_elsewhere(&note.text())),
                (None, _) => None,
            },
            "U" => of.map(|folder| Op::Unnamed {
                folder,
                name: note.text(),
            }),
            "R" => renamed(of, other, &note.text())?,
            "W" => of.map(|file| Op::Wrote {
                file,
                at: one,
                bytes: note.more.to_vec(),
            }),
            "C" => of.map(|file| Op::Cut { file, size: one }),
            "S" => of.map(Op::Synced),
            letter => return Err(Failure::new(format!("a note of the letter {letter}"))),
        })
    }

    fn made(&mut self, folder: Option<Id>, note: &Note<'_>, kind: Kind) -> Option<Op> {
        let name = note.text();
        let [_, _, device, number] = note.numbers;
        // The index of a log is memory that processes share: nobody looks for it after a power cut.
        let Some(folder) = folder.filter(|_| !name.ends_with("-shm")) else {
            // A number that a file here may have had before.
            self.ids.remove(&(device, number));
            return None;
        };
        self.last += 1;
        self.ids.insert((device, number), self.last);
        Some(Op::Made {
            folder,
            name,
            id: self.last,
            kind,
        })
    }
}

/// Between two folders; the names are parted by a slash.
fn renamed(from: Option<Id>, to: Option<Id>, names: &str) -> Result<Option<Op>> {
    let (gone, come) = names
        .split_once('/')
        .ok_or_else(|| Failure::new("a new name without an old one"))?;
    Ok(match (from, to) {
        (Some(from), Some(to)) => Some(Op::Renamed {
            from: (from, gone.into()),
            to: (to, come.into()),
        }),
        (Some(folder), None) => Some(Op::Unnamed {
            folder,
            name: gone.into(),
        }),
        (None, Some(_)) => return Err(from_elsewhere(come)),
        (None, None) => None,
    })
}

/// Nobody knows what of it is on the disk.
fn from_elsewhere(name: &str) -> Failure {
    Failure::new(format!("{name} came from elsewhere"))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::super::{folder::Folder, image::Kept, moments::Replay};
    use super::*;
    use crate::files::files_below;

    /// What a shell does in a folder, as a disk has it that keeps so much.
    fn done(name: &str, script: &str, kept: Kept) -> Vec<(String, String)> {
        let place = Folder::make(name).unwrap();
        let notes = Notes::build(&place.0).unwrap().unwrap();
        let (inside, image) = (place.0.join("inside"), place.0.join("image"));
        fs::create_dir(&inside).unwrap();
        let mut shell = Command::new("sh");
        notes.before(shell.args(["-ec", script]).current_dir(&inside));
        assert!(shell.status().unwrap().success());
        let ops = notes.ops(&inside).unwrap();
        let mut replay = Replay::new(&ops, None);
        replay.until(ops.len());
        let mut rng = fastrand::Rng::with_seed(1);
        replay.disk.write(&image, kept, &mut rng).unwrap();
        let mut found: Vec<(String, String)> = files_below(std::slice::from_ref(&image))
            .unwrap()
            .into_iter()
            .map(|path| {
                let text = fs::read_to_string(&path).unwrap();
                let name = path.strip_prefix(&image).unwrap();
                (name.display().to_string(), text)
            })
            .collect();
        found.sort();
        found
    }

    fn files(of: &[(&str, &str)]) -> Vec<(String, String)> {
        of.iter()
            .map(|(name, text)| ((*name).into(), (*text).into()))
            .collect()
    }

    #[test]
    fn what_programs_do_is_noted() {
        let script = "mkdir a; printf one > a/b; printf two >> a/b; mv a/b c; ln c a/d; printf x > e; rm e; \
                      printf long > f; printf s > f; cp c g; mkdir h; rmdir h";
        let all = done("notes-all", script, Kept::All);
        let expected = [
            ("a/d", "onetwo"),
            ("c", "onetwo"),
            ("f", "s"),
            ("g", "onetwo"),
        ];
        assert_eq!(all, files(&expected));
        assert!(done("notes-none", script, Kept::Nothing).is_empty());
    }

    #[test]
    fn syncs_are_noted() {
        let script = "printf one > a; printf two > b; sync a .; printf x > c; sync c";
        let found = done("notes-syncs", script, Kept::Nothing);
        assert_eq!(found, files(&[("a", "one"), ("b", "")]));
    }

    #[test]
    fn what_comes_from_elsewhere_is_refused() {
        assert!(read(b"R 1 1 9 9 3\na/b", (1, 1)).is_ok());
        assert!(read(b"R 9 9 1 1 3\na/b", (1, 1)).is_err());
        assert!(read(b"N 1 1 9 9 1\na", (1, 1)).is_err());
        // And what was cut.
        assert!(read(b"U 1 1 0 0 2\na", (1, 1)).is_err());
    }
}
