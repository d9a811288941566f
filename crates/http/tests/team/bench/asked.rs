//! Asking the hub without a laptop, and somebody who answers in its place.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};

use super::Bench;
use super::tls::{acceptor, trusting};

/// What came back.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    /// Reads the whole answer.
    pub async fn read(mut stream: TlsStream<TcpStream>) -> Self {
        let mut answer = Vec::new();
        // An end without TLS's own goodbye is an end, too.
        let read = stream.read_to_end(&mut answer);
        let _ = tokio::time::timeout(Duration::from_secs(60), read)
            .await
            .unwrap();
        let text = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        Self {
            status: head.split(' ').nth(1).unwrap_or("0").parse().unwrap(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }
}

impl Bench {
    /// Begins to ask the hub itself, with exactly these headers.
    pub async fn begin(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &str,
    ) -> TlsStream<TcpStream> {
        let head = self.head(method, path, headers, body.len());
        self.connected(&(head + body)).await
    }

    /// The same, with a body that is still to come.
    pub async fn announce(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        length: usize,
    ) -> TlsStream<TcpStream> {
        let head = self.head(method, path, headers, length);
        self.connected(&head).await
    }

    fn head(&self, method: &str, path: &str, headers: &[&str], length: usize) -> String {
        let host = &self.proxy.address;
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
        for header in headers {
            text += &format!("{header}\r\n");
        }
        text + &format!("Content-Length: {length}\r\n\r\n")
    }

    /// A connection to the hub on which this was said.
    async fn connected(&self, text: &str) -> TlsStream<TcpStream> {
        let hub = self.hub_dir();
        let certificate = CertificateDer::from_pem_file(hub.join("certificate.pem")).unwrap();
        let stream = TcpStream::connect(self.running().tcp).await.unwrap();
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let mut stream = trusting(certificate).connect(name, stream).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        stream
    }

    /// Asks the hub itself, and reads the whole answer.
    pub async fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let stream = self.begin(method, path, headers, body).await;
        Answer::read(stream).await
    }

    /// Somebody with the hub's certificate who answers every request with this.
    pub async fn pretending(&self, answer: impl Into<String>) -> String {
        let answer = answer.into();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let acceptor = acceptor(&self.hub_dir());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mut stream = acceptor.accept(stream).await.unwrap();
                let mut asked = vec![0; 16 << 10];
                let _ = stream.read(&mut asked).await;
                stream.write_all(answer.as_bytes()).await.unwrap();
                stream.flush().await.unwrap();
                // Until the other side has read it.
                let _ = stream.read(&mut asked).await;
            }
        });
        address
    }
}
