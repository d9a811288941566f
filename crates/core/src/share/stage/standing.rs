//! Approvals in advance: numbers and names for one destination, for some days.

use std::path::Path;

use super::ask::StandingRequest;
use super::base::BaseCluster;
use super::desk::{self, Desk};
use super::kept::Kept;
use super::view::Standing;
use crate::model::Micros;
use crate::share::{Identities, Level, fields};
use crate::{Error, Result};

const DAY: i64 = 86_400_000_000;
/// The longest.
const DAYS: u32 = 90;

/// Approves in advance for what `meant` says that the destination is, or takes that back.
///
/// # Errors
/// [`Error::Invalid`] for more than 90 days, or for a level that tells what people wrote.
pub(crate) fn stand(
    dir: &Path,
    now: Micros,
    request: &StandingRequest,
    meant: String,
) -> Result<()> {
    let desk = Desk::open(dir)?;
    let destination = request.destination.trim();
    let Some(days) = request.days else {
        return desk.stand_no_longer(destination);
    };
    let wrong = |reason: &str| Error::Invalid {
        what: "approval in advance",
        value: destination.chars().take(200).collect(),
        reason: reason.into(),
    };
    if !(1..=DAYS).contains(&days) {
        return Err(wrong("use 1 to 90 days"));
    }
    if request.level > Level::Names {
        return Err(wrong(
            "only numbers and names can be approved in advance: review what people wrote each time",
        ));
    }
    if destination.is_empty() {
        return Err(wrong("it needs a destination"));
    }
    desk.stand(&desk::Standing {
        destination: destination.into(),
        meant,
        level: request.level,
        since: now,
        until: Micros(now.0 + i64::from(days) * DAY),
        fields: format(),
    })
}

/// All of them, and what ended each.
///
/// # Errors
/// [`Error::Sqlite`]; those of `meant`.
pub(super) fn list(
    desk: &Desk,
    meant: &dyn Fn(&str) -> Result<String>,
    now: Micros,
) -> Result<Vec<Standing>> {
    let each = desk.standing()?.into_iter().map(|one| {
        Ok(Standing {
            void: void(&one, &meant(&one.destination)?, now),
            destination: one.destination,
            level: one.level,
            since_micros: one.since,
            until_micros: one.until,
        })
    });
    each.collect()
}

/// Whether one covers a stage, whose destination is what `meant` says now.
///
/// # Errors
/// [`Error::Refused`], which says why not.
pub(super) fn covers(
    desk: &Desk,
    said: &Kept,
    meant: &str,
    clusters: &[BaseCluster],
    now: Micros,
) -> Result<()> {
    let refused = |why: &str| {
        Error::Refused(format!(
            "no approval in advance for {} covers this: {why}",
            said.destination
        ))
    };
    let standing = desk.standing()?;
    let one = standing
        .iter()
        .find(|one| one.destination == said.destination)
        .ok_or_else(|| refused("there is no such approval"))?;
    if let Some(why) = void(one, meant, now) {
        return Err(refused(&why));
    }
    if said.choice.level > one.level || said.choice.identities == Identities::Real {
        return Err(refused("this stage shares more than the approval allows"));
    }
    let before = |cluster: &&BaseCluster| cluster.started.is_none_or(|at| at < one.since);
    let older = clusters.iter().filter(before).count();
    if said.proposed && older > 0 {
        return Err(refused(&format!(
            "{older} of its clusters started before you gave it, and a policy proposed them: name them one by one, or approve the \
             stage yourself"
        )));
    }
    Ok(())
}

/// Why an approval in advance holds no longer.
fn void(one: &desk::Standing, meant: &str, now: Micros) -> Option<String> {
    if one.until <= now {
        return Some("it has expired".into());
    }
    if one.meant != meant {
        return Some(format!(
            "it was given for {}, and {} is {meant} now",
            one.meant, one.destination
        ));
    }
    let then: Vec<&str> = one.fields.split(' ').collect();
    let new: Vec<String> = fields()
        .iter()
        .map(ToString::to_string)
        .filter(|field| !then.contains(&field.as_str()))
        .collect();
    (!new.is_empty()).then(|| format!("the format has new fields since: {}", new.join(", ")))
}

/// All fields of the format: it has grown where this is another.
fn format() -> String {
    let names: Vec<String> = fields().iter().map(ToString::to_string).collect();
    names.join(" ")
}
