//! The heat-map of the overview: a measure by user, project, host or name over time.

use bobbin_core::api::{self, App, HeatMap, HeatMapRequest, HeatRow, HeatRows, Measure};
use chrono::{Datelike, Timelike};
use chrono_tz::Tz;

use super::sheet::{LABEL, SMALL, Sheet, Side};
use super::{Key, MARGIN, close, legend, nothing, open, scale, words};
use crate::Result;

const HEAT: [&str; 6] = ["heat-0", "heat-1", "heat-2", "heat-3", "heat-4", "heat-5"];
/// Strokes over a cell of clusters that reported, but not this.
const UNTOLD: &str = "line-2";
const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const DAY: i64 = 86_400_000_000;
/// Days of one row from which on weeks are columns.
const MANY_DAYS: usize = 45;

/// What a cell says: how much, and how many clusters reported.
type Cell = Option<(Option<f64>, u32)>;

struct Line {
    label: String,
    cells: Vec<Cell>,
}

struct Grid {
    lines: Vec<Line>,
    /// Over the columns; empty is none.
    labels: Vec<String>,
}

pub(super) fn draw(
    app: &App,
    asked: &HeatMapRequest,
    zone: Tz,
    width: Option<f64>,
) -> Result<Sheet> {
    let map = api::heat_map(app, asked.clone())?;
    let grid = grid(&map, asked, zone);
    let columns = grid.lines.first().map_or(0, |line| line.cells.len());
    let label_wide = grid
        .lines
        .iter()
        .map(|line| LABEL.wide(&LABEL.cut(&line.label, 180.0)))
        .fold(40.0, f64::max)
        + 12.0;
    let width = width.unwrap_or_else(|| {
        (2.0 * MARGIN + label_wide + 24.0 * columns as f64).clamp(640.0, 1200.0)
    });
    let mut sheet = Sheet::new(width);
    let mut about = vec![measure(map.measure).1.to_owned()];
    if let (Some(from), Some(to)) = (asked.edges.first(), asked.edges.last()) {
        about.insert(0, words::span(*from, *to, zone));
    }
    let title = match map.by {
        HeatRows::Everything => measure(map.measure).0.to_owned(),
        by => format!("{} by {}", measure(map.measure).0, rows_are(by)),
    };
    let top = open(&mut sheet, &title, &about.join(" · "));
    let values: Vec<f64> = grid
        .lines
        .iter()
        .flat_map(|line| line.cells.iter().flatten())
        .filter_map(|(value, _)| *value)
        .collect();
    // Reported, but not this.
    let untold = grid
        .lines
        .iter()
        .flat_map(|line| line.cells.iter().flatten())
        .any(|(value, clusters)| value.is_none() && *clusters > 0);
    let blank = values.is_empty() && !untold;
    let mut bottom = if blank {
        nothing(&mut sheet, top, "Nothing was reported in this time.")
    } else {
        cells(
            &mut sheet,
            &grid,
            top,
            label_wide,
            &scale::breaks(&values, HEAT.len()),
        )
    };
    if !blank {
        bottom = legend(&mut sheet, bottom + 14.0, &classes(&map, &values, untold));
    }
    let source = format!(
        "all clusters of this store · {}",
        match map.measure {
            Measure::Cost => format!("money in {}", map.currency),
            Measure::MemoryPeak => "1 KiB = 1,024 bytes".into(),
            Measure::Failures => "tasks that raised an exception themselves".into(),
            Measure::Compute | Measure::Cluster | Measure::Idle | Measure::Stalled =>
                "1 core-h is one thread for one hour".into(),
        }
    );
    close(&mut sheet, app, bottom, zone, &source);
    Ok(sheet)
}

fn cells(sheet: &mut Sheet, grid: &Grid, top: f64, label_wide: f64, breaks: &[f64]) -> f64 {
    let left = MARGIN + label_wide;
    let columns = grid.lines.first().map_or(1, |line| line.cells.len().max(1));
    let wide = ((sheet.width - MARGIN - left) / columns as f64).min(40.0);
    let gap = if wide >= 6.0 { 1.0 } else { 0.0 };
    let high = 22.0;
    let mut free = f64::MIN;
    for (at, label) in grid
        .labels
        .iter()
        .enumerate()
        .filter(|(_, label)| !label.is_empty())
    {
        let x = left + at as f64 * wide;
        if x >= free && x + SMALL.wide(label) <= sheet.width - MARGIN {
            sheet.text((x, top + 9.0), Side::Left, SMALL, label);
            free = x + SMALL.wide(label) + 8.0;
        }
    }
    let top = top + 16.0;
    for (row, line) in grid.lines.iter().enumerate() {
        let y = top + row as f64 * high;
        let label = LABEL.cut(&line.label, label_wide - 12.0);
        sheet.text((left - 10.0, y + 15.0), Side::Right, LABEL, &label);
        for (at, cell) in line.cells.iter().enumerate() {
            let x = left + at as f64 * wide;
            let (w, h) = ((wide - gap).max(1.0), high - 1.0);
            match cell {
                None => {}
                Some((None, 0)) => sheet.fill(x, y, w, h, "heat-none"),
                Some((None, _)) => {
                    sheet.fill(x, y, w, h, "heat-none");
                    sheet.hatch(x, y, w, h, UNTOLD);
                }
                Some((Some(0.0), _)) => {
                    sheet.fill(x, y, w, h, "surface");
                    sheet.frame(x + 0.5, y + 0.5, w - 1.0, h - 1.0, 1.0, "line-2");
                }
                Some((Some(value), _)) => sheet.fill(x, y, w, h, heat(*value, breaks)),
            }
        }
    }
    top + grid.lines.len() as f64 * high
}

/// With few classes the strong end is used, so that a lone value can be seen.
fn heat(value: f64, breaks: &[f64]) -> &'static str {
    HEAT[(HEAT.len() - 1 - breaks.len() + scale::class_of(value, breaks)).min(HEAT.len() - 1)]
}

/// The colours with the values that they stand for.
fn classes(map: &HeatMap, values: &[f64], untold: bool) -> Vec<Key> {
    let breaks = scale::breaks(values, HEAT.len());
    let first = HEAT.len() - 1 - breaks.len();
    let say = |value: f64| say(map, value);
    let most = values.iter().copied().fold(0.0, f64::max);
    let mut rows = Vec::new();
    if values.contains(&0.0) {
        rows.push(Key::of("surface", "none"));
    }
    let to = match map.measure {
        Measure::Cost => "up to",
        _ => "≤",
    };
    for (at, token) in HEAT[first..].iter().enumerate() {
        if most > 0.0 {
            let last = breaks.get(at).copied().unwrap_or(most);
            rows.push(Key::of(token, format!("{to} {}", say(last))));
        }
    }
    if untold {
        rows.push(Key::of("heat-none", "not available").hatched(UNTOLD));
    }
    rows.push(Key::of("heat-none", "nothing reported"));
    rows
}

fn say(map: &HeatMap, value: f64) -> String {
    match map.measure {
        Measure::Compute | Measure::Cluster | Measure::Idle | Measure::Stalled => {
            words::core_time(value)
        }
        Measure::Cost => format!("{} {}", words::three(value / 1e9), map.currency),
        Measure::Failures => words::count(value as u64),
        Measure::MemoryPeak => words::bytes(value),
    }
}

fn measure(measure: Measure) -> (&'static str, &'static str) {
    match measure {
        Measure::Compute => ("Compute time", "time threads spent in your functions"),
        Measure::Cluster => ("Cluster time", "threads × uptime, including idle time"),
        Measure::Cost => (
            "Cost",
            "by the price that applied when each cluster started",
        ),
        Measure::Idle => ("Idle time", "cluster time when threads had nothing to do"),
        Measure::Stalled => (
            "Stalled time",
            "cluster time lost while no assigned work finished",
        ),
        Measure::Failures => ("Erred tasks", "tasks that raised an exception themselves"),
        Measure::MemoryPeak => ("Peak memory", "highest memory use of any one cluster"),
    }
}

fn rows_are(by: HeatRows) -> &'static str {
    match by {
        HeatRows::User => "user",
        HeatRows::Project => "project",
        HeatRows::Host => "host",
        HeatRows::Name => "cluster",
        HeatRows::Span => "span",
        HeatRows::Everything => "day",
    }
}

fn label_of(map: &HeatMap, row: &HeatRow) -> String {
    match (row.others, &row.key) {
        (0, Some(key)) => key.clone(),
        (0, None) => match map.by {
            HeatRows::User => "user not sent",
            HeatRows::Project => "no project",
            HeatRows::Host => "host not sent",
            HeatRows::Name => "no name",
            HeatRows::Span => "no span",
            HeatRows::Everything => "all clusters",
        }
        .into(),
        (others, _) => format!("{} others", words::count(others)),
    }
}

fn cell(row: &HeatRow, at: usize) -> Cell {
    let value = row.values.get(at).copied()?;
    Some((value, row.clusters.get(at).copied().unwrap_or(0)))
}

fn grid(map: &HeatMap, asked: &HeatMapRequest, zone: Tz) -> Grid {
    let columns = map.rows.first().map_or(0, |row| row.values.len());
    let days = asked.columns.is_empty()
        && asked
            .edges
            .windows(2)
            .all(|pair| pair[1].0 - pair[0].0 > DAY / 2);
    match (map.by, map.rows.first()) {
        // Hours of the week.
        (HeatRows::Everything, Some(row)) if columns == 168 && !asked.columns.is_empty() => Grid {
            lines: WEEKDAYS
                .iter()
                .enumerate()
                .map(|(weekday, name)| Line {
                    label: (*name).into(),
                    cells: (0..24).map(|hour| cell(row, weekday * 24 + hour)).collect(),
                })
                .collect(),
            labels: (0..24)
                .map(|hour| match hour % 3 {
                    0 => format!("{hour:02}:00"),
                    _ => String::new(),
                })
                .collect(),
        },
        (HeatRows::Everything, Some(row)) if days && columns > MANY_DAYS => {
            calendar(row, asked, zone)
        }
        _ => Grid {
            lines: map
                .rows
                .iter()
                .map(|row| Line {
                    label: label_of(map, row),
                    cells: (0..columns).map(|at| cell(row, at)).collect(),
                })
                .collect(),
            labels: labels(asked, columns, days, zone),
        },
    }
}

/// Weekdays below each other, weeks beside each other.
fn calendar(row: &HeatRow, asked: &HeatMapRequest, zone: Tz) -> Grid {
    let mut lines: Vec<Line> = WEEKDAYS
        .iter()
        .map(|name| Line {
            label: (*name).into(),
            cells: Vec::new(),
        })
        .collect();
    let mut labels = Vec::new();
    let mut month = 0;
    for (at, edge) in asked.edges.iter().enumerate().take(row.values.len()) {
        let day = words::at(edge.0, zone);
        let weekday = day.weekday().num_days_from_monday() as usize;
        if at == 0 || weekday == 0 {
            for line in &mut lines {
                line.cells.push(None);
            }
            let name = match day.month() {
                same if same == month => String::new(),
                _ => day.format("%b").to_string(),
            };
            month = day.month();
            labels.push(name);
        }
        if let Some(place) = lines[weekday].cells.last_mut() {
            *place = cell(row, at);
        }
    }
    Grid { lines, labels }
}

fn labels(asked: &HeatMapRequest, columns: usize, days: bool, zone: Tz) -> Vec<String> {
    if !asked.columns.is_empty() {
        return Vec::new();
    }
    let mut month = 0;
    asked
        .edges
        .iter()
        .take(columns)
        .map(|edge| {
            let at = words::at(edge.0, zone);
            let first = at.month() != month;
            if !days && at.hour() != 0 {
                return String::new();
            }
            month = at.month();
            match first {
                true => format!("{} {}", at.day(), at.format("%b")),
                false => at.day().to_string(),
            }
        })
        .collect()
}
