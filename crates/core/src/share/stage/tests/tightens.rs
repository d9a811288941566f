//! What each key of a policy does to the bytes: it takes away, and never adds.

use super::*;

fn request(level: Level, identities: Identities) -> StageClustersRequest {
    StageClustersRequest {
        choice: Choice { level, identities },
        ..wanted(level)
    }
}

#[test]
fn the_widest_policy_leaves_the_bytes_as_they_are_without_one() {
    let bench = bench();
    let all: Vec<String> = Category::ALL
        .into_iter()
        .map(|category| format!("'{}'", category.word()))
        .collect();
    let widest = format!(
        "level = 'everything'\nreal_identities = true\nmust_drop = []\nmust_mask = []\nmay_send = [{}]\n",
        all.join(", ")
    );
    for identities in [Identities::Aliases, Identities::Real] {
        for level in [
            Level::Metrics,
            Level::Names,
            Level::Errors,
            Level::Everything,
        ] {
            let staged = || stage_clusters(&bench.app, request(level, identities)).unwrap();
            let without = staged();
            policy(&bench, &widest);
            let with = staged();
            assert!(without.sha256.is_some());
            assert_eq!(with.sha256, without.sha256, "{level:?}, {identities:?}");
            assert_eq!(with.choice, without.choice);
            fs::remove_file(bench.path().join("bobbin-policy.toml")).unwrap();
        }
    }
}

#[test]
fn each_key_takes_away_what_it_says_whatever_a_person_decides() {
    for (key, category, gone) in [
        ("level = 'errors'", Category::Code, "engine.run"),
        ("real_identities = false", Category::Hosts, "\"mithlond\""),
        ("must_drop = ['projects']", Category::Projects, "\"etl\""),
        (
            "must_drop = ['hosts:mith*']",
            Category::Hosts,
            "\"mithlond\"",
        ),
        ("must_mask = ['projects']", Category::Projects, "\"etl\""),
        (
            "must_mask = ['users:GANDALF']",
            Category::Users,
            "\"gandalf\"",
        ),
        (
            "may_send = ['clusters', 'hosts']",
            Category::Projects,
            "\"etl\"",
        ),
    ] {
        let bench = bench();
        let staged = || {
            let wide = request(Level::Everything, Identities::Real);
            stage_clusters(&bench.app, wide).unwrap()
        };
        let told = plain(&staged());
        assert!(told.contains(gone), "{key}: {told}");
        policy(&bench, key);
        let stage = staged();
        assert!(!plain(&stage).contains(gone), "{key}");
        for value in values(&bench.app, stage.id, category) {
            let keep = Some(Decision::Keep);
            let kept = decided(&bench.app, stage.id, &value.item, keep).unwrap();
            assert!(!plain(&kept).contains(gone), "{key}: {}", value.real);
        }
    }
}
