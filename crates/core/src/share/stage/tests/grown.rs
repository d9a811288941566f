//! A field that the format has more than at the last approval.

use flate2::Compression;
use flate2::write::GzEncoder;
use rusqlite::{Connection, params};
use serde_json::Value;

use super::*;
use crate::api::{approve_covered, stand};
use crate::model::Micros;
use crate::share::stage::bytes::whole;

const FIELD: &str = "cluster.project";

/// What the desk remembers, behind its back.
#[expect(
    clippy::disallowed_methods,
    reason = "the file as another version left it"
)]
fn desk(bench: &Bench) -> Connection {
    Connection::open(bench.path().join("desk.sqlite")).unwrap()
}

/// What the desk remembers of a time when there was no such field.
fn before(bench: &Bench) {
    let desk = desk(bench);
    let gone = desk
        .execute("DELETE FROM consent WHERE field = ?1", [FIELD])
        .unwrap();
    assert_eq!(gone, 1);
    let fields: String = desk
        .query_one("SELECT fields FROM approved_in_advance", [], |row| {
            row.get(0)
        })
        .unwrap();
    let then: Vec<&str> = fields.split(' ').filter(|field| *field != FIELD).collect();
    assert_eq!(then.len() + 1, fields.split(' ').count());
    desk.execute(
        "UPDATE approved_in_advance SET fields = ?1",
        params![then.join(" ")],
    )
    .unwrap();
}

/// The fields that a stage was made with, as another version noted them or did not.
fn noted_by_another(stage: &Stage, change: impl Fn(&mut Value)) {
    let path = std::path::Path::new(&stage.path).with_file_name("base");
    let mut text = String::new();
    MultiGzDecoder::new(fs::File::open(&path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let mut base: Value = serde_json::from_str(&text).unwrap();
    change(&mut base);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    serde_json::to_writer(&mut packed, &base).unwrap();
    fs::write(&path, packed.finish().unwrap()).unwrap();
}

fn accept(field: &str) -> StageClustersRequest {
    StageClustersRequest {
        accept_fields: vec![field.into()],
        ..wanted(Level::Names)
    }
}

#[test]
fn a_new_field_starts_off_is_announced_and_voids_what_was_approved_in_advance() {
    let bench = bench();
    let standing = |days| StandingRequest {
        destination: "team".into(),
        days: Some(days),
        level: Level::Names,
    };
    let said = stand(&bench.app, standing(30)).unwrap();
    assert_eq!(said.standing[0].void, None);
    let first = staged(&bench.app, Level::Names);
    assert!(plain(&first).contains("\"etl\"") && first.new_fields.is_empty());
    approve(&bench.app, &first).unwrap();
    before(&bench);
    // It has no such field: approving it once more accepts none.
    approve(&bench.app, &first).unwrap();

    let second = staged(&bench.app, Level::Names);
    assert_eq!(second.new_fields, [FIELD]);
    assert!(!plain(&second).contains("\"etl\""));
    let withheld = second.withheld.iter().find(|one| one.field == FIELD);
    assert!(withheld.is_some_and(|one| one.new && one.values == 1));
    let said = crate::api::sharing_rules(&bench.app, crate::api::Empty {}).unwrap();
    let why = said.standing[0].void.clone().unwrap();
    assert!(why.contains("new fields") && why.contains(FIELD), "{why}");
    let refused = approve_covered(&bench.app, second.id).unwrap_err();
    assert!(refused.to_string().contains(FIELD), "{refused}");
    // Approved without it, it stays off.
    approve(&bench.app, &second).unwrap();
    assert_eq!(staged(&bench.app, Level::Names).new_fields, [FIELD]);

    assert!(matches!(
        stage_clusters(&bench.app, accept("cluster.nothing")),
        Err(Error::Invalid { .. })
    ));
    let third = stage_clusters(&bench.app, accept(FIELD)).unwrap();
    assert!(plain(&third).contains("\"etl\"") && third.new_fields.is_empty());
    stand(&bench.app, standing(30)).unwrap();
    approve_covered(&bench.app, third.id).unwrap();
}

#[test]
fn a_field_that_came_after_a_stage_was_made_is_not_accepted_with_it() {
    let bench = bench();
    let standing = || StandingRequest {
        destination: "team".into(),
        days: Some(30),
        level: Level::Names,
    };
    approve(&bench.app, &staged(&bench.app, Level::Names)).unwrap();
    let without_it: fn(&mut Value) = |base| {
        let fields = base["fields"].as_array_mut().unwrap();
        let all = fields.len();
        fields.retain(|field| field != FIELD);
        assert_eq!(fields.len() + 1, all);
    };
    let unnoted: fn(&mut Value) = |base| {
        base.as_object_mut().unwrap().remove("fields").unwrap();
    };
    for change in [without_it, unnoted] {
        let stage = stage_clusters(&bench.app, accept(FIELD)).unwrap();
        noted_by_another(&stage, change);
        stand(&bench.app, standing()).unwrap();
        before(&bench);
        // As whoever opens it anew.
        let desks = Desks::default();
        let place = Place {
            dir: bench.path(),
            keys: bench.app.keys(),
            now: Micros(0),
        };
        let sha256 = whole(&place, &desks, stage.id).unwrap().sha256;
        crate::share::stage::approve(&place, &desks, stage.id, &sha256, |_| Ok(())).unwrap();
        assert_eq!(staged(&bench.app, Level::Names).new_fields, [FIELD]);
    }
}

#[test]
fn of_fields_that_nobody_accepted_nothing_is_told_whatever_they_are() {
    fn tells(value: &Value) -> bool {
        match value {
            Value::Null => false,
            Value::Array(items) => items.iter().any(tells),
            Value::Object(items) => items.values().any(tells),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        }
    }
    let bench = bench();
    approve(&bench.app, &staged(&bench.app, Level::Names)).unwrap();
    desk(&bench)
        .execute("DELETE FROM consent WHERE field <> ?1", [FIELD])
        .unwrap();
    let stage = staged(&bench.app, Level::Everything);
    for line in plain(&stage).lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let kind = record["kind"].as_str().unwrap();
        if ["manifest", "header"].contains(&kind) {
            continue;
        }
        let fields = record.as_object().unwrap().iter();
        let told: Vec<&String> = fields
            .filter(|(name, value)| !["kind", "project"].contains(&name.as_str()) && tells(value))
            .map(|(name, _)| name)
            .collect();
        assert!(told.is_empty(), "{kind}: {told:?}");
    }
}
