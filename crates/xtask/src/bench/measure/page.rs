//! What a browser is to the page's door: it signs in once, keeps its connection, asks what the page asks, and hears
//! what changes.

use std::{
    io::{self, BufRead, BufReader, Write},
    net::TcpStream,
};

use super::post::accepted;

/// A page that is signed in.
pub struct Page {
    /// `127.0.0.1:PORT`.
    host: String,
    cookie: String,
    reading: BufReader<TcpStream>,
}

impl Page {
    /// Signs in with the link that `bobbin serve --ui` gave. It works once.
    ///
    /// # Errors
    /// The page's door does not let in.
    pub fn open(link: &str) -> io::Result<Self> {
        let (host, path) = link
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once('/'))
            .ok_or_else(|| io::Error::other(format!("{link} is not a link")))?;
        let cookie = sign_in(host, path)?;
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            host: host.into(),
            cookie,
            reading: BufReader::new(stream),
        })
    }

    /// Asks one of the commands, with a request in JSON, and gives the answer.
    ///
    /// # Errors
    /// The connection breaks, or the answer is a refusal.
    pub fn ask(&mut self, command: &str, request: &str) -> io::Result<Vec<u8>> {
        let (host, cookie, length) = (&self.host, &self.cookie, request.len());
        let text = format!(
            "POST /api/{command} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{request}"
        );
        self.reading.get_mut().write_all(text.as_bytes())?;
        accepted(&mut self.reading)
    }

    /// A connection on which the page will be told what changes.
    ///
    /// # Errors
    /// There is none.
    pub fn feed(&self) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect(&self.host)?;
        write!(
            stream,
            "GET /api/live HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nAccept: text/event-stream\r\n\r\n",
            self.host, self.cookie
        )?;
        Ok(stream)
    }
}

/// Takes the link and gives the cookie.
fn sign_in(host: &str, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(host)?;
    write!(
        stream,
        "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )?;
    for line in BufReader::new(stream).lines() {
        let line = line?;
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("set-cookie")
        {
            return Ok(value
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned());
        }
    }
    Err(io::Error::other("the page's door gave no cookie"))
}

#[cfg(test)]
mod tests {
    use std::{io::Read, net::TcpListener, thread};

    use super::*;

    /// Reads the head of a request.
    fn head(reading: &mut impl BufRead) -> Vec<String> {
        let lines = reading.lines().map(Result::unwrap);
        lines.take_while(|line| !line.is_empty()).collect()
    }

    #[test]
    fn a_page_signs_in_once_and_asks_as_itself() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let door = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let opened = head(&mut BufReader::new(stream.try_clone().unwrap()));
            let let_in = "HTTP/1.1 303 See Other\r\nSet-Cookie: b=secret; Path=/\r\n\r\n";
            stream.write_all(let_in.as_bytes()).unwrap();
            drop(stream);
            let (mut stream, _) = listener.accept().unwrap();
            let mut reading = BufReader::new(stream.try_clone().unwrap());
            let asked = head(&mut reading);
            let mut request = [0; 2];
            reading.read_exact(&mut request).unwrap();
            let answer = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n{\"a\"";
            stream.write_all(answer.as_bytes()).unwrap();
            (opened, asked, request)
        });
        let mut page = Page::open(&format!("http://{host}/open/link")).unwrap();
        assert_eq!(page.ask("overview", "{}").unwrap(), b"{\"a\"");
        let (opened, asked, request) = door.join().unwrap();
        assert_eq!(opened[0], "GET /open/link HTTP/1.1");
        assert_eq!(asked[0], "POST /api/overview HTTP/1.1");
        for line in [format!("Origin: http://{host}"), "Cookie: b=secret".into()] {
            assert!(asked.contains(&line), "{line}");
        }
        assert_eq!(&request, b"{}");
        assert!(Page::open("https://elsewhere/").is_err());
    }
}
