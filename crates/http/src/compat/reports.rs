//! Performance reports: what the published client uploads where its `performance_report()` ends, and the list of them.
//!
//! Each becomes a cluster, as any file of another program does. Whether it is to be public or private, it stays here.

use std::time::Duration;

use bobbin_core::api::{self, App, ClusterRow};
use bobbin_core::{Error, Result as CoreResult};
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::HeaderMap;
use serde_json::Value;

use super::part::{HEAD_BYTES, Part, boundary};
use super::{Compat, ask, rows};
use crate::answer::{Refusal, Response, json};
use crate::body::{self, Pieces};
use crate::gate::announced;

/// The client sends no file that is larger.
const REPORT_BYTES: u64 = 50 << 20;
/// For a file of that size through a tunnel.
const DEADLINE: Duration = Duration::from_secs(120);

impl Compat {
    pub(super) async fn list_reports(&self) -> Result<Response, Refusal> {
        let listed = ask(&self.app, api::performance_reports).await?;
        let rows: Vec<Value> = listed.iter().map(rows::report).collect();
        Ok(json(StatusCode::OK, &rows))
    }

    /// Takes a report in, and answers where it is.
    pub(super) async fn take_report(
        &self,
        headers: &HeaderMap,
        incoming: Incoming,
    ) -> Result<Response, Refusal> {
        announced(headers, &incoming, REPORT_BYTES + HEAD_BYTES as u64)?;
        let Some(boundary) = boundary(headers) else {
            let error = unusable("upload", "it is not multipart/form-data with a boundary");
            return Err(Refusal::from(error).closing());
        };
        let Ok(turn) = self.reports.clone().acquire_owned().await else {
            return Err(Error::Stopping.into());
        };
        self.floor.check(self.app.dir())?;
        let (sender, pieces) = Pieces::new();
        let app = self.app.clone();
        let taking = tokio::task::spawn_blocking(move || {
            // To its end, also where the client has gone.
            let _turn = turn;
            take(&app, pieces, &boundary)
        });
        // What broke off looks cut to who reads it: the body says why.
        let passed = body::pass_on(incoming, DEADLINE, sender).await;
        let taken = taking.await.map_err(|_| Refusal::fault())?;
        passed?;
        let row = taken.map_err(|error| Refusal::from(error).closing())?;
        Ok(json(StatusCode::OK, &rows::report(&row)))
    }
}

fn take(app: &App, pieces: Pieces, boundary: &str) -> CoreResult<ClusterRow> {
    let mut part = Part::open(pieces, boundary).map_err(|why| unusable("upload", why))?;
    let name = part.name.clone();
    let taken = api::take_performance_report(app, &name, &mut part);
    match part.wrong {
        Some(why) => Err(unusable(&name, why)),
        None => taken,
    }
}

fn unusable(name: &str, reason: &str) -> Error {
    Error::Invalid {
        what: "performance report",
        value: name.into(),
        reason: reason.into(),
    }
}
