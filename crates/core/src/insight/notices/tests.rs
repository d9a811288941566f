use super::*;
use crate::insight::state::tests::found;

const NOW: i64 = 100 * 24 * 60 * MINUTE;

/// Somebody looked a minute ago, and has for an hour.
fn awake() -> Memory {
    Memory {
        looked: Some(Micros(NOW - MINUTE)),
        awake: Micros(NOW - 60 * MINUTE),
        dozed: Micros(NOW - 90 * MINUTE),
        told: Vec::new(),
        views: BTreeMap::new(),
    }
}

fn cluster(id: i64, state: ClusterState) -> Found {
    let mut found = found(state, None);
    found.row.id = id;
    found.row.name = format!("etl-{id}");
    found.row.started_micros = Micros(NOW - 40 * MINUTE);
    found.row.last_heard_micros = Micros(NOW - 2 * MINUTE);
    found.sample_at = Some(Micros(NOW - 2 * MINUTE));
    found.row.idle_since_micros =
        (state == ClusterState::Idle).then_some(Micros(NOW - 33 * MINUTE));
    found.row.last_completed_micros = Some(Micros(NOW - 5 * MINUTE));
    found.row.stopped_micros = match state {
        ClusterState::Finished => Some(Micros(NOW - 30_000_000)),
        ClusterState::Lost => found.sample_at,
        _ => None,
    };
    found
}

fn erred(mut found: Found, tasks: u64) -> Found {
    found.row.tasks_erred = tasks;
    found
}

struct Desk {
    memory: Memory,
    choices: NoticeChoices,
    now: i64,
    watched: Option<i64>,
    views: Option<Vec<ViewCount>>,
    kept: BTreeMap<i64, Micros>,
}

impl Desk {
    fn new() -> Self {
        Self {
            memory: awake(),
            choices: NoticeChoices::default(),
            now: NOW,
            watched: None,
            views: None,
            kept: BTreeMap::new(),
        }
    }

    fn look(&mut self, clusters: &[Found]) -> Option<Notice> {
        due(
            &mut self.memory,
            &Look {
                now: Micros(self.now),
                choices: &self.choices,
                clusters,
                budgets: None,
                views: self.views.as_deref(),
                burning: &HashMap::new(),
                watched: self.watched,
                kept: &self.kept,
            },
        )
    }

    fn summary(&mut self, clusters: &[Found]) -> Option<String> {
        self.look(clusters).map(|notice| notice.summary)
    }
}

#[test]
fn each_kind_has_its_words_and_its_proof() {
    for (found, summary, body, place) in [
        (
            cluster(1, ClusterState::Finished),
            "etl-1 finished",
            "It ran for 39 min 30 s.",
            "cluster/1",
        ),
        (
            erred(cluster(2, ClusterState::Running), 3),
            "etl-2: 3 tasks erred",
            "It started 40 min ago.",
            "cluster/2?tab=exceptions",
        ),
        (
            cluster(3, ClusterState::Stalled),
            "etl-3 stalled",
            "No task finished for 3 min.",
            "cluster/3?tab=workers",
        ),
        (
            cluster(4, ClusterState::Idle),
            "etl-4 is idle",
            "Nothing to do for 33 min; 0 workers are still up.",
            "cluster/4?tab=activity",
        ),
        (
            cluster(5, ClusterState::Lost),
            "etl-5 stopped reporting",
            "No report for 2 min, and no shutdown.",
            "cluster/5",
        ),
    ] {
        let notice = Desk::new().look(&[found]).unwrap();
        assert_eq!(
            (&*notice.summary, &*notice.body, &*notice.place),
            (summary, body, place)
        );
    }
    assert_eq!(Desk::new().look(&[cluster(1, ClusterState::Running)]), None);
}

#[test]
fn each_is_told_once() {
    let mut desk = Desk::new();
    let clusters = [
        cluster(1, ClusterState::Finished),
        cluster(2, ClusterState::Stalled),
        cluster(3, ClusterState::Idle),
        erred(cluster(4, ClusterState::Running), 1),
    ];
    assert!(desk.look(&clusters).is_some());
    let text = serde_json::to_string(&desk.memory).unwrap();
    desk.memory = serde_json::from_str(&text).unwrap();
    for minutes in 1..50 {
        desk.now = NOW + minutes * 30_000_000;
        assert_eq!(desk.look(&clusters), None, "{minutes}");
    }
}

#[test]
fn each_kind_can_be_switched_off_and_is_not_made_up_for_later() {
    let off = |change: fn(&mut NoticeChoices), found: Found| {
        let mut desk = Desk::new();
        change(&mut desk.choices);
        assert_eq!(desk.summary(std::slice::from_ref(&found)), None);
        desk.choices = NoticeChoices::default();
        desk.now += MINUTE;
        assert_eq!(desk.summary(&[found]), None);
    };
    off(
        |all| all.finished = false,
        cluster(1, ClusterState::Finished),
    );
    off(|all| all.failed = false, cluster(1, ClusterState::Lost));
    off(
        |all| all.failed = false,
        erred(cluster(1, ClusterState::Running), 1),
    );
    off(|all| all.stalled = false, cluster(1, ClusterState::Stalled));
    off(|all| all.idle = false, cluster(1, ClusterState::Idle));
}

#[test]
fn what_somebody_has_before_them_is_not_told() {
    let mut desk = Desk::new();
    desk.watched = Some(1);
    let clusters = [
        cluster(1, ClusterState::Finished),
        cluster(2, ClusterState::Finished),
    ];
    assert_eq!(desk.summary(&clusters).as_deref(), Some("etl-2 finished"));
    desk.watched = None;
    assert_eq!(desk.summary(&clusters), None, "seen is seen");
}

#[test]
fn limits_are_those_that_were_chosen() {
    let mut desk = Desk::new();
    desk.choices.finished_minutes = 39;
    desk.choices.idle_minutes = 34;
    let clusters = [
        cluster(1, ClusterState::Finished),
        cluster(2, ClusterState::Idle),
    ];
    assert_eq!(desk.summary(&clusters).as_deref(), Some("etl-1 finished"));
    let mut desk = Desk::new();
    desk.choices.finished_minutes = 40;
    desk.choices.idle_minutes = 33;
    assert_eq!(desk.summary(&clusters).as_deref(), Some("etl-2 is idle"));
}

#[test]
fn several_are_one_notice() {
    let mut desk = Desk::new();
    let notice = desk.look(&[
        cluster(1, ClusterState::Finished),
        cluster(2, ClusterState::Stalled),
        cluster(3, ClusterState::Finished),
        erred(cluster(4, ClusterState::Finished), 2),
    ]);
    let notice = notice.unwrap();
    assert_eq!(notice.summary, "Bobbin: 1 failed, 1 stalled, 2 finished");
    assert_eq!(notice.body, "etl-4, etl-2, etl-1, and 1 more");
    assert_eq!(notice.place, "overview");
    let mut desk = Desk::new();
    let two = [
        cluster(1, ClusterState::Idle),
        cluster(2, ClusterState::Idle),
    ];
    let notice = desk.look(&two).unwrap();
    assert_eq!(notice.summary, "Bobbin: 2 idle");
    assert_eq!(notice.place, "clusters?states=idle");
}

#[test]
fn several_that_failed_lead_to_what_they_have_in_common() {
    let lost = |id| cluster(id, ClusterState::Lost);
    let failed = |id| erred(cluster(id, ClusterState::Running), 2);
    for (clusters, place) in [
        ([failed(1), failed(2)], "exceptions"),
        ([lost(1), lost(2)], "clusters?states=lost"),
        ([lost(1), failed(2)], "overview"),
    ] {
        let mut desk = Desk::new();
        let notice = desk.look(&clusters).unwrap();
        assert_eq!(notice.summary, "Bobbin: 2 failed");
        assert_eq!(notice.place, place);
    }
}

#[test]
fn a_stall_is_new_when_a_task_has_ended_since_but_not_within_the_hour() {
    let mut desk = Desk::new();
    let mut stalled = cluster(1, ClusterState::Stalled);
    assert!(desk.look(std::slice::from_ref(&stalled)).is_some());
    stalled.row.last_completed_micros = Some(Micros(NOW));
    desk.now = NOW + 20 * MINUTE;
    assert_eq!(desk.look(std::slice::from_ref(&stalled)), None);
    desk.now = NOW + 60 * MINUTE;
    assert!(desk.look(&[stalled]).is_some());
}

#[test]
fn after_a_sleep_nobody_is_lost_until_they_had_time_to_report() {
    let mut desk = Desk::new();
    desk.memory.looked = Some(Micros(NOW - 500 * MINUTE));
    let mut lost = cluster(1, ClusterState::Lost);
    let before = Micros(NOW - 501 * MINUTE);
    lost.row.last_heard_micros = before;
    lost.row.stopped_micros = Some(before);
    assert_eq!(desk.look(std::slice::from_ref(&lost)), None);
    desk.now = NOW + MINUTE;
    assert_eq!(
        desk.look(&[cluster(1, ClusterState::Running)]),
        None,
        "here again"
    );
    desk.now = NOW + 2 * MINUTE;
    let told = desk.summary(&[lost]);
    assert_eq!(told.as_deref(), Some("etl-1 stopped reporting"));
}

#[test]
fn the_first_look_tells_nothing_and_remembers_all() {
    let mut desk = Desk::new();
    desk.memory = Memory::default();
    let clusters = [
        cluster(1, ClusterState::Finished),
        cluster(2, ClusterState::Stalled),
    ];
    assert_eq!(desk.look(&clusters), None);
    desk.now += MINUTE;
    assert_eq!(desk.look(&clusters), None);
}

#[test]
fn an_old_story_that_comes_late_is_no_news() {
    let mut desk = Desk::new();
    let mut old = cluster(1, ClusterState::Finished);
    old.row.stopped_micros = Some(Micros(NOW - 20 * MINUTE));
    assert_eq!(desk.look(&[old]), None);
}

#[test]
fn a_screen_shows_neither_paths_nor_markup_nor_names_where_these_are_off() {
    for (given, shown) in [
        ("nightly", "nightly finished"),
        ("/home/ada/secret.py", "A cluster finished"),
        ("C:\\Users\\ada", "A cluster finished"),
        ("<b>now</b>", "A cluster finished"),
        ("a\u{202e}b", "a‹U+202E›b finished"),
        (
            "a name that goes on for much longer than a line",
            "a name that goes on for much longer than… finished",
        ),
    ] {
        let mut found = cluster(1, ClusterState::Finished);
        found.row.name = given.into();
        assert_eq!(
            Desk::new().summary(&[found]).as_deref(),
            Some(shown),
            "{given}"
        );
    }
    let mut desk = Desk::new();
    desk.choices.names = false;
    let two = [
        cluster(1, ClusterState::Idle),
        erred(cluster(2, ClusterState::Running), 1),
    ];
    let notice = desk.look(&two).unwrap();
    assert_eq!(notice.summary, "Bobbin: 1 failed, 1 idle");
    assert_eq!(notice.body, "While you were away.");
    let mut desk = Desk::new();
    desk.choices.names = false;
    let one = [erred(cluster(2, ClusterState::Running), 1)];
    assert_eq!(
        desk.summary(&one).as_deref(),
        Some("A cluster: 1 task erred")
    );
}

#[test]
fn what_was_told_is_forgotten_after_a_day_but_not_while_it_holds() {
    let mut desk = Desk::new();
    let failing = erred(cluster(1, ClusterState::Running), 1);
    assert!(
        desk.look(&[failing, cluster(2, ClusterState::Finished)])
            .is_some()
    );
    assert_eq!(desk.memory.told.len(), 3 - 1);
    desk.now = NOW + REMEMBERED;
    let failing = erred(cluster(1, ClusterState::Running), 2);
    assert_eq!(desk.look(&[failing]), None);
    assert_eq!(desk.memory.told.len(), 1);
}

#[test]
fn a_view_is_told_of_when_a_cluster_comes_into_it() {
    let mut desk = Desk::new();
    desk.choices.views = vec!["Failing this week".into()];
    let mut lists = |clusters, newest_id| {
        desk.now += MINUTE;
        let view = |name: &str| ViewCount {
            name: name.into(),
            filter: "has:exception since:7d".into(),
            clusters,
            newest_id,
        };
        desk.views = Some(vec![view("other"), view("Failing this week")]);
        desk.look(&[])
    };
    assert_eq!(lists(2, Some(9)), None, "what it lists to begin with");
    assert_eq!(lists(2, Some(9)), None);
    let told = lists(3, Some(9)).unwrap();
    assert_eq!(told.summary, "Failing this week: 3 clusters");
    assert_eq!(told.place, "clusters?text=has%3Aexception%20since%3A7d");
    assert_eq!(lists(1, Some(7)), None, "some left it");
    // As many as before, and another one among them.
    assert!(lists(1, Some(10)).is_some());
}

#[test]
fn an_idle_cluster_that_is_kept_is_told_of_once_that_is_over() {
    let idle = [cluster(1, ClusterState::Idle)];
    let mut desk = Desk::new();
    assert_eq!(desk.look(&idle).unwrap().idle, Some(1));
    desk.kept.insert(1, Micros(NOW + 61 * MINUTE));
    for minutes in 1..61 {
        desk.now = NOW + minutes * MINUTE;
        assert_eq!(desk.look(&idle), None, "{minutes}");
    }
    desk.now = NOW + 61 * MINUTE;
    assert_eq!(desk.summary(&idle).as_deref(), Some("etl-1 is idle"));
    desk.now += MINUTE;
    assert_eq!(desk.look(&idle), None, "once");
    // What is kept before it was told of is not told of, either; another one is.
    let mut desk = Desk::new();
    desk.kept.insert(1, Micros(NOW + MINUTE));
    let two = [
        cluster(1, ClusterState::Idle),
        cluster(2, ClusterState::Idle),
    ];
    let notice = desk.look(&two).unwrap();
    assert_eq!((&*notice.summary, notice.idle), ("etl-2 is idle", Some(2)));
}

#[test]
fn only_a_notice_of_one_idle_cluster_can_be_answered() {
    let two = [
        cluster(1, ClusterState::Idle),
        cluster(2, ClusterState::Idle),
    ];
    assert_eq!(Desk::new().look(&two).unwrap().idle, None);
    let stalled = [cluster(1, ClusterState::Stalled)];
    assert_eq!(Desk::new().look(&stalled).unwrap().idle, None);
}
