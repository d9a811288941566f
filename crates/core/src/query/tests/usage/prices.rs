//! The price book: what it charges, and what was in force when.

use super::*;
use crate::Error;

fn terms(core_hour: f64, from: i64, applies_to: AppliesTo) -> PriceTerms {
    let flat = |amount| Range {
        low: amount,
        high: amount,
    };
    PriceTerms {
        name: "rented".into(),
        provenance: "the bill of November".into(),
        from_micros: Micros(from),
        to_micros: None,
        applies_to,
        rate: Rate::Rented {
            core_hour: flat(core_hour),
            memory_gib_hour: flat(0.0),
            machine_hour: flat(0.0),
            workers_per_machine: 1,
        },
    }
}

#[test]
fn a_price_for_a_tag_sees_tags_by_hand() {
    let bench = three();
    let paid = AppliesTo::Tag {
        name: "paid".into(),
        pattern: "*".into(),
    };
    let request = SetPriceRequest {
        id: None,
        terms: terms(1.0, 0, paid),
    };
    set_price(&bench.app, request).unwrap();
    let mark = MarkRequest {
        ids: vec![1],
        name: Some("my run".into()),
        tags: [("paid".to_owned(), "yes".to_owned())].into(),
        ..Default::default()
    };
    mark_clusters(&bench.app, mark).unwrap();
    let told = overview(&bench.app, asked(vec![])).unwrap();
    // Six core-hours at 1, and two of the machine's own.
    assert_eq!(
        told.period.cost.as_ref().unwrap().total.low_nanos,
        6_001_200_000
    );
    assert_eq!(told.period.cost, told.ever.cost);
    assert_eq!(told.answers[3].answer, "inc: 67 % of my run");
}

#[test]
fn the_price_book_keeps_its_history_and_prices_by_what_was_in_force() {
    let bench = three();
    let app = &bench.app;
    let cost = || overview(app, asked(vec![])).unwrap().period.cost.unwrap();
    let own = prices(app, Empty {}).unwrap();
    assert_eq!(
        (own.currency.as_str(), own.prices.len(), own.changes.len()),
        ("EUR", 1, 1)
    );
    // Eight core-hours at 4 W and 0.15, to 12 W and 0.40.
    assert_eq!(
        (cost().total.low_nanos, cost().total.high_nanos),
        (4_800_000, 38_400_000)
    );

    // One that is valid from tomorrow changes nothing, one for a project only that project.
    let tomorrow = terms(9.0, at(86_400), AppliesTo::Everything);
    set_price(
        app,
        SetPriceRequest {
            id: None,
            terms: tomorrow,
        },
    )
    .unwrap();
    assert_eq!(cost().total.high_nanos, 38_400_000);
    let project = AppliesTo::Project {
        pattern: "ml".into(),
    };
    let book = set_price(
        app,
        SetPriceRequest {
            id: None,
            terms: terms(1.0, 0, project),
        },
    )
    .unwrap();
    assert_eq!(
        (book.prices.len(), book.prices[0].id, book.changes.len()),
        (3, 3, 3)
    );
    // Two core-hours at 1, and six of the machine's own.
    assert_eq!(
        cost().total,
        Money {
            low_nanos: 2_003_600_000,
            high_nanos: 2_028_800_000
        }
    );
    assert_eq!(
        cost(),
        overview(app, asked(vec![])).unwrap().ever.cost.unwrap()
    );

    let corrected = terms(
        2.0,
        0,
        AppliesTo::Project {
            pattern: "ml".into(),
        },
    );
    let book = set_price(
        app,
        SetPriceRequest {
            id: Some(3),
            terms: corrected,
        },
    )
    .unwrap();
    assert_eq!((book.prices.len(), book.changes.len()), (3, 4));
    assert_eq!(cost().total.low_nanos, 4_003_600_000);
    set_currency(
        app,
        SetCurrencyRequest {
            currency: " USD ".into(),
        },
    )
    .unwrap();
    assert_eq!(cost().currency, "USD");
    for id in [1, 2, 3] {
        remove_price(app, RemovePriceRequest { id }).unwrap();
    }
    assert_eq!(overview(app, asked(vec![])).unwrap().period.cost, None);
    assert!(matches!(
        remove_price(app, RemovePriceRequest { id: 3 }),
        Err(Error::NotFound { .. })
    ));
    assert!(matches!(
        set_currency(
            app,
            SetCurrencyRequest {
                currency: "EUR".into()
            }
        ),
        Err(Error::Invalid { .. })
    ));
    let bad = terms(-1.0, 0, AppliesTo::Everything);
    assert!(matches!(
        set_price(
            app,
            SetPriceRequest {
                id: None,
                terms: bad
            }
        ),
        Err(Error::Invalid { .. })
    ));
    let gone = prices(app, Empty {}).unwrap();
    assert_eq!((gone.prices.len(), gone.changes.len()), (0, 10));
}
