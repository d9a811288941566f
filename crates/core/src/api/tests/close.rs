//! Closing a cluster from afar: one instance, once, for a minute, and never from a file or a backup.

use std::fs;

use serde_json::json;

use super::open;
use crate::Error;
use crate::api::*;
use crate::ingest::StopOrder;
use crate::ledger::{Kind, Ledger};
use crate::model::Micros;
use crate::store;
use crate::testing::*;

const ONE: ClusterRequest = ClusterRequest { id: 1 };

fn state(app: &App) -> CloseState {
    close_order(app, ONE).unwrap().state
}

#[test]
fn a_wish_to_close_reaches_the_newest_instance_until_it_expires() {
    let bench = Bench::new();
    bench.at(0).send(batch(1, &[facts(0), sample(0, 1.0)]));
    bench.app.request_stop(1).unwrap();
    let rows = Ledger::of(bench.path()).rows().unwrap();
    assert_eq!(rows[0].entry.kind, Kind::RemoteStop);
    assert!(
        bench
            .app
            .ingest(batch_of("Scheduler-2", "i", 1, &[sample(0, 1.0)]))
            .unwrap()
            .stop
            .is_none()
    );
    let order = bench
        .app
        .ingest(batch(3, &[sample(10, 1.0)]))
        .unwrap()
        .stop
        .unwrap();
    assert_eq!((order.instance_id.as_str(), order.nonce.len()), ("i", 32));
    assert_eq!(order.left_micros, 60_000_000);
    // An answer may be lost: the same order comes again, for what is left of its time.
    assert_eq!(
        bench
            .at(20)
            .app
            .ingest(batch(4, &[sample(20, 1.0)]))
            .unwrap()
            .stop,
        Some(StopOrder {
            left_micros: 40_000_000,
            ..order
        })
    );
    assert_eq!(
        bench
            .at(60)
            .app
            .ingest(batch(5, &[sample(60, 1.0)]))
            .unwrap()
            .stop,
        None
    );

    assert!(matches!(
        bench.app.request_stop(9),
        Err(Error::NotFound { .. })
    ));
    assert!(
        matches!(bench.app.request_stop(2), Err(Error::Refused(_))),
        "it did not say that it allows it"
    );
    bench.at(400);
    assert!(
        matches!(bench.app.request_stop(1), Err(Error::Refused(_))),
        "it is lost"
    );
}

#[test]
fn a_wish_to_close_is_told_step_by_step() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0), sample(0, 1.0)]));
    assert_eq!(state(&bench.app), CloseState::NotOrdered);
    let ordered = close_cluster(&bench.at(1).app, ONE).unwrap();
    assert_eq!(
        ordered,
        CloseOrder {
            state: CloseState::Ordered,
            ordered_micros: Some(Micros(at(1))),
            delivered_micros: None,
            expires_micros: Some(Micros(at(61))),
            valid_micros: 60_000_000,
        }
    );
    bench.at(10).send(batch(3, &[sample(10, 1.0)]));
    bench.at(20).send(batch(4, &[sample(20, 1.0)]));
    let delivered = close_order(&bench.app, ONE).unwrap();
    assert_eq!(
        (delivered.state, delivered.delivered_micros),
        (CloseState::Delivered, Some(Micros(at(10))))
    );
    bench.at(61).send(batch(5, &[sample(61, 1.0)]));
    assert_eq!(state(&bench.app), CloseState::Expired);
    close_cluster(&bench.app, ONE).unwrap();
    assert_eq!(state(&bench.app), CloseState::Ordered);
    bench.send(batch(6, &[stop(62)]));
    assert_eq!(state(&bench.app), CloseState::Closed);
    assert!(matches!(
        close_cluster(&bench.app, ONE),
        Err(Error::Refused(_))
    ));
}

#[test]
fn a_cluster_that_does_not_allow_it_says_how_it_would() {
    let bench = Bench::new();
    let closed = json!({"code": true, "profile": false, "remote_close": false, "events_allow": []});
    bench.send(batch(
        1,
        &[with(facts(0), json!({"switches": closed})), sample(0, 1.0)],
    ));
    assert_eq!(state(&bench.app), CloseState::NotAllowed);
    let error = close_cluster(&bench.app, ONE).unwrap_err();
    assert!(
        error.to_string().contains("bobbin.remote-close: true"),
        "{error}"
    );
    bench.at(400);
    assert_eq!(state(&bench.app), CloseState::TooLate);
}

#[test]
fn a_cluster_that_reports_rarely_has_time_for_three_reports() {
    let bench = Bench::new();
    let slow = with(facts(0), json!({"interval_micros": 120_000_000}));
    bench.at(0).send(batch(1, &[slow, sample(0, 1.0)]));
    bench.app.request_stop(1).unwrap();
    assert_eq!(
        close_order(&bench.app, ONE).unwrap().valid_micros,
        360_000_000
    );
    let receipt = bench.at(119).app.ingest(batch(3, &[sample(119, 1.0)]));
    let left = receipt.unwrap().stop.unwrap().left_micros;
    assert_eq!(left, (360 - 119) * 1_000_000);
}

#[test]
fn an_order_is_for_one_instance_and_neither_for_the_next_nor_for_another_cluster() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0), sample(0, 1.0)]));
    bench.app.request_stop(1).unwrap();
    for (cluster, instance) in [("Scheduler-2", "i"), ("Scheduler-1", "j")] {
        let records = [facts(1), sample(1, 1.0)];
        let receipt = bench.app.ingest(batch_of(cluster, instance, 1, &records));
        assert_eq!(receipt.unwrap().stop, None, "{cluster} {instance}");
    }
    assert_eq!(
        state(&bench.app),
        CloseState::NotOrdered,
        "the instance that it was for is not the newest any more"
    );
}

#[test]
fn neither_a_restart_nor_a_backup_brings_an_order_back() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0), sample(0, 1.0)]));
    bench.app.request_stop(1).unwrap();
    let nonce = bench.app.ingest(batch(3, &[sample(1, 1.0)])).unwrap();
    let nonce = nonce.stop.unwrap().nonce;
    bench.app.drain().unwrap();
    let copy = tempfile::tempdir().unwrap();
    crate::install::prepare(copy.path()).unwrap();
    for entry in fs::read_dir(bench.path()).unwrap() {
        let entry = entry.unwrap();
        let bytes = fs::read(entry.path()).unwrap();
        let found = bytes.windows(32).any(|window| window == nonce.as_bytes());
        assert!(!found, "{:?}", entry.path());
        if ["key", store::FILE]
            .map(Into::into)
            .contains(&entry.file_name())
        {
            fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
        }
    }
    for dir in [bench.path(), copy.path()] {
        let again = open(dir, Role::Owner).unwrap();
        let receipt = again.ingest(batch(4, &[sample(2, 1.0)])).unwrap();
        assert_eq!(receipt.stop, None);
        assert_eq!(state(&again), CloseState::NotOrdered);
    }
}

#[test]
fn only_whom_clusters_report_to_can_ask_and_a_file_carries_no_order() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0), sample(0, 1.0)]));
    let reader = open(bench.path(), Role::Reader).unwrap();
    assert!(matches!(
        close_cluster(&reader, ONE),
        Err(Error::Refused(_))
    ));
    bench.app.request_stop(1).unwrap();
    bench.app.import(vec![batch(3, &[sample(1, 1.0)])]).unwrap();
    assert_eq!(state(&bench.app), CloseState::Ordered);
}

#[test]
fn what_comes_from_a_file_was_heard_when_it_was_made() {
    let bench = Bench::new();
    let hour = 3_600;
    bench
        .at(hour)
        .app
        .import(vec![batch(1, &[facts(0), sample(0, 1.0)])])
        .unwrap();
    let list = clusters(&bench.app, ClustersRequest::default()).unwrap();
    assert_eq!(list.rows[0].state, crate::model::ClusterState::Lost);
    bench.send(batch(3, &[sample(hour, 1.0)]));
    bench.app.import(vec![batch(4, &[sample(1, 1.0)])]).unwrap();
    let list = clusters(&bench.app, ClustersRequest::default()).unwrap();
    assert_ne!(
        list.rows[0].state,
        crate::model::ClusterState::Lost,
        "what comes late takes nothing back"
    );
}
