//! A flame graph: what threads were seen in, as wide as the samples that it stands for.

use std::collections::BTreeMap;

use bobbin_core::api::{self, App, Flame, FlameRequest};
use chrono_tz::Tz;

use super::sheet::{LABEL, LONGEST, Sheet, Side};
use super::{Key, MARGIN, close, legend, nothing, open, words};
use crate::Result;

const ROW: f64 = 19.0;
const PACKAGES: [&str; 6] = [
    "flame-1", "flame-2", "flame-3", "flame-4", "flame-5", "flame-6",
];
/// Colours with their words; the rest are told as others.
const NAMED: usize = 10;

pub(super) fn draw(
    app: &App,
    asked: &FlameRequest,
    title: &str,
    zone: Tz,
    width: Option<f64>,
) -> Result<Sheet> {
    let mut sheet = Sheet::new(width.unwrap_or(1200.0));
    let room = sheet.width - 2.0 * MARGIN;
    let mut asked = asked.clone();
    asked.view.width = room as u32;
    // All of what takes the whole width, whatever part of it was in sight.
    (asked.view.from, asked.view.to) = (0.0, 1.0);
    let flame = api::flame(app, asked.clone())?;
    let seconds = flame.total as f64 * flame.seconds_per_sample;
    let timed = flame.seconds_per_sample > 0.0;
    let mut about = words::plural(flame.total, "sample");
    if timed {
        about.push_str(&format!(" · {} of threads", words::core_time(seconds)));
    }
    if flame.total < flame.whole {
        let part = flame.total as f64 / flame.whole.max(1) as f64;
        about.push_str(&format!(" · {} of the whole", words::share(part)));
    }
    if let Some(found) = &flame.found {
        let part = found.total as f64 / flame.whole.max(1) as f64;
        about.push_str(&format!(
            " · “{}” is in {}",
            asked.view.search,
            words::share(part)
        ));
    }
    let mut letters = title.chars();
    let title = match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    };
    let top = open(&mut sheet, &title, &about);
    let mut cut = flame.truncated;
    let bottom = if flame.total == 0 {
        nothing(&mut sheet, top, "There are no samples in this selection.")
    } else {
        let (bottom, whole) = rectangles(&mut sheet, &flame, top, room);
        cut |= !whole;
        legend(&mut sheet, bottom + 12.0, &libraries(&flame))
    };
    let mut source = match timed {
        true => format!(
            "statistical profile, one sample is {} ms of a thread",
            words::round(words::three(flame.seconds_per_sample * 1000.0))
        ),
        false => "statistical profile without times".into(),
    };
    if cut {
        source.push_str(" · deeper rows left out");
    }
    close(&mut sheet, app, bottom, zone, &source);
    Ok(sheet)
}

/// Gives where they end, and whether all of them have room.
fn rectangles(sheet: &mut Sheet, flame: &Flame, top: f64, room: f64) -> (f64, bool) {
    let r = &flame.rectangles;
    let per_sample = room / flame.total as f64;
    let begin = r.x.first().copied().unwrap_or(0);
    let deepest = ((LONGEST - top - 200.0) / ROW) as u32;
    let mut rows = 0;
    for at in 0..r.key.len() {
        if r.depth[at] > deepest {
            continue;
        }
        rows = rows.max(r.depth[at] + 1);
        let x = MARGIN + r.x[at].saturating_sub(begin) as f64 * per_sample;
        let y = top + f64::from(r.depth[at]) * ROW;
        let wide = (r.total[at] as f64 * per_sample).max(1.0);
        let frame = usize::try_from(r.frame[at]).ok();
        let token = match frame {
            Some(frame) => colour_of(&flame.frames.library[frame]),
            None => "flame-small",
        };
        let lost = flame.found.is_some() && !r.found[at];
        let gap = if wide > 4.0 { 1.0 } else { 0.0 };
        sheet.fill(
            x,
            y,
            wide - gap,
            ROW - 1.0,
            if lost { "flame-small" } else { token },
        );
        let name = match frame {
            Some(frame) => flame.frames.name[frame].clone(),
            None if r.small[at] > 0 => words::plural(r.small[at], "small frame"),
            None => format!("all, {}", words::plural(flame.total, "sample")),
        };
        // A letter and the sign that it is cut say nothing.
        if wide > 28.0 {
            let style = LABEL.ink(if lost { "ink-2" } else { "ink" });
            let name = style.cut(&name, wide - 8.0);
            sheet.text((x + 4.0, y + 13.0), Side::Left, style, &name);
        }
    }
    let whole = r.depth.iter().all(|depth| *depth <= deepest);
    (top + f64::from(rows) * ROW, whole)
}

/// The token of a frame of this library: one a package, the same in every profile, and on the page.
fn colour_of(library: &str) -> &'static str {
    match library {
        "your code" | "notebook" => "flame-yours",
        "python" | "unknown" | "" => "flame-python",
        "dask" | "distributed" => "flame-1",
        "pandas" => "flame-2",
        "numpy" => "flame-3",
        "pyarrow" => "flame-4",
        "xarray" => "flame-5",
        "sklearn" => "flame-6",
        other => PACKAGES[fnv_1a(other) as usize % PACKAGES.len()],
    }
}

/// Over the units of UTF-16, as the page counts letters.
fn fnv_1a(text: &str) -> u32 {
    text.encode_utf16().fold(0x811c_9dc5, |value, unit| {
        (value ^ u32::from(unit)).wrapping_mul(0x0100_0193)
    })
}

/// Colours with the libraries that have them, most samples first.
fn libraries(flame: &Flame) -> Vec<Key> {
    let r = &flame.rectangles;
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for at in 0..r.key.len() {
        if let Ok(frame) = usize::try_from(r.frame[at]) {
            *sums.entry(&flame.frames.library[frame]).or_default() += r.own[at];
        }
    }
    let mut order: Vec<(&str, u64)> = sums.into_iter().filter(|(_, own)| *own > 0).collect();
    order.sort_by_key(|&(_, own)| std::cmp::Reverse(own));
    let mut rows: Vec<Key> = Vec::new();
    for (library, _) in order.into_iter().take(NAMED) {
        let token = colour_of(library);
        let name = if library.is_empty() {
            "unknown"
        } else {
            library
        };
        match rows.iter_mut().find(|known| known.ink == token) {
            Some(known) => {
                known.words.push_str(", ");
                known.words.push_str(name);
            }
            None => rows.push(Key::of(token, name)),
        }
    }
    if r.small.iter().any(|&frames| frames > 0) {
        rows.push(Key::of("flame-small", "small frames"));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_the_colour_that_it_has_on_the_page() {
        // FNV-1a of "a" is 0xe40c292c.
        assert_eq!(fnv_1a("a"), 0xe40c_292c);
        assert_eq!(colour_of("a"), PACKAGES[0xe40c_292c_usize % 6]);
        assert_eq!(colour_of("pandas"), "flame-2");
        assert_eq!(colour_of("notebook"), "flame-yours");
    }
}
