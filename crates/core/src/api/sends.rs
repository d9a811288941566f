//! What was approved and is sent, from the page. Nothing is sent here: what is asked for stands in the queue, and the Bobbin
//! that runs carries it out with the code of `bobbin push`.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::App;
use super::ledger::policy_in_force;
use crate::install::{Sharing, change_settings, settings};
use crate::ledger::{
    JoinedDestination, Ledger, Queue, Queued, QueuedState, joined_destinations, sharing,
};
use crate::share::stage::approved;
use crate::{Error, Result};

/// Where this install may send, what it sent, and what is on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Sends {
    pub sharing: Sharing,
    /// Nothing more is sent until that is taken back.
    pub paused: bool,
    pub destinations: Vec<JoinedDestination>,
    /// Of those destinations, and what ever went elsewhere; the newest first.
    pub sends: Vec<Queued>,
}

/// Asks how far what was approved is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct SendsRequest {
    /// Whether somebody looks at what was sent: the hub is then asked now and again whether it still has that.
    pub looking: bool,
}

/// One approved bundle, and where it goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SendRequest {
    /// Of its bytes.
    pub sha256: String,
    /// As the ledger names it.
    pub to: String,
}

/// Lets nothing more be sent, or takes that back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PauseSendsRequest {
    pub paused: bool,
}

/// Says whether what was approved may be sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SetSharingRequest {
    pub sharing: Sharing,
}

pub(super) fn sends(app: &App, request: SendsRequest) -> Result<Sends> {
    if request.looking {
        app.look_at_sends();
    }
    listed(app)
}

fn listed(app: &App) -> Result<Sends> {
    let queue = Queue::load(app.dir())?;
    let destinations = joined_destinations(app.dir())?;
    let mut sends = queue.list(&Ledger::of(app.dir()).rows()?);
    sends.retain(|one| {
        let nothing_left = matches!(one.state, QueuedState::Waiting | QueuedState::Withdrawn);
        !nothing_left || destinations.iter().any(|known| known.to == one.to)
    });
    sends.reverse();
    Ok(Sends {
        sharing: sharing(app.dir())?,
        paused: queue.paused,
        destinations,
        sends,
    })
}

/// Puts an approved bundle into the queue of its destination.
///
/// # Errors
/// [`Error::Refused`] where the settings, the policy or the ledger forbid it; [`Error::NotFound`] where the destination was not
/// joined, or the bytes are gone.
pub(super) fn send(app: &App, request: SendRequest) -> Result<Sends> {
    app.writer()?;
    let ledger = Ledger::of(app.dir());
    ledger.may_send(app.now())?;
    if !joined_destinations(app.dir())?
        .iter()
        .any(|known| known.to == request.to)
    {
        return Err(Error::NotFound {
            kind: "destination",
            id: request.to,
        });
    }
    match one(&ledger, app, &request)?.state {
        QueuedState::Sent => {}
        QueuedState::Recalled => {
            return Err(Error::Refused(format!(
                "{} was recalled: sending it again needs a new approval",
                request.sha256
            )));
        }
        QueuedState::Withdrawn => {
            return Err(Error::Refused(format!(
                "the approval of {} was withdrawn: sending it again needs a new approval",
                request.sha256
            )));
        }
        QueuedState::Waiting | QueuedState::Uploading | QueuedState::Stuck | QueuedState::Lost => {
            policy_in_force(app)?;
            approved(app.dir(), &request.sha256)?;
            Queue::change(app.dir(), |queue| queue.ask(&request.to, &request.sha256))?;
            app.tell(Vec::new());
        }
    }
    listed(app)
}

/// Has a bundle deleted where it was sent. Where its upload has not begun, its approval is withdrawn, so that nobody sends it.
///
/// # Errors
/// [`Error::Refused`] where it was never approved.
pub(super) fn recall_send(app: &App, request: SendRequest) -> Result<Sends> {
    app.writer()?;
    let ledger = Ledger::of(app.dir());
    let found = one(&ledger, app, &request)?;
    let withdrawn = ledger.withdraw(app.now(), &found)?;
    Queue::change(app.dir(), |queue| match found.state {
        QueuedState::Recalled => {}
        _ if withdrawn => queue.take_back(&request.to, &request.sha256),
        _ => queue.ask_back(&request.to, &request.sha256),
    })?;
    app.tell(Vec::new());
    listed(app)
}

pub(super) fn pause_sends(app: &App, request: PauseSendsRequest) -> Result<Sends> {
    app.writer()?;
    Queue::change(app.dir(), |queue| queue.paused = request.paused)?;
    app.tell(Vec::new());
    listed(app)
}

/// What may leave without being asked is changed with a row of the ledger that says so.
pub(super) fn set_sharing(app: &App, request: SetSharingRequest) -> Result<Sends> {
    app.writer()?;
    if settings(app.dir())?.sharing != Some(request.sharing) {
        let ledger = Ledger::of(app.dir());
        // What somebody wrote into the file is a change, too.
        ledger.note_sharing(app.now(), sharing(app.dir())?)?;
        ledger.note_choice(app.now(), request.sharing)?;
        change_settings(app.dir(), |set| {
            set.sharing = Some(request.sharing);
            Ok(())
        })?;
        app.tell(Vec::new());
    }
    listed(app)
}

fn one(ledger: &Ledger, app: &App, request: &SendRequest) -> Result<Queued> {
    let list = Queue::load(app.dir())?.list(&ledger.rows()?);
    list.into_iter()
        .find(|one| one.sha256 == request.sha256 && one.to == request.to)
        .ok_or_else(|| {
            Error::Refused(format!(
                "{} is not approved for {}: Bobbin sends nothing that you have not reviewed",
                request.sha256.chars().take(64).collect::<String>(),
                request.to.chars().take(200).collect::<String>()
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Empty, approve_stage, stage_clusters, stages};
    use crate::ledger::Kind;
    use crate::model::Micros;
    use crate::share::stage::{ApproveRequest, StageClustersRequest};
    use crate::testing::{Bench, batch, facts, knows};

    /// A bench that knows a folder, and a bundle that was approved for it.
    fn approved_for(bench: &Bench, to: &str) -> SendRequest {
        knows(bench.path(), to);
        bench.send(batch(1, &[facts(0)]));
        let staged = stage_clusters(
            &bench.app,
            StageClustersRequest {
                ids: vec![1],
                destination: to.into(),
                ..StageClustersRequest::default()
            },
        )
        .unwrap();
        let sha256 = staged.sha256.unwrap();
        let to = to.into();
        let asked = SendRequest { sha256, to };
        let refused = send(&bench.app, asked.clone()).unwrap_err().to_string();
        assert!(refused.contains("not approved"), "{refused}");
        approved_again(bench, &asked);
        asked
    }

    fn approved_again(bench: &Bench, asked: &SendRequest) {
        let approve = ApproveRequest {
            id: stages(&bench.app, Empty {}).unwrap().stages[0].id,
            sha256: asked.sha256.clone(),
            to_save: false,
        };
        approve_stage(&bench.app, approve).unwrap();
    }

    #[test]
    fn what_was_approved_is_queued_paused_and_withdrawn_and_only_that_is_a_row() {
        let bench = Bench::new();
        let asked = approved_for(&bench, "/team");
        let rows = Ledger::of(bench.path()).rows().unwrap().len();
        let said = send(&bench.app, asked.clone()).unwrap();
        let state = |said: &Sends| (said.sends[0].state, said.sends[0].asked);
        assert_eq!(state(&said), (QueuedState::Waiting, true));
        let paused = pause_sends(&bench.app, PauseSendsRequest { paused: true }).unwrap();
        assert!(paused.paused);
        let back = recall_send(&bench.app, asked.clone()).unwrap();
        assert_eq!(state(&back), (QueuedState::Withdrawn, false));
        let ledger = Ledger::of(bench.path());
        assert_eq!(ledger.rows().unwrap().len(), rows + 1);
        assert_eq!(
            ledger.rows().unwrap()[rows].entry.kind,
            Kind::Withdrawn,
            "whoever sends finds no approval"
        );
        let why = send(&bench.app, asked.clone()).unwrap_err().to_string();
        assert!(why.contains("new approval"), "{why}");
        // Approved again it is sent; once that began, it is taken back where it went.
        approved_again(&bench, &asked);
        let _minted = ledger.mint(Micros(1), &asked.sha256, "/team").unwrap();
        let back = recall_send(&bench.app, asked.clone()).unwrap();
        assert!(back.sends[0].recalling);
        let elsewhere = SendRequest {
            to: "/other".into(),
            ..asked
        };
        let why = send(&bench.app, elsewhere).unwrap_err().to_string();
        assert!(why.contains("/other"), "{why}");
    }

    #[test]
    fn local_only_sends_nothing_and_is_a_row_of_the_ledger() {
        let bench = Bench::new();
        let now = || listed(&bench.app).unwrap().sharing;
        assert_eq!(now(), Sharing::Local, "there is no destination");
        let asked = approved_for(&bench, "/team");
        let set = |sharing| set_sharing(&bench.app, SetSharingRequest { sharing }).unwrap();
        assert_eq!(now(), Sharing::Ask);
        assert_eq!(set(Sharing::Local).sharing, Sharing::Local);
        let rows = Ledger::of(bench.path()).rows().unwrap();
        let last = &rows.last().unwrap().entry;
        assert_eq!(last.kind, Kind::PolicyChange);
        assert_eq!(last.what, "sharing: Local only, was Ask each time");
        let why = send(&bench.app, asked.clone()).unwrap_err().to_string();
        assert!(
            why.contains("Local only") && why.contains("settings.toml"),
            "{why}"
        );
        set(Sharing::Local);
        assert_eq!(Ledger::of(bench.path()).rows().unwrap().len(), rows.len());
        set(Sharing::Ask);
        assert!(send(&bench.app, asked).unwrap().sends[0].asked);
    }

    #[test]
    fn local_only_that_somebody_chose_holds_when_a_team_is_joined_later() {
        let bench = Bench::new();
        let sharing = Sharing::Local;
        set_sharing(&bench.app, SetSharingRequest { sharing }).unwrap();
        let rows = || Ledger::of(bench.path()).rows().unwrap();
        assert_eq!(rows()[0].entry.what, "sharing: Local only, as before");
        knows(bench.path(), "/team");
        assert_eq!(listed(&bench.app).unwrap().sharing, Sharing::Local);
        let sharing = Sharing::Ask;
        set_sharing(&bench.app, SetSharingRequest { sharing }).unwrap();
        assert_eq!(
            rows()[1].entry.what,
            "sharing: Ask each time, was Local only"
        );
    }
}
