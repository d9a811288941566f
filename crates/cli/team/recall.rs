//! `bobbin recall BUNDLE`: deletes it from the account, and has the hub sign that it did; or, where its upload has not begun,
//! withdraws its approval. Nothing here is deleted.

use std::path::Path;

use bobbin_core::ledger::{Entry, Kind, Queue};
use bobbin_http::sync::Team;
use serde_json::json;

use super::args::RecallArgs;
use crate::failure::Failure;
use crate::print;

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &RecallArgs) -> Result<(), Failure> {
    let team = Team::load(data_dir)?;
    let laptop = super::laptop(data_dir);
    let rows = laptop.ledger.rows()?;
    let list = Queue::load(data_dir)?.list(&rows);
    let to = team.destination();
    let mut found = list
        .iter()
        .filter(|queued| queued.to == to && queued.sha256.starts_with(&args.bundle));
    let found = match (found.next(), found.next()) {
        (Some(queued), None) => queued,
        (None, _) => {
            return Err(
                Failure::failed(format!("no bundle {} was sent", args.bundle))
                    .hint("`bobbin queue` lists what was sent"),
            );
        }
        (Some(_), Some(_)) => {
            return Err(Failure::usage(format!(
                "{} matches several bundles",
                args.bundle
            )));
        }
    };
    let sha256 = found.sha256.clone();
    let _sender = super::sender(data_dir)?;
    if laptop.ledger.withdraw(laptop.clock.now(), found)? {
        Queue::change(data_dir, |queue| queue.take_back(&to, &sha256))?;
        if json {
            return print::json(&json!({"sha256": sha256, "withdrawn": true}));
        }
        return print::write(&format!(
            "{sha256}  approval withdrawn; nothing of it was sent\n"
        ));
    }
    super::runtime()?.block_on(laptop.send_recall(&team, &sha256))?;
    let rows = laptop.ledger.rows()?;
    let mut newest = rows.iter().rev().map(|row| &row.entry);
    let signed = newest
        .find(|entry| entry.kind == Kind::Recall && entry.is_of(&sha256, &to))
        .is_some_and(Entry::is_signed);
    let list = Queue::load(data_dir)?.list(&rows);
    let gone = list
        .iter()
        .find(|queued| queued.to == to && queued.sha256 == sha256);
    let until = gone.and_then(|queued| queued.backups_until_micros);
    if json {
        return print::json(
            &json!({"sha256": sha256, "recalled": true, "signed": signed, "backups_until_micros": until}),
        );
    }
    if !signed {
        return print::write(&format!(
            "{sha256}  the hub never had all of it, and keeps nothing of it\n"
        ));
    }
    let backups = match until {
        Some(until) => format!("Backups of the hub expire by {}.", print::moment(until)),
        None => "The hub does not state when its backups expire.".to_owned(),
    };
    print::write(&format!(
        "{sha256}  deleted there; the hub signed for it\n{backups}\n"
    ))
}
