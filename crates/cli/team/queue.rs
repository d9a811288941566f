//! `bobbin queue`: what was approved, and how far it is.

use std::path::Path;

use bobbin_core::ledger::{Ledger, Queue, Queued, QueuedState};
use bobbin_http::sync::Team;
use serde_json::json;

use super::args::QueueArgs;
use crate::failure::Failure;
use crate::{print, visible};

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &QueueArgs) -> Result<(), Failure> {
    let team = Team::load(data_dir)?;
    if args.pause || args.resume {
        Queue::change(data_dir, |queue| queue.paused = args.pause)?;
    }
    let queue = Queue::load(data_dir)?;
    let mut list = queue.list(&Ledger::of(data_dir).rows()?);
    let to = team.destination();
    list.retain(|queued| queued.to == to);
    if json {
        return print::json(&json!({"paused": queue.paused, "bundles": list}));
    }
    let mut text = if list.is_empty() {
        "Nothing is approved for this account.\n".to_owned()
    } else {
        let rows: Vec<Vec<String>> = list.iter().map(row).collect();
        print::table(
            &["bundle", "what", "bytes", "approved", "state", "trouble"],
            &[false, false, true, false, false, false],
            &rows,
        )
    };
    if queue.paused {
        text += "Paused. Run `bobbin queue --resume` to continue.\n";
    }
    print::write(&text)
}

fn row(queued: &Queued) -> Vec<String> {
    let state = match queued.state {
        QueuedState::Waiting if queued.asked => "queued".to_owned(),
        QueuedState::Waiting => "waiting".to_owned(),
        QueuedState::Withdrawn => "withdrawn".to_owned(),
        QueuedState::Uploading => format!("{} of {} chunks", queued.sent_chunks, queued.chunks),
        QueuedState::Stuck => "stuck".to_owned(),
        QueuedState::Sent => "sent".to_owned(),
        QueuedState::Lost => "lost by the hub".to_owned(),
        QueuedState::Recalled => "recalled".to_owned(),
    };
    vec![
        queued.sha256[..12].to_owned(),
        print::cut(&visible::plain(&queued.what), 40),
        print::bytes(queued.bytes),
        print::moment(queued.approved_micros),
        state,
        print::cut(&visible::plain(queued.trouble.as_deref().unwrap_or("")), 60),
    ]
}
