//! Numbers as far out as the format lets them be.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use crate::testing::*;

/// A number as far out as the format lets it be, or a small one.
fn extreme() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just((1 << 53) - 1), 0..9_u64]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(24), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_cluster_claims_the_overview_still_answers(
        claims in vec((extreme(), prop_oneof![0f64..9.0, Just(2e12), Just(-1e300)], 0..3_u8, any::<bool>()), 1..30)
    ) {
        let bench = Bench::new();
        for (seq, (whole, seconds, cluster, far)) in claims.into_iter().enumerate() {
            let time = if far { 9_007_199_254_740_991 } else { at(seq as i64) };
            let record = with(sample(0, 0.0), json!({
                "at_micros": time, "workers": whole, "threads": whole, "memory_used_bytes": whole,
                "tasks": {"processing": whole, "queued": whole, "waiting": whole}, "idle_since_micros": time,
                "last_completed_micros": time, "stall": {"limit_micros": whole, "same_stacks": null},
                "cpu_percent": 1e18, "workers_each": [["w", 1e18, whole, whole, whole, whole, whole]],
                "totals": {
                    "compute": seconds, "thread_seconds": seconds, "tasks_completed": whole, "tasks_erred": whole,
                    "result_bytes": whole,
                },
            }));
            let samples = with(sampled(20, None), json!({
                "samples": whole, "unattributed": 0, "leaves": {"stack": [1], "count": [whole]}, "to_micros": time.max(at(20)),
            }));
            let gap = 1 + seq as u64 * 1_000_000_000_000;
            let batch = batch_of(&format!("Scheduler-{cluster}"), "i", gap, &[record, samples]);
            prop_assert!(bench.app.ingest(batch).unwrap().refused.is_empty());
        }
        for command in ["overview", "clusters", "cluster", "timeline", "profile", "worker_series"] {
            let answer = crate::api::call(&bench.app, command, r#"{"id": 1}"#);
            let answer = answer.or_else(|_| crate::api::call(&bench.app, command, "{}"));
            prop_assert!(answer.is_ok(), "{command}: {answer:?}");
        }
    }
}
