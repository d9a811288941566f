use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use super::*;
use crate::Error;
use crate::clock::{Clock, ManualClock};
use crate::testing::*;
use crate::wire::{Batch, Line, Record, decode};

/// What came in.
#[derive(Default)]
struct Taken {
    batches: Mutex<Vec<Batch>>,
    refusing: Mutex<bool>,
}

impl Door for Taken {
    fn post(&self, batch: &[u8]) -> Result<()> {
        if *self.refusing.lock().unwrap() {
            return Err(Error::Busy);
        }
        self.batches.lock().unwrap().push(decode(batch).unwrap());
        Ok(())
    }
}

impl Taken {
    fn of(&self, id: &str) -> Vec<Batch> {
        let batches = self.batches.lock().unwrap();
        let of = batches.iter().filter(|batch| batch.header.cluster_id == id);
        of.cloned().collect()
    }
}

/// A minute: a sample a second, and a failure in the middle of it.
fn tape() -> Tape {
    let mut records = vec![facts(0)];
    for second in 1..=60 {
        records.push(sample(second, second as f64));
        if second == 30 {
            records.push(exception(second, "e", 1));
        }
    }
    let text = batch_text("Scheduler-1", "i", 1, &records);
    Tape::read("a minute", &pack(&text)[..]).unwrap().remove(0)
}

fn pack(text: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text).unwrap();
    packed.finish().unwrap()
}

fn records(batches: &[Batch]) -> Vec<&Record> {
    let lines = batches.iter().flat_map(|batch| &batch.lines);
    lines
        .map(|line| match line {
            Line::Known(record, None) => record,
            other => panic!("{other:?}"),
        })
        .collect()
}

fn at_speed(speed: f64) -> From {
    From {
        speed,
        ..From::default()
    }
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn every_story_and_the_weeks_before_are_whole_and_name_nobody() {
    let now = Micros(1_770_000_000_000_000);
    let batches: Vec<Batch> = batches(now)
        .unwrap()
        .iter()
        .map(|text| decode(text).unwrap())
        .collect();
    let mut last = Micros(0);
    let mut clusters = BTreeSet::new();
    for batch in &batches {
        assert!(batch.header.cluster_id.starts_with(SAMPLE));
        clusters.insert(&batch.header.cluster_id);
        for line in &batch.lines {
            let Line::Known(record, None) = line else {
                panic!("{line:?}")
            };
            last = last.max(record.at());
            if let Record::Cluster(record) = record {
                assert!(record.tags.contains_key("sample"));
                assert_eq!(record.host.as_deref(), Some("laptop"));
                assert!(!record.switches.remote_close);
            }
        }
    }
    assert!((60..120).contains(&clusters.len()), "{}", clusters.len());
    assert!((now.0 - 10_000_000..now.0).contains(&last.0), "{last:?}");
    for story in STORIES {
        let tape = story.tape().unwrap();
        assert!(tape.micros() > 30_000_000 && !tape.chapters().is_empty());
        assert!(tape.chapters().iter().all(|one| !one.words.is_empty()));
    }
    assert!(Story::find("boring").is_err());
}

#[test]
fn a_tape_is_told_again_at_another_time_and_counts_from_one() {
    let tape = tape();
    assert_eq!((tape.len(), tape.micros()), (62, 60 * SECOND));
    let told = |part| -> Vec<Batch> {
        let texts = tape.told(part, "Sample-x-1", SECOND).unwrap();
        texts.iter().map(|text| decode(text).unwrap()).collect()
    };
    let (first, rest) = (told(0..10), told(10..62));
    assert_eq!(first[0].header.first_seq, 1);
    assert_eq!(rest[0].header.first_seq, 11);
    assert_eq!(records(&first)[0].at(), Micros(at(1)));
    assert_eq!(records(&rest).last().unwrap().at(), Micros(at(61)));
    assert_eq!(
        tape.chapters(),
        [Chapter {
            at_micros: 2 * SECOND,
            words: "ValueError".into()
        }]
    );
    let goodbye = decode(&tape.goodbye(10, "Sample-x-1", SECOND).unwrap()).unwrap();
    assert_eq!(goodbye.header.first_seq, 11);
    assert!(matches!(records(&[goodbye])[0], Record::Stop(_)));
    // A recording for others says nothing of when it was.
    let undated = decode(&tape.undated().unwrap()[0]).unwrap();
    assert!(undated.header.cluster_id.starts_with("Sample-made-"));
    assert_eq!(records(&[undated])[0].at(), Micros(1_767_571_200_000_000));
}

#[test]
fn what_is_no_recording_is_refused_by_name() {
    let nobody = batch_text("Scheduler-1", "i", 1, &[sample(1, 1.0)]);
    let cut = batch_text("Scheduler-1", "i", 1, &[facts(0), sample(1, 1.0)]);
    let cut = &cut[..cut.len() - 40];
    for (bytes, why) in [
        (b"notes".to_vec(), "cannot be unpacked"),
        (pack(b""), "holds no batch"),
        (
            pack(b"{\"kind\":\"manifest\",\"format\":1}\n"),
            "holds no batch",
        ),
        (pack(&nobody), "who its cluster is"),
        (pack(cut), "who its cluster is"),
    ] {
        let found = Tape::read("a.bobbin", &bytes[..]);
        match found {
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains("a.bobbin"), "{error}");
                if why != "who its cluster is" {
                    assert!(error.contains(why), "{error}");
                }
            }
            // A line that was cut is left out.
            Ok(tapes) => assert_eq!(tapes[0].len(), 1),
        }
    }
}

#[test]
fn a_replay_posts_what_is_due_and_its_times_are_never_ahead() {
    let clock = Arc::new(ManualClock::at(Micros(at(1_000))));
    let taken = Arc::new(Taken::default());
    let player = Player::start(
        tape(),
        "replay",
        at_speed(10.0),
        Arc::clone(&clock) as _,
        Arc::clone(&taken) as _,
    )
    .unwrap();
    player.wait_begun(Duration::from_secs(60));
    let id = player.state().scheduler_id;
    assert!(id.starts_with("Sample-replay-"), "{id}");
    for second in 1..=6 {
        clock.set(Micros(at(1_000 + second)));
        // Ten seconds of the recording went by: a cluster record, ten samples each, and the failure.
        let due = 1 + 10 * second as usize + usize::from(second >= 3);
        until("what is due is in", || {
            records(&taken.of(&id))
                .iter()
                .map(|one| one.at())
                .collect::<BTreeSet<_>>()
                .len()
                >= due - usize::from(second >= 3)
        });
        let newest = records(&taken.of(&id)).iter().map(|one| one.at()).max();
        assert!(newest <= Some(clock.now()), "{newest:?}");
    }
    until("it has ended", || player.state().ended);
    let newest = records(&taken.of(&id)).iter().map(|one| one.at()).max();
    assert_eq!(newest, Some(Micros(at(1_006))), "it ends now");
    assert_eq!(player.state().position_micros, 60 * SECOND);
    drop(player);
    assert!(
        !records(&taken.of(&id))
            .iter()
            .any(|one| one.kind() == "stop")
    );
}

#[test]
fn a_replay_pauses_is_heard_meanwhile_and_goes_elsewhere_as_another_cluster() {
    let clock = Arc::new(ManualClock::at(Micros(at(1_000))));
    let taken = Arc::new(Taken::default());
    let door = Arc::clone(&taken) as Arc<dyn Door>;
    let player = Player::start(
        tape(),
        "replay",
        at_speed(1.0),
        Arc::clone(&clock) as _,
        door,
    )
    .unwrap();
    player.wait_begun(Duration::from_secs(60));
    clock.set(Micros(at(1_005)));
    until("five seconds are in", || {
        player.state().position_micros == 5 * SECOND
    });
    let first = player.state().scheduler_id;
    player.pause(true);
    let before = taken.of(&first).len();
    clock.set(Micros(at(1_020)));
    until("it is heard while it pauses", || {
        taken.of(&first).len() > before
    });
    let state = player.state();
    assert_eq!((state.position_micros, state.paused), (5 * SECOND, true));

    player.go(Some(40 * SECOND), 60.0).unwrap();
    player.wait_begun(Duration::from_secs(60));
    // Nothing of the one before is on its way when the first batch of this one is in.
    assert_eq!(player.given_up(), std::slice::from_ref(&first));
    assert!(player.given_up().is_empty());
    let second = player.state().scheduler_id;
    assert_ne!(first, second);
    let told = taken.of(&second);
    assert_eq!(told[0].header.first_seq, 1);
    assert_eq!(records(&told).len(), 42, "all up to there at once");
    for (position, speed) in [
        (Some(61 * SECOND), 1.0),
        (Some(-1), 1.0),
        (None, 61.0),
        (None, 0.5),
    ] {
        assert!(player.go(position, speed).is_err(), "{position:?} {speed}");
    }
    assert_eq!(player.state().scheduler_id, second);
    // One that ends early says goodbye.
    drop(player);
    assert_eq!(records(&taken.of(&second)).last().unwrap().kind(), "stop");
}

#[test]
fn a_replay_that_begins_elsewhere_is_one_cluster_alone() {
    let clock = Arc::new(ManualClock::at(Micros(at(1_000))));
    let taken = Arc::new(Taken::default());
    let start = |from: From| {
        let door = Arc::clone(&taken) as Arc<dyn Door>;
        Player::start(tape(), "replay", from, Arc::clone(&clock) as _, door)
    };
    let from = From {
        position_micros: 40 * SECOND,
        speed: 5.0,
        paused: true,
    };
    let player = start(from).unwrap();
    player.wait_begun(Duration::from_secs(60));
    clock.set(Micros(at(1_003)));
    let state = player.state();
    assert_eq!((state.position_micros, state.paused), (40 * SECOND, true));
    assert!(player.given_up().is_empty());
    assert!(player.end().is_empty());
    let ids: BTreeSet<String> = taken
        .batches
        .lock()
        .unwrap()
        .iter()
        .map(|batch| batch.header.cluster_id.clone())
        .collect();
    assert_eq!(ids, [state.scheduler_id].into());
    for (position_micros, speed) in [(61 * SECOND, 1.0), (-1, 1.0), (0, 61.0), (0, 0.5)] {
        let from = From {
            position_micros,
            speed,
            paused: false,
        };
        assert!(start(from).is_err(), "{from:?}");
    }
}

/// Keeps a batch until it may go on.
#[derive(Default)]
struct Held {
    taken: Taken,
    go: Mutex<bool>,
    changed: Condvar,
}

impl Door for Held {
    fn post(&self, batch: &[u8]) -> Result<()> {
        drop(
            self.changed
                .wait_while(self.go.lock().unwrap(), |go| !*go)
                .unwrap(),
        );
        self.taken.post(batch)
    }
}

#[test]
fn what_is_given_up_is_told_when_nothing_of_it_is_on_its_way_any_more() {
    let clock = Arc::new(ManualClock::at(Micros(at(1_000))));
    let held = Arc::new(Held::default());
    let door = Arc::clone(&held) as Arc<dyn Door>;
    let player = Player::start(tape(), "replay", at_speed(1.0), clock, door).unwrap();
    let first = player.state().scheduler_id;
    until("its first batch is on its way", || player.is_posting());
    player.go(Some(40 * SECOND), 60.0).unwrap();
    assert!(player.given_up().is_empty(), "it may still come in");
    *held.go.lock().unwrap() = true;
    held.changed.notify_all();
    player.wait_begun(Duration::from_secs(60));
    assert_eq!(held.taken.of(&first).len(), 1);
    assert_eq!(player.end(), [first]);
}

#[test]
fn a_replay_that_finds_no_door_says_so_and_goes_on_when_it_is_there_again() {
    let clock = Arc::new(ManualClock::at(Micros(at(1_000))));
    let taken = Arc::new(Taken::default());
    *taken.refusing.lock().unwrap() = true;
    let door = Arc::clone(&taken) as Arc<dyn Door>;
    let player = Player::start(
        tape(),
        "replay",
        at_speed(60.0),
        Arc::clone(&clock) as _,
        door,
    )
    .unwrap();
    player.wait_begun(Duration::from_secs(60));
    let state = player.state();
    assert!(state.paused && state.failed.is_some(), "{state:?}");
    *taken.refusing.lock().unwrap() = false;
    player.pause(false);
    clock.set(Micros(at(1_002)));
    until("it has ended", || player.state().ended);
    assert_eq!(player.state().failed, None);
}
