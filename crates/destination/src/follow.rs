//! What others shared, brought here: into the inbox, which takes it as it takes any bundle.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use bobbin_core::ledger::Ledger;

use crate::{Aside, Destination, Known, KnownList, Result, Shared, Trust};

/// How often a destination that is followed is looked at.
const EVERY: Duration = Duration::from_secs(300);

/// Bundles that are brought in one go; the others come the next time.
const MOST_AT_ONCE: usize = 100;

/// What came of a look at a destination.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Picked {
    pub brought: Vec<Shared>,
    /// What is not brought: who shared it is in doubt.
    pub aside: Vec<Aside>,
}

/// Brings what is new at a destination into the inbox of the install in `dir`, and gives what that was. The first key that a
/// member's name comes with is theirs from then on.
///
/// # Errors
/// Those of the destination, and of the bundles where none could be brought; what was brought before stays, and is not
/// brought again.
pub async fn pick_up(dir: &Path, destination: &Destination) -> Result<Picked> {
    let mut known = KnownList::load(dir)?.find(destination.address())?.clone();
    let (mut picked, mut failed) = (Picked::default(), None);
    for shared in destination.list().await? {
        if known.seen.contains(&shared.sha256) {
            continue;
        }
        let trust = Trust::of(&shared, Some(&known));
        if trust.why_not().is_some() {
            picked.aside.push(Aside { shared, trust });
            continue;
        }
        if picked.brought.len() == MOST_AT_ONCE {
            break;
        }
        let to = dir.join("inbox").join(format!("{}.bobbin", shared.sha256));
        match destination.fetch(&shared.sha256, &to).await {
            Ok(()) => {}
            // One that is missing or is another holds up none of the others.
            Err(error) if destination.is_there().await => {
                tracing::warn!(%error, sha256 = shared.sha256, "Bobbin could not download a bundle");
                failed = Some(error);
                continue;
            }
            Err(error) => return Err(error),
        }
        known = note(dir, destination.address(), &shared)?;
        picked.brought.push(shared);
    }
    match failed {
        Some(error) if picked.brought.is_empty() && picked.aside.is_empty() => Err(error),
        _ => Ok(picked),
    }
}

/// Remembers that a bundle is known here, and whose key it has, and gives the destination as it is then. The list is read
/// anew: somebody may have changed it meanwhile.
///
/// # Errors
/// As [`KnownList::change`].
pub fn note(dir: &Path, address: &str, shared: &Shared) -> Result<Known> {
    let mut list = KnownList::change(dir, |list| {
        list.find(address)?.note(shared);
        Ok(())
    })?;
    Ok(list.find(address)?.clone())
}

/// Looks at the destinations that are followed every five minutes, for as long as it is polled. A destination is opened
/// once, and again only after it failed.
pub async fn follow(dir: &Path) {
    let ledger = Ledger::of(dir);
    let mut open: HashMap<String, Destination> = HashMap::new();
    loop {
        let known = KnownList::load(dir)
            .map(|list| list.destinations)
            .unwrap_or_else(|error| {
                tracing::warn!(%error, "Bobbin could not read the destinations");
                Vec::new()
            });
        for known in known.iter().filter(|known| known.follow) {
            if let Err(error) = look(dir, known, &mut open, &ledger).await {
                tracing::warn!(%error, address = known.address, "Bobbin could not check a destination");
                open.remove(&known.address);
            }
        }
        open.retain(|address, _| {
            known
                .iter()
                .any(|known| known.follow && known.address == *address)
        });
        tokio::time::sleep(EVERY).await;
    }
}

async fn look(
    dir: &Path,
    known: &Known,
    open: &mut HashMap<String, Destination>,
    ledger: &Ledger,
) -> Result<()> {
    let address = known.address.as_str();
    let destination = match open.remove(address) {
        Some(destination) => destination,
        None => Destination::open(address, known.keys, ledger)?,
    };
    let picked = pick_up(dir, &destination).await?;
    for shared in picked.brought {
        tracing::info!(address, sha256 = shared.sha256, "downloaded a bundle");
    }
    for Aside { shared, trust } in picked.aside {
        let why = trust.why_not().unwrap_or_default();
        tracing::warn!(address, sha256 = shared.sha256, why, "set a bundle aside");
    }
    open.insert(address.into(), destination);
    Ok(())
}
