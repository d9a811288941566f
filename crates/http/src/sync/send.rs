//! One attempt with a bundle of the queue: what became of it stands there. `bobbin push` and the Bobbin that runs send by this,
//! and by nothing else.

use std::time::Duration;

use bobbin_core::api::note_policy;
use bobbin_core::ledger::Queue;
use bobbin_core::model::Micros;
use bobbin_core::share::stage::approved;

use super::{Fault, Found, Laptop, Sent, Team, pause};

impl Laptop {
    /// Sends what was approved for this account, if the policy still lets it. A fault that is for later says how long to wait.
    ///
    /// # Errors
    /// [`Fault`]: the queue has its reason.
    pub async fn send(
        &self,
        team: &Team,
        sha256: &str,
        hear: &mut (dyn FnMut(Sent) + Send),
    ) -> Result<(), Fault> {
        let to = team.destination();
        let ended = self.try_to_send(team, &to, sha256, hear).await;
        match ended {
            Ok(()) => Ok(Queue::change(&self.dir, |queue| {
                queue.arrived(&to, sha256)
            })?),
            Err(fault) => Err(self.failed(&to, sha256, fault)?),
        }
    }

    async fn try_to_send(
        &self,
        team: &Team,
        to: &str,
        sha256: &str,
        hear: &mut (dyn FnMut(Sent) + Send),
    ) -> Result<(), Fault> {
        // The policy may be stricter by now, also for what was sent once and goes again.
        note_policy(&self.dir, self.clock.now())?;
        let approved = approved(&self.dir, sha256)?;
        // Anew each time: it may have been recalled since.
        let minted = self.mint(team, sha256)?;
        let paused = || Queue::load(&self.dir).is_ok_and(|queue| queue.paused);
        let mut sent = |now: Sent| {
            let (chunks, of) = (now.chunks as u64, now.of as u64);
            let noted = Queue::change(&self.dir, |queue| queue.went(to, sha256, chunks, of));
            if let Err(error) = noted {
                tracing::warn!(%error, "Bobbin could not record an upload's progress");
            }
            hear(now);
        };
        self.upload(
            team,
            &minted,
            approved.staged().path(),
            Some(&paused),
            &mut sent,
        )
        .await
        .map(drop)
    }

    /// Recalls a bundle of the queue.
    ///
    /// # Errors
    /// [`Fault`]: the queue has its reason.
    pub async fn send_recall(&self, team: &Team, sha256: &str) -> Result<(), Fault> {
        let to = team.destination();
        match self.recall(team, sha256).await {
            Ok(()) => Ok(Queue::change(&self.dir, |queue| {
                queue.take_back(&to, sha256)
            })?),
            Err(fault) => Err(self.failed(&to, sha256, fault)?),
        }
    }

    /// Looks whether the hub still has what it signed for, and notes what it has no more; what was recalled and is back there is
    /// recalled again.
    ///
    /// # Errors
    /// [`Fault`], but for a hub that does not answer now: whatever is sent next says so.
    pub async fn note_lost(&self, team: &Team) -> Result<Found, Fault> {
        let found = match self.look_back(team).await {
            Err(Fault::Later { .. }) => Found::default(),
            found => found?,
        };
        let to = team.destination();
        Queue::change(&self.dir, |queue| {
            for sha256 in &found.lost {
                queue.lost(&to, sha256);
            }
        })?;
        Ok(found)
    }

    fn failed(&self, to: &str, sha256: &str, fault: Fault) -> Result<Fault, Fault> {
        let reason = fault.to_string();
        let (fault, again) = match fault {
            // A person did that, and knows.
            Fault::Paused => return Ok(Fault::Paused),
            Fault::Later { reason, wait } => {
                let (pause, again) = self.again(to, sha256, wait)?;
                let wait = Some(pause);
                (Fault::Later { reason, wait }, Some(again))
            }
            Fault::Full(reason) => {
                let (_, again) = self.again(to, sha256, None)?;
                (Fault::Full(reason), Some(again))
            }
            fault => (fault, None),
        };
        Queue::change(&self.dir, |queue| queue.failed(to, sha256, &reason, again))?;
        Ok(fault)
    }

    /// How long the next attempt waits, and when it is.
    fn again(
        &self,
        to: &str,
        sha256: &str,
        wait: Option<Duration>,
    ) -> Result<(Duration, Micros), Fault> {
        let attempts = Queue::load(&self.dir)?.attempts(to, sha256);
        let pause = pause(attempts + 1, wait)?;
        let later = i64::try_from(pause.as_micros()).unwrap_or(i64::MAX);
        let again = Micros(self.clock.now().0.saturating_add(later));
        Ok((pause, again))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bobbin_core::Error;
    use bobbin_core::clock::SystemClock;

    use super::*;

    #[test]
    fn what_finds_no_room_here_is_tried_again_and_what_is_refused_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let laptop = Laptop::new(dir.path(), Arc::new(SystemClock));
        let path = dir.path().join("ledger.ndjson");
        for (error, idle) in [
            (Error::NoRoomFor { path }, false),
            (Error::Refused("no".into()), true),
        ] {
            Queue::change(dir.path(), |queue| queue.ask("hub", "aa")).unwrap();
            laptop.failed("hub", "aa", error.into()).unwrap();
            assert_eq!(Queue::load(dir.path()).unwrap().is_idle(), idle);
        }
    }
}
