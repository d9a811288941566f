//! What is kept, and what goes: clusters that a reader deletes, detail that is old enough, and room made under the cap. Rows of
//! old reports are folded into fewer.
//!
//! All of it is done by the one writer, between two commits, in short steps with a transaction each. What is left to do
//! follows from the tables: a step that was cut off is done again. No step needs room for a copy of the file. On a disk that is
//! nearly full steps are as small as the log has room for, and what was freed is given back before more is removed, so that
//! there soon is room for larger ones.

mod age;
mod bytes;
mod came;
mod cap;
mod clock;
mod delete;
mod empty;
mod fold;
mod looked;
mod names;
mod remove;
mod rules;
mod shrink;
mod waits;
mod within;

use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};

use crate::model::{Micros, RetentionRules};
use crate::store::full;
use crate::{Error, Result};

use shrink::Shrunk;

pub(crate) use age::before;
pub(crate) use bytes::{Cutoffs, all as all_detail, left_bytes, stored_bytes, whole_bytes};
pub(crate) use cap::{goal, pinned, running};
pub(crate) use clock::{belief, trust};
pub(crate) use delete::{ask, at_once, forget_unbegun, is_deleted, undo};
pub(crate) use empty::empty;
#[cfg(test)]
pub(crate) use fold::everything as fold_everything;
pub(crate) use rules::{check as check_rules, rules, set as set_rules};

use looked::Looked;
use remove::Room;
use waits::Waits;

/// Between two steps, as a multiple of how long the step took: maintenance takes a fifth of the writer at most, unless batches
/// wait for it.
const REST: u32 = 4;
/// And no longer than this: a step that took seconds waited for a slow disk or processor, and room is needed all the more.
const LONGEST_REST: Duration = Duration::from_secs(1);
/// How often ages are looked at, and the size where little comes: after so much of the cap it is looked at in any case.
const AGES_EVERY: Duration = Duration::from_secs(3_600);
const SIZE_EVERY: Duration = Duration::from_secs(60);
/// What was due so long ago is put off no longer: longer than the writer puts off what nobody asks for (`store/write.rs`).
const OVERDUE: Duration = Duration::from_secs(2);
/// How often a piece is tried at once where the disk is full: each time it is smaller.
const TRIES: u32 = 6;
/// How long the work that is begun goes on when Bobbin stops; the rest is done at the next start.
const LAST: Duration = Duration::from_secs(2);

/// What a step changed.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Step {
    /// There may be more of the same.
    pub(crate) more: bool,
    /// Clusters that are not as they were.
    pub(crate) changed: Vec<i64>,
    /// What was remembered of the store may be wrong, but for keys.
    pub(crate) forget: bool,
    /// A cluster whose keys are destroyed.
    pub(crate) deleted: Option<i64>,
}

/// What the writer remembers of its maintenance. All of it begins anew at the next start.
pub(crate) struct Retention {
    next: Instant,
    ages: Walk,
    size: Walk,
    folds: Walk,
    /// Whether a piece of folding was the last that was done: then others go first.
    folded: bool,
    looked_at: Looked,
    looked_for_room: Looked,
    pinned: cap::Pinned,
    /// What can still be taken back.
    waits: Waits,
    /// How much longer the rules wait; none where they are followed.
    rules_wait: Option<Duration>,
    /// The cap, where it is followed.
    cap: Option<u64>,
    /// Bytes of batches since the size was looked at because of them.
    came_bytes: u64,
    /// The most that may be in use while room is made. Where more was when that began it is about that, and less as it goes.
    most_bytes: u64,
    /// More came than went meanwhile: batches wait for what goes.
    presses: bool,
    /// All that could go went, and the store is larger than it may be.
    in_vain: bool,
    /// When the clock was last looked at.
    looked: Instant,
    /// Since when names, the file and the log may be larger than they need be.
    names: Option<i64>,
    shrink: bool,
    /// When the rules were set that the walks began with.
    rules_of: Option<Micros>,
    /// Whether it is to be noted that all is done.
    unnoted: bool,
    /// What the log had room for.
    room: Room,
    /// How often a piece found no room since one did.
    tried: u32,
}

/// Something that is done every so often, cluster by cluster.
struct Walk {
    every: Duration,
    last: Option<Instant>,
    /// Behind which cluster it goes on: when it began or was seen, and its number.
    behind: Option<(i64, i64)>,
}

impl Walk {
    fn new(every: Duration) -> Self {
        Self {
            every,
            last: None,
            behind: None,
        }
    }

    /// How long ago it last began; none if it never did.
    fn begun(&self) -> Option<Duration> {
        self.last.map(|last| last.elapsed())
    }

    fn due(&self) -> bool {
        self.behind.is_some() || self.begun().is_none_or(|begun| begun >= self.every)
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            next: Instant::now(),
            ages: Walk::new(AGES_EVERY),
            size: Walk::new(SIZE_EVERY),
            folds: Walk::new(AGES_EVERY),
            folded: false,
            looked_at: Looked::default(),
            looked_for_room: Looked::default(),
            pinned: cap::Pinned::default(),
            waits: Waits::default(),
            rules_wait: None,
            cap: None,
            came_bytes: 0,
            most_bytes: u64::MAX,
            presses: false,
            in_vain: false,
            looked: Instant::now(),
            names: None,
            shrink: true,
            rules_of: None,
            unnoted: true,
            room: Room::PLENTY,
            tried: 0,
        }
    }
}

impl Retention {
    /// When there is something to do.
    pub(crate) fn at(&self) -> Instant {
        self.next
    }

    /// A batch of so many bytes came, from this record of the instance on.
    pub(crate) fn came(&mut self, instance: i64, seq: u64, bytes: u64) {
        self.looked_at
            .came(instance, i64::try_from(seq).unwrap_or(i64::MAX));
        let Some(cap) = self.cap.filter(|_| !self.in_vain) else {
            return;
        };
        self.came_bytes += bytes;
        if self.came_bytes >= cap::look_after(cap) {
            self.came_bytes = 0;
            self.size.last = None;
            let now = Instant::now();
            self.next = now.checked_sub(OVERDUE).unwrap_or(now);
        }
    }

    /// Whether the next piece goes before the next batch: the store is as large as it may become.
    pub(crate) fn presses(&self) -> bool {
        self.presses
    }

    /// Something was asked for: look again.
    pub(crate) fn wake(&mut self) {
        self.next = Instant::now();
    }

    /// Does a piece of what is due, and says when the next is. `passed` is the time that passed since some moment of this run,
    /// however the clock was set meanwhile.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`]: then nothing of the piece is done, and it is tried again in a minute.
    pub(crate) fn step(&mut self, db: &Connection, now: Micros, passed: Duration) -> Result<Step> {
        let begun = Instant::now();
        self.next = begun + SIZE_EVERY;
        let set = rules(db)?;
        if set.changed != self.rules_of {
            self.rules_of = set.changed;
            self.ages = Walk::new(AGES_EVERY);
            self.size = Walk::new(SIZE_EVERY);
            self.in_vain = false;
            self.go_through_anew();
        }
        self.rules_wait = self.waits.rules(set.changed, now, passed);
        self.cap = set.rules.cap_bytes.filter(|_| self.rules_wait.is_none());
        let (over, deletion) = self.waits.deletions(&delete::asked(db)?, now, passed);
        let step = self.fitting(db, now, &set.rules, &over);
        let step = step.map_err(|error| full(db, error));
        if step.is_err() {
            // What was removed is there again.
            self.go_through_anew();
        }
        let step = match step {
            // What goes needs room in the log before it makes any.
            Err(Error::DiskFull) if self.tried < TRIES => {
                self.room = self.room.missed();
                self.tried += 1;
                Step {
                    more: true,
                    forget: true,
                    ..Step::default()
                }
            }
            step => {
                self.tried = 0;
                step?
            }
        };
        self.presses = step.more && self.is_too_much(db)?;
        if self.presses {
            self.next = Instant::now();
        } else if step.more {
            self.next = Instant::now() + (begun.elapsed() * REST).min(LONGEST_REST);
        } else {
            let waits = [deletion, self.rules_wait].into_iter().flatten();
            self.next = Instant::now() + waits.fold(SIZE_EVERY, Duration::min);
        }
        Ok(step)
    }

    /// Whether more is in use than may be while room is made. A store that was larger when that began, as under a cap that was
    /// lowered, is made smaller bit by bit: for that nobody waits, but it hardly grows.
    fn is_too_much(&mut self, db: &Connection) -> Result<bool> {
        let Some(cap) = self.cap.filter(|_| self.size.due() && !self.in_vain) else {
            self.most_bytes = u64::MAX;
            return Ok(false);
        };
        let used = cap::used(db)?;
        let is_too_much = used > self.most_bytes;
        let hardly_more = used + cap::look_after(cap);
        self.most_bytes = self.most_bytes.min(hardly_more).max(cap::most(cap));
        Ok(is_too_much)
    }

    /// Forgets how far the instances of clusters were gone through.
    fn go_through_anew(&mut self) {
        self.looked_at.within.forget();
        self.looked_for_room.within.forget();
    }

    /// Carries on with deletions that were asked for, their time to undo cut short; what is not done in two seconds is
    /// done at the next start.
    ///
    /// # Errors
    /// As [`Retention::step`].
    pub(crate) fn last(&mut self, db: &Connection, now: Micros) -> Result<()> {
        let begun = Instant::now();
        self.look(db, now)?;
        delete::begin_all(db, now)?;
        loop {
            let pace = Room::PLENTY.pace();
            let more = delete::any(db)?
                && in_transaction(db, |db| delete::step(db, now, &[], pace))?.is_some();
            self.shrink |= more;
            if !more || begun.elapsed() > LAST {
                break;
            }
        }
        while self.shrink && begun.elapsed() < LAST {
            self.shrink = shrink::step(db, self.room.pace())? == Shrunk::Some;
        }
        Ok(())
    }

    /// A piece that the disk has room for: where it has little, the log begins anew in the room that it takes, and what is free
    /// in the file goes first.
    fn fitting(
        &mut self,
        db: &Connection,
        now: Micros,
        rules: &RetentionRules,
        over: &[i64],
    ) -> Result<Step> {
        if !self.room.is_plenty() {
            // A log that cannot be copied whole may still have room for a small piece.
            match shrink::copy_log(db).map_err(|error| full(db, error)) {
                Err(Error::DiskFull) => {}
                copied => copied?,
            }
            if self.shrink && shrink::give_back(db, self.room.pace())? {
                self.room = self.room.found();
                return Ok(Step {
                    more: true,
                    ..Step::default()
                });
            }
        }
        self.piece(db, now, rules, over)
    }

    fn piece(
        &mut self,
        db: &Connection,
        now: Micros,
        rules: &RetentionRules,
        over: &[i64],
    ) -> Result<Step> {
        let pace = self.room.pace();
        if let Some(step) = in_transaction(db, |db| delete::step(db, now, over, pace))? {
            self.shrink = true;
            self.room = self.room.found();
            if !step.more {
                self.names = Some(0);
            }
            return Ok(Step { more: true, ..step });
        }
        if let Some(behind) = self.names {
            self.names = in_transaction(db, |db| names::step(db, behind))?;
            return Ok(Step {
                more: true,
                forget: true,
                ..Step::default()
            });
        }
        // In turn: a store from before may have millions of rows to fold, and what takes room goes meanwhile.
        // Where there is little room it waits until some was made, and so it does where batches wait for that.
        self.folded = !self.folded && !self.presses && self.room.is_plenty() && self.folds.due();
        if self.folded {
            let behind = self.folds.behind.map_or(0, |(behind, _)| behind);
            let looked = &mut self.looked_at;
            let walked = in_transaction(db, |db| fold::step(db, now, behind, looked, pace))?;
            self.folds.last = Some(Instant::now());
            self.folds.behind = walked.behind;
            self.shrink |= walked.removed;
            return Ok(Step {
                more: true,
                ..Step::default()
            });
        }
        let followed = self.rules_wait.is_none();
        if followed && !self.presses && self.ages.due() {
            let begins = self.ages.behind.is_none();
            if begins {
                self.look(db, now)?;
            }
            let behind = self.ages.behind.unwrap_or((i64::MIN, 0));
            let looked = &mut self.looked_at;
            let walked = in_transaction(db, |db| age::step(db, now, rules, behind, looked, pace))?;
            if begins {
                self.ages.last = Some(Instant::now());
            }
            return Ok(self.walked(walked, false));
        }
        if followed && self.size.due() {
            if self.size.behind.is_none() {
                self.look(db, now)?;
            }
            let behind = self.size.behind.unwrap_or((i64::MIN, 0));
            let (pinned, looked) = (&mut self.pinned, &mut self.looked_for_room);
            let walked = in_transaction(db, |db| {
                cap::step(db, now, rules, behind, (pinned, looked), pace)
            })?;
            self.size.last = Some(Instant::now());
            return Ok(self.walked(walked, true));
        }
        if self.shrink {
            let shrunk = shrink::step(db, pace)?;
            self.shrink = shrunk != Shrunk::Done;
            if shrunk == Shrunk::Some {
                return Ok(Step {
                    more: true,
                    ..Step::default()
                });
            }
        }
        // Nothing is left to remove, even if somebody still reads what the log holds.
        if self.unnoted && followed {
            clock::worked(db, now)?;
            self.unnoted = false;
        }
        Ok(Step {
            more: self.room.is_plenty() && self.folds.due(),
            ..Step::default()
        })
    }

    /// Looks at the clock, every minute and at the end: many short runs make a long one.
    fn look(&mut self, db: &Connection, now: Micros) -> Result<()> {
        let ran = std::mem::replace(&mut self.looked, Instant::now()).elapsed();
        clock::look(db, now, ran)
    }

    fn walked(&mut self, walked: Walked, size: bool) -> Step {
        self.unnoted = true;
        self.shrink |= walked.removed;
        // What found nothing to remove says nothing of the room.
        if walked.removed {
            self.room = self.room.found();
        }
        let walk = if size { &mut self.size } else { &mut self.ages };
        walk.behind = walked.behind;
        if size && walked.behind.is_none() {
            self.in_vain = walked.too_much;
        }
        Step {
            more: true,
            forget: walked.removed || walked.deleted.is_some(),
            changed: walked.changed,
            deleted: walked.deleted,
        }
    }
}

/// How far a walk came.
#[derive(Debug, Default)]
struct Walked {
    /// Where it goes on; none if it is at its end.
    behind: Option<(i64, i64)>,
    changed: Vec<i64>,
    removed: bool,
    /// A whole cluster, whose deletion was begun.
    deleted: Option<i64>,
    /// At its end the store is larger than it may be.
    too_much: bool,
}

fn in_transaction<T>(db: &Connection, run: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    let tx = rusqlite::Transaction::new_unchecked(db, TransactionBehavior::Immediate)?;
    let done = run(&tx)?;
    tx.commit()?;
    Ok(done)
}

#[cfg(test)]
mod tests;
