//! Clients that post batches as fast as they are acknowledged: HTTP/1.1 by hand over a kept-alive connection.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::net::UnixStream,
    thread,
    time::{Duration, Instant},
};

/// Where to post, and with what.
#[derive(Clone)]
pub struct Door {
    pub address: Address,
    pub token: String,
}

/// One of the receiver's two doors.
#[derive(Clone)]
pub enum Address {
    /// Path of the socket.
    Unix(String),
    /// `127.0.0.1:PORT`.
    Tcp(String),
}

/// What one run of clients came to.
pub struct Posted {
    /// Acknowledged bodies a second, from the first request to the last answer.
    pub per_second: f64,
    /// Time from sending to the acknowledgement, sorted.
    pub waits: Vec<Duration>,
}

impl Posted {
    /// The wait that this share of requests did not exceed.
    pub fn wait(&self, share: f64) -> Duration {
        let last = self.waits.len().saturating_sub(1);
        self.waits
            .get((last as f64 * share).round() as usize)
            .copied()
            .unwrap_or_default()
    }
}

/// Posts every body once and waits for all acknowledgements. Connection `k` of `n` posts bodies `k`, `k + n` and so on, in
/// order, as the one scheduler behind it would.
///
/// # Errors
/// A connection breaks, or an answer is not 200.
pub fn all(door: &Door, bodies: &[Vec<u8>], connections: usize) -> io::Result<Posted> {
    let begun = Instant::now();
    let mut waits = thread::scope(|scope| {
        let clients: Vec<_> = (0..connections)
            .map(|first| scope.spawn(move || client(door, bodies, first, connections)))
            .collect();
        let mut waits = Vec::with_capacity(bodies.len());
        for client in clients {
            waits.extend(
                client
                    .join()
                    .map_err(|_| io::Error::other("a client panicked"))??,
            );
        }
        io::Result::Ok(waits)
    })?;
    let per_second = bodies.len() as f64 / begun.elapsed().as_secs_f64();
    waits.sort();
    Ok(Posted { per_second, waits })
}

/// One connection.
fn client(door: &Door, bodies: &[Vec<u8>], first: usize, step: usize) -> io::Result<Vec<Duration>> {
    let own = bodies.iter().skip(first).step_by(step);
    match &door.address {
        Address::Unix(path) => {
            let stream = UnixStream::connect(path)?;
            post_from(stream.try_clone()?, stream, "bobbin", door, own)
        }
        Address::Tcp(address) => {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            post_from(stream.try_clone()?, stream, address, door, own)
        }
    }
}

fn post_from<'a>(
    reading: impl Read,
    mut writing: impl Write,
    host: &str,
    door: &Door,
    bodies: impl Iterator<Item = &'a Vec<u8>>,
) -> io::Result<Vec<Duration>> {
    let mut reading = BufReader::new(reading);
    let mut waits = Vec::new();
    let mut request = Vec::new();
    for body in bodies {
        request.clear();
        write!(
            request,
            "POST /v1/batches HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\nContent-Type: application/x-ndjson\r\n\
             Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            door.token,
            body.len()
        )?;
        request.extend_from_slice(body);
        let sent = Instant::now();
        writing.write_all(&request)?;
        accepted(&mut reading)?;
        waits.push(sent.elapsed());
    }
    Ok(waits)
}

/// Reads one answer and insists on 200; gives what it says.
///
/// # Errors
/// The connection breaks, or the answer is another.
pub fn accepted(reading: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let (status, length) = head(reading, "content-length")?;
    let length = length.as_deref().unwrap_or("0");
    let length: usize = length.parse().map_err(io::Error::other)?;
    let mut body = vec![0; length];
    reading.read_exact(&mut body)?;
    if status.split(' ').nth(1) == Some("200") {
        return Ok(body);
    }
    Err(io::Error::other(format!(
        "the receiver answered {} {}",
        status.trim(),
        String::from_utf8_lossy(&body)
    )))
}

/// The first line of an answer, and what one of its headers says. What is left to read is its body.
///
/// # Errors
/// The connection breaks.
pub fn head(reading: &mut impl BufRead, header: &str) -> io::Result<(String, Option<String>)> {
    let mut status = String::new();
    reading.read_line(&mut status)?;
    let mut said = None;
    let mut line = String::new();
    loop {
        line.clear();
        if reading.read_line(&mut line)? == 0 || line == "\r\n" {
            return Ok((status, said));
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case(header)
        {
            said = Some(value.trim().to_owned());
        }
    }
}
