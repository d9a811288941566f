//! What the page put into the queue, carried out beside it: to a hub by `sync`, to a folder or an object store from here.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bobbin_core::api::App;
use bobbin_core::clock::Clock;
use bobbin_core::ledger::{Ledger, Pinned, Queue, Queued, QueuedState};
use bobbin_core::model::Micros;
use bobbin_http::sync::{Laptop, Team};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::{KnownList, recall, send};

/// Without a word of the page: another process may have asked, or a retry be due.
const AT_LEAST: Duration = Duration::from_secs(15);
/// Between two looks: a busy receiver says at every commit that something changed.
const GATHERING: Duration = Duration::from_millis(250);

/// Sends and recalls what is asked for, for as long as it is polled.
pub async fn sending(app: App, clock: Arc<dyn Clock>) {
    let bell = Arc::new(Notify::new());
    let rung = Arc::clone(&bell);
    let _subscription = app.subscribe(Box::new(move |_| rung.notify_one()));
    loop {
        if let Err(error) = look(&app, &clock).await {
            tracing::warn!(%error, "Bobbin could not read the queue");
        }
        // Silence says as much.
        let _ = timeout(AT_LEAST, bell.notified()).await;
        sleep(GATHERING).await;
    }
}

async fn look(app: &App, clock: &Arc<dyn Clock>) -> bobbin_core::Result<()> {
    let dir = app.dir();
    let queue = Queue::load(dir)?;
    if queue.is_idle() {
        return Ok(());
    }
    let mut list = queue.list(&Ledger::of(dir).rows()?);
    list.retain(|one| is_due(one, queue.paused, clock.now()));
    if list.is_empty() {
        return Ok(());
    }
    let Some(_sender) = Queue::sender(dir)? else {
        // A shell does.
        return Ok(());
    };
    let hub = Pinned::joined(dir)?.map(|pinned| pinned.to_string());
    for one in list {
        // The page may have thought better of it meanwhile.
        let queue = Queue::load(dir)?;
        let now = queue.list(&Ledger::of(dir).rows()?);
        let same = |other: &&Queued| other.to == one.to && other.sha256 == one.sha256;
        let Some(one) = now.iter().find(same) else {
            continue;
        };
        if !is_due(one, queue.paused, clock.now()) {
            continue;
        }
        let ended = if hub.as_ref() == Some(&one.to) {
            at_hub(app, clock, one).await
        } else if KnownList::load(dir).is_ok_and(|list| list.named(&one.to).is_ok()) {
            at_place(dir, clock, one).await
        } else {
            let why = format!("{} is no longer joined", one.to);
            Queue::change(dir, |queue| queue.failed(&one.to, &one.sha256, &why, None))?;
            Err(why)
        };
        if let Err(why) = ended {
            tracing::warn!(why, sha256 = one.sha256, "Bobbin could not send a bundle");
        }
        app.tell(Vec::new());
    }
    Ok(())
}

fn is_due(one: &Queued, paused: bool, now: Micros) -> bool {
    let time = one.again_micros.is_none_or(|again| again <= now);
    let send = one.asked && !paused && !matches!(one.state, QueuedState::Recalled);
    time && (send || one.recalling)
}

async fn at_hub(app: &App, clock: &Arc<dyn Clock>, one: &Queued) -> Result<(), String> {
    let team = Team::load(app.dir()).map_err(|error| error.to_string())?;
    let laptop = Laptop::new(app.dir(), Arc::clone(clock));
    let ended = if one.recalling {
        laptop.send_recall(&team, &one.sha256).await
    } else {
        let told = app.clone();
        let mut hear = move |_| told.tell(Vec::new());
        laptop.send(&team, &one.sha256, &mut hear).await
    };
    ended.map_err(|fault| fault.to_string())
}

async fn at_place(dir: &Path, clock: &Arc<dyn Clock>, one: &Queued) -> Result<(), String> {
    let ended = if one.recalling {
        recall(dir, &one.to, &one.sha256, &**clock).await.map(drop)
    } else {
        send(dir, &one.to, &one.sha256, &**clock).await.map(drop)
    };
    ended.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
