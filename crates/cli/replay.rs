//! `bobbin replay STORY|FILE`: posts a recording to the Bobbin that runs, by the door that plugins use, as fast as asked.

use std::fs::File;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bobbin_core::Code;
use bobbin_core::clock::SystemClock;
use bobbin_core::demo::{From, Player, PlayerState, STORIES, Story, Tape};
use bobbin_core::install;
use bobbin_http::{Near, Post};
use serde::Serialize;

use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::{print, visible};

/// Between two looks at how far it is.
const LOOK: Duration = Duration::from_millis(200);

#[derive(Serialize)]
struct Answer<'a> {
    name: &'a str,
    scheduler_id: &'a str,
    /// Whether all of it was told.
    ended: bool,
    position_seconds: f64,
    duration_seconds: f64,
    speed: f64,
}

/// The door of the Bobbin that runs.
pub fn door(data_dir: &Path) -> Result<Post, Failure> {
    let near = install::read_address(data_dir)?
        .and_then(|address| Near::of(&address))
        .ok_or_else(|| {
            Failure::failed("Bobbin is not running")
                .hint("start `bobbin serve` or the app: a replay goes through its receiver")
        })?;
    Ok(Post::new(near, data_dir.into()))
}

/// Runs the verb: gives back when all was told, or Ctrl-C ended it.
pub fn run(data_dir: &Path, json: bool, args: &ReplayArgs) -> Result<(), Failure> {
    let tape = tape(args)?;
    let door = Arc::new(door(data_dir)?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::failed(format!("signals: {e}")))?;
    let from = From {
        speed: args.speed,
        ..From::default()
    };
    let player = Player::start(tape, "replay", from, Arc::new(SystemClock), door)?;
    let name = visible::plain(player.name());
    print::talk(&format!(
        "Playing {name} at {}×; press Ctrl-C to stop. It is a sample and is excluded from all totals.",
        args.speed
    ));
    let played = runtime.block_on(async {
        let mut interrupt = pin!(tokio::signal::ctrl_c());
        loop {
            let state = player.state();
            if state.ended || state.failed.is_some() {
                return Ok::<_, Failure>(state);
            }
            tokio::select! {
                heard = &mut interrupt => {
                    heard.map_err(|e| Failure::failed(format!("signals: {e}")))?;
                    return Ok(player.state());
                }
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    })?;
    // Says goodbye where it was ended early.
    drop(player);
    if let Some(why) = &played.failed {
        return Err(Failure::failed(format!("the replay cannot continue: {why}")));
    }
    told(&name, &played, json)
}

fn told(name: &str, state: &PlayerState, json: bool) -> Result<(), Failure> {
    let answer = Answer {
        name,
        scheduler_id: &state.scheduler_id,
        ended: state.ended,
        position_seconds: state.position_micros as f64 / 1e6,
        duration_seconds: state.duration_micros as f64 / 1e6,
        speed: state.speed,
    };
    if json {
        return print::json(&answer);
    }
    print::write(&format!(
        "Played {:.0} of {:.0} s of {name}, as {}.\n",
        answer.position_seconds, answer.duration_seconds, answer.scheduler_id
    ))
}

/// A story by its name, else the one cluster of a file.
fn tape(args: &ReplayArgs) -> Result<Tape, Failure> {
    let what = &args.what;
    if let Some(story) = STORIES.iter().find(|story| what == Path::new(story.name)) {
        return Ok(story.tape()?);
    }
    let names: Vec<&str> = STORIES.iter().map(|story: &Story| story.name).collect();
    let file = File::open(what).map_err(|error| {
        Failure::io("the recording", what, &error).hint(format!(
            "use a file from `bobbin demo make`, a bundle, or one of the stories: {}",
            names.join(", ")
        ))
    })?;
    let mut tapes = Tape::read(&what.display().to_string(), file)?;
    if tapes.len() > 1 {
        let mut failure = Failure::usage(format!("{} holds {} clusters", what.display(), tapes.len()))
            .hint("replay plays one cluster: `bobbin demo make CLUSTER` or `bobbin export CLUSTER` writes a file with just one");
        failure.code = Code::Invalid;
        return Err(failure);
    }
    Ok(tapes.remove(0))
}
