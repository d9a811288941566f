//! `bobbin push`: approved bundles to the account that was joined, until its hub has signed for each.

use std::path::Path;
use std::process::ExitCode;

use bobbin_core::Error;
use bobbin_core::ledger::{Kind, Queue, QueuedState};
use bobbin_core::share::stage::approved;
use bobbin_http::sync::{Back, Fault, Found, Laptop, Sent, Team};
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
    /// What was recalled, was back on the hub, and is recalled again.
    recalled_again: Vec<String>,
    /// What was recalled and is back on the hub, and why it still is.
    back: Vec<Left>,
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
    laptop.ledger.may_send(laptop.clock.now())?;
    let left = not_for_it(data_dir, &laptop, &team)?;
    let _sender = super::sender(data_dir)?;
    let pushed = super::runtime()?.block_on(push(data_dir, &laptop, &team, args, left))?;
    let fine = pushed.left.is_empty() && pushed.lost.is_empty() && pushed.back.is_empty();
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

/// What the desk approved for an account that is called the same, or for the one that was joined before, or what may not be sent
/// as it is: it is not sent, and given with the reason.
fn not_for_it(data_dir: &Path, laptop: &Laptop, team: &Team) -> Result<Vec<Left>, Failure> {
    let rows = laptop.ledger.rows()?;
    let pinned = team.destination();
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
                || matches!(
                    other.entry.kind,
                    Kind::Receipt | Kind::Recall | Kind::Withdrawn
                ) && other.entry.to.as_ref() == Some(to)
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
            Ok(_) if *to == pinned => continue,
            // It was discarded here, or was sent and is nobody's any more.
            Err(Error::NotFound { .. }) => continue,
            Ok(_) => format!(
                "it was approved for {}, but you joined {pinned}: approve it again for this account",
                visible::plain(to)
            ),
            Err(error) => error.to_string(),
        };
        left.push(Left {
            sha256: sha256.clone(),
            why,
        });
    }
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
        recalled_again: Vec::new(),
        back: Vec::new(),
    };
    if Queue::load(data_dir)?.paused {
        return Err(Fault::Paused.into());
    }
    let Found { lost, back } = laptop.note_lost(team).await?;
    if !lost.is_empty() {
        print::talk(&format!(
            "The hub was restored from an older copy: {} bundles it had signed for are missing. Your local data stays.",
            lost.len()
        ));
    }
    for Back { sha256, trouble } in back {
        match trouble {
            None => pushed.recalled_again.push(sha256),
            Some(fault) => pushed.back.push(Left {
                sha256,
                why: fault.to_string(),
            }),
        }
    }
    let to = team.destination();
    let mut list = Queue::load(data_dir)?.list(&laptop.ledger.rows()?);
    list.retain(|queued| queued.to == to);
    for queued in list {
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
            QueuedState::Sent | QueuedState::Recalled | QueuedState::Withdrawn => false,
        };
        if !due {
            continue;
        }
        match one(data_dir, laptop, team, &queued.sha256, args.attempts).await? {
            Ok(()) => pushed.sent.push(queued.sha256),
            Err(fault) => pushed.left.push(Left {
                sha256: queued.sha256,
                why: fault.to_string(),
            }),
        }
    }
    Ok(pushed)
}

/// Sends one, as often as it takes. What does not go now stays asked for: a Bobbin that runs goes on with it.
async fn one(
    data_dir: &Path,
    laptop: &Laptop,
    team: &Team,
    sha256: &str,
    attempts: u32,
) -> Result<Result<(), Fault>, Failure> {
    Queue::change(data_dir, |queue| queue.ask(&team.destination(), sha256))?;
    let mut attempt = 0;
    loop {
        attempt += 1;
        let mut sent = |now: Sent| {
            print::talk(&format!(
                "{}: {} of {} chunks",
                &sha256[..12],
                now.chunks,
                now.of
            ));
        };
        let fault = match laptop.send(team, sha256, &mut sent).await {
            Ok(()) => return Ok(Ok(())),
            Err(fault) => fault,
        };
        let Fault::Later { wait, .. } = &fault else {
            return Ok(Err(fault));
        };
        if attempt >= attempts {
            return Ok(Err(fault));
        }
        let pause = wait.unwrap_or_default();
        print::talk(&format!(
            "{}; retrying in {:.1} s",
            visible::plain(&fault.to_string()),
            pause.as_secs_f64()
        ));
        tokio::time::sleep(pause).await;
    }
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
        text +=
            &format!("{sha256}  the hub no longer has it; send it with `bobbin push --again`\n");
    }
    for sha256 in &pushed.recalled_again {
        text += &format!("{sha256}  the hub had it again from an older copy; recalled again\n");
    }
    for back in &pushed.back {
        text += &format!(
            "{}  the hub has it again from an older copy, and it could not be recalled: {}\n",
            back.sha256,
            visible::plain(&back.why)
        );
    }
    if text.is_empty() {
        text += "Nothing to send.\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_back_on_the_hub_is_said_and_whether_it_is_gone_now() {
        let mut pushed = Pushed {
            sent: Vec::new(),
            left: Vec::new(),
            lost: Vec::new(),
            recalled_again: vec!["aa".into()],
            back: Vec::new(),
        };
        let again = "aa  the hub had it again from an older copy; recalled again\n";
        assert_eq!(text(&pushed), again);
        pushed.back.push(Left {
            sha256: "bb".into(),
            why: "the hub does not answer".into(),
        });
        let said = text(&pushed);
        assert!(
            said.contains("bb  ") && said.ends_with("not be recalled: the hub does not answer\n"),
            "{said}"
        );
    }
}
