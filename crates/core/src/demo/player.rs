//! Plays a tape through a receiver: what is due by now is posted, as its plugin would have.
//!
//! The recording is moved so that it ends at the very moment at which it will have been played: its times are then never ahead of
//! the clock, and what is told of durations stays true at any speed. So going elsewhere in it, or another speed, is
//! another cluster, told up to there at once; the one before is given up, and to be removed by whoever plays.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::{Chapter, Tape, sample_id};
use crate::clock::Clock;
use crate::lock::lock;
use crate::model::Micros;
use crate::{Error, Result};

/// The slowest and the fastest that is played.
pub const SPEEDS: (f64, f64) = (1.0, 60.0);
/// Between two looks at what is due.
const BEAT: Duration = Duration::from_millis(250);
/// A cluster of which nothing is due is heard all the same: silence would mean that it is lost.
const SILENCE_MICROS: i64 = 1_000_000;

/// What takes batches in.
pub trait Door: Send + Sync {
    /// Posts a batch, and waits until it is durable.
    ///
    /// # Errors
    /// It was not taken.
    fn post(&self, batch: &[u8]) -> Result<()>;
}

/// How far a replay is.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerState {
    /// The scheduler's id of the cluster that is told.
    pub scheduler_id: String,
    pub position_micros: i64,
    pub duration_micros: i64,
    pub speed: f64,
    pub paused: bool,
    /// All of it was told.
    pub ended: bool,
    /// Why it could not go on; it is paused then.
    pub failed: Option<String>,
}

/// A replay under way. Dropping it ends it, and its cluster says goodbye.
pub struct Player {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    tape: Tape,
    of: String,
    clock: Arc<dyn Clock>,
    door: Arc<dyn Door>,
    state: Mutex<State>,
    /// Told of every wish, and by the thread of everything that it posted.
    changed: Condvar,
}

struct State {
    scheduler_id: String,
    by_micros: i64,
    speed: f64,
    paused: bool,
    /// Where it was, and when.
    position: i64,
    since: Micros,
    /// Records that were posted.
    told: usize,
    /// The last batch and when it was posted.
    last: Option<(Vec<u8>, Micros)>,
    failed: Option<String>,
    /// A batch of this cluster is on its way.
    posting: Option<String>,
    /// Clusters that were told before this one, and are to be removed.
    given_up: Vec<String>,
    ending: bool,
}

/// Where a replay begins, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct From {
    pub position_micros: i64,
    pub speed: f64,
    pub paused: bool,
}

impl Default for From {
    fn default() -> Self {
        Self {
            position_micros: 0,
            speed: SPEEDS.0,
            paused: false,
        }
    }
}

impl Player {
    /// Begins to play. `of` is what the tape is of, for the id of its cluster.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a place outside of the recording or a speed that is not offered; [`Error::Io`] if no thread can be
    /// started.
    pub fn start(
        tape: Tape,
        of: &str,
        from: From,
        clock: Arc<dyn Clock>,
        door: Arc<dyn Door>,
    ) -> Result<Self> {
        check(from.speed)?;
        check_place(&tape, from.position_micros)?;
        let tape = tape.labelled("replay");
        let now = clock.now();
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                scheduler_id: String::new(),
                by_micros: 0,
                speed: from.speed,
                paused: from.paused,
                position: 0,
                since: now,
                told: 0,
                last: None,
                failed: None,
                posting: None,
                given_up: Vec::new(),
                ending: false,
            }),
            tape,
            of: of.into(),
            clock,
            door,
            changed: Condvar::new(),
        });
        shared.begin(&mut shared.lock(), from.position_micros, now)?;
        let playing = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("replay".into())
            .spawn(move || playing.run())
            .map_err(|source| Error::Io {
                path: "a thread for the replay".into(),
                source,
            })?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// What the recorded cluster called itself.
    pub fn name(&self) -> &str {
        &self.shared.tape.name
    }

    /// Moments worth going to.
    pub fn chapters(&self) -> Vec<Chapter> {
        self.shared.tape.chapters()
    }

    /// How far it is.
    pub fn state(&self) -> PlayerState {
        let shared = &self.shared;
        let state = shared.lock();
        let position = shared.position(&state, shared.clock.now());
        PlayerState {
            scheduler_id: state.scheduler_id.clone(),
            position_micros: position,
            duration_micros: shared.tape.micros(),
            speed: state.speed,
            paused: state.paused,
            ended: state.told == shared.tape.len(),
            failed: state.failed.clone(),
        }
    }

    /// Holds it, or goes on.
    pub fn pause(&self, paused: bool) {
        let mut state = self.shared.lock();
        let now = self.shared.clock.now();
        state.position = self.shared.position(&state, now);
        state.since = now;
        state.paused = paused;
        if !paused {
            state.failed = None;
        }
        self.shared.changed.notify_all();
    }

    /// Goes on elsewhere, at some speed; the cluster that was told until now is given up.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a place outside of the recording or a speed that is not offered.
    pub fn go(&self, position_micros: Option<i64>, speed: f64) -> Result<()> {
        check(speed)?;
        let shared = &self.shared;
        let mut state = shared.lock();
        let now = shared.clock.now();
        let position = position_micros.unwrap_or(shared.position(&state, now));
        check_place(&shared.tape, position)?;
        state.speed = speed;
        let before = state.scheduler_id.clone();
        shared.begin(&mut state, position, now)?;
        state.given_up.push(before);
        shared.changed.notify_all();
        Ok(())
    }

    /// Scheduler's ids of the clusters that were given up since this was last asked, of which no batch is on its way any more.
    pub fn given_up(&self) -> Vec<String> {
        self.shared.given_up(&mut self.shared.lock())
    }

    /// Ends it: its cluster says goodbye. Gives what [`Player::given_up`] would.
    pub fn end(mut self) -> Vec<String> {
        self.stop();
        self.given_up()
    }

    #[cfg(test)]
    pub(super) fn is_posting(&self) -> bool {
        self.shared.lock().posting.is_some()
    }

    fn stop(&mut self) {
        self.shared.lock().ending = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // One that panicked has ended, too.
            let _ = thread.join();
        }
    }

    /// Waits until the first records of the cluster are in, or it cannot go on.
    pub fn wait_begun(&self, patience: Duration) {
        let state = self.shared.lock();
        // Whoever asks sees in the state what came of it.
        let _ = self
            .shared
            .changed
            .wait_timeout_while(state, patience, |state| {
                state.told == 0 && state.failed.is_none()
            });
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn position(&self, state: &State, now: Micros) -> i64 {
        let past = match state.paused {
            true => 0.0,
            false => (now.0 - state.since.0).max(0) as f64 * state.speed,
        };
        state
            .position
            .saturating_add(past as i64)
            .min(self.tape.micros())
    }

    fn given_up(&self, state: &mut State) -> Vec<String> {
        let posting = state.posting.clone();
        let (stay, gone) = std::mem::take(&mut state.given_up)
            .into_iter()
            .partition(|id| posting.as_ref() == Some(id));
        state.given_up = stay;
        gone
    }

    /// Another cluster, which will have been played to the end when its records end.
    fn begin(&self, state: &mut State, position: i64, now: Micros) -> Result<()> {
        let left = (self.tape.micros() - position) as f64 / state.speed;
        state.scheduler_id = sample_id(&self.of)?;
        state.by_micros = now.0 + left as i64 - self.tape.ended.0;
        state.position = position;
        state.since = now;
        state.told = 0;
        state.last = None;
        state.failed = None;
        Ok(())
    }

    fn run(&self) {
        let mut state = self.lock();
        while !state.ending {
            state = self.beat(state);
            if state.ending {
                break;
            }
            state = self
                .changed
                .wait_timeout(state, BEAT)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        self.end(state);
    }

    /// Posts what is due. The state is let go meanwhile, and what was posted of a cluster that was given up meanwhile counts nothing.
    fn beat<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        // Until somebody plays it again.
        if state.failed.is_some() {
            return state;
        }
        let now = self.clock.now();
        let due = self.tape.until(self.position(&state, now)).max(1);
        let (told, id, by) = (state.told, state.scheduler_id.clone(), state.by_micros);
        let batches = if due > told {
            self.tape.told(told..due, &id, by)
        } else {
            let silent = state
                .last
                .as_ref()
                .filter(|(_, posted)| now.0 - posted.0 >= SILENCE_MICROS);
            let is_over = told == self.tape.len();
            match silent {
                // Sent once more, as by a plugin that had no answer.
                Some((last, _)) if !is_over => Ok(vec![last.clone()]),
                _ => return state,
            }
        };
        state.posting = Some(id.clone());
        drop(state);
        let posted = batches.and_then(|batches| {
            for batch in &batches {
                self.door.post(batch)?;
            }
            Ok(batches.into_iter().last())
        });
        let mut state = self.lock();
        state.posting = None;
        if state.scheduler_id == id {
            match posted {
                Ok(last) => {
                    state.told = due.max(told);
                    state.last = last.map(|last| (last, now));
                }
                Err(error) => {
                    state.position = self.position(&state, now);
                    state.paused = true;
                    state.failed = Some(error.to_string());
                }
            }
            self.changed.notify_all();
        }
        state
    }

    fn end(&self, state: MutexGuard<'_, State>) {
        let (told, id, by) = (state.told, state.scheduler_id.clone(), state.by_micros);
        drop(state);
        if told == 0 || told == self.tape.len() {
            return;
        }
        let goodbye = self
            .tape
            .goodbye(told, &id, by)
            .and_then(|goodbye| self.door.post(&goodbye));
        if let Err(error) = goodbye {
            tracing::warn!(%error, "the cluster of a replay did not shut down cleanly");
        }
    }
}

fn check_place(tape: &Tape, position_micros: i64) -> Result<()> {
    if (0..=tape.micros()).contains(&position_micros) {
        return Ok(());
    }
    Err(Error::Invalid {
        what: "position",
        value: format!("{} s", position_micros / 1_000_000),
        reason: format!("the recording is {:.1} s long", tape.micros() as f64 / 1e6),
    })
}

fn check(speed: f64) -> Result<()> {
    if (SPEEDS.0..=SPEEDS.1).contains(&speed) {
        return Ok(());
    }
    Err(Error::Invalid {
        what: "speed",
        value: speed.to_string(),
        reason: format!("from {} to {}", SPEEDS.0, SPEEDS.1),
    })
}
