//! The peer: SQLite alone, with the same promises, given the same bytes. It is a process of its own, as the receiver is: so it
//! can have the same disk, and its processor time is its own.

use std::{
    env,
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    time::Instant,
};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{ending::Held, server::cpu_micros, slow::Slow};
use crate::process::{Failure, Result};

/// How the process is called: `bench raw FOLDER GROUP`.
pub const NAME: &str = "raw";

/// What it came to.
#[derive(Debug, PartialEq)]
pub struct Raw {
    /// Bodies a second.
    pub per_second: f64,
    /// Processor time a body, in microseconds.
    pub cpu_micros: f64,
}

impl Raw {
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

/// Commits each body as one row, `group` of them a transaction, WAL and FULL; on a slower disk, if there is one.
///
/// # Errors
/// SQLite fails, or the process does not start.
pub fn commit_all(
    folder: &Path,
    bodies: &[Vec<u8>],
    group: usize,
    disk: Option<&Slow>,
) -> Result<Raw> {
    let mut command = Command::new(env::current_exe()?);
    command
        .args(["bench", NAME])
        .arg(folder)
        .arg(group.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    if let Some(slow) = disk {
        slow.before(&mut command);
    }
    let mut child = command.spawn()?;
    let held = Held::child(child.id());
    let said = converse(&mut child, bodies, disk);
    let status = child.wait()?;
    drop(held);
    Raw::read(&said?).ok_or_else(|| Failure::new(format!("raw SQLite ended with {status}")))
}

/// Gives the process all bodies, and takes what it says of them.
fn converse(child: &mut Child, bodies: &[Vec<u8>], disk: Option<&Slow>) -> Result<String> {
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Failure::new("raw SQLite has no pipes"));
    };
    let mut said = BufReader::new(stdout).lines();
    let mut next = || said.next().unwrap_or_else(|| Ok(String::new()));
    // Once it says that it is there, it has loaded all that it will.
    next()?;
    if let Some(slow) = disk {
        slow.is_in(child.id())?;
    }
    // Closed behind the last of them.
    send(&mut BufWriter::new(stdin), bodies)?;
    Ok(next()?)
}

/// The process: says that it is there, reads bodies to the end, commits them, and prints what it came to.
///
/// # Errors
/// SQLite fails, or it was called in another way.
pub fn process(given: &[String]) -> Result {
    let [folder, group] = given else {
        return Err(Failure::usage("bench raw takes a folder and a number"));
    };
    let group = group
        .parse()
        .map_err(|_| Failure::usage(format!("{group} is not a number")))?;
    println!("ready");
    let bodies = receive(&mut io::stdin().lock())?;
    let raw = run(folder.as_ref(), &bodies, group)
        .map_err(|error| Failure::new(format!("raw SQLite: {error}")))?;
    println!("{}", raw.line());
    Ok(())
}

/// Each body behind its length.
fn send(to: &mut impl Write, bodies: &[Vec<u8>]) -> io::Result<()> {
    for body in bodies {
        to.write_all(&(body.len() as u64).to_le_bytes())?;
        to.write_all(body)?;
    }
    to.flush()
}

fn receive(from: &mut impl Read) -> io::Result<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    from.read_to_end(&mut all)?;
    let mut bodies = Vec::new();
    let mut left = all.as_slice();
    while let Some((length, rest)) = left.split_first_chunk() {
        let body = usize::try_from(u64::from_le_bytes(*length))
            .ok()
            .and_then(|length| rest.split_at_checked(length));
        let (body, rest) = body.ok_or(io::ErrorKind::UnexpectedEof)?;
        bodies.push(body.to_vec());
        left = rest;
    }
    Ok(bodies)
}

fn run(folder: &Path, bodies: &[Vec<u8>], group: usize) -> rusqlite::Result<Raw> {
    let mut db = open(&folder.join("raw.sqlite"))?;
    db.execute_batch("pragma journal_mode = wal; pragma synchronous = full; create table body (id integer primary key, bytes blob not null)")?;
    let begun = Instant::now();
    let cpu = cpu_micros(std::process::id());
    for group in bodies.chunks(group.max(1)) {
        let transaction = db.transaction()?;
        {
            let mut insert = transaction.prepare_cached("insert into body (bytes) values (?1)")?;
            for body in group {
                insert.execute([body])?;
            }
        }
        transaction.commit()?;
    }
    Ok(Raw {
        per_second: bodies.len() as f64 / begun.elapsed().as_secs_f64(),
        cpu_micros: (cpu_micros(std::process::id()) - cpu) / bodies.len() as f64,
    })
}

/// # Errors
/// SQLite fails.
#[expect(
    clippy::disallowed_methods,
    reason = "the peer is SQLite without Bobbin's store"
)]
pub fn open(path: &Path) -> rusqlite::Result<Connection> {
    Connection::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_and_figures_come_through_the_pipe_as_they_were() {
        let bodies = vec![b"one".to_vec(), Vec::new(), vec![0; 70_000]];
        let mut pipe = Vec::new();
        send(&mut pipe, &bodies).unwrap();
        assert_eq!(receive(&mut pipe.as_slice()).unwrap(), bodies);
        pipe.pop();
        assert!(receive(&mut pipe.as_slice()).is_err());
        let raw = Raw {
            per_second: 1234.5,
            cpu_micros: 5.0,
        };
        assert_eq!(Raw::read(&raw.line()), Some(raw));
        assert_eq!(Raw::read(""), None);
    }
}
