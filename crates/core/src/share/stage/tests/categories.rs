//! Each category opens to its values, and what is decided of it is in the bytes.

use super::*;
use crate::testing::canaries::told;

/// Something that values of this category alone say.
const SAID: [(Category, &str); 19] = [
    (Category::Clusters, "canary-cluster"),
    (Category::Projects, "canary-project"),
    (Category::Users, "canary-user"),
    (Category::Hosts, "canary-host"),
    (Category::Addresses, "canary-address"),
    (Category::Workers, "canary-worker"),
    (Category::Paths, "canary-home"),
    (Category::Functions, "load-canary-key"),
    (Category::Keys, "load-canary-key-17"),
    (Category::Spans, "canary-span"),
    (Category::Environment, "canary-locale"),
    (Category::Words, "canary-unit"),
    (Category::ExceptionTypes, "ValueError"),
    (Category::Messages, "canary-message"),
    (Category::Tracebacks, "canary-traceback"),
    (Category::Code, "canary_code"),
    (Category::Lines, "canary-line"),
    (Category::Topics, "canary-topic"),
    (Category::Payloads, "canary-event"),
];

#[test]
fn each_category_opens_to_its_values_and_is_kept_masked_or_dropped() {
    assert_eq!(SAID.map(|(category, _)| category), Category::ALL);
    let bench = told();
    let app = &bench.app;
    let id = staged(app, Level::Everything).id;
    for (category, text) in SAID {
        let listed = values(app, id, category);
        assert!(
            listed.iter().any(|one| one.real.contains(text)),
            "{category:?}: {listed:?}"
        );
    }
    for decision in [Decision::Keep, Decision::Mask, Decision::Drop] {
        let each = SAID.map(|(category, _)| CategoryDecision {
            category,
            decision: Some(decision),
        });
        let request = DecideRequest {
            id,
            categories: each.into(),
            items: Vec::new(),
            findings: Vec::new(),
        };
        decide_stage(app, request).unwrap();
        let (bytes, kept) = (plain(&settled(app, id)), decision == Decision::Keep);
        for (category, text) in SAID {
            assert_eq!(bytes.contains(text), kept, "{category:?} {decision:?}");
        }
    }
}

#[test]
fn the_longest_and_the_rarest_values_come_first_where_that_is_asked() {
    let (long, rare) = ("a_function_with_a_long_name", "rare");
    let prefixes = [
        "inc",
        "inc",
        "inc",
        "sum_of_all",
        "sum_of_all",
        "sum_of_all",
        long,
        long,
        rare,
    ];
    let mut records = vec![facts(0), sample(1, 1.0)];
    records.extend(prefixes.iter().enumerate().map(|(number, prefix)| {
        let id = format!("{number:032x}");
        let said = json!({"group_id": id, "name": format!("{prefix}-{id}"), "prefix": prefix});
        with(group(9, &id, 1.0), said)
    }));
    let bench = Bench::new();
    bench
        .at(10)
        .send(batch_of(SCHEDULER, INSTANCE, 1, &records));
    let stage = staged(&bench.app, Level::Names);
    let reals = |items: &[StageItem]| -> Vec<String> {
        let items = items.iter();
        items.map(|one| one.real.clone()).collect()
    };
    let first = |order, limit| {
        let request = StageItemsRequest {
            id: stage.id,
            category: Some(Category::Functions),
            text: String::new(),
            order,
            offset: 0,
            limit,
        };
        reals(&stage_items(&bench.app, request).unwrap().items)
    };
    assert_eq!(
        first(ItemOrder::Long, 10),
        [long, "sum_of_all", rare, "inc"]
    );
    assert_eq!(first(ItemOrder::Rare, 2), [rare, long]);
    // A category shows some while it is closed.
    let mut functions = stage.categories.iter();
    let functions = functions
        .find(|one| one.category == Category::Functions)
        .unwrap();
    assert_eq!(reals(&functions.longest), [long, "sum_of_all", rare]);
    assert_eq!(reals(&functions.rarest)[..2], [rare, long]);
}
