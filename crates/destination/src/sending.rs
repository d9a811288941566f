//! What the page put into the queue, carried out beside it: to a hub by `sync`, to a folder or an object store from here.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bobbin_core::api::App;
use bobbin_core::clock::Clock;
use bobbin_core::install::Sharing;
use bobbin_core::ledger::{Kind, Ledger, LedgerRow, Pinned, Queue, Queued, QueuedState, sharing};
use bobbin_core::model::Micros;
use bobbin_http::sync::{Laptop, Team};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::{KnownList, recall, send};

/// Without a word of the page: another process may have asked, or a retry be due.
const AT_LEAST: Duration = Duration::from_secs(15);
/// Between two looks: a busy receiver says at every commit that something changed.
const GATHERING: Duration = Duration::from_millis(250);

/// For so long after it asked last what was sent a page counts as open.
const OPEN: Micros = Micros(60_000_000);
/// Meanwhile a hub is asked no more often whether it still has that.
const LOOKING_BACK: Micros = Micros(3_600_000_000);

/// Sends and recalls what is asked for, for as long as it is polled.
pub async fn sending(app: App, clock: Arc<dyn Clock>) {
    run(app, clock, LOOKING_BACK).await;
}

async fn run(app: App, clock: Arc<dyn Clock>, looking_back: Micros) {
    let mut looked_back = None;
    let bell = Arc::new(Notify::new());
    let rung = Arc::clone(&bell);
    let _subscription = app.subscribe(Box::new(move |_| rung.notify_one()));
    loop {
        let looked = look(&app, &clock).await;
        if let Err(error) = &looked {
            tracing::warn!(%error, "Bobbin could not read or change the queue");
        }
        let due = |at: Micros| clock.now().0 - at.0 >= looking_back.0;
        if looked_back.is_none_or(due) {
            match look_back(&app, &clock).await {
                Ok(false) => {}
                Ok(true) => looked_back = Some(clock.now()),
                Err(error) => {
                    tracing::warn!(%error, "Bobbin could not look what the hub still has")
                }
            }
        }
        match looked {
            Ok(()) => {
                // Silence says as much.
                let _ = timeout(AT_LEAST, bell.notified()).await;
                sleep(GATHERING).await;
            }
            // Whatever rings: the queue has no pause for what it could not note.
            Err(_) => sleep(AT_LEAST).await,
        }
    }
}

/// Carries out what is due.
///
/// # Errors
/// The queue cannot be read, or what became of an attempt cannot be noted there, as on a full disk: it would be due again at once.
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
    let mut unnoted = None;
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
            let queue = Queue::load(dir)?;
            let now = queue.list(&Ledger::of(dir).rows()?);
            let as_before = |other: &Queued| {
                other.attempts == one.attempts && is_due(other, queue.paused, clock.now())
            };
            if now.iter().find(same).is_some_and(as_before) {
                unnoted = Some(why);
            }
        }
        app.tell(Vec::new());
    }
    match unnoted {
        None => Ok(()),
        Some(why) => Err(bobbin_core::Error::Refused(why)),
    }
}

/// While somebody looks at what was sent: asks the hub whether it still has that, so that they see what others recalled there.
/// Whether it was asked.
async fn look_back(app: &App, clock: &Arc<dyn Clock>) -> bobbin_core::Result<bool> {
    let dir = app.dir();
    let looks = |at: Micros| clock.now().0 - at.0 < OPEN.0;
    let Some(hub) = Pinned::joined(dir)?.filter(|_| app.looked_at_sends().is_some_and(looks))
    else {
        return Ok(false);
    };
    let queue = Queue::load(dir)?;
    let may = sharing(dir)? == Sharing::Ask && !queue.paused;
    let sent = |queue: &Queue| -> bobbin_core::Result<Vec<QueuedState>> {
        let mut list = queue.list(&Ledger::of(dir).rows()?);
        list.retain(|one| one.to == hub.to_string());
        Ok(list.into_iter().map(|one| one.state).collect())
    };
    let before = sent(&queue)?;
    // What was recalled may be back there, with an older copy of the hub; so may what an admin recalled of others.
    let there = Some(hub.to_string());
    let was_there = |row: &LedgerRow| {
        row.entry.to == there && matches!(row.entry.kind, Kind::Receipt | Kind::Recall)
    };
    if !may || !Ledger::of(dir).rows()?.iter().any(was_there) {
        return Ok(false);
    }
    let Some(_sender) = Queue::sender(dir)? else {
        // A shell does.
        return Ok(false);
    };
    let laptop = Laptop::new(dir, Arc::clone(clock));
    if let Err(fault) = laptop.note_lost(&Team::load(dir)?).await {
        tracing::warn!(%fault, "the hub does not say what it still has");
    }
    if sent(&Queue::load(dir)?)? != before {
        app.tell(Vec::new());
    }
    Ok(true)
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
