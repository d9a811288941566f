//! `bobbin push`: approved bundles to the account that was joined, until its hub has signed for each.

use std::path::Path;
use std::process::ExitCode;

use bobbin_core::Error;
use bobbin_core::install::Token;
use bobbin_core::ledger::Kind;
use bobbin_core::share::stage::approved;
use bobbin_http::sync::{Fault, Found, Laptop, Queue, Queued, QueuedState, Sent, Team, wait};
use serde::Serialize;

use super::args::PushArgs;
use crate::failure::{Exit, Failure};
use crate::{print, visible};

#[derive(Serialize)]
struct Pushed {
    sent: Vec<String>,
    /// What did not go, and why.
    left: Vec<Left>,
    /// What the hub once signed for and has no more; `--again` sends it.
    lost: Vec<String>,
}

#[derive(Serialize)]
struct Left {
    sha256: String,
    why: String,
}

/// Runs the verb: 1 where something did not go.
pub fn run(data_dir: &Path, json: bool, args: &PushArgs) -> Result<ExitCode, Failure> {
    let team = Team::load(data_dir)?;
    let laptop = super::laptop(data_dir);
    let left = take_approved(data_dir, &laptop, &team)?;
    let pushed = super::runtime()?.block_on(push(data_dir, &laptop, &team, args, left))?;
    let fine = pushed.left.is_empty() && pushed.lost.is_empty();
    if json {
        print::json(&pushed)?;
    } else {
        print::write(&text(&pushed))?;
    }
    Ok(if fine {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(Exit::Failed as u8)
    })
}

/// Takes what the desk approved for this account and hub, and was not recalled since, into the queue. What was approved for an
/// account that is called the same, or for the one that was joined before, is not sent: it is given with both names.
fn take_approved(data_dir: &Path, laptop: &Laptop, team: &Team) -> Result<Vec<Left>, Failure> {
    let rows = laptop.ledger.rows()?;
    let pinned = team.destination();
    let mut queue = Queue::load(data_dir)?;
    let mut left: Vec<Left> = Vec::new();
    let approvals = rows.iter().filter(|row| row.entry.kind == Kind::Approved);
    for row in approvals {
        let (Some(to), Some(sha256)) = (&row.entry.to, &row.entry.sha256) else {
            continue;
        };
        let after = rows.iter().filter(|other| {
            other.number > row.number && other.entry.sha256.as_ref() == Some(sha256)
        });
        let mut over = after.filter(|other| {
            // Approved anew, for this one or another: that row says where it goes.
            other.entry.kind == Kind::Approved
                || matches!(other.entry.kind, Kind::Receipt | Kind::Recall)
                    && other.entry.to.as_ref() == Some(to)
        });
        if over.next().is_some() {
            continue;
        }
        let other_hub = to.contains("#sha256=") && *to != pinned;
        if *to != pinned && !other_hub && *to != team.account_name {
            // A folder, a bucket, or a name of the reader's own.
            continue;
        }
        let why = match approved(data_dir, sha256) {
            Ok(approved) if *to == pinned => {
                queue.add(sha256, approved.staged().path());
                continue;
            }
            // It was discarded here, or was sent and is nobody's any more.
            Err(Error::NotFound { .. }) => continue,
            Ok(_) => format!(
                "it was approved for {}, and {pinned} is what was joined: approve it again, for this one",
                visible::plain(to)
            ),
            Err(error) => error.to_string(),
        };
        left.push(Left {
            sha256: sha256.clone(),
            why,
        });
    }
    queue.save(data_dir)?;
    Ok(left)
}

async fn push(
    data_dir: &Path,
    laptop: &Laptop,
    team: &Team,
    args: &PushArgs,
    left: Vec<Left>,
) -> Result<Pushed, Failure> {
    let mut pushed = Pushed {
        sent: Vec::new(),
        left,
        lost: Vec::new(),
    };
    let mut queue = Queue::load(data_dir)?;
    if queue.paused {
        return Err(Fault::Paused.into());
    }
    match laptop.look_back(team).await {
        Ok(Found::AsBefore) | Err(Fault::Later { .. }) => {}
        Ok(Found::Older(lost)) => {
            print::talk(&format!(
                "The hub was put back to an older copy: it has {} bundles no more that it had signed for. Nothing here is deleted.",
                lost.len()
            ));
            for sha256 in &lost {
                queue.lost(sha256);
            }
            queue.save(data_dir)?;
        }
        Err(fault) => return Err(fault.into()),
    }
    let rows = laptop.ledger.rows()?;
    for queued in queue.list(&rows, &team.destination()) {
        // What the policy forbids now, say, stays here.
        if pushed.left.iter().any(|left| left.sha256 == queued.sha256) {
            continue;
        }
        let due = match queued.state {
            QueuedState::Waiting | QueuedState::Uploading | QueuedState::Stuck => true,
            QueuedState::Lost if args.again => true,
            QueuedState::Lost => {
                pushed.lost.push(queued.sha256.clone());
                false
            }
            QueuedState::Sent | QueuedState::Recalled => false,
        };
        if !due {
            continue;
        }
        // The policy may be stricter by now, also for what was sent once and goes again.
        if let Err(error) = approved(data_dir, &queued.sha256) {
            pushed.left.push(Left {
                sha256: queued.sha256,
                why: error.to_string(),
            });
            continue;
        }
        match one(data_dir, laptop, team, &mut queue, &queued, args.attempts).await? {
            Ok(()) => pushed.sent.push(queued.sha256),
            Err(fault) => pushed.left.push(Left {
                sha256: queued.sha256,
                why: fault.to_string(),
            }),
        }
    }
    Ok(pushed)
}

/// Sends one, as often as it takes.
async fn one(
    data_dir: &Path,
    laptop: &Laptop,
    team: &Team,
    queue: &mut Queue,
    queued: &Queued,
    attempts: u32,
) -> Result<Result<(), Fault>, Failure> {
    let sha256 = &queued.sha256;
    let Some(path) = &queued.path else {
        let fault = Fault::Refused("nobody knows where its bytes lie: stage it again".into());
        queue.failed(sha256, &fault.to_string(), true);
        queue.save(data_dir)?;
        return Ok(Err(fault));
    };
    let paused = || Queue::load(data_dir).is_ok_and(|queue| queue.paused);
    let mut attempt = 0;
    loop {
        attempt += 1;
        let mut last = None;
        let mut sent = |now: Sent| {
            last = Some(now);
            print::talk(&format!(
                "{}: {} of {} chunks",
                &sha256[..12],
                now.chunks,
                now.of
            ));
        };
        // Anew each time: it may have been recalled since.
        let minted = laptop.mint(team, sha256)?;
        let ended = laptop
            .upload(team, &minted, path, Some(&paused), &mut sent)
            .await;
        let was_paused = Queue::load(data_dir)?.paused;
        queue.paused = was_paused;
        if let Some(Sent { chunks, of }) = last {
            queue.went(sha256, chunks, of);
        }
        let fault = match ended {
            Ok(_) => {
                queue.arrived(sha256);
                queue.save(data_dir)?;
                return Ok(Ok(()));
            }
            Err(fault) => fault,
        };
        let Fault::Later { wait: asked, .. } = &fault else {
            queue.failed(sha256, &fault.to_string(), fault != Fault::Paused);
            queue.save(data_dir)?;
            return Ok(Err(fault));
        };
        queue.failed(sha256, &fault.to_string(), false);
        queue.save(data_dir)?;
        if attempt >= attempts {
            return Ok(Err(fault));
        }
        let pause = wait(attempt, roll()?, *asked);
        print::talk(&format!(
            "{}; again in {:.1} s",
            crate::visible::plain(&fault.to_string()),
            pause.as_secs_f64()
        ));
        tokio::time::sleep(pause).await;
    }
}

/// A random number.
fn roll() -> Result<u32, Failure> {
    let digest = Token::random()?.digest();
    Ok(u32::from_le_bytes([
        digest[0], digest[1], digest[2], digest[3],
    ]))
}

fn text(pushed: &Pushed) -> String {
    let mut text = String::new();
    for sha256 in &pushed.sent {
        text += &format!("{sha256}  sent; the hub signed for it\n");
    }
    for left in &pushed.left {
        text += &format!("{}  not sent: {}\n", left.sha256, visible::plain(&left.why));
    }
    for sha256 in &pushed.lost {
        text += &format!("{sha256}  the hub has it no more; `bobbin push --again` sends it\n");
    }
    if text.is_empty() {
        text += "Nothing waits.\n";
    }
    text
}
