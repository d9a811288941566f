//! What a door listens with, and how it stops.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Connections;

/// Loops that accept, and the connections that they opened. Dropping it stops them without waiting for what is under way.
pub struct Listening {
    pub stop: watch::Sender<bool>,
    pub loops: Vec<JoinHandle<()>>,
    pub connections: Vec<Arc<Connections>>,
}

impl Listening {
    /// Listens no more, and lets requests under way finish for so long.
    pub async fn end(self, patience: Duration) {
        let Self {
            stop,
            loops,
            connections,
        } = self;
        // Nobody listens any more only if all have stopped already.
        let _ = stop.send(true);
        for accepting in loops {
            // A loop that panicked has stopped, too.
            let _ = accepting.await;
        }
        let closed = async {
            for each in &connections {
                each.all_closed().await;
            }
        };
        if timeout(patience, closed).await.is_err() {
            tracing::warn!("some requests were still running and were cut off");
        }
    }
}
