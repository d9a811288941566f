//! Filters that are drawn.

use chrono::NaiveDate;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::known::{TAGS, USERS};
use super::*;

/// Words that are looked for: whole texts, parts of them, and what SQL and the index would read as more than text.
pub(super) const WORDS: &[&str] = &[
    "ana",
    "an",
    "A",
    "etl",
    "nightly",
    "%",
    "100%",
    "_",
    "un_d",
    "\"",
    "o\"t",
    "\\",
    "or",
    "-",
    "(x)",
    "name:it",
    "ci",
    "env=prod",
    "prod",
    "note",
    "Scheduler-1",
    "*",
    "AND",
    "NEAR(",
    "'",
    "--",
    "; drop table cluster",
    "ana b",
    "^",
    "nothing",
];

fn any_word() -> impl Strategy<Value = String> {
    prop_oneof![
        select(WORDS).prop_map(str::to_owned),
        "[a-zA-Z0-9 _%*\"'\\\\()=:<>-]{1,8}"
            .prop_filter("not only blanks", |word| !word.trim().is_empty()),
    ]
}

fn any_value() -> impl Strategy<Value = String> {
    prop_oneof![
        select(USERS)
            .prop_filter("a value", |value| !value.is_empty())
            .prop_map(str::to_owned),
        select(
            &[
                "an*",
                "*",
                "*ana",
                "laptop",
                "node*",
                "etl",
                "read_csv",
                "valueerror",
                "inc",
                "%",
                "x\"y",
                "a b"
            ][..]
        )
        .prop_map(str::to_owned),
    ]
}

fn any_term() -> impl Strategy<Value = Term> {
    let states = parse::states().map(|word| match parse(&format!("state:{word}")) {
        Ok(Filter::Term(term)) => term,
        other => panic!("{other:?}"),
    });
    let when = prop_oneof![
        (
            0..2_000_u32,
            select(&[Unit::Minutes, Unit::Hours, Unit::Days, Unit::Weeks][..])
        )
            .prop_map(|(count, unit)| When::Ago(count, unit)),
        (10..30_u32).prop_map(|day| When::Day(NaiveDate::from_ymd_opt(2023, 11, day).unwrap())),
    ];
    let measure = (
        select(Measure::ALL),
        select(Comparison::ALL),
        0..50_u32,
        any::<prop::sample::Index>(),
    )
        .prop_map(|(measure, comparison, number, unit)| {
            let units = measure.units();
            let unit =
                (!units.is_empty() && number % 3 > 0).then(|| units[unit.index(units.len())]);
            let number = f64::from(number) / if number.is_multiple_of(7) { 4.0 } else { 1.0 };
            Term::Measure(measure, comparison, Quantity { number, unit })
        });
    prop_oneof![
        any_word().prop_map(Term::Word),
        (select(Field::ALL), any_value()).prop_map(|(field, value)| Term::Field(field, value)),
        (
            select(TAGS),
            proptest::option::of(select(&["", "prod", "x=y", "PROD", "a b"][..]))
        )
            .prop_map(|(name, value)| Term::Tag(name.into(), value.map(Into::into))),
        select(states.collect::<Vec<_>>()),
        select(Thing::ALL).prop_map(Term::Has),
        measure,
        when.clone().prop_map(Term::Since),
        when.prop_map(Term::Until),
    ]
}

pub(super) fn any_filter() -> impl Strategy<Value = Filter> {
    any_term()
        .prop_map(Filter::Term)
        .prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                vec(inner.clone(), 1..4).prop_map(Filter::all),
                vec(inner.clone(), 1..4).prop_map(Filter::any),
                inner.prop_map(|filter| Filter::Not(Box::new(filter))),
            ]
        })
}
