//! The lists of the published client, and closing a cluster.
//!
//! The client asks page after page and stops only at an empty one, so a page is never cut short of its limit while
//! there is more, and what lies beyond the end is `[]`.

use bobbin_core::api::{
    self, ClusterOrder, ClustersRequest, ComputationsRequest, Direction, EventsRequest,
    ExceptionsRequest,
};
use bobbin_core::model::Micros;
use bobbin_core::{Error, Result as CoreResult};
use hyper::StatusCode;
use hyper::body::Incoming;
use serde::Deserialize;
use serde_json::Value;

use super::query::Query;
use super::{Asked, Compat, ask, rows};
use crate::answer::{Refusal, Response, json};
use crate::body;
use crate::gate::announced;
use crate::net::Deadlines;

/// What to list; the text is an id of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum List {
    Clusters,
    Computations(String),
    Events(String),
    Exceptions,
}

/// The most that a wish about a cluster may be.
const WISH_BYTES: u64 = 64 * 1024;

impl Compat {
    pub(super) async fn list(&self, list: List, query: &str) -> Result<Response, Refusal> {
        let query = Query::read(query)?;
        let rows = ask(&self.app, move |app| read(app, &list, query)).await?;
        Ok(json(StatusCode::OK, &rows))
    }

    /// Passes on the wish that a cluster stop, if its scheduler allows that.
    pub(super) async fn close(
        &self,
        cluster: String,
        asked: &Asked<'_>,
        incoming: Incoming,
    ) -> Result<Response, Refusal> {
        #[derive(Deserialize)]
        struct Wish {
            desired_status: String,
        }
        announced(asked.headers, &incoming, WISH_BYTES)?;
        let bytes = body::read(incoming, Deadlines::default().body).await?;
        let wish: Wish = serde_json::from_slice(&bytes).map_err(|error| Error::Invalid {
            what: "wish",
            value: "desired-state".into(),
            reason: error.to_string(),
        })?;
        if wish.desired_status != "stopped" {
            let reason = "you can only ask a cluster to be \"stopped\"".into();
            let value = wish.desired_status.chars().take(40).collect();
            return Err(Error::Invalid {
                what: "desired_status",
                value,
                reason,
            }
            .into());
        }
        ask(&self.app, move |app| {
            app.request_stop(api::find_cluster(app, &cluster)?.id)
        })
        .await?;
        Ok(json(StatusCode::OK, &Value::Object(Default::default())))
    }
}

fn read(app: &api::App, list: &List, query: Query) -> CoreResult<Vec<Value>> {
    let Query { limit, offset, .. } = query;
    let from_micros = query.since_seconds.map(|seconds| ago(app.now(), seconds));
    match list {
        List::Clusters => {
            let request = ClustersRequest {
                from_micros,
                user: query.user,
                order: ClusterOrder::Started,
                direction: Direction::Descending,
                limit,
                offset,
                ..ClustersRequest::default()
            };
            Ok(api::clusters(app, request)?
                .rows
                .iter()
                .map(rows::cluster)
                .collect())
        }
        List::Computations(cluster) => {
            let cluster = api::find_cluster(app, cluster)?;
            let request = ComputationsRequest {
                id: cluster.id,
                from_micros: None,
                to_micros: None,
                limit,
                offset,
            };
            let now = app.now();
            let found = api::computations(app, request)?;
            Ok(found
                .rows
                .iter()
                .map(|row| rows::computation(row, &cluster.scheduler_id, now))
                .collect())
        }
        List::Events(cluster) => {
            let cluster = api::find_cluster(app, cluster)?;
            let found = api::events(
                app,
                EventsRequest {
                    id: cluster.id,
                    from_micros: None,
                    to_micros: None,
                    limit,
                    offset,
                },
            )?;
            Ok(found
                .rows
                .iter()
                .map(|row| rows::event(row, &cluster.scheduler_id))
                .collect())
        }
        List::Exceptions => {
            let id = match query.cluster {
                Some(cluster) => Some(api::find_cluster(app, &cluster)?.id),
                None => None,
            };
            let request = ExceptionsRequest {
                id,
                from_micros,
                user: query.user,
                limit,
                offset,
            };
            Ok(api::exceptions(app, request)?
                .rows
                .iter()
                .map(rows::exception)
                .collect())
        }
    }
}

/// So many seconds before `now`; never before 1970.
fn ago(now: Micros, seconds: f64) -> Micros {
    // The cast saturates, which is what a request for all time needs.
    Micros(now.0.saturating_sub((seconds * 1e6) as i64).max(0))
}
