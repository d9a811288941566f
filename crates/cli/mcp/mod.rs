//! `bobbin mcp`: a server for agents over stdin and stdout, by the Model Context Protocol. It only reads, and shows the store as
//! a share of it would tell it.
//!
//! One message a line of JSON-RPC 2.0, answered in order. Written out here: the protocol without its options is this small, and
//! nothing of it opens a connection. When stdin ends, so does the server.

mod answers;
mod asked;
mod lenses;
mod questions;
mod session;
mod tools;

use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};

use bobbin_core::lock::lock;
use bobbin_core::share::{Choice, Identities};
use clap::Args;

use crate::args::LevelArg;
use crate::end::End;
use crate::failure::Failure;
use crate::open;
use session::Session;

/// The longest message that is read.
const MESSAGE_BYTES: u64 = 1 << 20;

#[derive(Debug, Args)]
pub struct McpArgs {
    /// How much agents may see; each level includes the ones before it
    #[arg(long, value_enum, default_value_t = LevelArg::Names)]
    pub level: LevelArg,
    /// Show real users, hosts, addresses, folders and task keys, without aliases
    #[arg(long)]
    pub real_identities: bool,
}

/// Runs the verb.
pub fn run(data_dir: &Path, args: &McpArgs) -> Result<(), Failure> {
    let choice = Choice {
        level: args.level.into(),
        identities: match args.real_identities {
            true => Identities::Real,
            false => Identities::Aliases,
        },
    };
    let session = Session::new(open::reader(data_dir)?, choice);
    let (sender, ended) = sync_channel(2);
    let by_signal = sender.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format!("signals: {error}")))?;
    // Stdin cannot be asked to stop waiting: what waits for it ends with the process. What it holds goes first.
    let session = Arc::new(Mutex::new(session));
    let served = Arc::clone(&session);
    std::thread::spawn(move || {
        let done = serve(
            &served,
            &mut std::io::stdin().lock(),
            &mut std::io::stdout(),
        );
        // Nobody waits any more where a signal came first.
        let _ = sender.send(done);
    });
    runtime.spawn(async move {
        match End::heard() {
            Ok(mut end) => end.asked().await,
            Err(_) => std::future::pending().await,
        }
        let _ = by_signal.send(Ok(()));
    });
    let done = ended.recv().unwrap_or(Ok(()));
    // The stores that it opened lie in folders, which go with them.
    lock(&session).close();
    done
}

/// Answers until there is no more.
fn serve(
    session: &Mutex<Session>,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<(), Failure> {
    loop {
        let answer =
            match next(input).map_err(|error| Failure::failed(format!("reading: {error}")))? {
                Line::End => return Ok(()),
                Line::TooLong => Some(session::too_long(MESSAGE_BYTES)),
                Line::Text(text) if text.trim_ascii().is_empty() => None,
                Line::Text(text) => lock(session).answer(&text),
            };
        let Some(answer) = answer else { continue };
        let written = writeln!(output, "{answer}").and_then(|()| output.flush());
        match written {
            // Nobody listens any more.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            other => other.map_err(|error| Failure::failed(format!("writing: {error}")))?,
        }
    }
}

enum Line {
    Text(Vec<u8>),
    TooLong,
    End,
}

/// The next line. One that is too long is skipped to its end, and never held.
fn next(input: &mut impl BufRead) -> std::io::Result<Line> {
    let mut line = Vec::new();
    let read = input.take(MESSAGE_BYTES + 1).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(Line::End);
    }
    if line.last() == Some(&b'\n') || (read as u64) <= MESSAGE_BYTES {
        return Ok(Line::Text(line));
    }
    loop {
        let held = input.fill_buf()?;
        if held.is_empty() {
            return Ok(Line::TooLong);
        }
        match held.iter().position(|byte| *byte == b'\n') {
            Some(at) => {
                input.consume(at + 1);
                return Ok(Line::TooLong);
            }
            None => {
                let length = held.len();
                input.consume(length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_within_a_bound() {
        let long = vec![b'x'; MESSAGE_BYTES as usize + 10];
        let text = [b"{}\n", &long[..], b"\nlast"].concat();
        let mut input = std::io::BufReader::with_capacity(64, &text[..]);
        assert!(matches!(next(&mut input).unwrap(), Line::Text(text) if text == b"{}\n"));
        assert!(matches!(next(&mut input).unwrap(), Line::TooLong));
        assert!(matches!(next(&mut input).unwrap(), Line::Text(text) if text == b"last"));
        assert!(matches!(next(&mut input).unwrap(), Line::End));
    }
}
