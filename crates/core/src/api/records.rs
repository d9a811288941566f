//! The records of an answer as a plain table: fields in their order, what is nested beside each other.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::query::{Column, Table, Values};

/// Microseconds since 1970 of the year 2001, and of no length of time that Bobbin tells.
const OLDEST_MOMENT: i64 = 1_000_000_000_000_000;
/// Fields of a record that get a column each: whoever names tags may name any number of them.
const FIELDS: usize = 200;

/// JSON whose fields keep their order, which is that of the columns.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Null,
    Truth(bool),
    Whole(i64),
    Real(f64),
    Text(String),
    List(Vec<Node>),
    Record(Vec<(String, Node)>),
}

impl Node {
    /// The field of this name; in a list the value at this place, or the first record whose `field=text`.
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        match self {
            Node::Record(fields) => fields
                .iter()
                .find(|(field, _)| field == name)
                .map(|(_, value)| value),
            Node::List(values) => match name.split_once('=') {
                Some((field, wanted)) => {
                    let wanted = Node::Text(wanted.to_owned());
                    let is_it = |value: &&Node| value.get(field) == Some(&wanted);
                    values.iter().find(is_it)
                }
                None => values.get(name.parse::<usize>().ok()?),
            },
            _ => None,
        }
    }

    /// What lies at `a.b.0`, and what holds it.
    pub(super) fn at(&self, way: &str) -> Option<(&Node, &Node)> {
        let mut holds = self;
        let mut here = self;
        for step in way.split('.').filter(|step| !step.is_empty()) {
            holds = here;
            here = here.get(step)?;
        }
        Some((here, holds))
    }

    pub(super) fn count(&self) -> Option<u64> {
        match self {
            Node::Whole(count) => u64::try_from(*count).ok(),
            _ => None,
        }
    }

    fn text(&self) -> String {
        match self {
            Node::Text(text) => text.clone(),
            // A value that was read as JSON is written as such.
            other => serde_json::to_string(other).unwrap_or_default(),
        }
    }
}

/// Rows of an answer: a list of records; columns of one length; the names of columns beside rows of values; or one record of
/// plain values, which is a row by itself.
pub(super) fn table(name: &str, found: &Node) -> Option<Table> {
    let columns = match found {
        Node::List(rows) => of_records(rows),
        Node::Record(_) => match (found.get("columns"), found.get("rows")) {
            (Some(Node::List(names)), Some(Node::List(rows))) => of_cells(names, rows),
            _ if is_flat(found) => of_records(std::slice::from_ref(found)),
            _ => of_columns(found),
        },
        _ => return None,
    };
    Some(Table {
        name: name.to_owned().into(),
        columns,
    })
}

fn is_flat(found: &Node) -> bool {
    let Node::Record(fields) = found else {
        return false;
    };
    let nested = |value: &Node| matches!(value, Node::List(_) | Node::Record(_));
    !fields.is_empty() && !fields.iter().any(|(_, value)| nested(value))
}

fn of_records(rows: &[Node]) -> Vec<Column> {
    let whole = too_many(rows);
    let mut columns: Vec<(String, Vec<Node>)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let mut cells = Vec::new();
        flatten("", row, &whole, &mut cells);
        for (place, (name, value)) in cells.into_iter().enumerate() {
            // Most rows have the same fields in the same places.
            let column = match columns.get(place) {
                Some((known, _)) if *known == name => place,
                _ => match columns.iter().position(|(known, _)| *known == name) {
                    Some(column) => column,
                    None => {
                        columns.push((name, vec![Node::Null; at]));
                        columns.len() - 1
                    }
                },
            };
            let values = &mut columns[column].1;
            values.resize(at, Node::Null);
            values.push(value);
        }
    }
    columns
        .into_iter()
        .map(|(name, mut values)| {
            values.resize(rows.len(), Node::Null);
            column(&name, &values)
        })
        .collect()
}

/// Names of the records in the rows that have too many different fields: such a record is one cell.
fn too_many(rows: &[Node]) -> HashSet<String> {
    let mut found: HashMap<String, HashSet<&str>> = HashMap::new();
    for row in rows {
        let Node::Record(fields) = row else { continue };
        let mut waiting: Vec<(String, &Node)> = fields
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .collect();
        while let Some((name, node)) = waiting.pop() {
            let Node::Record(fields) = node else { continue };
            let known = found.entry(name.clone()).or_default();
            for (field, value) in fields {
                if known.len() > FIELDS {
                    break;
                }
                known.insert(field);
                if matches!(value, Node::Record(_)) {
                    waiting.push((format!("{name}_{field}"), value));
                }
            }
        }
    }
    found.retain(|_, fields| fields.len() > FIELDS);
    found.into_keys().collect()
}

/// Fields of fields get both names: `seconds_compute`. A list is one cell, and so is a record of `whole`.
fn flatten(before: &str, node: &Node, whole: &HashSet<String>, cells: &mut Vec<(String, Node)>) {
    let fields = match node {
        Node::Record(fields) if !whole.contains(before) => Some(fields),
        _ => None,
    };
    let Some(fields) = fields else {
        let name = if before.is_empty() { "value" } else { before };
        cells.push((name.to_owned(), node.clone()));
        return;
    };
    for (field, value) in fields {
        let name = match before {
            "" => field.clone(),
            before => format!("{before}_{field}"),
        };
        flatten(&name, value, whole, cells);
    }
}

fn of_cells(names: &[Node], rows: &[Node]) -> Vec<Column> {
    names
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let values: Vec<Node> = rows
                .iter()
                .map(|row| match row {
                    Node::List(cells) => cells.get(at).cloned().unwrap_or(Node::Null),
                    _ => Node::Null,
                })
                .collect();
            column(&name.text(), &values)
        })
        .collect()
}

/// The lists that are as long as the first.
fn of_columns(found: &Node) -> Vec<Column> {
    let Node::Record(fields) = found else {
        return Vec::new();
    };
    let mut length = None;
    let mut columns = Vec::new();
    for (name, value) in fields {
        if let Node::List(values) = value
            && *length.get_or_insert(values.len()) == values.len()
        {
            columns.push(column(name, values));
        }
    }
    columns
}

/// A column of the one type that all its values have; of several it is text.
fn column(name: &str, values: &[Node]) -> Column {
    let told = || values.iter().filter(|value| **value != Node::Null);
    let none = told().next().is_none();
    let all = |is: fn(&Node) -> bool| !none && told().all(is);
    let values = if all(|value| matches!(value, Node::Truth(_))) {
        Values::Truth(each(values, |value| match value {
            Node::Truth(truth) => Some(*truth),
            _ => None,
        }))
    } else if all(|value| matches!(value, Node::Whole(_))) {
        let numbers = each(values, |value| match value {
            Node::Whole(number) => Some(*number),
            _ => None,
        });
        if is_moment(name, &numbers) {
            return Column {
                name: at_name(name).into(),
                values: Values::Moment(numbers),
            };
        }
        Values::Whole(numbers)
    } else if all(|value| matches!(value, Node::Whole(_) | Node::Real(_))) {
        Values::Real(each(values, |value| match value {
            Node::Whole(number) => Some(*number as f64),
            Node::Real(number) => Some(*number),
            _ => None,
        }))
    } else {
        Values::Text(each(values, |value| match value {
            Node::Null => None,
            other => Some(other.text()),
        }))
    };
    Column {
        name: name.to_owned().into(),
        values,
    }
}

fn each<T>(values: &[Node], read: impl Fn(&Node) -> Option<T>) -> Vec<Option<T>> {
    values.iter().map(read).collect()
}

/// `_micros` is a point in time or a length of it; no length is thirty years.
fn is_moment(name: &str, numbers: &[Option<i64>]) -> bool {
    name.ends_with("_micros")
        && numbers
            .iter()
            .flatten()
            .all(|&number| number >= OLDEST_MOMENT)
}

/// `start_micros` is `start_at` where it tells no microseconds any more.
fn at_name(name: &str) -> String {
    match name.strip_suffix("_micros") {
        Some("at") | None => "at".into(),
        Some(stem) => format!("{stem}_at"),
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reading)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Truth(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Whole(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(match i64::try_from(value) {
            Ok(value) => Node::Whole(value),
            Err(_) => Node::Real(value as f64),
        })
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Real(value))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element()? {
            list.push(value);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Node, A::Error> {
        let mut record = Vec::new();
        while let Some(field) = fields.next_entry()? {
            record.push(field);
        }
        Ok(Node::Record(record))
    }

    fn visit_bytes<E: serde::de::Error>(self, _: &[u8]) -> Result<Node, E> {
        Err(E::custom("bytes are not JSON"))
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Null => serializer.serialize_unit(),
            Node::Truth(value) => serializer.serialize_bool(*value),
            Node::Whole(value) => serializer.serialize_i64(*value),
            Node::Real(value) => serializer.serialize_f64(*value),
            Node::Text(value) => serializer.serialize_str(value),
            Node::List(values) => serializer.collect_seq(values),
            Node::Record(fields) => {
                serializer.collect_map(fields.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Node {
        serde_json::from_str(text).unwrap()
    }

    fn columns(text: &str) -> Vec<(String, Values)> {
        let table = table("t", &read(text)).unwrap();
        table
            .columns
            .into_iter()
            .map(|column| (column.name.into_owned(), column.values))
            .collect()
    }

    #[test]
    fn a_record_of_very_many_names_is_one_cell() {
        let rows = |names: usize| {
            let tags: Vec<String> = (0..names)
                .map(|n| format!(r#"{{"id":1,"tags":{{"t{n}":"x"}}}}"#))
                .collect();
            columns(&format!("[{}]", tags.join(",")))
        };
        assert_eq!(rows(FIELDS).len(), 1 + FIELDS);
        let told = rows(FIELDS + 1);
        let names: Vec<&str> = told.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["id", "tags"]);
        let Values::Text(tags) = &told[1].1 else {
            panic!("{:?}", told[1].1)
        };
        assert_eq!(tags[7].as_deref(), Some(r#"{"t7":"x"}"#));
    }

    #[test]
    fn records_become_columns_in_their_order() {
        let told = columns(
            r#"[{"z":1,"seconds":{"compute":0.5},"start_micros":1700000000000000,"lag_micros":20,"deps":["a"],"end":true},
                {"z":null,"seconds":{"compute":2},"start_micros":null,"lag_micros":5,"deps":[],"end":null,"late":"x"}]"#,
        );
        let text =
            |values: [Option<&str>; 2]| Values::Text(values.map(|v| v.map(String::from)).into());
        assert_eq!(
            told,
            vec![
                ("z".into(), Values::Whole(vec![Some(1), None])),
                (
                    "seconds_compute".into(),
                    Values::Real(vec![Some(0.5), Some(2.0)])
                ),
                (
                    "start_at".into(),
                    Values::Moment(vec![Some(1_700_000_000_000_000), None])
                ),
                ("lag_micros".into(), Values::Whole(vec![Some(20), Some(5)])),
                ("deps".into(), text([Some(r#"["a"]"#), Some("[]")])),
                ("end".into(), Values::Truth(vec![Some(true), None])),
                ("late".into(), text([None, Some("x")])),
            ]
        );
    }

    #[test]
    fn columns_of_one_length_and_rows_beside_names_are_tables_too() {
        let told = columns(
            r#"{"at_micros":[1700000000000000,1800000000000000],"n":[1,2],"gaps":[],"x":3}"#,
        );
        assert_eq!(told.len(), 2);
        assert_eq!(told[0].0, "at");
        let told =
            columns(r#"{"columns":["a","b"],"rows":[[1,"x"],[2.5,null]],"truncated":false}"#);
        assert_eq!(told[0].1, Values::Real(vec![Some(1.0), Some(2.5)]));
        assert_eq!(told[1].1, Values::Text(vec![Some("x".into()), None]));
    }

    #[test]
    fn what_lies_deeper_is_found() {
        let node = read(r#"{"flame":{"rows":[{"a":1}],"total":7}}"#);
        let (rows, holds) = node.at("flame.rows").unwrap();
        assert_eq!(rows, &read(r#"[{"a":1}]"#));
        assert_eq!(holds.get("total").and_then(Node::count), Some(7));
        assert!(node.at("nothing").is_none());
        let node = read(r#"{"rows":[{"id":"a","n":[1]},{"id":"b=c","n":[2]}]}"#);
        for (way, found) in [("rows.0.n", "[1]"), ("rows.id=b=c.n", "[2]")] {
            assert_eq!(node.at(way).unwrap().0, &read(found), "{way}");
        }
        assert!(node.at("rows.id=b.n").is_none());
    }
}
