//! What a reader answers to the notice of an idle cluster: to keep it for an hour, or to stop it now.
//!
//! Kept means that nothing is said of its idleness for so long. No order keeps a scheduler from closing by its own idle timeout, so that
//! this still does. It is a file beside the store: the window and the tray, which say notices, are one program after the other.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use super::answers::cluster;
use super::{App, ClusterRequest, IdleKept, desktop_choices};
use crate::insight::notices::{Notice, called};
use crate::install::write_private;
use crate::lock::lock;
use crate::model::Micros;
use crate::{Result, query};

const FILE: &str = "idle_kept.json";
/// As the action says.
const KEPT: i64 = Micros::HOUR;
/// Longer than notices remember what they told: until then an hour that is over makes the same idleness news.
const REMEMBERED: i64 = 48 * Micros::HOUR;

/// One at a time changes the file.
static CHANGING: Mutex<()> = Mutex::new(());

/// What a reader answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleAnswer {
    /// It is wanted for another hour.
    Keep,
    /// It is to close.
    Stop,
}

/// Does what the reader answered to the notice of an idle cluster; what is to be said of that, if anything is.
pub fn answer_idle(app: &App, id: i64, answer: IdleAnswer) -> Option<Notice> {
    let done = match answer {
        IdleAnswer::Keep => keep_idle(app, ClusterRequest { id }).map(drop),
        IdleAnswer::Stop => app.request_stop(id),
    };
    let name = called(
        cluster(app, ClusterRequest { id })
            .ok()
            .map(|cluster| cluster.row.name)
            .as_deref(),
        &desktop_choices(app.dir()).notices,
    );
    let (summary, body) = match (answer, done) {
        (IdleAnswer::Keep, Ok(())) => return None,
        (IdleAnswer::Stop, Ok(())) => (
            format!("{name} is asked to stop"),
            "It gets the request with its next report.".to_owned(),
        ),
        (IdleAnswer::Keep, Err(error)) => (format!("{name} is not kept"), format!("{error}.")),
        (IdleAnswer::Stop, Err(error)) => (format!("{name} was not stopped"), format!("{error}.")),
    };
    Some(Notice {
        summary,
        body,
        place: format!("cluster/{id}"),
        idle: None,
    })
}

pub(super) fn keep_idle(app: &App, request: ClusterRequest) -> Result<IdleKept> {
    app.writer()?;
    let now = app.now();
    app.read(|db| query::find_by_id(db, now, request.id))?;
    {
        let _changing = lock(&CHANGING);
        let mut kept = kept(app.dir());
        kept.retain(|_, until| now.0 - until.0 < REMEMBERED);
        kept.insert(request.id, Micros(now.0 + KEPT));
        write_private(&app.dir().join(FILE), &serde_json::to_vec(&kept)?)?;
    }
    app.tell(vec![request.id]);
    idle_kept(app, request)
}

pub(super) fn idle_kept(app: &App, request: ClusterRequest) -> Result<IdleKept> {
    let until = kept(app.dir()).remove(&request.id);
    Ok(IdleKept {
        until_micros: until.filter(|until| until.0 > app.now().0),
    })
}

/// Until when which cluster is kept, or was.
pub(super) fn kept(dir: &Path) -> BTreeMap<i64, Micros> {
    let read = fs::read(dir.join(FILE)).ok();
    read.and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::api::{CloseState, close_order};
    use crate::testing::*;

    const ONE: ClusterRequest = ClusterRequest { id: 1 };

    fn until(bench: &Bench) -> Option<Micros> {
        idle_kept(&bench.app, ONE).unwrap().until_micros
    }

    #[test]
    fn a_cluster_is_kept_for_an_hour_also_by_the_next_process() {
        let bench = Bench::new();
        bench.at(10).send(batch(1, &[facts(0), sample(9, 1.0)]));
        assert_eq!(until(&bench), None);
        assert_eq!(answer_idle(&bench.app, 1, IdleAnswer::Keep), None);
        assert_eq!(until(&bench), Some(Micros(at(10 + 3_600))));
        assert_eq!(kept(bench.path()).len(), 1);
        bench.at(10 + 3_600);
        assert_eq!(until(&bench), None);
        // What was over long ago is not kept in the file for ever.
        bench.at(10 + 60 * 3_600);
        bench.send(batch_of("Scheduler-2", "i", 1, &[facts(0)]));
        keep_idle(&bench.app, ClusterRequest { id: 2 }).unwrap();
        assert_eq!(kept(bench.path()).into_keys().collect::<Vec<_>>(), [2]);
        let unknown = keep_idle(&bench.app, ClusterRequest { id: 3 }).unwrap_err();
        assert!(matches!(unknown, Error::NotFound { .. }));
    }

    #[test]
    fn a_stop_is_ordered_where_it_is_allowed_and_said_either_way() {
        let bench = Bench::new();
        bench.at(10).send(batch(1, &[facts(0), sample(9, 1.0)]));
        let said = answer_idle(&bench.app, 1, IdleAnswer::Stop).unwrap();
        assert_eq!(said.summary, "story is asked to stop");
        assert_eq!(said.place, "cluster/1");
        let order = close_order(&bench.app, ONE).unwrap();
        assert_eq!(order.state, CloseState::Ordered);
        bench.at(12).send(batch(3, &[stop(11)]));
        let said = answer_idle(&bench.app, 1, IdleAnswer::Stop).unwrap();
        assert_eq!(said.summary, "story was not stopped");
        assert_eq!(said.body, "cluster 1 has finished.");
        let unknown = answer_idle(&bench.app, 7, IdleAnswer::Keep).unwrap();
        assert_eq!(unknown.summary, "A cluster is not kept");
    }
}
