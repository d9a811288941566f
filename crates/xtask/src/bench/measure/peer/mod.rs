//! The peers: SQLite alone, with the same promises, given the same reports. One commits their bytes, the other the rows
//! that Bobbin stores of them. Each is a process of its own, as the receiver is: so it can have the same disk, and its
//! processor time is its own.

mod beat;
mod bytes;
mod rows;

use std::{
    env,
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    time::Instant,
};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{server::cpu_micros, slow::Slow};
use crate::{
    ending::Held,
    process::{Failure, Result},
};

pub use rows::tables;

/// How the process is called: `bench peer JOB FOLDER GROUP`.
pub const NAME: &str = "peer";

const BYTES: &str = "bytes";
const ROWS: &str = "rows";

/// What a peer commits.
#[derive(Clone, Copy)]
pub enum Job<'a> {
    /// Each body as it came, as one row.
    Bytes,
    /// The rows that Bobbin stores of each body, in tables that this makes.
    Rows(&'a str),
}

impl<'a> Job<'a> {
    fn name(self) -> &'static str {
        match self {
            Job::Bytes => BYTES,
            Job::Rows(_) => ROWS,
        }
    }

    /// What makes the tables.
    fn tables(self) -> &'a str {
        match self {
            Job::Bytes => bytes::TABLES,
            Job::Rows(tables) => tables,
        }
    }
}

/// How fast a peer was.
#[derive(Debug, PartialEq)]
pub struct Pace {
    /// Bodies a second.
    pub per_second: f64,
    /// Processor time a body, in microseconds.
    pub cpu_micros: f64,
}

impl Pace {
    /// That of work on so many bodies.
    fn of(bodies: usize, work: impl FnOnce() -> Result) -> Result<Self> {
        let begun = Instant::now();
        let cpu = cpu_micros(std::process::id());
        work()?;
        Ok(Self {
            per_second: bodies as f64 / begun.elapsed().as_secs_f64(),
            cpu_micros: (cpu_micros(std::process::id()) - cpu) / bodies as f64,
        })
    }

    fn line(&self) -> String {
        json!({"per_second": self.per_second, "cpu_micros": self.cpu_micros}).to_string()
    }

    fn read(line: &str) -> Option<Self> {
        let line: Value = serde_json::from_str(line).ok()?;
        Some(Self {
            per_second: line["per_second"].as_f64()?,
            // Not a number where there is no /proc, which JSON cannot say.
            cpu_micros: line["cpu_micros"].as_f64().unwrap_or(f64::NAN),
        })
    }
}

/// Commits `group` bodies a transaction, WAL and FULL; on a slower disk, if there is one.
///
/// # Errors
/// SQLite fails, a body cannot be read, or the process does not start.
pub fn commit_all(
    job: Job<'_>,
    folder: &Path,
    bodies: &[Vec<u8>],
    group: usize,
    disk: Option<&Slow>,
) -> Result<Pace> {
    let mut command = Command::new(env::current_exe()?);
    command
        .args(["bench", NAME, job.name()])
        .arg(folder)
        .arg(group.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    if let Some(slow) = disk {
        slow.before(&mut command);
    }
    let (mut child, held) = Held::child(&mut command)?;
    let said = converse(&mut child, job.tables(), bodies, disk);
    let status = child.wait()?;
    drop(held);
    Pace::read(&said?).ok_or_else(|| Failure::new(format!("SQLite alone ended with {status}")))
}

/// Gives the process its tables and all bodies, and takes what it says of them.
fn converse(
    child: &mut Child,
    tables: &str,
    bodies: &[Vec<u8>],
    disk: Option<&Slow>,
) -> Result<String> {
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Failure::new("SQLite alone has no pipes"));
    };
    let mut said = BufReader::new(stdout).lines();
    let mut next = || said.next().unwrap_or_else(|| Ok(String::new()));
    // Once it says that it is there, it has loaded all that it will.
    next()?;
    if let Some(slow) = disk {
        slow.is_in(child.id())?;
    }
    // Closed behind the last of them.
    send(&mut BufWriter::new(stdin), tables, bodies)?;
    Ok(next()?)
}

/// The process: says that it is there, reads tables and bodies to the end, commits them, and prints how fast it was.
///
/// # Errors
/// SQLite fails, a body cannot be read, or it was called in another way.
pub fn process(given: &[String]) -> Result {
    let [job, folder, group] = given else {
        return Err(Failure::usage(
            "bench peer takes a job, a folder and a number",
        ));
    };
    let commit = match job.as_str() {
        BYTES => bytes::commit_all,
        ROWS => rows::commit_all,
        _ => return Err(Failure::usage(format!("there is no peer for {job}"))),
    };
    let group: usize = group
        .parse()
        .map_err(|_| Failure::usage(format!("{group} is not a number")))?;
    println!("ready");
    let (tables, bodies) = receive(&mut io::stdin().lock())?;
    let pace = commit(folder.as_ref(), &tables, &bodies, group.max(1))?;
    println!("{}", pace.line());
    Ok(())
}

/// The tables and then each body, behind their lengths.
fn send(to: &mut impl Write, tables: &str, bodies: &[Vec<u8>]) -> io::Result<()> {
    for part in std::iter::once(tables.as_bytes()).chain(bodies.iter().map(Vec::as_slice)) {
        to.write_all(&(part.len() as u64).to_le_bytes())?;
        to.write_all(part)?;
    }
    to.flush()
}

fn receive(from: &mut impl Read) -> io::Result<(String, Vec<Vec<u8>>)> {
    let mut all = Vec::new();
    from.read_to_end(&mut all)?;
    let mut parts = Vec::new();
    let mut left = all.as_slice();
    while let Some((length, rest)) = left.split_first_chunk() {
        let part = usize::try_from(u64::from_le_bytes(*length))
            .ok()
            .and_then(|length| rest.split_at_checked(length));
        let (part, rest) = part.ok_or(io::ErrorKind::UnexpectedEof)?;
        parts.push(part.to_vec());
        left = rest;
    }
    let mut parts = parts.into_iter();
    let tables = parts.next().ok_or(io::ErrorKind::UnexpectedEof)?;
    let tables = String::from_utf8(tables).map_err(io::Error::other)?;
    Ok((tables, parts.collect()))
}

/// Makes a store.
fn make(path: &Path, settings: &str, tables: &str) -> Result<Connection> {
    let make = || -> rusqlite::Result<Connection> {
        let db = open(path)?;
        db.execute_batch(settings)?;
        db.execute_batch(tables)?;
        Ok(db)
    };
    make().map_err(failed)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the peers are SQLite without Bobbin's store"
)]
fn open(path: &Path) -> rusqlite::Result<Connection> {
    Connection::open(path)
}

fn failed(error: impl ToString) -> Failure {
    Failure::new(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_bodies_and_figures_come_through_the_pipe_as_they_were() {
        let bodies = vec![b"one".to_vec(), Vec::new(), vec![0; 70_000]];
        let mut pipe = Vec::new();
        send(&mut pipe, "create table t (c)", &bodies).unwrap();
        let received = receive(&mut pipe.as_slice()).unwrap();
        assert_eq!(received, ("create table t (c)".into(), bodies));
        pipe.pop();
        assert!(receive(&mut pipe.as_slice()).is_err());
        assert!(receive(&mut b"".as_slice()).is_err());
        let pace = Pace {
            per_second: 1234.5,
            cpu_micros: 5.0,
        };
        assert_eq!(Pace::read(&pace.line()), Some(pace));
        assert_eq!(Pace::read(""), None);
    }
}
