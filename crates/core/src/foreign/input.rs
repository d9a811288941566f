//! A file as its readers see it: unpacked, counted and hashed, never beyond what it may be.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};

use super::{Kind, Outcome, Wrong};
use crate::hex::hexadecimal;
use crate::install::at;
use crate::system::{open_unfollowed, read_exact_at};
use crate::{Error, Result};

/// The most that a file may be unpacked, where it is read piece by piece.
const STREAMED_BYTES: u64 = 2 << 30;
/// Unpacked to packed, after the first mebibyte. The dumps of Dask are up to thirty times their packed size.
const RATIO: u64 = 200;
const FREE_BYTES: u64 = 1 << 20;
/// What is too large where a file is read as a whole.
pub(super) const UNPACKED: &str = "the file, unpacked,";
/// What is looked at to tell what a file is.
const HEAD_BYTES: usize = 64 << 10;
const BUFFER_BYTES: usize = 64 << 10;

/// A file that was opened and recognised.
pub(super) struct Input {
    pub(super) kind: Kind,
    plain: BufReader<Plain>,
}

impl Input {
    /// # Errors
    /// [`Error::Invalid`] if it is no plain file; [`Error::Io`].
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = open_unfollowed(path).map_err(at(path))?;
        let found = file.metadata().map_err(at(path))?;
        if !found.is_file() {
            return Err(Error::Invalid {
                what: "file",
                value: path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                reason: "it is not a file".into(),
            });
        }
        let mut begin = [0; 2];
        let packed =
            Plain::read_exactly(&file, &mut begin).map_err(at(path))? && begin == [0x1f, 0x8b];
        let source: Box<dyn Read + Send> = if packed {
            Box::new(MultiGzDecoder::new(BufReader::with_capacity(
                BUFFER_BYTES,
                file,
            )))
        } else {
            Box::new(file)
        };
        let most = if packed {
            STREAMED_BYTES.min(found.len().saturating_mul(RATIO).max(FREE_BYTES))
        } else {
            STREAMED_BYTES
        };
        let mut plain = Plain {
            source,
            head: Vec::new(),
            at: 0,
            hash: Sha256::new(),
            bytes: 0,
            most,
        };
        let whole = plain.look_ahead().map_err(at(path))?;
        let kind = Kind::of(&plain.head, packed, whole);
        Ok(Self {
            kind,
            plain: BufReader::with_capacity(BUFFER_BYTES, plain),
        })
    }

    /// What it is, if that is sure.
    pub(super) fn surely(&self) -> Kind {
        self.kind.surely(&self.plain.get_ref().head)
    }

    /// All of it as text.
    pub(super) fn text(&mut self, most: u64) -> Outcome<String> {
        let mut bytes = Vec::new();
        (&mut self.plain)
            .take(most + 1)
            .read_to_end(&mut bytes)
            .map_err(too_large)?;
        if bytes.len() as u64 > most {
            return Err(Wrong::Large {
                what: UNPACKED,
                limit: most,
            });
        }
        String::from_utf8(bytes).map_err(|_| Wrong::Is("it is not UTF-8 text".into()))
    }

    /// Fills `buffer`.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Outcome<()> {
        self.plain.read_exact(buffer).map_err(too_large)
    }

    /// Whether nothing follows.
    pub(super) fn ended(&mut self) -> Outcome<bool> {
        let mut one = [0];
        Ok(self.plain.read(&mut one).map_err(too_large)? == 0)
    }

    /// SHA-256 of all that is in it, unpacked, so that packing makes no other file of it. It must have been read to its end.
    pub(super) fn hash(&mut self) -> io::Result<String> {
        io::copy(&mut self.plain, &mut io::sink())?;
        let hash = self.plain.get_ref().hash.clone().finalize();
        Ok(hexadecimal(&hash))
    }
}

/// What a limit says when it is met inside of a reader.
const TOO_LARGE: &str = "unpacked, it is larger than such a file may be";

fn too_large(error: io::Error) -> Wrong {
    if error.kind() == io::ErrorKind::FileTooLarge {
        return Wrong::Is(TOO_LARGE.into());
    }
    error.into()
}

/// The unpacked bytes of a file.
struct Plain {
    source: Box<dyn Read + Send>,
    head: Vec<u8>,
    /// How much of the head was read.
    at: usize,
    hash: Sha256,
    bytes: u64,
    most: u64,
}

impl Plain {
    /// Whether the file is that long; it stays where it was.
    fn read_exactly(file: &File, buffer: &mut [u8]) -> io::Result<bool> {
        match read_exact_at(file, buffer, 0) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether the head is all of it. What cannot be unpacked ends there: whoever reads on hears of it.
    fn look_ahead(&mut self) -> io::Result<bool> {
        self.head.resize(HEAD_BYTES, 0);
        let mut filled = 0;
        while filled < HEAD_BYTES {
            match self.source.read(&mut self.head[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::UnexpectedEof
                            | io::ErrorKind::InvalidData
                            | io::ErrorKind::InvalidInput
                    ) =>
                {
                    // Met once more by whoever reads it.
                    self.source = Box::new(Broken(Some(error)));
                    self.head.truncate(filled);
                    return Ok(false);
                }
                Err(error) => return Err(error),
            }
        }
        self.head.truncate(filled);
        Ok(filled < HEAD_BYTES)
    }
}

impl Read for Plain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = if self.at < self.head.len() {
            let length = buffer.len().min(self.head.len() - self.at);
            buffer[..length].copy_from_slice(&self.head[self.at..self.at + length]);
            self.at += length;
            length
        } else {
            self.source.read(buffer)?
        };
        self.hash.update(&buffer[..read]);
        self.bytes += read as u64;
        if self.bytes > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(read)
    }
}

/// What cannot be unpacked any further.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self
            .0
            .take()
            .unwrap_or_else(|| io::ErrorKind::UnexpectedEof.into()))
    }
}
