//! The desk shows no less than what leaves.

use super::*;

fn one(app: &App, id: i64, category: Category, real: &str) -> StageItem {
    let values = values(app, id, category);
    let found: Vec<_> = values.into_iter().filter(|one| one.real == real).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

#[test]
fn a_value_that_one_field_masks_and_another_tells_is_shown_as_told() {
    let bench = Bench::new();
    let name = "patient_4711";
    let profile = with(
        sampled(12, Some(name)),
        json!({"strings": [name, "load", "/home/ada/work.py", "x = 1"]}),
    );
    let records = [
        with(
            facts(0),
            json!({"switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]}}),
        ),
        sample(1, 1.0),
        with(
            group(9, GROUP, 1.5),
            json!({"group_id": GROUP, "name": "patient-4711", "prefix": name}),
        ),
        profile,
    ];
    bench
        .at(20)
        .send(batch_of(SCHEDULER, INSTANCE, 1, &records));
    let stage = staged(&bench.app, Level::Names);
    let text = plain(&stage);
    assert!(text.contains(name) && text.contains("\"prefix-1"), "{text}");
    let value = one(&bench.app, stage.id, Category::Functions, name);
    assert_eq!(
        (value.effect, value.shown.as_deref()),
        (Decision::Keep, Some(name))
    );
    let functions = stage.categories.iter();
    let functions = functions
        .filter(|one| one.category == Category::Functions)
        .collect::<Vec<_>>();
    let kept = values(&bench.app, stage.id, Category::Functions)
        .into_iter()
        .filter(|one| one.effect == Decision::Keep)
        .count();
    assert_eq!(functions[0].kept, kept as u64);
    // Masked by a person, it is told nowhere.
    let masked = decided(&bench.app, stage.id, &value.item, Some(Decision::Mask)).unwrap();
    assert!(!plain(&masked).contains(name));
}

#[test]
fn a_message_that_one_cluster_masks_and_another_tells_is_shown_as_told() {
    let bench = Bench::new();
    let message = "cannot read /data/ana";
    for (place, user) in ["ana", "bob"].into_iter().enumerate() {
        let records = [
            with(facts(0), json!({"name": user, "user": user})),
            sample(1, 1.0),
            with(exception(9, "e", 1), json!({"message": message})),
        ];
        let instance = format!("instance-{place}");
        bench.at(20).send(batch_of(
            &format!("Scheduler-{place}"),
            &instance,
            1,
            &records,
        ));
    }
    let both = StageClustersRequest {
        ids: vec![1, 2],
        ..wanted(Level::Errors)
    };
    let stage = stage_clusters(&bench.app, both.clone()).unwrap();
    let text = plain(&stage);
    assert!(
        text.contains(message) && text.contains("cannot read /data/user-A"),
        "{text}"
    );
    let value = one(&bench.app, stage.id, Category::Messages, message);
    assert_eq!(
        (value.effect, value.shown.as_deref(), value.count),
        (Decision::Keep, Some(message), 2)
    );
    approve(&bench.app, &stage).unwrap();
    // Of the first alone less is told than before: that is a change, too.
    let first = staged(&bench.app, Level::Errors);
    let value = one(&bench.app, first.id, Category::Messages, message);
    assert_eq!(
        (value.effect, value.state),
        (Decision::Mask, ItemState::Changed)
    );
    let again = stage_clusters(&bench.app, both).unwrap();
    let value = one(&bench.app, again.id, Category::Messages, message);
    assert_eq!(value.state, ItemState::Unchanged);
}

#[test]
fn a_value_of_a_map_is_looked_at_behind_its_key() {
    let bench = Bench::new();
    let records = [
        with(
            facts(0),
            json!({"tags": {"db_password": "hunter2", "also": "hunter2", "team": "blue"}}),
        ),
        sample(1, 1.0),
    ];
    bench
        .at(20)
        .send(batch_of(SCHEDULER, INSTANCE, 1, &records));
    let stage = staged(&bench.app, Level::Names);
    let found = stage_findings(&bench.app, StageRequest { id: stage.id })
        .unwrap()
        .findings;
    assert_eq!(
        (found.len(), found[0].begins.as_str(), found[0].letters),
        (1, "hunt", 7),
        "{found:?}"
    );
    assert!(
        plain(&stage).contains("\"db_password\":\"‹secret:keyword›\""),
        "{}",
        plain(&stage)
    );
    assert!(approve(&bench.app, &stage).is_err());
    let told = settle(&bench.app, stage.id, FindingState::NoSecret);
    assert!(plain(&told).contains("\"db_password\":\"hunter2\""));
    approve(&bench.app, &told).unwrap();
}

#[test]
fn words_that_are_none_of_dasks_or_of_the_plugins_leave_at_no_level() {
    let bench = Bench::new();
    let who = "ana@corp";
    let records = [
        with(
            facts(0),
            json!({"plugin_version": "1.0 of ana@corp", "unavailable": ["spans", "ana@corp"]}),
        ),
        with(
            sample(1, 1.0),
            json!({"tasks": {"memory": 2, "ana@corp": 3}}),
        ),
        with(
            group(9, GROUP, 1.5),
            json!({"group_id": GROUP, "states": {"memory": 1, "ana@corp": 1}}),
        ),
        with(
            computation(9, "9f230dd9-9b5b-4a88-a03f-f03d49a3b367", None),
            json!({"states": {"ana@corp": 1}}),
        ),
        json!({"kind": "dropped", "at_micros": at(10), "what": who, "count": 1, "reason": who}),
        json!({"kind": "stop", "at_micros": at(11), "reason": who}),
    ];
    let text = String::from_utf8(batch_text(SCHEDULER, INSTANCE, 1, &records)).unwrap();
    let text = text.replacen(
        "\"plugin_version\":\"0.1.0\"",
        "\"plugin_version\":\"ana@corp\"",
        1,
    );
    let batch = crate::wire::decode(text.as_bytes()).unwrap();
    bench.at(20).send(batch);
    for level in [Level::Metrics, Level::Everything] {
        let text = plain(&staged(&bench.app, level));
        assert!(!text.contains(who), "{text}");
        for told in [
            "\"reason\":\"other\"",
            "\"what\":\"other\"",
            "{\"memory\":2,\"other\":3}",
            "[\"spans\",\"other\"]",
            "\"plugin_version\":\"other\"",
        ] {
            assert!(text.contains(told), "{told}: {text}");
        }
    }
}

#[test]
fn a_request_with_a_finding_that_is_gone_changes_nothing() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Everything);
    let before = plain(&stage);
    let found = stage_findings(&bench.app, StageRequest { id: stage.id }).unwrap();
    let finding = |finding: &str| FindingDecision {
        finding: finding.into(),
        state: FindingState::Replaced,
    };
    let drop_code = |findings| DecideRequest {
        id: stage.id,
        categories: vec![CategoryDecision {
            category: Category::Code,
            decision: Some(Decision::Drop),
        }],
        items: Vec::new(),
        findings,
    };
    let gone = decide_stage(&bench.app, drop_code(vec![finding("0a1b")]));
    assert!(matches!(
        gone,
        Err(Error::Invalid {
            what: "finding",
            ..
        })
    ));
    let after = crate::api::stage(&bench.app, StageRequest { id: stage.id }).unwrap();
    assert_eq!(after.sha256, stage.sha256, "nothing is being written");
    let again = staged(&bench.app, Level::Everything);
    assert_eq!(plain(&again), before, "nor was anything remembered");
    // One that the same request drops was there when it was asked for.
    let here = found.findings[0].finding.clone();
    decide_stage(&bench.app, drop_code(vec![finding(&here)])).unwrap();
    assert!(!plain(&settled(&bench.app, stage.id)).contains("connect("));
}
