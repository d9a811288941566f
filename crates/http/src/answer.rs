//! Answers and refusals. Every refusal of every door has one JSON shape: `{"code", "message", "hint"}`.

use std::borrow::Cow;
use std::convert::Infallible;

use bobbin_core::Code;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{StatusCode, header};
use serde::Serialize;

/// The body of an answer.
pub type Body = BoxBody<Bytes, Infallible>;
/// An answer.
pub type Response = hyper::Response<Body>;

/// Bytes as a body.
pub fn full(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).boxed()
}

/// An answer with a body of this type. Nothing that a door says is to be cached or guessed at.
pub fn typed(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(full(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// JSON text as an answer.
pub fn json_text(status: StatusCode, text: impl Into<Bytes>) -> Response {
    typed(status, "application/json", text)
}

/// A value as a JSON answer.
pub fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(text) => json_text(status, text),
        Err(error) => Refusal::from(bobbin_core::Error::Json(error)).native(),
    }
}

/// Why a request is not answered. The code is also the name under which it is counted.
#[derive(Debug)]
pub struct Refusal {
    pub status: StatusCode,
    pub code: &'static str,
    pub message: Cow<'static, str>,
    pub hint: Option<Cow<'static, str>>,
    /// Seconds after which it is worth trying again.
    pub retry_after: Option<u32>,
    /// Methods that would have been allowed.
    pub allow: Option<&'static str>,
    /// Whether the connection is of no more use: bytes of a body may still be on their way.
    pub close: bool,
}

impl Refusal {
    pub fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            hint: None,
            retry_after: None,
            allow: None,
            close: false,
        }
    }

    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    pub fn closing(mut self) -> Self {
        self.close = true;
        self
    }

    pub fn not_found(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    pub fn wrong_method(allow: &'static str) -> Self {
        let mut refusal = Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "wrong_method",
            "this route takes a different method",
        );
        refusal.allow = Some(allow);
        refusal.hint(format!("use {allow}"))
    }

    /// A fault of our own. What a task says that panicked is told to nobody: it may be what a cluster said. Where it did so was
    /// said, and kept, as it happened.
    pub fn fault() -> Self {
        tracing::error!("Bobbin could not answer a request, by a fault of its own");
        let message = "internal error in Bobbin; its log has the details";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    /// For Bobbin's own clients: the status says what to do.
    pub fn native(self) -> Response {
        #[derive(Serialize)]
        struct Shape<'a> {
            code: &'a str,
            message: &'a str,
            hint: Option<&'a str>,
        }
        let shape = Shape {
            code: self.code,
            message: &self.message,
            hint: self.hint.as_deref(),
        };
        let text = serde_json::to_vec(&shape).unwrap_or_default();
        self.dress(self.status, text)
    }

    /// For the published client, which shows `message` to its user and gives some statuses a meaning of their own: 401
    /// and 403 make it log in again and overwrite the user's saved credentials; 429, 502, 503 and 504 make it try again
    /// for minutes without a word. None of them is ever sent. There are exactly two keys, or older clients show neither.
    pub fn compat(self) -> Response {
        #[derive(Serialize)]
        struct Shape<'a> {
            code: &'a str,
            message: &'a str,
        }
        let status = match self.status.as_u16() {
            401 | 403 => StatusCode::BAD_REQUEST,
            429 | 502..=504 => StatusCode::INTERNAL_SERVER_ERROR,
            _ => self.status,
        };
        let message = match &self.hint {
            Some(hint) => format!("{} ({hint})", self.message),
            None => self.message.to_string(),
        };
        let shape = Shape {
            code: &self.code.to_ascii_uppercase(),
            message: &message,
        };
        let text = serde_json::to_vec(&shape).unwrap_or_default();
        self.dress(status, text)
    }

    fn dress(&self, status: StatusCode, text: Vec<u8>) -> Response {
        let mut response = json_text(status, text);
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after
            && status == self.status
        {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(methods) = self.allow {
            headers.insert(ALLOW, HeaderValue::from_static(methods));
        }
        if self.close {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

impl From<bobbin_core::Error> for Refusal {
    fn from(error: bobbin_core::Error) -> Self {
        let (status, code) = match error.code() {
            Code::Invalid => (StatusCode::BAD_REQUEST, "invalid"),
            Code::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
            Code::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            Code::Refused => (StatusCode::CONFLICT, "refused"),
            Code::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            Code::DiskFull => (StatusCode::SERVICE_UNAVAILABLE, "disk_full"),
            Code::Store => (StatusCode::INTERNAL_SERVER_ERROR, "store"),
            Code::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        };
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            tracing::error!(%error, "a request failed");
        }
        let mut refusal = Self::new(status, code, error.to_string());
        refusal.hint = error.hint().map(Cow::Owned);
        match error.code() {
            Code::Busy => refusal.retry_after(1),
            Code::DiskFull => refusal.retry_after(30),
            Code::Invalid
            | Code::TooLarge
            | Code::NotFound
            | Code::Refused
            | Code::Store
            | Code::Internal => refusal,
        }
    }
}

/// Puts fixed headers on an answer.
pub fn with_headers(mut response: Response, headers: &[(HeaderName, &'static str)]) -> Response {
    for (name, value) in headers {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}
