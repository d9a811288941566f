//! A file of rows, one a line of JSON, to which rows are only ever added. Each holds the hash of the one before, so that no row
//! can be changed, taken out or put in between without its being seen.
//!
//! `hash` is the SHA-256 of the line as it stands without it: `jq -c 'del(.hash)' | tr -d '\n' | sha256sum` gives the same.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::hex::hexadecimal;
use crate::install::{at, check_private, open_private};
use crate::lock::lock;
use crate::model::Micros;
use crate::system::sync_name;
use crate::{Error, Result};

/// What stands before the hash, and behind it.
const HASH: &str = ",\"hash\":\"";
const END: &str = "\"}";
const HASH_LETTERS: usize = 64;
/// What the first row has for the hash of the one before.
pub const BEGINNING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row<E> {
    /// From 1, without a gap.
    pub number: u64,
    pub at_micros: Micros,
    #[serde(flatten)]
    pub entry: E,
    /// The hash of the row before.
    pub previous: String,
    pub hash: String,
}

/// The last row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// 0 where there is no row.
    pub number: u64,
    pub hash: String,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            number: 0,
            hash: BEGINNING.into(),
        }
    }
}

/// Where a chain does not hold together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// The line, from 1: its row would have this number.
    pub line: u64,
    pub reason: String,
}

/// All that a file holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chained<E> {
    /// Up to the first that is not as it was written.
    pub rows: Vec<Row<E>>,
    pub broken: Option<Broken>,
}

/// A file of rows. Several processes may add to it.
pub struct Chain<E> {
    path: PathBuf,
    known: Mutex<Known>,
    entries: PhantomData<fn(E) -> E>,
}

/// How far this process has read.
#[derive(Clone, Default)]
struct Known {
    bytes: u64,
    head: Head,
}

impl<E: Serialize + DeserializeOwned + Clone> Chain<E> {
    /// The one in this file, which need not exist.
    pub fn at(path: &Path) -> Self {
        Self {
            path: path.into(),
            known: Mutex::default(),
            entries: PhantomData,
        }
    }

    /// Adds a row, and gives it once the disk has it.
    ///
    /// # Errors
    /// [`Error::Refused`] if the rows before do not hold together; [`Error::Loosened`], [`Error::DiskFull`], [`Error::Io`].
    pub fn append(&self, now: Micros, entry: &E) -> Result<Row<E>> {
        let mut known = lock(&self.known);
        let mut file = self.open()?;
        // Others wait here; the lock goes with the file.
        file.lock().map_err(at(&self.path))?;
        let read = self.read_on(&mut file, &known)?;
        if let Some(broken) = read.broken {
            return Err(self.broken(&broken));
        }
        *known = read.known;
        let row = Row {
            number: known.head.number + 1,
            at_micros: now,
            entry: entry.clone(),
            previous: known.head.hash.clone(),
            hash: String::new(),
        };
        let (line, hash) = line(&row)?;
        // What a crash left unfinished was never acknowledged.
        let written = file
            .set_len(known.bytes)
            .and_then(|()| file.seek(SeekFrom::Start(known.bytes)))
            .and_then(|_| file.write_all(line.as_bytes()))
            .and_then(|()| file.sync_all());
        if let Err(source) = written {
            // It is unfinished, and the next to add a row takes it away where this cannot.
            let _ = file.set_len(known.bytes);
            return Err(at(&self.path)(source));
        }
        *known = Known {
            bytes: known.bytes + line.len() as u64,
            head: Head {
                number: row.number,
                hash: hash.clone(),
            },
        };
        Ok(Row { hash, ..row })
    }

    /// All rows, each looked at.
    ///
    /// # Errors
    /// [`Error::Loosened`], [`Error::Io`].
    pub fn read(&self) -> Result<Chained<E>> {
        match File::open(&self.path) {
            Ok(mut file) => {
                check_private(&self.path)?;
                let read = self.read_on(&mut file, &Known::default())?;
                Ok(Chained {
                    rows: read.rows,
                    broken: read.broken,
                })
            }
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => Ok(Chained {
                rows: Vec::new(),
                broken: None,
            }),
            Err(source) => Err(at(&self.path)(source)),
        }
    }

    /// The file as it stands, whether it holds together or not.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn bytes(&self) -> Result<Vec<u8>> {
        match std::fs::read(&self.path) {
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            read => read.map_err(at(&self.path)),
        }
    }

    /// All rows, if they hold together.
    ///
    /// # Errors
    /// As [`Chain::append`].
    pub fn rows(&self) -> Result<Vec<Row<E>>> {
        let read = self.read()?;
        match read.broken {
            None => Ok(read.rows),
            Some(broken) => Err(self.broken(&broken)),
        }
    }

    fn open(&self) -> Result<File> {
        let begun = self.path.exists();
        let file = open_private(&self.path)?;
        check_private(&self.path)?;
        if !begun {
            sync_name(&self.path).map_err(at(&self.path))?;
        }
        Ok(file)
    }

    fn read_on(&self, file: &mut File, from: &Known) -> Result<ReadOn<E>> {
        let mut known = from.clone();
        if file.metadata().map_err(at(&self.path))?.len() < known.bytes {
            // Shorter than it was: look at all of what is there.
            known = Known::default();
        }
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(known.bytes))
            .and_then(|_| file.read_to_end(&mut text))
            .map_err(at(&self.path))?;
        let mut rows = Vec::new();
        let mut broken = None;
        // A last line without its end is one that a crash cut.
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let Some(whole) = line.strip_suffix(b"\n") else {
                break;
            };
            match row::<E>(whole, &known.head) {
                Ok(row) => {
                    known.bytes += line.len() as u64;
                    known.head = Head {
                        number: row.number,
                        hash: row.hash.clone(),
                    };
                    rows.push(row);
                }
                Err(reason) => {
                    broken = Some(Broken {
                        line: known.head.number + 1,
                        reason,
                    });
                    break;
                }
            }
        }
        if from.bytes > 0 && known.head.number < from.head.number {
            broken = Some(Broken {
                line: known.head.number + 1,
                reason: "rows are missing".into(),
            });
        }
        Ok(ReadOn {
            known,
            rows,
            broken,
        })
    }

    fn broken(&self, broken: &Broken) -> Error {
        Error::Refused(format!(
            "{} is broken at row {}: {}",
            self.path.display(),
            broken.line,
            broken.reason
        ))
    }
}

struct ReadOn<E> {
    known: Known,
    rows: Vec<Row<E>>,
    broken: Option<Broken>,
}

/// The line of a row, and its hash.
fn line<E: Serialize>(row: &Row<E>) -> Result<(String, String)> {
    #[derive(Serialize)]
    struct Unhashed<'a, E> {
        number: u64,
        at_micros: Micros,
        #[serde(flatten)]
        entry: &'a E,
        previous: &'a str,
    }
    let text = serde_json::to_string(&Unhashed {
        number: row.number,
        at_micros: row.at_micros,
        entry: &row.entry,
        previous: &row.previous,
    })?;
    let hash = digest(text.as_bytes());
    let open = text.len() - 1;
    Ok((format!("{}{HASH}{hash}{END}\n", &text[..open]), hash))
}

fn row<E: DeserializeOwned>(line: &[u8], before: &Head) -> std::result::Result<Row<E>, String> {
    let tail = HASH.len() + HASH_LETTERS + END.len();
    let text = line
        .len()
        .checked_sub(tail)
        .filter(|open| line[*open..].starts_with(HASH.as_bytes()))
        .map(|open| [&line[..open], b"}"].concat())
        .ok_or("the line has no hash")?;
    let row: Row<E> =
        serde_json::from_slice(line).map_err(|error| format!("it cannot be read: {error}"))?;
    if row.hash != digest(&text) {
        return Err("it was changed".into());
    }
    if row.number != before.number + 1 || row.previous != before.hash {
        return Err(format!("it does not follow row {}", before.number));
    }
    Ok(row)
}

/// SHA-256 in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Note {
        what: String,
        nested: Option<serde_json::Value>,
    }

    fn note(what: &str) -> Note {
        Note {
            what: what.into(),
            nested: Some(serde_json::json!({"a": {"b": 1}})),
        }
    }

    fn chain(dir: &Path) -> Chain<Note> {
        Chain::at(&dir.join("chain"))
    }

    #[test]
    fn rows_follow_each_other_from_several_processes() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (chain(dir.path()), chain(dir.path()));
        for number in 0..4 {
            let writer = if number % 2 == 0 { &one } else { &other };
            writer.append(Micros(number), &note("x")).unwrap();
        }
        let rows = one.rows().unwrap();
        assert_eq!(
            rows.iter().map(|row| row.number).collect::<Vec<_>>(),
            [1, 2, 3, 4]
        );
        assert_eq!(rows[0].previous, BEGINNING);
        assert_eq!(rows[3].previous, rows[2].hash);
    }

    #[test]
    fn threads_that_race_get_one_row_each() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let chain = chain(dir.path());
                    (0..5).for_each(|n| drop(chain.append(Micros(n), &note("raced")).unwrap()));
                });
            }
        });
        assert_eq!(chain(dir.path()).rows().unwrap().len(), 40);
    }

    #[test]
    fn every_change_of_a_byte_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let chain = chain(dir.path());
        for what in ["one", "two", "three"] {
            chain.append(Micros(7), &note(what)).unwrap();
        }
        let path = dir.path().join("chain");
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() - 1 {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).unwrap();
            let read = chain.read().unwrap();
            assert!(read.broken.is_some() || read.rows.len() < 3, "byte {at}");
        }
        let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
        for order in [[0, 2, 1], [1, 0, 2], [0, 0, 1]] {
            fs::write(&path, order.map(|at| lines[at]).concat()).unwrap();
            assert!(chain.read().unwrap().broken.is_some(), "{order:?}");
            // By whoever reads it from the beginning.
            let fresh = Chain::<Note>::at(&path);
            assert!(fresh.append(Micros(8), &note("no")).is_err());
        }
        // A row of the middle that is taken out.
        fs::write(&path, [lines[0], lines[2]].concat()).unwrap();
        assert_eq!(chain.read().unwrap().broken.unwrap().line, 2);
        // This process has seen three.
        fs::write(&path, lines[0]).unwrap();
        assert!(chain.append(Micros(8), &note("no")).is_err());
    }

    #[test]
    fn a_row_cut_by_a_crash_was_never_there_and_the_next_takes_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("chain");
        chain(dir.path()).append(Micros(1), &note("one")).unwrap();
        let one = fs::read(&path).unwrap();
        chain(dir.path()).append(Micros(2), &note("two")).unwrap();
        let both = fs::read(&path).unwrap();
        for cut in one.len()..both.len() {
            fs::write(&path, &both[..cut]).unwrap();
            let row = chain(dir.path()).append(Micros(3), &note("next")).unwrap();
            assert_eq!(
                (row.number, chain(dir.path()).rows().unwrap().len()),
                (2, 2)
            );
        }
    }
}
