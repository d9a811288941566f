//! The cluster's switches, applied once more: what its plugin was told not to send is not stored, whoever sent it.
//!
//! All `cluster` records count together and the strictest stands, so the order in which batches arrive does not matter.
//! Names that are off came as hashes, and nothing here could tell them from others: that switch is only remembered.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, named_params};

use super::Context;
use super::failure::{self, Failure};
use super::frames::Frames;
use crate::Result;
use crate::model::Micros;
use crate::seal::FingerprintKey;
use crate::store::{Frame, Stacks};
use crate::wire::{ClusterRecord, Switches};

/// Among the allowed topics: all of them.
const ALL: &str = "*";

/// What one cluster may send.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Allowed {
    off: Off,
    /// Null until there is a `cluster` record.
    topics: Option<Vec<String>>,
}

/// The earliest time at which each category was said to be off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Off {
    code: Option<Micros>,
    profile: Option<Micros>,
    exceptions: Option<Micros>,
    names: Option<Micros>,
    user: Option<Micros>,
    host: Option<Micros>,
    paths: Option<Micros>,
    events: Option<Micros>,
}

impl Off {
    fn said(switches: &Switches, at: Micros) -> Self {
        let off = |on: bool| (!on).then_some(at);
        Self {
            code: off(switches.code),
            profile: off(switches.profile),
            exceptions: off(switches.exceptions),
            names: off(switches.names),
            user: off(switches.user),
            host: off(switches.host),
            paths: off(switches.paths),
            events: off(!switches.events_allow.is_empty()),
        }
    }

    fn and(self, other: Self) -> Self {
        let earlier = |one: Option<Micros>, two: Option<Micros>| match (one, two) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        Self {
            code: earlier(self.code, other.code),
            profile: earlier(self.profile, other.profile),
            exceptions: earlier(self.exceptions, other.exceptions),
            names: earlier(self.names, other.names),
            user: earlier(self.user, other.user),
            host: earlier(self.host, other.host),
            paths: earlier(self.paths, other.paths),
            events: earlier(self.events, other.events),
        }
    }
}

impl Allowed {
    /// As far as is known: all, until there is a `cluster` record.
    pub(super) fn find(context: &Context<'_>) -> Result<Self> {
        let found = context
            .db
            .prepare_cached(include_str!("sql/switch_find.sql"))?
            .query_row(named_params! { ":cluster_id": context.cluster }, |row| {
                let off = Off {
                    code: row.get(0)?,
                    profile: row.get(1)?,
                    exceptions: row.get(2)?,
                    names: row.get(3)?,
                    user: row.get(4)?,
                    host: row.get(5)?,
                    paths: row.get(6)?,
                    events: row.get(7)?,
                };
                Ok((off, row.get::<_, String>(8)?))
            })
            .optional()?;
        let Some((off, topics)) = found else {
            return Ok(Self::default());
        };
        Ok(Self {
            off,
            topics: Some(serde_json::from_str(&topics)?),
        })
    }

    pub(super) fn code(&self) -> bool {
        self.off.code.is_none()
    }

    pub(super) fn profile(&self) -> bool {
        self.off.profile.is_none()
    }

    /// Messages, tracebacks and details.
    pub(super) fn exceptions(&self) -> bool {
        self.off.exceptions.is_none()
    }

    /// Whether events of this topic may be stored.
    pub(super) fn topic(&self, topic: &str) -> bool {
        self.topics
            .as_ref()
            .is_none_or(|topics| topics.iter().any(|one| one == topic || one == ALL))
    }

    /// An address, a name or a host, if it may be stored. `worker-7` is the plugin's own name for a worker.
    pub(super) fn host<'a>(&self, text: Option<&'a str>) -> Option<&'a str> {
        let own = |text: &str| {
            text.strip_prefix("worker-")
                .is_some_and(|number| number.starts_with(|first: char| first.is_ascii_digit()))
        };
        text.filter(|text| self.off.host.is_none() || own(text))
    }

    /// A file's name: without its folders, where those are off.
    pub(super) fn file<'a>(&self, name: &'a str) -> &'a str {
        if self.off.paths.is_none() {
            return name;
        }
        last_part(name)
    }

    /// Takes out of a `cluster` record what may not be stored.
    pub(super) fn redact(&self, record: &mut ClusterRecord) {
        if self.off.user.is_some() {
            record.user = None;
        }
        if self.off.host.is_some() {
            record.host = None;
            record.scheduler_address = None;
            record.dashboard_url = None;
        }
        if self.off.paths.is_some() {
            record.python_path = None;
        }
    }

    /// What both allow, topics in one order.
    fn and(self, off: Off, topics: &[String]) -> Self {
        let said = Self {
            off,
            topics: Some(topics.to_vec()),
        };
        let (narrow, wide) = match &self.topics {
            Some(known) if !self.topic(ALL) => (known.as_slice(), &said),
            Some(_) | None => (topics, &self),
        };
        let mut both: Vec<String> = narrow
            .iter()
            .filter(|one| wide.topic(one))
            .cloned()
            .collect();
        both.sort();
        both.dedup();
        Self {
            off: self.off.and(off),
            topics: Some(both),
        }
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// Takes up the switches of a `cluster` record; what they forbid and is stored already goes.
pub(super) fn tighten(
    context: &Context<'_>,
    fingerprints: &FingerprintKey,
    record: &ClusterRecord,
) -> Result<Allowed> {
    let Context { db, cluster, .. } = *context;
    let known = Allowed::find(context)?;
    let off = Off::said(&record.switches, record.at_micros);
    let now = known.clone().and(off, &record.switches.events_allow);
    if known == now {
        return Ok(now);
    }
    let topics = serde_json::to_string(&now.topics)?;
    db.prepare_cached(include_str!("sql/switch_set.sql"))?
        .execute(named_params! {
            ":cluster_id": cluster,
            ":code_off_micros": now.off.code,
            ":profile_off_micros": now.off.profile,
            ":exceptions_off_micros": now.off.exceptions,
            ":names_off_micros": now.off.names,
            ":user_off_micros": now.off.user,
            ":host_off_micros": now.off.host,
            ":paths_off_micros": now.off.paths,
            ":events_off_micros": now.off.events,
            ":events_allow": topics,
        })?;
    for (was, is, sql) in [
        (known.off.code, now.off.code, CODE_OFF),
        (known.off.profile, now.off.profile, PROFILE_OFF),
        (known.off.exceptions, now.off.exceptions, EXCEPTIONS_OFF),
        (known.off.user, now.off.user, USER_OFF),
        (known.off.host, now.off.host, HOST_OFF),
        (known.off.paths, now.off.paths, PATHS_OFF),
    ] {
        if was.is_none() && is.is_some() {
            for sql in sql {
                db.prepare_cached(sql)?
                    .execute(named_params! { ":cluster_id": cluster })?;
            }
        }
    }
    if known.off.code.is_none() && now.off.code.is_some() {
        change_stacks(db, cluster, |stacks| stacks.lines.clear())?;
    }
    if known.off.paths.is_none() && now.off.paths.is_some() {
        cut_paths(db, cluster)?;
    }
    if known.off.exceptions.is_none() && now.off.exceptions.is_some() {
        forget_tracebacks(db, cluster, fingerprints)?;
    }
    if known.topics != now.topics && !now.topic(ALL) {
        let parameters = named_params! { ":cluster_id": cluster, ":events_allow": topics };
        for sql in [
            include_str!("sql/switch_events_count.sql"),
            include_str!("sql/switch_events_off.sql"),
        ] {
            db.prepare_cached(sql)?.execute(parameters)?;
        }
    }
    Ok(now)
}

const CODE_OFF: &[&str] = &[
    include_str!("sql/switch_code_off.sql"),
    include_str!("sql/switch_lines_off.sql"),
];
const PROFILE_OFF: &[&str] = &[
    include_str!("sql/switch_profile_count.sql"),
    include_str!("sql/switch_profile_off.sql"),
    include_str!("sql/switch_stacks_off.sql"),
    include_str!("sql/switch_lines_off.sql"),
];
const EXCEPTIONS_OFF: &[&str] = &[include_str!("sql/switch_exceptions_off.sql")];
const USER_OFF: &[&str] = &[include_str!("sql/switch_user_off.sql")];
const HOST_OFF: &[&str] = &[
    include_str!("sql/switch_host_off.sql"),
    include_str!("sql/switch_addresses_off.sql"),
    include_str!("sql/switch_workers_off.sql"),
    include_str!("sql/switch_culprits_off.sql"),
];
const PATHS_OFF: &[&str] = &[include_str!("sql/switch_python_path_off.sql")];

/// Makes of exceptions what they would be, had no traceback ever come.
fn forget_tracebacks(db: &Connection, cluster: i64, fingerprints: &FingerprintKey) -> Result<()> {
    let mut found = db.prepare_cached(include_str!("sql/switch_exceptions_find.sql"))?;
    let mut rows = found.query(named_params! { ":cluster_id": cluster })?;
    let mut changed: Vec<(i64, String)> = Vec::new();
    while let Some(row) = rows.next()? {
        let (origin, exception_type): (String, String) = (row.get(1)?, row.get(2)?);
        let group: Option<String> = row.get(3)?;
        let plain = Failure {
            origin: &origin,
            exception_type: &exception_type,
            group: group.as_deref(),
        };
        changed.push((
            row.get(0)?,
            failure::fingerprint(fingerprints, &plain, None),
        ));
    }
    let mut set = db.prepare_cached(include_str!("sql/switch_exceptions_set.sql"))?;
    for (id, fingerprint) in changed {
        set.execute(named_params! { ":id": id, ":fingerprint": fingerprint })?;
    }
    Ok(())
}

/// Cuts the folders off the files of profiles. Code is sealed: where its file lies stays in there.
fn cut_paths(db: &Connection, cluster: i64) -> Result<()> {
    let mut found = db.prepare_cached(include_str!("sql/switch_frames_find.sql"))?;
    let mut rows = found.query(named_params! { ":cluster_id": cluster })?;
    let mut cut: Vec<(u32, Frame)> = Vec::new();
    while let Some(row) = rows.next()? {
        let file: String = row.get(2)?;
        let frame = Frame {
            name: row.get(1)?,
            file: last_part(&file).to_owned(),
            line: row.get::<_, i64>(3)?.try_into().ok(),
        };
        cut.push((row.get(0)?, frame));
    }
    let (old, frames): (Vec<u32>, Vec<Frame>) = cut.into_iter().unzip();
    let new = Frames::default().ids(db, cluster, &frames)?;
    let places: HashMap<u32, u32> = old.into_iter().zip(new.iter().copied()).collect();
    change_stacks(db, cluster, |stacks| {
        for frame in &mut stacks.frames {
            *frame = places.get(frame).copied().unwrap_or(*frame);
        }
    })?;
    db.prepare_cached(include_str!("sql/switch_frames_off.sql"))?
        .execute(
            named_params! { ":cluster_id": cluster, ":frames": serde_json::to_string(&new)? },
        )?;
    Ok(())
}

/// Changes the stacks of every profile of a cluster.
fn change_stacks(db: &Connection, cluster: i64, change: impl Fn(&mut Stacks)) -> Result<()> {
    let mut found = db.prepare_cached(include_str!("sql/switch_stacks_find.sql"))?;
    let mut rows = found.query(named_params! { ":cluster_id": cluster })?;
    let mut changed: Vec<(i64, u64, Vec<u8>)> = Vec::new();
    while let Some(row) = rows.next()? {
        let mut stacks = Stacks::unpack(row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?)?;
        change(&mut stacks);
        changed.push((row.get(0)?, row.get(1)?, stacks.in_order().pack()?));
    }
    let mut set = db.prepare_cached(include_str!("sql/switch_stacks_set.sql"))?;
    for (instance, seq, packed) in changed {
        set.execute(named_params! { ":instance_id": instance, ":seq": seq, ":packed": packed })?;
    }
    Ok(())
}
