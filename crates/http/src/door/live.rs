//! `GET /api/live`: tells the page what changed, as server-sent events. The page then asks again.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bobbin_core::api::{App, Change};
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Bytes, Frame};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use tokio::sync::{Notify, mpsc};
use tokio::time::{MissedTickBehavior, interval};

use crate::answer::Response;
use crate::net::Stop;

/// How often something is sent when nothing changes, so that a dead connection is noticed.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// A stream of changes from now on.
pub fn stream(app: &App, mut stop: Stop) -> Response {
    let pending = Arc::new(Pending::default());
    let told = pending.clone();
    let subscription = app.subscribe(Box::new(move |change| told.add(change)));
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let _subscription = subscription;
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let text = tokio::select! {
                () = pending.ready.notified() => match pending.take() {
                    Some(change) => event(&change),
                    None => continue,
                },
                _ = heartbeat.tick() => ":\n\n".into(),
                () = stop.requested() => return,
                () = sender.closed() => return,
            };
            tokio::select! {
                sent = sender.send(Bytes::from(text)) => if sent.is_err() { return },
                () = stop.requested() => return,
            }
        }
    });
    let mut response = Response::new(Stream(receiver).boxed());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn event(change: &Change) -> String {
    let data = serde_json::to_string(change).unwrap_or_default();
    format!("event: change\nid: {}\ndata: {data}\n\n", change.revision)
}

/// Changes that were not sent yet, as one: a slow page gets fewer of them and misses none.
#[derive(Default)]
struct Pending {
    change: Mutex<Option<(u64, BTreeSet<i64>)>>,
    ready: Notify,
}

impl Pending {
    fn add(&self, change: &Change) {
        let mut pending = self.change.lock().unwrap_or_else(PoisonError::into_inner);
        let (revision, clusters) = pending.get_or_insert_default();
        *revision = change.revision.max(*revision);
        clusters.extend(&change.cluster_ids);
        drop(pending);
        self.ready.notify_one();
    }

    fn take(&self) -> Option<Change> {
        let taken = self
            .change
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()?;
        Some(Change {
            revision: taken.0,
            cluster_ids: taken.1.into_iter().collect(),
        })
    }
}

/// A body whose pieces come through a channel.
struct Stream(mpsc::Receiver<Bytes>);

impl HttpBody for Stream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_recv(cx)
            .map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_wait_become_one_that_names_all_clusters() {
        let pending = Pending::default();
        pending.add(&Change {
            revision: 4,
            cluster_ids: vec![2],
        });
        pending.add(&Change {
            revision: 5,
            cluster_ids: vec![1, 2],
        });
        assert_eq!(
            pending.take(),
            Some(Change {
                revision: 5,
                cluster_ids: vec![1, 2]
            })
        );
        assert_eq!(pending.take(), None);
    }

    #[test]
    fn an_event_has_its_name_and_one_line_of_json() {
        let text = event(&Change {
            revision: 7,
            cluster_ids: vec![1],
        });
        assert_eq!(
            text,
            "event: change\nid: 7\ndata: {\"revision\":7,\"cluster_ids\":[1]}\n\n"
        );
    }
}
