//! Workers, threads and memory of one cluster over time, one below the other.

use bobbin_core::api::{self, App, ThreadUse, ThreadUseRequest, Timeline, TimelineRequest};
use bobbin_core::model::Micros;
use chrono::Offset as _;
use chrono_tz::Tz;

use super::sheet::{HEAD, LABEL, SMALL, Sheet, Side};
use super::{MARGIN, close, nothing, open, scale, words};
use crate::Result;

/// Room for the words of the axis.
const AXIS: f64 = 72.0;
const HIGH: f64 = 150.0;
/// Blues for computing, the one with the most lowest and furthest from the ground.
const BLUES: [&str; 4] = ["heat-5", "heat-4", "heat-3", "heat-2"];

type Values = Vec<Option<f64>>;

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    /// On what is below it.
    Stack,
    Line,
    Dashes,
}

struct Series {
    label: String,
    ink: &'static str,
    look: Look,
    /// Whether a value holds until the next, or is joined to it.
    holds: bool,
    values: Values,
    /// Strokes over it.
    hatched: bool,
}

struct Chart {
    title: &'static str,
    /// Of each value.
    at: Vec<i64>,
    series: Vec<Series>,
    say: fn(f64) -> String,
    bytes: bool,
    ceiling: Option<f64>,
}

pub(super) fn draw(
    app: &App,
    id: i64,
    name: &str,
    (from_micros, to_micros): (Option<Micros>, Option<Micros>),
    zone: Tz,
    width: Option<f64>,
) -> Result<Sheet> {
    let mut sheet = Sheet::new(width.unwrap_or(1000.0));
    let told = api::timeline(
        app,
        TimelineRequest {
            id,
            from_micros,
            to_micros,
            points: 0,
        },
    )?;
    let used = api::thread_use(
        app,
        ThreadUseRequest {
            id,
            from_micros,
            to_micros,
            bins: 0,
            prefixes: 0,
        },
    )?;
    let span = told.at_micros.first().zip(told.at_micros.last());
    let about = match span {
        Some((from, to)) => format!(
            "{} · {} samples",
            words::span(*from, *to, zone),
            words::count(told.at_micros.len() as u64)
        ),
        None => "no samples in this time".into(),
    };
    let top = open(&mut sheet, &format!("Timeline of {name}"), &about);
    let bottom = match span {
        Some((from, to)) => {
            let to = to.0.max(from.0 + 1_000_000);
            let mut y = top;
            for chart in charts(&told, &used) {
                y = panel(&mut sheet, &chart, y, (from.0, to), &told, zone);
            }
            y
        }
        None => nothing(&mut sheet, top, "No samples were reported in this time."),
    };
    let gaps: u64 = told.gaps.iter().map(|gap| gap.missing_records).sum();
    let mut source = format!("cluster {name} · 1 KiB = 1,024 bytes");
    if gaps > 0 {
        source.push_str(&format!(
            " · {} never arrived (hatched)",
            words::plural(gaps, "record")
        ));
    }
    close(&mut sheet, app, bottom - 6.0, zone, &source);
    Ok(sheet)
}

fn charts(told: &Timeline, used: &ThreadUse) -> Vec<Chart> {
    let at: Vec<i64> = told.at_micros.iter().map(|at| at.0).collect();
    let whole = |values: &[u64]| -> Values { values.iter().map(|&n| Some(n as f64)).collect() };
    let some =
        |values: &[Option<u64>]| -> Values { values.iter().map(|n| n.map(|n| n as f64)).collect() };
    let series = |label: &str, ink, look, holds, values| Series {
        label: label.to_owned(),
        ink,
        look,
        holds,
        values,
        hatched: false,
    };
    let mut charts = vec![Chart {
        title: "Workers",
        at: at.clone(),
        series: vec![series(
            "workers",
            "data-compute",
            Look::Stack,
            true,
            whole(&told.workers),
        )],
        say: |n| words::count(n as u64),
        bytes: false,
        ceiling: None,
    }];
    if let Some(from) = used.from_micros {
        let mut moments = vec![from.0];
        moments.extend(used.at_micros.iter().map(|at| at.0));
        // A bin's value stands for the time before its moment: it holds from the one before.
        let before = |values: &[Option<f64>]| -> Values {
            let mut values = values.to_vec();
            values.push(values.last().copied().flatten());
            values
        };
        charts.push(Chart {
            title: "Threads",
            at: moments.clone(),
            series: vec![
                series(
                    "computing, on average",
                    "data-compute",
                    Look::Stack,
                    true,
                    before(&used.threads_computing),
                ),
                series(
                    "threads",
                    "data-limit",
                    Look::Dashes,
                    true,
                    before(&used.threads),
                ),
            ],
            say: words::three,
            bytes: false,
            ceiling: None,
        });
        charts.push(Chart {
            title: "What threads did",
            at: moments,
            series: shares(used, &before),
            say: words::share,
            bytes: false,
            ceiling: Some(1.0),
        });
    }
    charts.push(Chart {
        title: "Memory",
        at,
        series: vec![
            series(
                "managed",
                "data-managed",
                Look::Stack,
                false,
                some(&told.memory_managed_bytes),
            ),
            series(
                "unmanaged",
                "data-unmanaged",
                Look::Stack,
                false,
                some(&told.memory_unmanaged_bytes),
            ),
            series(
                "spilled",
                "data-spilled",
                Look::Line,
                false,
                some(&told.memory_spilled_bytes),
            ),
            series(
                "limit",
                "data-limit",
                Look::Dashes,
                true,
                some(&told.memory_limit_bytes),
            ),
        ],
        say: words::bytes,
        bytes: true,
        ceiling: None,
    });
    charts
}

fn shares(used: &ThreadUse, before: &impl Fn(&[Option<f64>]) -> Values) -> Vec<Series> {
    let stack = |label: String, ink, hatched, values| Series {
        label,
        ink,
        look: Look::Stack,
        holds: true,
        values,
        hatched,
    };
    let mut all: Vec<Series> = Vec::new();
    for (at, part) in used.computing.iter().enumerate() {
        all.push(match &part.prefix {
            Some(prefix) => stack(
                prefix.clone(),
                BLUES[at % BLUES.len()],
                false,
                before(&part.share),
            ),
            None => stack(
                "other prefixes".into(),
                "heat-1",
                false,
                before(&part.share),
            ),
        });
    }
    let others = [
        ("Transfer", "data-transfer", &used.transfer),
        ("Disk read", "data-disk-read", &used.disk_read),
        ("Disk write", "data-disk-write", &used.disk_write),
        ("Deserialize", "data-deserialize", &used.deserialize),
        ("Other", "data-other", &used.other),
        ("Stalled", "stalled", &used.stalled),
    ];
    for (label, ink, values) in others {
        all.push(stack(
            label.into(),
            ink,
            ["Transfer", "Stalled"].contains(&label),
            before(values),
        ));
    }
    // What is zero all the time has no part.
    all.retain(|series| series.values.iter().flatten().any(|&value| value > 0.0));
    all
}

/// Title and series of a chart, on as many lines as they need; gives where the plot begins.
fn legend(sheet: &mut Sheet, chart: &Chart, mut top: f64) -> f64 {
    sheet.text((MARGIN, top + 12.0), Side::Left, HEAD, chart.title);
    let first = MARGIN + HEAD.wide(chart.title) + 20.0;
    let mut x = first;
    for series in &chart.series {
        let words = LABEL.cut(&series.label, 220.0);
        if x > first && x + 18.0 + LABEL.wide(&words) > sheet.width - MARGIN {
            (x, top) = (first, top + 18.0);
        }
        match series.look {
            Look::Stack => sheet.fill(x, top + 2.0, 12.0, 12.0, series.ink),
            Look::Line => sheet.line(vec![(x, top + 8.0), (x + 12.0, top + 8.0)], 2.0, series.ink),
            Look::Dashes => {
                sheet.dashes(&[(x, top + 8.0), (x + 14.0, top + 8.0)], 1.5, series.ink);
            }
        }
        if series.hatched {
            sheet.hatch(x, top + 2.0, 12.0, 12.0, "surface");
        }
        sheet.text((x + 18.0, top + 12.0), Side::Left, LABEL, &words);
        x += 18.0 + LABEL.wide(&words) + 14.0;
    }
    top + 26.0
}

/// One chart; gives where the next begins.
fn panel(
    sheet: &mut Sheet,
    chart: &Chart,
    top: f64,
    (from, to): (i64, i64),
    told: &Timeline,
    zone: Tz,
) -> f64 {
    let top = legend(sheet, chart, top);
    let (left, right) = (MARGIN + AXIS, sheet.width - MARGIN);
    let stacked = stacked(&chart.series, chart.at.len());
    let most = chart
        .series
        .iter()
        .filter(|series| series.look != Look::Stack)
        .flat_map(|series| series.values.iter().flatten())
        .chain(
            stacked
                .iter()
                .flat_map(|rows| rows.iter().flatten().map(|(_, over)| over)),
        )
        .copied()
        .fold(0.0, f64::max);
    let ticks = match chart.ceiling {
        Some(ceiling) => [0.0, 0.5, 1.0].map(|part| part * ceiling).to_vec(),
        None => scale::ticks(most, 3.0, chart.bytes),
    };
    let ceiling = ticks.last().copied().unwrap_or(1.0);
    let place = |at: i64| left + (right - left) * (at - from) as f64 / (to - from) as f64;
    let height = |value: f64| top + HIGH * (1.0 - value / ceiling);
    for tick in &ticks {
        let y = height(*tick);
        sheet.line(vec![(left, y), (right, y)], 1.0, "line-1");
        sheet.text(
            (left - 8.0, y + 4.0),
            Side::Right,
            SMALL,
            &words::round((chart.say)(*tick)),
        );
    }
    let told_at: Vec<f64> = chart
        .at
        .iter()
        .map(|&at| place(at).clamp(left, right))
        .collect();
    for (series, rows) in chart
        .series
        .iter()
        .filter(|series| series.look == Look::Stack)
        .zip(&stacked)
    {
        for run in runs(rows.len(), |at| rows[at].is_some()) {
            let edge = |of: fn(&(f64, f64)) -> f64| {
                let points = run
                    .clone()
                    .filter_map(|at| rows[at].map(|row| (told_at[at], of(&row))));
                stepped(points, series.holds)
            };
            let mut outline: Vec<(f64, f64)> = edge(|row| row.1);
            let mut below = edge(|row| row.0);
            below.reverse();
            outline.extend(below);
            let points: Vec<(f64, f64)> = outline
                .into_iter()
                .map(|(x, value)| (x, height(value)))
                .collect();
            if series.hatched {
                sheet.area(points.clone(), series.ink);
                strokes(sheet, &run, rows, &told_at, &height);
            } else {
                sheet.area(points, series.ink);
            }
        }
    }
    for series in chart
        .series
        .iter()
        .filter(|series| series.look != Look::Stack)
    {
        for run in runs(series.values.len(), |at| series.values[at].is_some()) {
            let points = run.filter_map(|at| series.values[at].map(|value| (told_at[at], value)));
            let points: Vec<(f64, f64)> = stepped(points, series.holds)
                .into_iter()
                .map(|(x, value)| (x, height(value)))
                .collect();
            match series.look {
                Look::Dashes => sheet.dashes(&points, 1.5, series.ink),
                _ => sheet.line(points, 1.5, series.ink),
            }
        }
    }
    for gap in &told.gaps {
        let (x, until) = (
            place(gap.from_micros.0).clamp(left, right),
            place(gap.to_micros.0).clamp(left, right),
        );
        let wide = (until - x).max(2.0);
        // What would be drawn across it is not known.
        sheet.fill(x, top, wide, HIGH, "surface");
        sheet.hatch(x, top, wide, HIGH, "line-2");
    }
    let offset = words::at(from, zone).offset().fix().local_minus_utc();
    for at in scale::moments(
        from,
        to,
        (right - left) / 110.0,
        i64::from(offset) * 1_000_000,
    ) {
        let x = place(at);
        sheet.line(vec![(x, top + HIGH), (x, top + HIGH + 4.0)], 1.0, "line-2");
        let words = words::short(at, zone);
        let half = SMALL.wide(&words) / 2.0;
        let x = x.clamp(left + half, right - half);
        sheet.text((x, top + HIGH + 16.0), Side::Middle, SMALL, &words);
    }
    top + HIGH + 34.0
}

/// White strokes where the band of a stack is hatched: colour alone says nothing.
fn strokes(
    sheet: &mut Sheet,
    run: &std::ops::Range<usize>,
    rows: &[Option<(f64, f64)>],
    told_at: &[f64],
    height: &impl Fn(f64) -> f64,
) {
    for at in run.clone() {
        let (Some((under, over)), Some(&until)) = (rows[at], told_at.get(at + 1)) else {
            continue;
        };
        let (x, top) = (told_at[at], height(over));
        let (w, h) = (until - x, height(under) - top);
        if w >= 2.0 && h >= 3.0 {
            sheet.hatch(x, top, w, h, "surface");
        }
    }
}

/// For each series of a stack and each moment, what is below it and where it ends.
fn stacked(series: &[Series], moments: usize) -> Vec<Vec<Option<(f64, f64)>>> {
    let mut sums = vec![0.0; moments];
    series
        .iter()
        .filter(|series| series.look == Look::Stack)
        .map(|series| {
            (0..moments)
                .map(|at| {
                    let value = series.values.get(at).copied().flatten()?;
                    let under = sums[at];
                    sums[at] += value.max(0.0);
                    Some((under, sums[at]))
                })
                .collect()
        })
        .collect()
}

/// Places beside each other that have a value.
fn runs(length: usize, told: impl Fn(usize) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut out: Vec<std::ops::Range<usize>> = Vec::new();
    for at in (0..length).filter(|&at| told(at)) {
        match out.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => out.push(at..at + 1),
        }
    }
    out
}

/// With corners where a value holds until the next.
fn stepped(points: impl Iterator<Item = (f64, f64)>, holds: bool) -> Vec<(f64, f64)> {
    let mut out: Vec<(f64, f64)> = Vec::new();
    for point in points {
        if let (true, Some(&(_, before))) = (holds, out.last()) {
            out.push((point.0, before));
        }
        out.push(point);
    }
    // One sample alone is a stroke.
    if let [only] = out[..] {
        out.push((only.0 + 1.0, only.1));
    }
    out
}
