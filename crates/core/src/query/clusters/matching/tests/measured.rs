//! What each question takes, for people.

use super::*;

/// Prints what each question takes. Run by hand, without other load:
/// `cargo test -p bobbin-core hundred_thousand -- --ignored --nocapture`
#[test]
#[ignore = "takes a minute, and its figures are for people"]
fn hundred_thousand() {
    let bench = many(100_000);
    let list = |text: &str, order, offset| {
        let request = ClustersRequest {
            text: Some(text.into()),
            order,
            offset,
            ..ClustersRequest::default()
        };
        let mut times: Vec<f64> = (0..7)
            .map(|_| {
                let begun = std::time::Instant::now();
                crate::api::clusters(&bench.app, request.clone()).unwrap();
                begun.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let found = crate::api::clusters(&bench.app, request).unwrap();
        println!(
            "{:>8.1} ms  {:>7} found  {order:?} {offset} {text:?}",
            times[3], found.total
        );
    };
    for by in orders() {
        list("", by, 0);
        list("", by, 99_900);
    }
    for text in [
        "user:user7",
        "-user:user7",
        "name:77",
        "etl",
        "zz",
        "tag:env=prod",
        "has:exception",
        "has:pin",
        "state:running",
        "state:lost",
        "since:7d",
        "since:300d",
        "since:300d until:100d",
        "until:2024-02-01",
        "a",
        "ad",
        "function:*1*",
        "-has:code",
        "workers>=10 since:28d",
        "duration>2h",
        "memory>4GiB tasks>1e5",
        "user:user7 or user:user9 -tag:ci has:exception",
        "function:inc",
        "cost>5",
        "-has:cost",
        "user:user1* since:300d",
        "-user:user7 tasks>100",
        "workers>=10",
        "efficiency<0.5",
        "compute>1h",
        "stalled>1h",
        "user:user1* tasks>100",
    ] {
        list(text, ClusterOrder::Started, 0);
        list(text, ClusterOrder::TasksCompleted, 0);
    }
    for text in ["", "us", "user:", "tag:", "state:", "has:", "function:"] {
        let request = crate::api::CompleteRequest {
            text: text.into(),
            caret: 20,
            time_zone: String::new(),
        };
        let begun = std::time::Instant::now();
        crate::api::complete_filter(&bench.app, request).unwrap();
        println!(
            "{:>8.1} ms  completion of {text:?}",
            begun.elapsed().as_secs_f64() * 1e3
        );
    }
    for text in ["etl", "us", "user7", "func", "Error", "nothing at all"] {
        let request = crate::api::SearchRequest {
            text: text.into(),
            ..Default::default()
        };
        let begun = std::time::Instant::now();
        crate::api::search(&bench.app, request).unwrap();
        println!(
            "{:>8.1} ms  search for {text:?}",
            begun.elapsed().as_secs_f64() * 1e3
        );
    }
}
