//! The page's one command: a name and a request, handed on to `bobbin-core`.

use bobbin_core::{
    Code,
    api::{self, App},
};
use serde::Serialize;
use serde_json::Value;
use tauri::{State, ipc::Response};

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

/// Runs a command of `bobbin-core`, away from the thread that draws. Its answer is JSON already and stays text.
#[tauri::command]
pub async fn call(app: State<'_, App>, name: String, request: Value) -> Result<Response, ApiError> {
    let app = app.inner().clone();
    let answer =
        tauri::async_runtime::spawn_blocking(move || api::call(&app, &name, &request.to_string()))
            .await;
    match answer {
        Ok(answer) => Ok(Response::new(answer?)),
        Err(error) => Err(ApiError {
            code: Code::Internal,
            message: error.to_string(),
            hint: None,
        }),
    }
}
