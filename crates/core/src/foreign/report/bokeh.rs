//! A document of Bokeh, of both layouts: a flat list of references (2.x), and objects in one another (3.x). What is looked for
//! are tabs, and the tables and texts in them.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::column::Column;
use super::escape::unescaped;
use crate::foreign::{Outcome, Wrong, is};

/// One tab.
pub(super) struct Panel<'a> {
    pub(super) title: String,
    pub(super) tables: Vec<Table<'a>>,
    /// Of its `Div`s, escaped as they came.
    pub(super) texts: Vec<&'a str>,
}

/// Tabs of one document. A report of Dask has ten.
const PANELS: usize = 64;

/// The columns of a `ColumnDataSource`.
pub(super) struct Table<'a>(HashMap<&'a str, &'a Value>);

impl<'a> Table<'a> {
    pub(super) fn has(&self, columns: &[&str]) -> bool {
        columns.iter().all(|column| self.0.contains_key(column))
    }

    pub(super) fn column(&self, name: &'static str) -> Outcome<Column<'a>> {
        let found = self
            .0
            .get(name)
            .ok_or_else(|| Wrong::Is(format!("a table in it has no column {name}")))?;
        Column::of(found, name)
    }
}

/// What is looked for in a document.
pub(super) struct Document<'a> {
    pub(super) panels: Vec<Panel<'a>>,
}

impl<'a> Document<'a> {
    pub(super) fn of(document: &'a Value) -> Outcome<Self> {
        let mut objects = HashMap::new();
        let mut panels = Vec::new();
        collect(document, &mut objects, &mut panels);
        if panels.len() > PANELS {
            return is("it has more tabs than a report");
        }
        // What several tabs name is of the first: nothing is looked at as often as it is named.
        let mut seen = HashSet::new();
        let panels = panels
            .into_iter()
            .map(|attributes| {
                let mut panel = Panel {
                    title: attributes["title"]
                        .as_str()
                        .map(unescaped)
                        .unwrap_or_default(),
                    tables: Vec::new(),
                    texts: Vec::new(),
                };
                panel.walk(&attributes["child"], &objects, &mut seen);
                panel
            })
            .collect();
        Ok(Self { panels })
    }
}

/// Objects by their id, and the attributes of tabs. As deep as JSON may be.
fn collect<'a>(
    value: &'a Value,
    objects: &mut HashMap<&'a str, &'a Value>,
    panels: &mut Vec<&'a Value>,
) {
    match value {
        Value::Object(fields) => {
            if let Some(attributes) = fields.get("attributes") {
                if let Some(id) = fields.get("id").and_then(Value::as_str) {
                    objects.entry(id).or_insert(value);
                }
                if is_a(value, &["Panel", "TabPanel"]) {
                    panels.push(attributes);
                }
            }
            fields
                .values()
                .for_each(|field| collect(field, objects, panels));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, objects, panels)),
        _ => {}
    }
}

/// Whether an object is of one of these classes: `type` is its class in the old layout, and `name` in the new one.
fn is_a(value: &Value, classes: &[&str]) -> bool {
    ["name", "type"]
        .iter()
        .filter_map(|field| value[field].as_str())
        .any(|class| classes.contains(&class))
}

impl<'a> Panel<'a> {
    /// Every object once, also where they name each other in a circle.
    fn walk(
        &mut self,
        value: &'a Value,
        objects: &HashMap<&'a str, &'a Value>,
        seen: &mut HashSet<*const Value>,
    ) {
        let mut waiting = vec![value];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Object(fields) => {
                    let Some(attributes) = fields.get("attributes") else {
                        let named = fields
                            .get("id")
                            .and_then(Value::as_str)
                            .and_then(|id| objects.get(id));
                        match named {
                            Some(named) if fields.len() == 1 => waiting.push(named),
                            _ => waiting.extend(fields.values()),
                        }
                        continue;
                    };
                    if !seen.insert(value) {
                        continue;
                    }
                    if is_a(value, &["ColumnDataSource"]) {
                        self.tables.extend(table(&attributes["data"]));
                    } else if is_a(value, &["Div"]) {
                        self.texts.extend(attributes["text"].as_str());
                    }
                    waiting.extend(
                        attributes
                            .as_object()
                            .into_iter()
                            .flat_map(serde_json::Map::values),
                    );
                }
                Value::Array(items) => waiting.extend(
                    items
                        .iter()
                        .filter(|item| item.is_object() || item.is_array()),
                ),
                _ => {}
            }
        }
    }
}

/// `{column: list}`, or `{type: map, entries: [[column, list], …]}`.
fn table(data: &Value) -> Option<Table<'_>> {
    let fields = data.as_object()?;
    let columns = match fields.get("entries") {
        Some(entries) => entries
            .as_array()?
            .iter()
            .filter_map(|entry| Some((entry.get(0)?.as_str()?, entry.get(1)?)))
            .collect(),
        None => fields
            .iter()
            .map(|(name, column)| (name.as_str(), column))
            .collect(),
    };
    Some(Table(columns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_layouts_give_the_same() {
        let flat = json!({"roots": {"references": [
            {"type": "Panel", "id": "1", "attributes": {"title": "A &lt;b&gt;", "child": {"id": "2"}}},
            {"type": "Figure", "id": "2", "attributes": {"renderers": [{"id": "3"}, {"id": "2"}, {"id": "9"}]}},
            {"type": "ColumnDataSource", "id": "3", "attributes": {"data": {"x": [1, 2]}}},
            {"type": "ColumnDataSource", "id": "4", "attributes": {"data": {"y": [1]}}},
        ]}});
        let nested = json!({"roots": [{"type": "object", "name": "Tabs", "id": "p1", "attributes": {"tabs": [
            {"type": "object", "name": "TabPanel", "id": "p2", "attributes": {"title": "A &lt;b&gt;", "child":
                {"type": "object", "name": "Figure", "id": "p3", "attributes": {"source":
                    {"type": "object", "name": "ColumnDataSource", "id": "p4", "attributes":
                        {"data": {"type": "map", "entries": [["x", [1, 2]]]}}}}}}},
        ]}}]});
        for document in [flat, nested] {
            let read = Document::of(&document).unwrap();
            let [panel] = &read.panels[..] else {
                panic!("{document}")
            };
            assert_eq!(panel.title, "A <b>");
            let [table] = &panel.tables[..] else {
                panic!("{document}")
            };
            assert!(table.has(&["x"]) && !table.has(&["x", "y"]));
            assert_eq!(table.column("x").unwrap().numbers().unwrap(), [1.0, 2.0]);
        }
    }

    #[test]
    fn what_many_tabs_name_is_looked_at_once() {
        let document = |tabs: usize| {
            let panel = |_| json!({"type": "Panel", "attributes": {"title": "compute", "child": {"id": "d"}}});
            let mut objects: Vec<Value> = (0..tabs).map(panel).collect();
            objects.push(json!({"type": "Div", "id": "d", "attributes": {"text": "&amp;".repeat(9), "next": {"id": "s"}}}));
            objects.push(
                json!({"type": "ColumnDataSource", "id": "s", "attributes": {"data": {"x": [1]}}}),
            );
            json!({ "references": objects })
        };
        let most = document(PANELS);
        let read = Document::of(&most).unwrap();
        let texts = read.panels.iter().map(|panel| panel.texts.len());
        let tables = read.panels.iter().map(|panel| panel.tables.len());
        assert_eq!((texts.sum::<usize>(), tables.sum::<usize>()), (1, 1));
        assert!(Document::of(&document(PANELS + 1)).is_err());
    }
}
