//! Totals stay as they were, whatever detail goes.

use super::*;

#[test]
fn late_samples_of_a_time_that_was_removed_are_not_counted_again() {
    let bench = Bench::new();
    let seconds: Vec<Value> = (1..=10).map(|s| sample(s * 10, s as f64)).collect();
    // The fifth comes late.
    bench
        .at(200)
        .send(batch(1, &seconds[..4]))
        .send(batch(6, &seconds[5..]));
    let list = |bench: &Bench| {
        serde_json::to_value(
            api::clusters(&bench.app, ClustersRequest::default())
                .unwrap()
                .rows,
        )
        .unwrap()
    };
    let mut rows = vec![list(&bench)];
    bench
        .app
        .write(|db| {
            let pace = Room::PLENTY.pace();
            remove::category(
                db,
                1,
                RetentionCategory::Samples,
                None,
                &mut Looked::default(),
                pace,
            )
            .map(drop)
        })
        .unwrap();
    let left: i64 = bench
        .app
        .read(|db| Ok(count(db, "select count(*) from sample")))
        .unwrap();
    assert_eq!(left, 1);
    // As after a restart: nothing is remembered.
    bench.app.drain().unwrap();
    let again = App::open(bench.path(), api::Role::Owner, bench.clock.clone()).unwrap();
    let bench = Bench {
        app: again,
        ..bench
    };
    rows.push(list(&bench));
    bench.send(batch(5, &seconds[4..5]));
    rows.push(list(&bench));
    assert_eq!(rows[0], rows[1]);
    assert_eq!(rows[1], rows[2]);
    bench.send(batch(11, &[sample(110, 11.0)]));
    let compute: i64 = bench
        .app
        .read(|db| Ok(count(db, "select compute_micros from cluster_total")))
        .unwrap();
    assert_eq!(compute, 11 * SECOND);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(12),
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(6),
        ..ProptestConfig::default()
    })]

    #[test]
    fn whatever_detail_goes_the_totals_of_the_overview_and_the_list_stay(
        clusters in proptest::collection::vec((0..60_i64, 1..30_i64, any::<bool>()), 1..6),
        gone in proptest::sample::subsequence(RetentionCategory::ALL.to_vec(), 1..=5),
    ) {
        let bench = Bench::new();
        for (number, (day, samples, failed)) in clusters.iter().enumerate() {
            let begin = day * DAY;
            let mut records = everything("story");
            records.truncate(if *failed { 14 } else { 6 });
            records.extend((1..*samples).map(|s| sample(begin + s * 600, s as f64)));
            bench.at(70 * DAY).send(batch_of(&format!("Scheduler-{number}"), "i", 1, &records));
        }
        let answers = |bench: &Bench| {
            let overview: OverviewRequest =
                serde_json::from_value(json!({"from_micros": at(-DAY), "to_micros": at(80 * DAY)})).unwrap();
            json!({
                "overview": api::overview(&bench.app, overview).unwrap(),
                "list": api::clusters(&bench.app, ClustersRequest::default()).unwrap(),
                "status": api::status(&bench.app, Empty {}).unwrap().clusters,
            })
        };
        let before = answers(&bench);
        let opened = stopped(&bench);
        let rules = rules_of(&gone.iter().map(|category| (*category, 1)).collect::<Vec<_>>());
        set_rules(&opened.db, &rules, Micros(at(0))).unwrap();
        trust(&opened.db, Micros(at(72 * DAY))).unwrap();
        settle(&opened.db, &mut Retention::default(), at(72 * DAY));
        let removed = count(&opened.db, "select count(*) from pruned");
        drop(opened);
        let bench = Bench {
            app: App::open(bench.path(), api::Role::Owner, bench.clock.clone()).unwrap(),
            ..bench
        };
        prop_assert_eq!(&answers(&bench), &before);
        let expected = gone.contains(&RetentionCategory::Code);
        prop_assert!(removed > 0 || !expected);
    }
}
