//! The store as the page waits for it: it is opened while the window's libraries and the page in it begin.

use bobbin_core::api::App;
use tokio::sync::SetOnce;

/// Empty until the store is open.
#[derive(Default)]
pub struct Opened(SetOnce<App>);

impl Opened {
    /// The store is open from now on. It is opened once.
    pub fn put(&self, app: App) {
        if self.0.set(app).is_err() {
            tracing::warn!("the store was opened twice");
        }
    }

    /// The store, once it is open. Where it cannot be opened the window ends before this does.
    pub async fn wait(&self) -> App {
        self.0.wait().await.clone()
    }

    /// The store, where it is open.
    pub fn now(&self) -> Option<&App> {
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use std::{future::pending, sync::Arc, time::Duration};

    use bobbin_core::{api::Role, clock::SystemClock};

    use super::*;

    #[tokio::test]
    async fn who_asks_before_it_is_open_waits() {
        let dir = tempfile::tempdir().unwrap();
        let opened = Opened::default();
        assert!(opened.now().is_none());
        tokio::select! {
            _ = opened.wait() => panic!("nothing is open"),
            () = tokio::time::sleep(Duration::from_millis(20)) => {}
        }
        let opening = async {
            tokio::task::yield_now().await;
            opened.put(App::open(dir.path(), Role::Owner, Arc::new(SystemClock)).unwrap());
            pending::<()>().await;
        };
        tokio::select! {
            app = opened.wait() => assert_eq!(app.dir(), dir.path()),
            () = opening => unreachable!(),
        }
        assert!(opened.now().is_some());
    }
}
