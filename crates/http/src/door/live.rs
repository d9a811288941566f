//! `GET /api/live`: tells the page what changed, as server-sent events. The page then asks again.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use bobbin_core::api::{App, Change};
use bobbin_core::lock::lock;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Bytes, Frame};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

use crate::answer::Response;
use crate::net::Stop;

/// How often something is sent when nothing changes, so that a dead connection is noticed.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// For how long somebody may hear.
pub struct Lease {
    /// Says when to look again. It is over where nobody is left to say so.
    pub changed: watch::Receiver<u64>,
    /// Looked at before anything is told, too: time alone may end it.
    pub holds: Box<dyn Fn() -> bool + Send + Sync>,
}

impl Lease {
    /// Until it holds no longer.
    async fn over(&mut self) {
        while self.changed.changed().await.is_ok() {
            if !(self.holds)() {
                return;
            }
        }
    }
}

/// A stream of changes from now on, to whoever signed in for as long as the program runs.
pub fn stream(app: &App, stop: Stop) -> Response {
    streamed(app, stop, None, HEARTBEAT)
}

/// The same for as long as a lease holds.
pub fn leased(app: &App, stop: Stop, lease: Lease) -> Response {
    streamed(app, stop, Some(lease), HEARTBEAT)
}

fn streamed(app: &App, mut stop: Stop, mut lease: Option<Lease>, heartbeat: Duration) -> Response {
    let pending = Arc::new(Pending::default());
    let told = pending.clone();
    let subscription = app.subscribe(Box::new(move |change| told.add(change)));
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let _subscription = subscription;
        let mut heartbeat = interval(heartbeat);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let text = tokio::select! {
                () = pending.ready.notified() => match pending.take() {
                    Some(change) => event(&change),
                    None => continue,
                },
                _ = heartbeat.tick() => ":\n\n".into(),
                () = over(&mut lease) => return,
                () = stop.requested() => return,
                () = sender.closed() => return,
            };
            if lease.as_ref().is_some_and(|lease| !(lease.holds)()) {
                return;
            }
            tokio::select! {
                sent = sender.send(Bytes::from(text)) => if sent.is_err() { return },
                () = over(&mut lease) => return,
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

async fn over(lease: &mut Option<Lease>) {
    match lease {
        Some(lease) => lease.over().await,
        None => std::future::pending().await,
    }
}

fn event(change: &Change) -> String {
    let data = serde_json::to_string(change).unwrap_or_default();
    format!("event: change\nid: {}\ndata: {data}\n\n", change.revision)
}

/// Changes that were not sent yet, as one: a slow page gets fewer of them and misses none.
#[derive(Default)]
struct Pending {
    change: Mutex<Option<Change>>,
    ready: Notify,
}

impl Pending {
    fn add(&self, change: &Change) {
        let mut pending = lock(&self.change);
        *pending = Some(match pending.take() {
            Some(waiting) => waiting.and(change),
            None => change.clone(),
        });
        drop(pending);
        self.ready.notify_one();
    }

    fn take(&self) -> Option<Change> {
        lock(&self.change).take()
    }
}

/// A body whose pieces come through a channel.
pub struct Stream(pub mpsc::Receiver<Bytes>);

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
    use std::sync::atomic::{AtomicBool, Ordering};

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
        // Of the settings, say: that is not lost beside a report.
        for cluster_ids in [vec![1], vec![], vec![2]] {
            pending.add(&Change {
                revision: 6,
                cluster_ids,
            });
        }
        assert_eq!(pending.take().unwrap().cluster_ids, [0; 0]);
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

    #[tokio::test]
    async fn a_stream_ends_with_its_lease_and_needs_no_beat_for_that() {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(bobbin_core::clock::SystemClock);
        let app = App::open(dir.path(), bobbin_core::api::Role::Owner, clock).unwrap();
        let (_stop, stopping) = Stop::new();
        let (told, changed) = watch::channel(0);
        let good = Arc::new(AtomicBool::new(true));
        let holds = {
            let good = Arc::clone(&good);
            Box::new(move || good.load(Ordering::Relaxed))
        };
        // No second beat comes in the time of a test.
        let beat = Duration::from_secs(86_400);
        let lease = Lease { changed, holds };
        let mut body = streamed(&app, stopping, Some(lease), beat).into_body();
        let first = body.frame().await.unwrap().unwrap();
        assert_eq!(first.into_data().unwrap(), ":\n\n");
        // Something else happened: it goes on.
        told.send_replace(1);
        let next = tokio::time::timeout(Duration::from_millis(200), body.frame());
        assert!(next.await.is_err());
        good.store(false, Ordering::Relaxed);
        told.send_replace(2);
        let next = tokio::time::timeout(Duration::from_secs(60), body.frame());
        assert!(next.await.unwrap().is_none());
    }

    #[tokio::test]
    async fn nothing_is_told_under_a_lease_that_time_has_ended() {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(bobbin_core::clock::SystemClock);
        let app = App::open(dir.path(), bobbin_core::api::Role::Owner, clock).unwrap();
        let (_stop, stopping) = Stop::new();
        let (_told, changed) = watch::channel(0);
        let holds = Box::new(|| false);
        let mut body = leased(&app, stopping, Lease { changed, holds }).into_body();
        assert!(body.frame().await.is_none());
    }
}
