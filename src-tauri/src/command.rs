//! The page's one command: a name and a request, handed on to `bobbin-core`.

use bobbin_core::{Code, api};
use serde::Serialize;
use serde_json::Value;
use tauri::{State, ipc::Response};

use crate::opened::Opened;

/// The longest request, in bytes of JSON. Filters are the largest, and they are typed by hand.
const LONGEST_REQUEST: usize = 64 * 1024;

/// Said of work that panicked. What it says itself may be what a cluster said.
pub const FAULT: &str = "internal error in Bobbin; its log has the details";

/// A failed command, as every door tells it.
#[derive(Debug, Serialize)]
pub struct ApiError {
    code: Code,
    message: String,
    hint: Option<String>,
}

impl From<bobbin_core::Error> for ApiError {
    fn from(error: bobbin_core::Error) -> Self {
        Self {
            code: error.code(),
            message: error.to_string(),
            hint: error.hint(),
        }
    }
}

/// Runs a command of `bobbin-core`, on the store or on that of a bundle beside it, away from the thread that draws. Its answer is JSON already and stays text.
#[tauri::command]
pub async fn call(
    opened: State<'_, Opened>,
    name: String,
    request: Value,
    beside: Option<String>,
) -> Result<Response, ApiError> {
    let request = request.to_string();
    if request.len() > LONGEST_REQUEST {
        return Err(bobbin_core::Error::Invalid {
            what: "request",
            value: format!("{} bytes", request.len()),
            reason: format!("at most {LONGEST_REQUEST} are read"),
        }
        .into());
    }
    let app = opened.wait().await;
    let answer = tauri::async_runtime::spawn_blocking(move || match beside {
        Some(id) => api::call_beside(&app, &id, &name, &request),
        None => api::call(&app, &name, &request),
    })
    .await;
    match answer {
        Ok(answer) => Ok(Response::new(answer?)),
        Err(_) => Err(ApiError {
            code: Code::Internal,
            message: FAULT.into(),
            hint: None,
        }),
    }
}
