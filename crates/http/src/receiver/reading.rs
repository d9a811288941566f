//! `POST /v1/read/WHAT`: what the reading API of Python asks where it does not have the file. A few lists, for the owner alone.

use bobbin_core::api::{self, App};
use bobbin_core::{Error, Result};
use hyper::body::Incoming;
use hyper::header::HeaderMap;
use hyper::{Method, StatusCode};
use serde::Deserialize;

use crate::answer::{Refusal, Response, json, json_text};
use crate::body;
use crate::gate::announced;
use crate::net::{Deadlines, Way};

/// The most that a question may be.
const QUESTION_BYTES: u64 = 64 * 1024;

/// What may be read. Nothing of it changes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The number of a cluster by its scheduler's id.
    Number,
    /// The answer of the command of this name.
    Command(&'static str),
}

const COMMANDS: [&str; 6] = [
    "cluster",
    "clusters",
    "computations",
    "events",
    "exceptions",
    "task_groups",
];

impl Reading {
    /// By method and what follows `/v1/read/`.
    ///
    /// # Errors
    /// 404 for what is not read here, 405 for another method.
    pub fn of(method: &Method, what: &str) -> std::result::Result<Self, Refusal> {
        let found = match what {
            "number" => Some(Self::Number),
            _ => COMMANDS
                .into_iter()
                .find(|name| *name == what)
                .map(Self::Command),
        };
        let reading = found.ok_or_else(|| {
            Refusal::not_found("there is nothing to read at this address")
                .hint(format!("choose from number, {}", COMMANDS.join(", ")))
        })?;
        match *method == Method::POST {
            true => Ok(reading),
            false => Err(Refusal::wrong_method("POST")),
        }
    }
}

/// What a question may be answered from: sealed texts are opened where it ends in `?text=true`, and never over plain HTTP, where
/// whoever took the port would read them.
///
/// # Errors
/// 400 for another ending; 403 for texts over plain HTTP.
pub fn readable(app: &App, query: Option<&str>, way: Way) -> std::result::Result<App, Refusal> {
    match (query, way) {
        (None, _) => Ok(app.without_texts()),
        (Some("text=true"), Way::Socket | Way::Tls | Way::Network) => Ok(app.clone()),
        (Some("text=true"), Way::Plain) => Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "text_in_clear",
            "Bobbin does not send code, messages and payloads over plain HTTP",
        )
        .hint("use unix:///PATH, or https:// with the certificate's fingerprint; or leave the text out")),
        (Some(_), _) => Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            "invalid",
            "the only parameter is ?text=true",
        )),
    }
}

/// Answers a question whose access has been checked.
///
/// # Errors
/// A readable refusal.
pub async fn read(
    app: App,
    reading: Reading,
    headers: &HeaderMap,
    incoming: Incoming,
) -> std::result::Result<Response, Refusal> {
    announced(headers, &incoming, QUESTION_BYTES)?;
    let bytes = body::read(incoming, Deadlines::default().body).await?;
    match tokio::task::spawn_blocking(move || answered(&app, reading, &bytes)).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(Refusal::fault()),
    }
}

fn answered(app: &App, reading: Reading, question: &[u8]) -> Result<Response> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Named {
        scheduler_id: String,
    }
    #[derive(serde::Serialize)]
    struct Number {
        id: i64,
    }
    let invalid = |reason: String| Error::Invalid {
        what: "question",
        value: "read".into(),
        reason,
    };
    match reading {
        Reading::Command(name) => {
            let question =
                std::str::from_utf8(question).map_err(|error| invalid(error.to_string()))?;
            Ok(json_text(StatusCode::OK, api::call(app, name, question)?))
        }
        Reading::Number => {
            let named: Named =
                serde_json::from_slice(question).map_err(|error| invalid(error.to_string()))?;
            let id = api::find_cluster(app, &named.scheduler_id)?.id;
            Ok(json(StatusCode::OK, &Number { id }))
        }
    }
}
