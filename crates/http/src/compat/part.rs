//! The one file in a body of `multipart/form-data`, read as it arrives and never held whole.
//!
//! As strict as the published client allows: nothing stands before the file, and nothing follows it.

use std::io::{self, ErrorKind, Read};

use bobbin_core::model::visible::plain;
use hyper::header::{CONTENT_TYPE, HeaderMap};

/// The most that stands before the file: the boundary, and what is said of the file.
pub const HEAD_BYTES: usize = 8 << 10;
/// No boundary is longer.
const BOUNDARY_BYTES: usize = 70;
/// Bytes that are looked through at once. The head fits into it, and so does a boundary that came in two pieces.
const WINDOW_BYTES: usize = 64 << 10;
/// Characters of a file's name.
const NAME: usize = 200;
const CUT: &str = "its end is missing";

/// What stands between the parts of a body, by its headers.
pub fn boundary(headers: &HeaderMap) -> Option<String> {
    let said = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let mut words = said.split(';').map(str::trim);
    if !words.next()?.eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary = words.find_map(|word| {
        let (name, value) = word.split_once('=')?;
        name.eq_ignore_ascii_case("boundary")
            .then(|| value.trim_matches('"'))
    })?;
    let fits = (1..=BOUNDARY_BYTES).contains(&boundary.len());
    fits.then(|| boundary.to_owned())
}

/// A file in a body, on its way.
pub struct Part<R> {
    /// What its sender calls it: the last part of a path.
    pub name: String,
    /// Why it could not be read to its end.
    pub wrong: Option<&'static str>,
    from: R,
    /// What follows it.
    end: Vec<u8>,
    window: Vec<u8>,
    /// What of the window came, and was not given yet.
    begins: usize,
    ends: usize,
}

impl<R: Read> Part<R> {
    /// Reads what stands before the file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn open(from: R, boundary: &str) -> Result<Self, &'static str> {
        let mut part = Self {
            name: String::new(),
            wrong: None,
            from,
            end: format!("\r\n--{boundary}").into_bytes(),
            window: vec![0; WINDOW_BYTES],
            begins: 0,
            ends: 0,
        };
        let length = loop {
            let came = &part.window[..part.ends.min(HEAD_BYTES)];
            if let Some(length) = find(came, b"\r\n\r\n") {
                break length;
            }
            if came.len() == HEAD_BYTES {
                return Err("what stands before the file is too long");
            }
            if !part.more().map_err(|_| CUT)? {
                return Err(CUT);
            }
        };
        let head = String::from_utf8_lossy(&part.window[..length]).into_owned();
        part.name = named(&head, boundary)?;
        part.begins = length + 4;
        Ok(part)
    }

    /// Whether anything more came. There is always room for it.
    fn more(&mut self) -> io::Result<bool> {
        self.window.copy_within(self.begins..self.ends, 0);
        self.ends -= self.begins;
        self.begins = 0;
        let read = self.from.read(&mut self.window[self.ends..])?;
        self.ends += read;
        Ok(read > 0)
    }

    /// The end of the file, if nothing follows it.
    fn closed(&mut self) -> io::Result<usize> {
        loop {
            let behind = &self.window[self.begins + self.end.len()..self.ends];
            match behind.get(..2) {
                Some(b"--") => return Ok(0),
                Some(_) => return Err(self.broken("something follows the file")),
                None => {}
            }
            if !self.more()? {
                return Err(self.broken(CUT));
            }
        }
    }

    fn broken(&mut self, why: &'static str) -> io::Error {
        self.wrong = Some(why);
        ErrorKind::InvalidData.into()
    }
}

impl<R: Read> Read for Part<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let came = &self.window[self.begins..self.ends];
            let sure = match find(came, &self.end) {
                Some(0) => return self.closed(),
                Some(length) => length,
                // The last of them may be the first of the boundary.
                None => (came.len() + 1).saturating_sub(self.end.len()),
            };
            if sure > 0 {
                let length = sure.min(buffer.len());
                buffer[..length].copy_from_slice(&came[..length]);
                self.begins += length;
                return Ok(length);
            }
            if !self.more()? {
                return Err(self.broken(CUT));
            }
        }
    }
}

/// What a file is called that has this before it.
fn named(head: &str, boundary: &str) -> Result<String, &'static str> {
    let said = head
        .strip_prefix("--")
        .and_then(|rest| rest.strip_prefix(boundary))
        .and_then(|rest| rest.strip_prefix("\r\n"))
        .ok_or("it does not begin with its boundary")?;
    let disposition = said.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-disposition")
            .then_some(value)
    });
    match disposition {
        Some(said) if quoted(said, "name") == Some("file") => {
            Ok(called(quoted(said, "filename").unwrap_or_default()))
        }
        _ => Err("it does not contain the part \"file\""),
    }
}

fn find(within: &[u8], what: &[u8]) -> Option<usize> {
    within.windows(what.len()).position(|some| some == what)
}

/// A value in quotation marks. `filename*` is passed over: what the client writes there is against its standard.
fn quoted<'a>(said: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = said.split_once(&format!("; {name}=\""))?;
    rest.split('"').next()
}

/// The last part of a path, whatever system it is of, with nothing hidden in it.
fn called(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name: String = plain(name).chars().take(NAME).collect();
    match name.trim() {
        "" => "report".into(),
        name => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives so many bytes at a time.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let few = buffer.len().min(self.1);
            self.0.read(&mut buffer[..few])
        }
    }

    /// As the published client sends it.
    fn body(path: &str, file: &str) -> String {
        format!(
            "--b0\r\nContent-Type: text/html\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{path}\"; \
             filename*=\"{path}\"\r\n\r\n{file}\r\n--b0--\r\n"
        )
    }

    /// The name of the file and all of it, or what is wrong.
    fn read(body: &[u8], piece: usize) -> Result<(String, Vec<u8>), &'static str> {
        let mut part = Part::open(Pieces(body, piece), "b0")?;
        let mut file = Vec::new();
        match part.read_to_end(&mut file) {
            Ok(_) => Ok((part.name, file)),
            Err(_) => Err(part.wrong.unwrap()),
        }
    }

    #[test]
    fn a_file_is_read_whole_in_whatever_pieces_it_comes() {
        let long = "<p>\r\n--b\r\n--\r\n-".repeat(20_000);
        for file in [
            "",
            "<html>",
            "\r\n",
            "a\r\n--b1--\r\n",
            "\r\n--b",
            long.as_str(),
        ] {
            for piece in [1, 7, 4096, usize::MAX] {
                let (name, came) = read(body("dask-report.html", file).as_bytes(), piece).unwrap();
                assert_eq!(name, "dask-report.html");
                assert!(came == file.as_bytes(), "{} bytes by {piece}", file.len());
            }
        }
    }

    #[test]
    fn a_name_is_the_last_part_of_a_path_and_hides_nothing() {
        for (path, wanted) in [
            ("../../etc/passwd", "passwd"),
            ("C:\\runs\\monday.html", "monday.html"),
            ("a\"; name=\"b", "a"),
            ("naïve.html", "naïve.html"),
            ("runs/", "report"),
            ("", "report"),
        ] {
            let (name, _) = read(body(path, "x").as_bytes(), 64).unwrap();
            assert_eq!(name, wanted, "{path}");
        }
        let (name, _) = read(body("a\u{1b}[2J\u{202e}", "x").as_bytes(), 64).unwrap();
        assert!(!name.contains(['\u{1b}', '\u{202e}']), "{name:?}");
        let (name, _) = read(body(&"n".repeat(3_000), "x").as_bytes(), 64).unwrap();
        assert_eq!(name.len(), NAME);
    }

    #[test]
    fn what_is_cut_or_of_another_form_says_why() {
        let whole = body("r.html", "<html>");
        let end = whole.len() - "\r\n".len();
        for length in 0..end {
            let why = read(&whole.as_bytes()[..length], 16).unwrap_err();
            assert_eq!(why, CUT, "{length}");
        }
        assert!(read(&whole.as_bytes()[..end], 16).is_ok());

        let other = |from: &str, to: &str| whole.replacen(from, to, 1);
        for (body, wanted) in [
            (other("--b0\r\nC", "--b1\r\nC"), "its boundary"),
            (other("--b0\r\nC", "preamble\r\n--b0\r\nC"), "its boundary"),
            (other("; name=\"file\"", ""), "the part \"file\""),
            (other("\"file\"", "\"files\""), "the part \"file\""),
            (other("Content-Disposition", "X"), "the part \"file\""),
            (other("\r\n--b0--", "\r\n--b0\r\n"), "follows the file"),
            (body(&"n".repeat(HEAD_BYTES), "x"), "too long"),
            ("\r\n".repeat(HEAD_BYTES), "its boundary"),
            ("-".repeat(10 * HEAD_BYTES), "too long"),
        ] {
            let why = read(body.as_bytes(), 4096).unwrap_err();
            assert!(why.contains(wanted), "{wanted}: {why}");
        }
    }

    #[test]
    fn a_boundary_is_what_the_headers_say() {
        let of = |said: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, said.parse().unwrap());
            boundary(&headers)
        };
        let some = Some("b0".to_owned());
        assert_eq!(of("multipart/form-data; boundary=b0"), some);
        assert_eq!(of("Multipart/Form-Data; charset=x;Boundary=\"b0\""), some);
        let long = format!("multipart/form-data; boundary={}", "b".repeat(71));
        for none in [
            "text/html; boundary=b0",
            "multipart/form-data",
            "multipart/form-data; boundary=",
            long.as_str(),
        ] {
            assert_eq!(of(none), None, "{none}");
        }
        assert_eq!(boundary(&HeaderMap::new()), None);
    }
}
