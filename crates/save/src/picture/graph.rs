//! The graph of one cluster's task groups, folded and laid out as on the page.

use bobbin_core::api::{self, App, Graph, GraphFold, GraphMeasure, GraphNode, GraphRequest, Money};
use bobbin_core::model::visible::plain;
use chrono_tz::Tz;

use super::sheet::{HEAD, LONGEST, SMALL, Sheet, Side, Style, distance};
use super::{Key, MARGIN, close, legend, nothing, open, words};
use crate::Result;

/// Below this, names in nodes cannot be read, and the picture is cut instead.
const SMALLEST: f64 = 0.35;
/// Room below for the legend and the source.
const BELOW: f64 = 120.0;

pub(super) fn draw(
    app: &App,
    asked: &GraphRequest,
    name: &str,
    zone: Tz,
    width: Option<f64>,
) -> Result<Sheet> {
    let graph = api::graph(app, asked.clone())?;
    let (all_wide, all_high) = (f64::from(graph.width), f64::from(graph.height));
    // As large as on the page where there is room; else as large as fits.
    let natural = (all_wide + 2.0 * MARGIN).clamp(640.0, 4_000.0);
    let width = width.unwrap_or(natural);
    let room = width - 2.0 * MARGIN;
    let zoom = (room / all_wide.max(1.0))
        .min((LONGEST - 300.0) / all_high.max(1.0))
        .clamp(SMALLEST, 1.0);
    let wide = all_wide * zoom + 2.0 * MARGIN;
    let mut sheet = Sheet::new(width.max(wide.min(LONGEST)));
    let (label, unit) = measure(asked.measure);
    let mut about = format!(
        "{} of {} · area by {label}",
        words::count(graph.groups),
        words::plural(graph.total, "task group"),
    );
    if graph.nodes.len() as u64 != graph.groups {
        about.push_str(&format!(
            ", in {}",
            words::plural(graph.nodes.len() as u64, "node")
        ));
    }
    let top = open(&mut sheet, &format!("Task groups of {name}"), &about);
    let mut without_room = 0;
    let bottom = if graph.nodes.is_empty() {
        nothing(&mut sheet, top, "No task groups were reported.")
    } else {
        let place = Place {
            zoom,
            top,
            end: (sheet.width, LONGEST - BELOW),
        };
        edges(&mut sheet, &graph, place);
        for node in &graph.nodes {
            if place.holds_node(&graph, node) {
                draw_node(&mut sheet, &graph, node, asked.measure, place);
            } else {
                without_room += node.groups;
            }
        }
        let drawn = (top + all_high * zoom).min(LONGEST - BELOW);
        let rows = [
            Key::of("state-processing", "done, by area"),
            Key::of("state-waiting", "remaining"),
            Key::of("state-erred", "erred").hatched("surface"),
            Key::of("ink", "critical path"),
        ];
        legend(&mut sheet, drawn + 12.0, &rows)
    };
    let mut source = format!("cluster {name} · {unit}");
    if graph.truncated {
        source.push_str(" · more groups were reported than drawn");
    }
    if without_room > 0 {
        let groups = words::plural(without_room, "task group");
        source.push_str(&format!(" · left out for lack of room: {groups}"));
    }
    close(&mut sheet, app, bottom, zone, &source);
    Ok(sheet)
}

#[derive(Clone, Copy)]
struct Place {
    zoom: f64,
    top: f64,
    /// How far to the right and down there is room.
    end: (f64, f64),
}

impl Place {
    fn at(self, x: f64, y: f64) -> (f64, f64) {
        (MARGIN + x * self.zoom, self.top + y * self.zoom)
    }

    fn holds(self, (x, y): (f64, f64)) -> bool {
        x <= self.end.0 && y <= self.end.1
    }

    fn holds_node(self, graph: &Graph, node: &GraphNode) -> bool {
        let right = f64::from(node.x) + f64::from(graph.node_width);
        let below = f64::from(node.y) + f64::from(graph.node_height);
        self.holds(self.at(right, below))
    }
}

fn edges(sheet: &mut Sheet, graph: &Graph, place: Place) {
    let most = graph
        .edges
        .iter()
        .filter_map(|edge| edge.bytes)
        .max()
        .unwrap_or(0);
    // Those on the critical path lie over the others.
    for critical in [false, true] {
        for edge in graph
            .edges
            .iter()
            .filter(|edge| edge.on_critical_path == critical)
        {
            let wide = match edge.bytes {
                Some(bytes) if most > 0 => 1.0 + 6.0 * (bytes as f64 / most as f64).sqrt(),
                _ => 1.0,
            };
            let points: Vec<(f64, f64)> = smooth(&edge.points)
                .into_iter()
                .map(|(x, y)| place.at(x, y))
                .collect();
            if !points.iter().all(|point| place.holds(*point)) {
                continue;
            }
            let ink = if critical { "ink" } else { "line-2" };
            let wide = (wide * place.zoom).max(1.0);
            match edge.bytes {
                None if !critical => sheet.dashes(&points, 1.0, ink),
                _ => sheet.line(points.clone(), wide, ink),
            }
            arrow(
                sheet,
                &points,
                place.zoom,
                if critical { "ink" } else { "ink-3" },
            );
        }
    }
}

/// The way of an edge: level where it leaves, passes and ends, and smooth between.
fn smooth(points: &[i32]) -> Vec<(f64, f64)> {
    const STEPS: usize = 12;
    let corners: Vec<(f64, f64)> = points
        .chunks_exact(2)
        .map(|pair| (f64::from(pair[0]), f64::from(pair[1])))
        .collect();
    let mut out: Vec<(f64, f64)> = corners.first().copied().into_iter().collect();
    for pair in corners.windows(2) {
        let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
        let across = (to_x - x).abs() >= (to_y - y).abs();
        for step in 1..=STEPS {
            let part = step as f64 / STEPS as f64;
            let eased = part * part * (3.0 - 2.0 * part);
            out.push(match across {
                true => (x + (to_x - x) * part, y + (to_y - y) * eased),
                false => (x + (to_x - x) * eased, y + (to_y - y) * part),
            });
        }
    }
    out
}

fn arrow(sheet: &mut Sheet, points: &[(f64, f64)], zoom: f64, ink: &'static str) {
    let [.., before, end] = points else {
        return;
    };
    let length = distance(*before, *end).max(1e-9);
    let (x, y) = ((end.0 - before.0) / length, (end.1 - before.1) / length);
    let size = (8.0 * zoom).max(4.0);
    let back = (end.0 - x * size, end.1 - y * size);
    let half = size / 2.0;
    let corners = vec![
        *end,
        (back.0 - y * half, back.1 + x * half),
        (back.0 + y * half, back.1 - x * half),
    ];
    sheet.area(corners, ink);
}

fn draw_node(
    sheet: &mut Sheet,
    graph: &Graph,
    node: &GraphNode,
    measured: GraphMeasure,
    place: Place,
) {
    let zoom = place.zoom;
    let (x, y) = place.at(f64::from(node.x), f64::from(node.y));
    let (wide, high) = (
        f64::from(graph.node_width) * zoom,
        f64::from(graph.node_height) * zoom,
    );
    let (edge, stroke) = match node.on_critical_path {
        true => ("ink", 2.0),
        false => ("line-2", 1.0),
    };
    if node.fold.is_some() {
        // Several in one: cards behind it.
        for behind in [6.0, 3.0] {
            let off = behind * zoom;
            sheet.fill(x + off, y - off, wide - off, high, "surface");
            sheet.frame(x + off, y - off, wide - off, high, 1.0, "line-2");
        }
    }
    sheet.fill(x, y, wide, high, "surface");
    sheet.frame(x, y, wide, high, stroke, edge);
    let side = match graph.measure_most > 0.0 {
        true => (34.0 * (node.measure.max(0.0) / graph.measure_most).sqrt()).max(6.0),
        false => 6.0,
    } * zoom;
    let (middle_x, middle_y) = (x + 27.0 * zoom, y + 63.0 * zoom);
    let (left, top) = (middle_x - side / 2.0, middle_y - side / 2.0);
    sheet.fill(left, top, side, side, "state-waiting");
    if node.tasks > 0 {
        let done = side * (node.done as f64 / node.tasks as f64).min(1.0);
        sheet.fill(left, top + side - done, side, done, "state-processing");
        if node.erred > 0 {
            let erred = (side * node.erred as f64 / node.tasks as f64).clamp(4f64.min(side), side);
            let from = top + side - done.max(erred);
            sheet.fill(left, from, side, erred, "state-erred");
            sheet.hatch(left, from, side, erred, "surface");
        }
    }
    let title = match (node.fold, &*node.prefix) {
        (None, "") => node.name.clone(),
        (None, prefix) => prefix.to_owned(),
        (Some(fold), _) => format!("{} {}", words::count(node.groups), held(fold)),
    };
    let head = HEAD.size(13.0 * zoom);
    let small = SMALL.size(11.0 * zoom).ink("ink-2");
    let room = wide - 16.0 * zoom;
    let lines = two_lines(head, &title, room);
    let top = if lines.len() == 1 { 26.0 } else { 18.0 };
    for (line, text) in lines.iter().enumerate() {
        let at = (x + 8.0 * zoom, y + (top + 16.0 * line as f64) * zoom);
        sheet.text(at, Side::Left, head, text);
    }
    let figures = [
        words::plural(node.tasks, "task"),
        say(measured, node, graph.currency.as_deref()),
    ];
    for (line, text) in figures.iter().enumerate() {
        let at = (x + 54.0 * zoom, y + (60.0 + 18.0 * line as f64) * zoom);
        sheet.text(at, Side::Left, small, &small.cut(text, wide - 60.0 * zoom));
    }
}

/// A name in one line, or in two that are parted where a word of it ends. A short first line is better than a word that is cut.
fn two_lines(style: Style, text: &str, room: f64) -> Vec<String> {
    let text = plain(text);
    let first = style.cut(&text, room);
    let Some(shown) = first.strip_suffix('…') else {
        return vec![first];
    };
    let letters = shown.chars().count();
    let ends = |letter: char| letter.is_whitespace() || "-_.,:;/|".contains(letter);
    let rest = |at| text.chars().skip(at).collect::<String>();
    let fits = |at| style.wide(rest(at).trim_start()) <= room;
    let at = shown
        .chars()
        .enumerate()
        .map(|(place, letter)| (place + 1, letter))
        .filter(|&(at, letter)| ends(letter) && (at > letters / 2 || (at > 1 && fits(at))))
        .last()
        .map_or(letters, |(at, _)| at);
    let begin: String = text.chars().take(at).collect();
    vec![
        begin.trim_end().to_owned(),
        style.cut(rest(at).trim_start(), room),
    ]
}

/// What a fold holds, in the page's words.
fn held(fold: GraphFold) -> &'static str {
    match fold {
        GraphFold::Chain => "chained groups",
        GraphFold::Siblings => "sibling groups",
        GraphFold::SingleTasks => "single tasks",
        GraphFold::Small | GraphFold::Layers => "small groups",
    }
}

fn measure(measure: GraphMeasure) -> (&'static str, &'static str) {
    match measure {
        GraphMeasure::Compute => ("compute time", "1 core-s is one thread for one second"),
        GraphMeasure::Bytes => ("total size of results", "1 KiB = 1,024 bytes"),
        GraphMeasure::Transfer => ("transfer time", "1 core-s is one thread for one second"),
        GraphMeasure::Cost => ("cost", "cost is estimated from thread time and its price"),
    }
}

fn say(measured: GraphMeasure, node: &GraphNode, currency: Option<&str>) -> String {
    match measured {
        GraphMeasure::Bytes => words::bytes(node.measure),
        GraphMeasure::Cost => match node.money {
            // As on the page, where there is no room for a range.
            Some(Money { high_nanos, .. }) => {
                let most = Money {
                    low_nanos: high_nanos,
                    high_nanos,
                };
                format!("≤ {}", api::money_words(most, currency.unwrap_or_default()))
            }
            None => "no price".into(),
        },
        GraphMeasure::Compute | GraphMeasure::Transfer => match node.measure {
            0.0 => "0 core-s".into(),
            seconds => words::core_time(seconds),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_parted_where_a_word_of_it_ends_and_the_rest_then_fits() {
        let lines = |text: &str, like: &str| two_lines(HEAD, text, HEAD.wide(like));
        assert_eq!(lines("read-csv", "read-csv"), ["read-csv"]);
        assert_eq!(
            lines("shuffle-transfer", "shuffle-tran"),
            ["shuffle-", "transfer"]
        );
        assert_eq!(lines("to-duplicate", "duplicate-"), ["to-", "duplicate"]);
    }
}
