//! The list by cost.

use super::*;
use crate::model::Micros;
use crate::query::types::{AppliesTo, ClusterRow, PriceTerms, Range, Rate};

#[test]
fn a_list_by_cost_says_what_each_cluster_says_of_itself() {
    let bench = many(2_000);
    // A year from here on.
    let year = 1_699_999_200_000_000;
    let day = 86_400_000_000;
    let price = |from: i64, to: Option<i64>, applies_to, core: f64| PriceTerms {
        name: format!("{core}"),
        provenance: String::new(),
        from_micros: Micros(from),
        to_micros: to.map(Micros),
        applies_to,
        rate: Rate::Rented {
            core_hour: Range {
                low: core,
                high: core * 1.5,
            },
            memory_gib_hour: Range::default(),
            machine_hour: Range {
                low: 0.0,
                high: 0.1,
            },
            workers_per_machine: 2,
        },
    };
    let host = |pattern: &str| AppliesTo::Host {
        pattern: pattern.into(),
    };
    let tag = |pattern: &str| AppliesTo::Tag {
        name: "env".into(),
        pattern: pattern.into(),
    };
    let book = [
        price(year + 100 * day, None, AppliesTo::Everything, 0.01),
        price(year, Some(year + 50 * day), host("HOST1*"), 0.02),
        price(
            year,
            None,
            AppliesTo::Project {
                pattern: "project7".into(),
            },
            0.04,
        ),
        price(year + 200 * day, Some(year + 300 * day), tag("Pro*"), 0.08),
        price(year + 5 * day, None, host("nowhere"), 9.0),
    ];
    bench
        .app
        .write(move |db| {
            // By hand it is something else.
            db.execute_batch(
                "update cluster set own_tags = '{\"env\":\"mine\"}' where id % 100 = 0",
            )?;
            crate::query::remove_price(db, Micros(1), 1)?;
            for terms in &book {
                crate::query::set_price(db, Micros(1), None, terms)?;
            }
            Ok(())
        })
        .unwrap();
    let list = |text: &str, direction| {
        let request = ClustersRequest {
            text: Some(text.into()),
            order: ClusterOrder::Cost,
            direction,
            limit: 1_000,
            ..ClustersRequest::default()
        };
        let pages = [0, 1_000].map(|offset| {
            let request = ClustersRequest {
                offset,
                ..request.clone()
            };
            crate::api::clusters(&bench.app, request).unwrap().rows
        });
        pages.concat()
    };
    let middle = |row: &ClusterRow| {
        row.cost
            .map(|cost| (cost.low_nanos + cost.high_nanos) as f64 / 2e9)
    };
    let all = list("", Direction::Descending);
    assert_eq!(all.len(), 2_000);
    let costs: Vec<Option<f64>> = all.iter().map(middle).collect();
    let priced = costs.iter().flatten().count();
    assert!((500..1_900).contains(&priced), "{priced}");
    assert!(costs.windows(2).all(
        |two| two[0] >= two[1] || (two[0].unwrap_or(0.0) - two[1].unwrap_or(0.0)).abs() < 1e-8
    ));
    let mut turned: Vec<i64> = list("", Direction::Ascending)
        .iter()
        .map(|row| row.id)
        .collect();
    turned.reverse();
    assert_eq!(turned, all.iter().map(|row| row.id).collect::<Vec<_>>());
    for (text, holds) in [
        (
            "cost>1.2345",
            (|cost| cost > Some(1.2345)) as fn(Option<f64>) -> bool,
        ),
        ("-has:cost", |cost| cost.is_none()),
        ("cost<=0.5", |cost| cost.is_some_and(|cost| cost <= 0.5)),
    ] {
        let found = list(text, Direction::Descending);
        let wanted = costs.iter().filter(|cost| holds(**cost)).count();
        assert!(wanted > 0 && wanted < 2_000, "{text}: {wanted}");
        assert_eq!(found.len(), wanted, "{text}");
        assert!(found.iter().all(|row| holds(middle(row))), "{text}");
    }
}
