//! One connection to a hub: TLS to whoever has the pinned certificate, and to nobody else. It is opened with an
//! [`Opening`], so that the ledger has its row before a byte leaves.

use std::sync::Arc;
use std::time::Duration;

use bobbin_core::ledger::Opening;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, HOST, HeaderValue, RETRY_AFTER};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::Error as TlsError;
use tokio_rustls::rustls::pki_types::ServerName;

use super::Fault;
use crate::net::pinned;

const CONNECT: Duration = Duration::from_secs(10);
/// A commit reads and stores a whole bundle.
const ANSWER: Duration = Duration::from_secs(600);
/// The longest that a hub has a laptop wait, whatever it asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);
/// An answer that is a document. In memory a hostile one is many times as long.
const ANSWER_BYTES: usize = 16 << 20;
/// A list of what an account holds: each bundle takes some 300 bytes of it.
const LIST_BYTES: usize = 64 << 20;

/// An open connection.
pub struct Line {
    sender: SendRequest<Full<Bytes>>,
    host: HeaderValue,
    token: Option<HeaderValue>,
}

impl Line {
    /// Opens it, and shows `token` with every request.
    ///
    /// # Errors
    /// [`Fault::Later`] where nobody answers; [`Fault::NotAuthentic`] where somebody else does: then nothing was sent.
    pub async fn open(opening: Opening, pin: &str, token: Option<&str>) -> Result<Self, Fault> {
        let address = opening.address().to_owned();
        let later = |reason: String| Fault::later(format!("{address}: {reason}"));
        let host = address
            .rsplit_once(':')
            .map_or(address.as_str(), |(host, _)| host);
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())
            .map_err(|_| Fault::Refused(format!("{host} is not a host name")))?;
        let stream = timeout(CONNECT, TcpStream::connect(&address))
            .await
            .map_err(|_| later("it does not answer".into()))?
            .map_err(|error| later(error.to_string()))?;
        // Requests are small or whole chunks: waiting to fill a packet only delays them.
        let _ = stream.set_nodelay(true);
        let pinned = pinned(pin).map_err(|error| Fault::Refused(error.to_string()))?;
        let connector = TlsConnector::from(Arc::new(pinned));
        let stream = match timeout(CONNECT, connector.connect(name, stream)).await {
            Err(_) => return Err(later("it does not speak TLS".into())),
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                let stranger = error
                    .get_ref()
                    .and_then(|inner| inner.downcast_ref::<TlsError>())
                    .is_some_and(|inner| matches!(inner, TlsError::InvalidCertificate(_)));
                return Err(if stranger {
                    Fault::NotAuthentic
                } else {
                    later(error.to_string())
                });
            }
        };
        let (sender, connection) = handshake(TokioIo::new(stream))
            .await
            .map_err(|error| later(error.to_string()))?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "the connection to the hub ended");
            }
        });
        let header = |text: &str| {
            HeaderValue::try_from(text).map_err(|_| Fault::Refused("it is not a header".into()))
        };
        let token = match token {
            Some(token) => {
                let mut value = header(&format!("Bearer {token}"))?;
                value.set_sensitive(true);
                Some(value)
            }
            None => None,
        };
        Ok(Self {
            sender,
            host: header(&address)?,
            token,
        })
    }

    /// Asks, and gives the document that comes back.
    ///
    /// # Errors
    /// [`Fault::Later`] where the connection breaks or the hub says so; the others by what it answers.
    pub async fn ask<T: DeserializeOwned>(
        &mut self,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<T, Fault> {
        let answer = self.answer(method, path, body).await?;
        read(answer, ANSWER_BYTES).await
    }

    /// Asks for a list of what an account holds, which may be longer than other documents.
    ///
    /// # Errors
    /// As [`Line::ask`].
    pub async fn ask_list<T: DeserializeOwned>(
        &mut self,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<T, Fault> {
        let answer = self.answer(method, path, body).await?;
        read(answer, LIST_BYTES).await
    }

    /// Asks, and gives an answer that is fine.
    ///
    /// # Errors
    /// As [`Line::ask`].
    pub async fn answer(
        &mut self,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<Response<Incoming>, Fault> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, self.host.clone());
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, token.clone());
        }
        let request = request
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| Fault::Refused(error.to_string()))?;
        let asked = async {
            self.sender.ready().await?;
            self.sender.send_request(request).await
        };
        let answer = timeout(ANSWER, asked)
            .await
            .map_err(|_| Fault::later("the hub does not answer"))?
            .map_err(|error| Fault::later(format!("the connection broke: {error}")))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let wait = answer
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok()?.parse().ok())
            .map(|seconds| Duration::from_secs(seconds).min(LONGEST_WAIT));
        let document: Value = read(answer, ANSWER_BYTES).await.unwrap_or_default();
        let words = document["message"]
            .as_str()
            .unwrap_or("the hub gave no reason");
        Err(match (status.as_u16(), document["code"].as_str()) {
            (408 | 429 | 500 | 502..=504, _) => Fault::Later {
                reason: format!("the hub answered {status}: {words}"),
                wait,
            },
            (401, _) => Fault::Unknown(words.into()),
            (404, _) => Fault::Absent,
            (410, Some("recalled")) => Fault::Recalled,
            _ => Fault::Refused(words.into()),
        })
    }
}

/// The document of an answer that has no more bytes than `most`.
async fn read<T: DeserializeOwned>(answer: Response<Incoming>, most: usize) -> Result<T, Fault> {
    let body = Limited::new(answer.into_body(), most);
    let bytes = match timeout(ANSWER, body.collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) => return Err(Fault::later(format!("the answer ended early: {error}"))),
        Err(_) => return Err(Fault::later("the answer did not finish in time")),
    };
    serde_json::from_slice(&bytes)
        .map_err(|error| Fault::later(format!("the hub's answer cannot be read: {error}")))
}
