//! People and machines that are named in what people wrote.

use super::*;
use crate::scan::Rule;

const WHO: &str = "Ana@corp.example";
const MACHINE: &str = "10.0.0.7";

fn bench() -> Bench {
    let bench = Bench::new();
    let cluster = with(
        facts(0),
        json!({"tags": {"owner": WHO}, "versions": {"opencv-python": "4.8.0.76"}, "scheduler_address": "tcp://10.0.0.9:8786",
               "switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]}}),
    );
    let message = format!("login_token: {WHO}, no route to {MACHINE} nor to 127.0.0.1");
    let records = [
        cluster,
        sample(1, 1.0),
        with(
            exception(9, "e", 1),
            json!({"message": message, "worker": "tcp://10.0.0.9:43211"}),
        ),
        with(
            event(9),
            json!({"payload": {"note": format!("by\n{}", WHO.to_lowercase()), "rows": 3}}),
        ),
    ];
    bench
        .at(20)
        .send(batch_of(SCHEDULER, INSTANCE, 1, &records));
    bench
}

fn real(level: Level) -> StageClustersRequest {
    let mut request = wanted(level);
    request.choice.identities = Identities::Real;
    request
}

#[test]
fn whoever_is_named_has_an_alias_and_nothing_waits_for_a_decision() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Everything);
    let text = plain(&stage);
    let lower = text.to_lowercase();
    assert!(
        !lower.contains("ana@corp") && !text.contains(MACHINE),
        "{text}"
    );
    assert!(
        text.contains("127.0.0.1"),
        "this machine says nothing: {text}"
    );
    // One person, one alias, and what an event carries stays what it is.
    let key = crate::seal::FingerprintKey::load_or_make(bench.path()).unwrap();
    let mark = crate::share::aliases::mark(&key, "team");
    for told in [
        format!("login_token: ‹email-1-{mark}›, no route to ‹ip-1-{mark}› nor to 127.0.0.1"),
        format!("{{\"note\":\"by\\n‹email-1-{mark}›\",\"rows\":3}}"),
        format!("\"owner\":\"‹email-1-{mark}›\""),
    ] {
        assert!(text.contains(&told), "{told}: {text}");
    }
    assert_eq!((stage.open_findings, stage.blockers.len()), (0, 0));
    let found = stage_findings(&bench.app, StageRequest { id: stage.id })
        .unwrap()
        .findings;
    let mut kinds: Vec<_> = found.iter().map(|one| (one.rule, one.places)).collect();
    kinds.sort();
    assert_eq!(
        kinds,
        [(Rule::Email, 1), (Rule::Email, 2), (Rule::IpAddress, 1)],
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .all(|one| one.identity && one.state == FindingState::Replaced)
    );
    approve(&bench.app, &stage).unwrap();
}

#[test]
fn one_that_is_kept_is_told_and_taken_back_it_is_not() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Errors);
    let kept = settle(&bench.app, stage.id, FindingState::NoSecret);
    let text = plain(&kept);
    assert!(text.contains(WHO) && text.contains(MACHINE), "{text}");
    let back = settle(&bench.app, stage.id, FindingState::Open);
    assert_eq!((back.sha256, back.open_findings), (stage.sha256, 0));
    let kept = settle(&bench.app, stage.id, FindingState::NoSecret);
    approve(&bench.app, &kept).unwrap();
}

#[test]
fn what_the_choice_tells_as_it_is_and_versions_are_no_findings() {
    let bench = bench();
    let stage = stage_clusters(&bench.app, real(Level::Errors)).unwrap();
    let text = plain(&stage);
    for told in ["tcp://10.0.0.9:8786", "tcp://10.0.0.9:43211", "4.8.0.76"] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(!text.contains(WHO) && !text.contains(MACHINE), "{text}");
    approve(&bench.app, &stage).unwrap();
    // Where they have aliases there is nothing left to find.
    let stage = staged(&bench.app, Level::Metrics);
    let found = stage_findings(&bench.app, StageRequest { id: stage.id }).unwrap();
    assert_eq!(found.findings, []);
}
