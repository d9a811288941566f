//! The routes of the published Coiled client, which works against this receiver unmodified.
//!
//! Its versions of several years differ in their routes and in what they make of an answer; all of them are served at
//! once. Every answer is JSON, lists end with an empty page, and no refusal has a status that starts a login or makes
//! the client try again in silence.

mod answers;
mod lists;
mod part;
mod preload;
mod query;
mod reports;
mod route;
mod rows;

use std::sync::Arc;

use bobbin_core::api::App;
use hyper::body::Incoming;
use hyper::header::HeaderMap;
use tokio::sync::Semaphore;

use crate::answer::{Refusal, Response};
use crate::gate::Floor;
use crate::net::Way;

pub use part::Part;
pub use preload::Served;
pub use route::Route;

/// Whether a path is one of the published client's.
pub fn is_theirs(path: &str) -> bool {
    path.starts_with("/api/")
}

/// A refusal in the shape and with the status that the published client shows to its user.
pub fn refused(mut refusal: Refusal) -> Response {
    match refusal.code {
        // No version of the client sends what only browsers send, so this is not for its eyes.
        "browser" => return refusal.native(),
        "wrong_token" | "write_only_key" => {
            refusal.message = "Bobbin does not know this token".into();
            refusal.hint =
                Some("`bobbin connect --coiled` prints the lines that set the right one".into());
        }
        _ => {}
    }
    refusal.compat()
}

/// What an answer depends on, besides its route.
pub struct Asked<'a> {
    /// The checked host.
    pub host: String,
    pub way: Way,
    pub query: &'a str,
    pub headers: &'a HeaderMap,
}

/// Answers the published client.
pub struct Compat {
    app: App,
    served: Served,
    /// One at a time: to read one takes memory.
    reports: Arc<Semaphore>,
    floor: Arc<Floor>,
}

impl Compat {
    pub fn new(app: App, served: Served, floor: Arc<Floor>) -> Self {
        Self {
            app,
            served,
            reports: Arc::new(Semaphore::new(1)),
            floor,
        }
    }

    /// Answers a route whose access has been checked.
    ///
    /// # Errors
    /// A readable refusal.
    pub async fn answer(
        &self,
        route: Route,
        asked: Asked<'_>,
        incoming: Incoming,
    ) -> Result<Response, Refusal> {
        match route {
            Route::Preload => self.preload(&asked).await,
            Route::List(list) => self.list(list, asked.query).await,
            Route::Reports => self.list_reports().await,
            Route::TakeReport => self.take_report(asked.headers, incoming).await,
            Route::Close(cluster) => self.close(cluster, &asked, incoming).await,
            Route::Fixed(fixed) => Ok(answers::fixed(fixed, incoming).await),
            Route::Unavailable(what) => Err(answers::unavailable(what)),
        }
    }
}

/// Runs a question to the store where it may wait.
async fn ask<T: Send + 'static>(
    app: &App,
    question: impl FnOnce(&App) -> bobbin_core::Result<T> + Send + 'static,
) -> Result<T, Refusal> {
    let app = app.clone();
    match tokio::task::spawn_blocking(move || question(&app)).await {
        Ok(result) => Ok(result?),
        Err(_) => Err(Refusal::fault()),
    }
}
