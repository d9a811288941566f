//! An approved bundle to a folder or an object store, and back from there: what the shell does, and the Bobbin that runs.

use std::path::Path;

use bobbin_core::Code;
use bobbin_core::api::note_policy;
use bobbin_core::clock::Clock;
use bobbin_core::ledger::{Entry, Kind, Ledger, Queue};
use bobbin_core::model::Micros;
use bobbin_core::share::stage::approved;
use bobbin_http::sync::pause;
use serde::Serialize;

use crate::{Destination, Error, Known, KnownList, Recalled, Result, Shared, member_key};

/// Puts what was approved for a place there, with its rows of the ledger. `to` is how the ledger names it.
///
/// # Errors
/// Those of [`Destination::share`], of the ledger and of the desk: the queue has the reason.
pub async fn send(dir: &Path, to: &str, sha256: &str, clock: &dyn Clock) -> Result<Shared> {
    let ended = try_to_send(dir, to, sha256, clock).await;
    noted(dir, to, sha256, &ended, Queue::arrived, clock)?;
    ended
}

/// Takes a bundle back from a place, with its row of the ledger. `to` is how the ledger names it.
///
/// # Errors
/// Those of [`Destination::recall`] and of the ledger: the queue has the reason.
pub async fn recall(dir: &Path, to: &str, sha256: &str, clock: &dyn Clock) -> Result<Recalled> {
    let ended = try_to_recall(dir, to, sha256, clock).await;
    noted(dir, to, sha256, &ended, Queue::take_back, clock)?;
    ended
}

async fn try_to_send(dir: &Path, to: &str, sha256: &str, clock: &dyn Clock) -> Result<Shared> {
    let known = known(dir, to)?;
    let (member, key) = (known.member()?, member_key(dir)?);
    let ledger = Ledger::of(dir);
    // The policy may be another by now than when this was asked for.
    note_policy(dir, clock.now())?;
    let approved = approved(dir, sha256)?;
    let minted = ledger.mint(clock.now(), sha256, &known.to())?;
    let destination = Destination::open(&known.address, known.keys, &ledger)?;
    let file = approved.staged().path();
    let shared = destination
        .share(file, minted, &member, &key, clock.now())
        .await?;
    let (kind, bytes) = (Kind::Receipt, shared.bytes);
    row(&ledger, kind, to, sha256, bytes, &shared, clock)?;
    KnownList::change(dir, |list| {
        let found = list.find(&known.address)?;
        found.note(&shared);
        // One's own key is one's own, whoever used the name before.
        if shared.signer() == Some(key.public().as_str()) {
            found.trust_signer(&shared);
        }
        Ok(())
    })?;
    Ok(shared)
}

async fn try_to_recall(dir: &Path, to: &str, sha256: &str, clock: &dyn Clock) -> Result<Recalled> {
    let known = known(dir, to)?;
    let ledger = Ledger::of(dir);
    let destination = Destination::open(&known.address, known.keys, &ledger)?;
    let key = member_key(dir)?;
    let recalled = destination
        .recall(sha256, known.name, &key, clock.now())
        .await?;
    row(&ledger, Kind::Recall, to, sha256, 0, &recalled, clock)?;
    Ok(recalled)
}

/// The one that was made known, as long as it still means the same place.
fn known(dir: &Path, to: &str) -> Result<Known> {
    let known = KnownList::load(dir)?.named(to)?.clone();
    known.check()?;
    Ok(known)
}

/// What the destination holds now is a row, with the object that says so.
fn row(
    ledger: &Ledger,
    kind: Kind,
    to: &str,
    sha256: &str,
    bytes: u64,
    object: &impl Serialize,
    clock: &dyn Clock,
) -> Result<()> {
    let proof = serde_json::to_value(object).map_err(bobbin_core::Error::from)?;
    let entry = Entry::new(kind, "at a destination without a hub")
        .to(to)
        .about(sha256, bytes)
        .proven(proof);
    ledger.append(clock.now(), &entry)?;
    Ok(())
}

/// A place that does not answer is tried again later, and so is what found no room on this machine's disk; keys, rights and
/// addresses do not mend themselves.
fn noted<T>(
    dir: &Path,
    to: &str,
    sha256: &str,
    ended: &Result<T>,
    went: fn(&mut Queue, &str, &str),
    clock: &dyn Clock,
) -> Result<()> {
    let error = match ended {
        Ok(_) => return Ok(Queue::change(dir, |queue| went(queue, to, sha256))?),
        Err(error) => error,
    };
    let silent = matches!(
        error,
        Error::Place {
            source: object_store::Error::Generic { .. },
            ..
        }
    );
    let full = matches!(error, Error::Core(error) if error.code() == Code::DiskFull);
    let again = match silent || full {
        false => None,
        true => {
            let attempts = Queue::load(dir)?.attempts(to, sha256);
            let pause = pause(attempts + 1, None)?;
            let later = i64::try_from(pause.as_micros()).unwrap_or(i64::MAX);
            Some(Micros(clock.now().0.saturating_add(later)))
        }
    };
    let why = error.to_string();
    Queue::change(dir, |queue| queue.failed(to, sha256, &why, again))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use bobbin_core::clock::SystemClock;

    use super::*;

    #[test]
    fn what_finds_no_room_here_is_tried_again_and_what_is_refused_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.ndjson");
        let full = bobbin_core::Error::NoRoomFor { path };
        for (error, idle) in [(full.into(), false), (Error::refused("no".into()), true)] {
            Queue::change(dir.path(), |queue| queue.ask("/team", "aa")).unwrap();
            let ended: Result<()> = Err(error);
            let went = Queue::arrived;
            noted(dir.path(), "/team", "aa", &ended, went, &SystemClock).unwrap();
            assert_eq!(Queue::load(dir.path()).unwrap().is_idle(), idle);
        }
    }
}
