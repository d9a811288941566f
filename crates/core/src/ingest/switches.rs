//! The cluster's switches, applied once more: what its plugin was told not to send is not stored, whoever sent it.
//!
//! All `cluster` records count together and the strictest stands, so the order in which batches arrive does not matter.

use rusqlite::{OptionalExtension, named_params};

use super::Context;
use crate::Result;
use crate::wire::Switches;

/// Among the allowed topics: all of them.
const ALL: &str = "*";

/// What one cluster may send.
#[derive(Clone, Debug, PartialEq)]
struct Allowed {
    code: bool,
    topics: Vec<String>,
}

impl Allowed {
    /// As far as is known; null until there is a `cluster` record.
    fn find(context: &Context<'_>) -> Result<Option<Self>> {
        let found = context
            .db
            .prepare_cached(include_str!("sql/switch_find.sql"))?
            .query_row(named_params! { ":cluster_id": context.cluster }, |row| {
                Ok((row.get::<_, bool>(0)?, row.get::<_, String>(1)?))
            })
            .optional()?;
        found
            .map(|(code, topics)| {
                let topics = serde_json::from_str(&topics)?;
                Ok(Self { code, topics })
            })
            .transpose()
    }

    fn topic(&self, topic: &str) -> bool {
        self.topics.iter().any(|one| one == topic || one == ALL)
    }

    /// What both allow, in one order.
    fn and(self, other: &Self) -> Self {
        let (narrow, wide) = if self.topic(ALL) {
            (&other.topics, &self)
        } else {
            (&self.topics, other)
        };
        let mut topics: Vec<String> = narrow
            .iter()
            .filter(|one| wide.topic(one))
            .cloned()
            .collect();
        topics.sort();
        topics.dedup();
        Self {
            code: self.code && other.code,
            topics,
        }
    }
}

/// Takes up the switches of a `cluster` record; what they forbid and is stored already goes.
pub(super) fn tighten(context: &Context<'_>, switches: &Switches) -> Result<()> {
    let Context { db, cluster, .. } = *context;
    let said = Allowed {
        code: switches.code,
        topics: switches.events_allow.clone(),
    };
    let known = Allowed::find(context)?;
    let now = match known.clone() {
        Some(known) => known.and(&said),
        None => said.clone().and(&said),
    };
    if known.as_ref() == Some(&now) {
        return Ok(());
    }
    let topics = serde_json::to_string(&now.topics)?;
    db.prepare_cached(include_str!("sql/switch_set.sql"))?
        .execute(
            named_params! { ":cluster_id": cluster, ":code": now.code, ":events_allow": topics },
        )?;
    if !now.code {
        db.prepare_cached(include_str!("sql/switch_code_off.sql"))?
            .execute(named_params! { ":cluster_id": cluster })?;
    }
    if !now.topic(ALL) {
        let parameters = named_params! { ":cluster_id": cluster, ":events_allow": topics };
        db.prepare_cached(include_str!("sql/switch_events_count.sql"))?
            .execute(parameters)?;
        db.prepare_cached(include_str!("sql/switch_events_off.sql"))?
            .execute(parameters)?;
    }
    Ok(())
}

/// Whether code may be stored.
pub(super) fn code_allowed(context: &Context<'_>) -> Result<bool> {
    Ok(Allowed::find(context)?.is_none_or(|allowed| allowed.code))
}

/// Whether events of this topic may be stored.
pub(super) fn topic_allowed(context: &Context<'_>, topic: &str) -> Result<bool> {
    Ok(Allowed::find(context)?.is_none_or(|allowed| allowed.topic(topic)))
}
