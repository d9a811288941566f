//! What task groups and computations of one cluster cost.

use serde_json::json;

use crate::Error;
use crate::api::*;
use crate::testing::*;

const HOUR: i64 = 3_600;

#[test]
fn groups_cost_what_their_operations_say_and_computations_what_their_groups_do() {
    let bench = Bench::new();
    let used = with(
        sample(HOUR, 3_000.0),
        json!({"totals": {
            "compute": 3_000.0, "transfer": 10.0, "thread_seconds": 7_200.0, "tasks_completed": 5, "tasks_erred": 1,
            "result_bytes": 7,
        }}),
    );
    bench.at(2 * HOUR).send(batch(
        1,
        &[
            facts(0),
            used,
            group(HOUR, "g1", 2_000.0),
            with(group(HOUR, "g2", 990.0), json!({"prefix": "sum"})),
            computation(HOUR - 10, "c1", None),
            with(
                computation(HOUR, "c2", None),
                json!({"groups": ["g1", "g2", "lost"], "start_micros": at(HOUR - 5)}),
            ),
            stop(HOUR + 1),
        ],
    ));
    let asked = ClusterRequest { id: 1 };
    let costs = group_costs(&bench.app, asked.clone()).unwrap();
    let whole = cluster_cost(&bench.app, asked.clone()).unwrap();
    let mut of_operations: Vec<_> = whole
        .operations
        .iter()
        .flat_map(|operation| &operation.groups)
        .map(|group| (group.group_id.clone(), group.money.unwrap()))
        .collect();
    of_operations.sort_by_key(|(_, money)| -money.high_nanos);
    let told: Vec<_> = costs
        .groups
        .iter()
        .map(|group| (group.group_id.clone(), group.money))
        .collect();
    assert_eq!(told, of_operations);
    assert_eq!((told.len(), &*told[0].0, costs.truncated), (2, "g1", false));
    let [first, second] = &costs.computations[..] else {
        panic!("{costs:?}")
    };
    assert_eq!(
        (&*first.computation_id, &*second.computation_id),
        ("c2", "c1")
    );
    assert_eq!(second.money, told[0].1);
    assert_eq!(
        first.money.high_nanos,
        told[0].1.high_nanos + told[1].1.high_nanos
    );

    // The graph of groups has the same figures, whatever part of it is looked at.
    let graph = |more: serde_json::Value| -> Graph {
        let request = with(json!({"id": 1, "measure": "cost"}), more).to_string();
        serde_json::from_str(&call(&bench.app, "graph", &request).unwrap()).unwrap()
    };
    let moneys = |graph: &Graph| -> Vec<_> {
        let nodes = graph.nodes.iter();
        nodes
            .map(|node| (node.node_id.clone(), node.money.unwrap()))
            .collect()
    };
    let drawn = graph(json!({}));
    assert_eq!(
        (moneys(&drawn), drawn.currency.as_deref()),
        (told.clone(), Some("EUR"))
    );
    assert_eq!(drawn.nodes[0].measure, told[0].1.high_nanos as f64 / 1e9);
    assert_eq!(drawn.measure_most, drawn.nodes[0].measure);
    assert_eq!(moneys(&graph(json!({"computation": "c1"}))), told[..1]);
    let plain = graph(json!({"measure": "compute"}));
    assert_eq!((plain.currency, plain.nodes[0].money), (None, None));

    assert!(matches!(
        group_costs(&bench.app, ClusterRequest { id: 99 }),
        Err(Error::NotFound { .. })
    ));
    for price in prices(&bench.app, Empty {}).unwrap().prices {
        remove_price(&bench.app, RemovePriceRequest { id: price.id }).unwrap();
    }
    let unpriced_node = &graph(json!({})).nodes[0];
    assert_eq!((unpriced_node.measure, unpriced_node.money), (0.0, None));
    let unpriced = group_costs(&bench.app, asked).unwrap();
    assert_eq!((unpriced.groups.len(), unpriced.computations.len()), (0, 0));
}
