//! The demo, and replays: recordings of real runs that are told again.
//!
//! Clusters that come of them are samples for good: badged in every list, in no sum of one's own clusters, and not to be shared.
//! Beside the store they can be looked at by themselves, as if there were nothing else ([`SAMPLES`]).

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::make_demo::stored_tape;
use super::on_stage::{OnStage, Recorded};
use super::{App, Empty};
use crate::demo::{self, Chapter, Door, From, Player, PlayerState, SPEEDS, STORIES, Story, Tape};
use crate::query::{self, Samples};
use crate::wire::{Batch, decode};
use crate::{Error, Result, retain};

/// By this id the samples are asked for as if they lay in a store beside this one: `samples` in hexadecimal digits, twice.
pub const SAMPLES: &str = "73616d706c657300000073616d706c65";
/// A first batch is in within a moment, or something is wrong.
const PATIENCE: Duration = Duration::from_secs(5);

/// The recorded stories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Demo {
    /// Whether there are samples in the store, replays among them.
    pub loaded: bool,
    /// How many.
    pub clusters: u64,
    /// Nothing but samples is stored: then the overview sums them up, for want of anything else.
    pub only: bool,
    /// By this id the samples are looked at by themselves, as a bundle beside the store.
    pub beside: String,
    pub stories: Vec<DemoStory>,
}

/// One recorded story.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct DemoStory {
    /// By which it is asked for.
    pub name: String,
    pub title: String,
    /// What there is to see, in a sentence.
    pub about: String,
    /// Its cluster, where it is loaded.
    pub cluster: Option<i64>,
}

/// What is played once more; null: nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Replay {
    pub playing: Option<Playing>,
    /// The slowest and the fastest that is played.
    pub slowest: f64,
    pub fastest: f64,
}

/// A replay under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Playing {
    /// The story, or null for a stored cluster.
    pub story: Option<String>,
    /// The stored cluster that is told again, or null for a story.
    pub recorded: Option<i64>,
    /// What the recorded cluster called itself.
    pub name: String,
    /// The cluster that is told now; null until its first batch is in. Going elsewhere, or another speed, is another cluster.
    pub cluster: Option<i64>,
    pub position_seconds: f64,
    pub duration_seconds: f64,
    pub speed: f64,
    pub paused: bool,
    /// All of it was told.
    pub ended: bool,
    /// Why it could not go on; it is paused then.
    pub failed: Option<String>,
    pub chapters: Vec<ReplayChapter>,
}

/// A moment of a recording worth going to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ReplayChapter {
    pub at_seconds: f64,
    pub words: String,
}

/// What is to be played, and how. What is left out stays as it is.
#[derive(Clone, Debug, Default, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct ReplayRequest {
    /// Begins with this story; what was played before ends.
    pub story: Option<String>,
    /// The same with a stored cluster.
    pub cluster: Option<i64>,
    /// From 1 to 60 times as fast as it was.
    pub speed: Option<f64>,
    pub paused: Option<bool>,
    /// Goes there.
    pub position_seconds: Option<f64>,
    /// Ends what is played. Its cluster says goodbye and stays, as a sample.
    pub end: bool,
}

impl App {
    /// Says by what door replays come in: the one that plugins use, or none any more.
    pub fn set_door(&self, door: Option<Arc<dyn Door>>) {
        self.stage().set_door(door);
    }

    /// Ends what is played, if anything is.
    pub fn end_replay(&self) {
        self.stage().end();
    }

    /// Stores the stories and the weeks before, all or nothing, moved so that the last of them ended a moment ago. Where they are
    /// loaded, nothing happens. Gives the number of batches.
    ///
    /// # Errors
    /// [`Error::NotFound`] if this build has no stories; as [`App::ingest`].
    pub fn load_demo(&self) -> Result<usize> {
        let _alone = self.stage().wish();
        if has_stories(&self.read(query::samples)?) {
            return Ok(0);
        }
        let batches = demo_batches(self)?
            .iter()
            .map(|text| decode(text))
            .collect::<Result<Vec<Batch>>>()?;
        let (count, now) = (batches.len(), self.now());
        self.write_with(move |db, ingest| {
            for batch in &batches {
                ingest.store(db, batch, now)?;
            }
            Ok(())
        })?;
        Ok(count)
    }
}

/// The batches of the stories and of the weeks before, as a plugin would send them.
///
/// # Errors
/// [`Error::NotFound`] if this build has no stories.
pub fn demo_batches(app: &App) -> Result<Vec<Vec<u8>>> {
    demo::batches(app.now())
}

fn has_stories(samples: &Samples) -> bool {
    let is_of = |id: &str, story: &Story| {
        id.strip_prefix(demo::SAMPLE)
            .is_some_and(|rest| rest.starts_with(&format!("{}-", story.name)))
    };
    samples
        .clusters
        .iter()
        .any(|(_, id)| STORIES.iter().any(|story| is_of(id, story)))
}

pub(super) fn demo(app: &App, _: Empty) -> Result<Demo> {
    let samples = app.read(query::samples)?;
    let stories = STORIES.iter().map(|story| {
        let begins = format!("{}{}-", demo::SAMPLE, story.name);
        let of = samples
            .clusters
            .iter()
            .find(|(_, id)| id.starts_with(&begins));
        DemoStory {
            name: story.name.into(),
            title: story.title.into(),
            about: story.about.into(),
            cluster: of.map(|(id, _)| *id),
        }
    });
    Ok(Demo {
        loaded: !samples.clusters.is_empty(),
        clusters: samples.clusters.len() as u64,
        only: samples.only,
        beside: SAMPLES.into(),
        stories: stories.collect(),
    })
}

pub(super) fn load_demo(app: &App, request: Empty) -> Result<Demo> {
    app.load_demo()?;
    app.tell(Vec::new());
    demo(app, request)
}

/// What is told from a recording is nobody's to tell: it would lie among real numbers at whoever has it.
///
/// # Errors
/// [`Error::Refused`], which names the first.
pub(super) fn refuse_samples(app: &App, ids: &[i64]) -> Result<()> {
    let samples = app.read(query::samples)?;
    match ids.iter().find(|id| samples.has(**id)) {
        Some(id) => Err(Error::Refused(format!(
            "cluster {id} is a sample, played from a recording: samples cannot be shared; `bobbin demo make` records one of your \
             clusters"
        ))),
        None => Ok(()),
    }
}

/// All samples, replays among them, with every row that they have.
pub(super) fn remove_demo(app: &App, request: Empty) -> Result<Demo> {
    let _alone = app.stage().wish();
    // What was given up is a sample like the others.
    app.stage().end();
    let samples = app.read(query::samples)?;
    let ids: Vec<i64> = samples.clusters.iter().map(|(id, _)| *id).collect();
    delete(app, ids)?;
    demo(app, request)
}

/// Removes samples: they leave every list at once, and their rows as the writer finds time.
fn delete(app: &App, ids: Vec<i64>) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let now = app.now();
    let asked = ids.clone();
    app.write_with(move |db, ingest| {
        retain::at_once(db, &asked, now)?;
        ingest.deleted(&asked);
        Ok(())
    })?;
    app.tell(ids);
    Ok(())
}

pub(super) fn replay(app: &App, _: Empty) -> Result<Replay> {
    let seen = app.stage().playing().as_ref().map(|on| {
        (
            on.player.state(),
            on.of.clone(),
            on.player.name().to_owned(),
            on.player.chapters(),
        )
    });
    let playing = seen
        .map(|(state, of, name, chapters)| {
            let cluster = app.read(|db| query::sample_of(db, &state.scheduler_id))?;
            Ok::<_, Error>(playing(state, of, name, chapters, cluster))
        })
        .transpose()?;
    Ok(Replay {
        playing,
        slowest: SPEEDS.0,
        fastest: SPEEDS.1,
    })
}

fn playing(
    state: PlayerState,
    of: Recorded,
    name: String,
    chapters: Vec<Chapter>,
    cluster: Option<i64>,
) -> Playing {
    let seconds = |micros: i64| micros as f64 / 1e6;
    let (story, recorded) = match of {
        Recorded::Story(story) => (Some(story), None),
        Recorded::Cluster(id) => (None, Some(id)),
    };
    Playing {
        story,
        recorded,
        name,
        cluster,
        position_seconds: seconds(state.position_micros),
        duration_seconds: seconds(state.duration_micros),
        speed: state.speed,
        paused: state.paused,
        ended: state.ended,
        failed: state.failed,
        chapters: chapters
            .into_iter()
            .map(|chapter| ReplayChapter {
                at_seconds: seconds(chapter.at_micros),
                words: chapter.words,
            })
            .collect(),
    }
}

pub(super) fn set_replay(app: &App, request: ReplayRequest) -> Result<Replay> {
    app.writer()?;
    let _alone = app.stage().wish();
    match (&request.story, request.cluster) {
        _ if request.end => remove_given_up(app, app.stage().end())?,
        (Some(story), None) => {
            let tape = Story::find(story)?.tape()?;
            begin(app, tape, Recorded::Story(story.clone()), &request)?;
        }
        (None, Some(id)) => {
            let tape = stored_tape(app, id)?;
            if tape.micros() == 0 {
                return Err(Error::Refused(format!(
                    "everything known about cluster {id} is from one moment: there is nothing to play"
                )));
            }
            begin(app, tape, Recorded::Cluster(id), &request)?;
        }
        (Some(story), Some(_)) => {
            return Err(Error::Invalid {
                what: "replay",
                value: story.clone(),
                reason: "choose either a story or a cluster".into(),
            });
        }
        (None, None) => change(app, &request)?,
    }
    app.tell(Vec::new());
    replay(app, Empty {})
}

fn begin(app: &App, tape: Tape, of: Recorded, request: &ReplayRequest) -> Result<()> {
    let door = app.stage().door().ok_or_else(|| {
        Error::Refused("no receiver is running here, and a replay needs one".into())
    })?;
    let from = From {
        position_micros: request.position_seconds.map_or(Ok(0), micros)?,
        speed: request.speed.unwrap_or(SPEEDS.0),
        paused: request.paused == Some(true),
    };
    remove_given_up(app, app.stage().end())?;
    let player = Player::start(tape, "replay", from, app.clock(), door)?;
    player.wait_begun(PATIENCE);
    *app.stage().playing() = Some(OnStage { player, of });
    Ok(())
}

fn change(app: &App, request: &ReplayRequest) -> Result<()> {
    let given_up = {
        let playing = app.stage().playing();
        let on = playing.as_ref().ok_or_else(|| Error::NotFound {
            kind: "replay",
            id: "under way".into(),
        })?;
        let player = &on.player;
        let before = player.state();
        let speed = request.speed.unwrap_or(before.speed);
        // Checked before anything changes.
        let position = request.position_seconds.map(micros).transpose()?;
        if position.is_some() || speed != before.speed {
            player.go(position, speed)?;
        }
        if let Some(paused) = request.paused {
            player.pause(paused);
        }
        player.wait_begun(PATIENCE);
        player.given_up()
    };
    remove_given_up(app, given_up)
}

/// Nobody wants what was told before somebody went elsewhere in a replay.
fn remove_given_up(app: &App, scheduler_ids: Vec<String>) -> Result<()> {
    let mut ids = Vec::new();
    for scheduler_id in scheduler_ids {
        ids.extend(app.read(|db| query::sample_of(db, &scheduler_id))?);
    }
    delete(app, ids)
}

fn micros(seconds: f64) -> Result<i64> {
    if (0.0..=1e9).contains(&seconds) {
        return Ok((seconds * 1e6) as i64);
    }
    Err(Error::Invalid {
        what: "position",
        value: seconds.to_string(),
        reason: "it is outside the recording".into(),
    })
}
