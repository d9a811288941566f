//! What an approval in advance covers, and what it does not.

use super::*;
use crate::api::{Empty, approve_covered, sharing_rules, stand};

fn team(bench: &Bench, account: &str, pin: &str) {
    let text = json!({"account": account, "account_name": "team", "address": "hub.example:1", "pin": pin, "token": "x"});
    fs::write(bench.path().join("team.json"), text.to_string()).unwrap();
}

fn days(days: Option<u32>, level: Level) -> StandingRequest {
    StandingRequest {
        destination: "team".into(),
        days,
        level,
    }
}

fn refused(bench: &Bench, stage: &Stage) -> String {
    let asked = approve_covered(&bench.app, stage.id);
    asked.unwrap_err().to_string()
}

#[test]
fn an_approval_in_advance_covers_numbers_and_names_until_it_is_over() {
    let bench = bench();
    assert!(stand(&bench.app, days(Some(91), Level::Names)).is_err());
    assert!(stand(&bench.app, days(Some(1), Level::Errors)).is_err());
    let stage = staged(&bench.app, Level::Names);
    assert!(approve_covered(&bench.app, stage.id).is_err());
    assert_eq!(
        stand(&bench.app, days(Some(1), Level::Names))
            .unwrap()
            .standing[0]
            .void,
        None
    );
    let errors = staged(&bench.app, Level::Errors);
    assert!(
        approve_covered(&bench.app, errors.id)
            .unwrap_err()
            .to_string()
            .contains("shares more")
    );
    bench.at(2 * 86_400);
    assert!(
        approve_covered(&bench.app, stage.id)
            .unwrap_err()
            .to_string()
            .contains("over")
    );
    stand(&bench.app, days(Some(1), Level::Names)).unwrap();
    assert!(
        approve_covered(&bench.app, stage.id)
            .unwrap()
            .approved_micros
            .is_some()
    );
    assert!(
        approved(bench.path(), &stage.sha256.unwrap())
            .unwrap()
            .standing()
    );
    assert_eq!(
        stand(&bench.app, days(None, Level::Names))
            .unwrap()
            .standing,
        []
    );
}

#[test]
fn it_is_for_the_account_and_hub_that_were_meant_when_it_was_given() {
    let bench = bench();
    team(&bench, "0a1b", "ff");
    stand(&bench.app, days(Some(30), Level::Names)).unwrap();
    let stage = staged(&bench.app, Level::Names);
    // Another account that is called the same.
    team(&bench, "2c3d", "ee");
    let why = refused(&bench, &stage);
    let both = [
        "0a1b@hub.example:1#sha256=ff",
        "2c3d@hub.example:1#sha256=ee",
    ];
    assert!(both.iter().all(|one| why.contains(one)), "{why}");
    let rules = sharing_rules(&bench.app, Empty {}).unwrap();
    assert!(rules.standing[0].void.as_ref().unwrap().contains(both[0]));
    team(&bench, "0a1b", "ff");
    approve_covered(&bench.app, stage.id).unwrap();
    let rows = Ledger::of(bench.path()).rows().unwrap();
    assert_eq!(rows.last().unwrap().entry.to.as_deref(), Some(both[0]));
}

#[test]
fn of_what_a_policy_proposes_it_covers_no_cluster_that_started_before_it() {
    let bench = bench();
    bench.at(30 * 86_400);
    stand(&bench.app, days(Some(90), Level::Names)).unwrap();
    let proposed = |ids| StageClustersRequest {
        ids,
        proposed: true,
        ..wanted(Level::Names)
    };
    let history = stage_clusters(&bench.app, proposed(vec![1])).unwrap();
    let why = refused(&bench, &history);
    assert!(why.contains("1 of its clusters started before"), "{why}");
    let later = 31 * 86_400;
    let records = [
        with(
            facts(later),
            json!({"name": "weekly", "started_micros": at(later)}),
        ),
        sample(later + 1, 1.0),
    ];
    bench
        .at(later + 10)
        .send(batch_of("Scheduler-2", "second", 1, &records));
    let both = stage_clusters(&bench.app, proposed(vec![1, 2])).unwrap();
    assert!(refused(&bench, &both).contains("1 of its clusters"));
    let new = stage_clusters(&bench.app, proposed(vec![2])).unwrap();
    approve_covered(&bench.app, new.id).unwrap();
    // Named one by one, a cluster may be older.
    approve_covered(&bench.app, staged(&bench.app, Level::Names).id).unwrap();
}
