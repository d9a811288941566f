//! Pictures: a heat-map, a timeline, a graph of task groups and a flame graph, as SVG and PNG, drawn by `plotters`.
//!
//! They are what the page shows, by the same answers and in the same colours, with a title, a date and a source, so that
//! they can stand alone. Letters come with the binary: a machine may have none. A PNG that would need others says so.

mod flame;
mod graph;
mod heat_map;
mod letters;
mod palette;
mod scale;
mod sheet;
mod timeline;
mod words;

use bobbin_core::api::{self, App, ClusterRequest, Made, PictureFormat, PictureOf, PictureRequest};
use bobbin_core::model::visible::plain;
use chrono_tz::Tz;

use crate::Result;
use sheet::{LABEL, LONGEST, SMALL, Sheet, Side, TITLE};

/// Widths in pixels of the page.
const LEAST_WIDE: u32 = 320;
const MOST_WIDE: u32 = 4_000;
/// From the edge to what is drawn.
const MARGIN: f64 = 24.0;

/// A picture as a file.
///
/// # Errors
/// [`bobbin_core::Error::Invalid`] for a width or a zone that cannot be used; those of the questions.
pub fn picture(app: &App, asked: &PictureRequest) -> Result<Made> {
    let zone = zone(&asked.zone)?;
    let width = match asked.width {
        0 => None,
        wide @ LEAST_WIDE..=MOST_WIDE => Some(f64::from(wide)),
        wide => {
            return Err(bobbin_core::Error::Invalid {
                what: "width",
                value: wide.to_string(),
                reason: format!("use {LEAST_WIDE} to {MOST_WIDE} pixels"),
            });
        }
    };
    let (stem, mut sheet) = match &asked.of {
        PictureOf::HeatMap { request } => (
            "heat-map".to_owned(),
            heat_map::draw(app, request, zone, width)?,
        ),
        PictureOf::Timeline {
            id,
            from_micros,
            to_micros,
        } => {
            let bounds = (*from_micros, *to_micros);
            let name = cluster_name(app, *id)?;
            let sheet = timeline::draw(app, *id, &name, bounds, zone, width)?;
            (format!("timeline of {name}"), sheet)
        }
        PictureOf::Graph { request } => {
            let name = cluster_name(app, request.id)?;
            let sheet = graph::draw(app, request, &name, zone, width)?;
            (format!("graph of {name}"), sheet)
        }
        PictureOf::Flame { request } => {
            let title = api::flame_title(app, request)?;
            (
                title.clone(),
                flame::draw(app, request, &title, zone, width)?,
            )
        }
    };
    let stem = if asked.dark {
        format!("{stem} dark")
    } else {
        stem
    };
    Ok(match asked.format {
        PictureFormat::Svg => Made::whole(&stem, "svg", "image/svg+xml", sheet.svg(asked.dark)?),
        PictureFormat::Png => {
            admit_boxes(&mut sheet);
            Made::whole(&stem, "png", "image/png", sheet.png(asked.dark)?)
        }
    })
}

fn zone(name: &str) -> Result<Tz> {
    match name {
        "" => Ok(Tz::UTC),
        name => name.parse().map_err(|_| bobbin_core::Error::Invalid {
            what: "time zone",
            value: plain(name),
            reason: "it is not an IANA name, for example Europe/Berlin".into(),
        }),
    }
}

fn cluster_name(app: &App, id: i64) -> Result<String> {
    let cluster = api::cluster(app, ClusterRequest { id })?;
    Ok(plain(&cluster.row.name))
}

/// Lays a title and what it is of over a sheet; gives where what is drawn begins.
fn open(sheet: &mut Sheet, title: &str, about: &str) -> f64 {
    let room = sheet.width - 2.0 * MARGIN;
    sheet.title = title.to_owned();
    let words = TITLE.cut(title, room);
    sheet.text((MARGIN, 36.0), Side::Left, TITLE, &words);
    let words = LABEL.cut(about, room);
    sheet.text((MARGIN, 56.0), Side::Left, LABEL, &words);
    76.0
}

/// Says below what is drawn where it is from, and ends the sheet.
fn close(sheet: &mut Sheet, app: &App, bottom: f64, zone: Tz, source: &str) {
    let from = format!(
        "Bobbin {} · {} · {source}",
        env!("CARGO_PKG_VERSION"),
        words::moment(app.now(), zone),
    );
    sheet.line(
        vec![
            (MARGIN, bottom + 14.5),
            (sheet.width - MARGIN, bottom + 14.5),
        ],
        1.0,
        "line-1",
    );
    foot(sheet, bottom + 32.0, &format!("{from} · times in {zone}"));
}

/// Says at the foot of what becomes a PNG that some of its letters are boxes. Who opens an SVG has fonts for them.
fn admit_boxes(sheet: &mut Sheet) {
    if !sheet.has_all_letters() {
        let next = sheet.height - 4.0;
        let words = "Letters drawn as boxes are missing in the font of PNG pictures: save as SVG to see them";
        foot(sheet, next, words);
    }
}

/// Writes small words from this line on, below which the sheet ends.
fn foot(sheet: &mut Sheet, mut y: f64, words: &str) {
    for line in wrapped(words, sheet.width - 2.0 * MARGIN) {
        sheet.text((MARGIN, y), Side::Left, SMALL, &line);
        y += 15.0;
    }
    sheet.height = (y + 4.0).min(LONGEST);
}

/// Words in lines that have room.
fn wrapped(text: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if SMALL.wide(&format!("{line} {word}")) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(SMALL.cut(word, room)),
        }
    }
    lines
}

/// What stands where there is nothing to draw.
fn nothing(sheet: &mut Sheet, top: f64, words: &str) -> f64 {
    let middle = sheet.width / 2.0;
    sheet.fill(MARGIN, top, sheet.width - 2.0 * MARGIN, 120.0, "sunken");
    sheet.text((middle, top + 64.0), Side::Middle, LABEL, words);
    top + 120.0
}

/// What one row of a legend explains.
struct Key {
    ink: &'static str,
    /// Strokes over the colour.
    hatch: Option<&'static str>,
    words: String,
}

impl Key {
    fn of(ink: &'static str, words: impl Into<String>) -> Self {
        Self {
            ink,
            hatch: None,
            words: words.into(),
        }
    }

    fn hatched(self, ink: &'static str) -> Self {
        Self {
            hatch: Some(ink),
            ..self
        }
    }
}

/// Colours with their words, in a row that breaks where there is no more room; gives where it ends.
fn legend(sheet: &mut Sheet, top: f64, rows: &[Key]) -> f64 {
    let mut at = (MARGIN, top);
    for Key { ink, hatch, words } in rows {
        let words = LABEL.cut(words, sheet.width - 2.0 * MARGIN - 20.0);
        let wide = 18.0 + LABEL.wide(&words) + 16.0;
        if at.0 > MARGIN && at.0 + wide > sheet.width - MARGIN {
            at = (MARGIN, at.1 + 20.0);
        }
        sheet.fill(at.0, at.1 + 3.0, 12.0, 12.0, ink);
        if let Some(ink) = hatch {
            sheet.hatch(at.0, at.1 + 3.0, 12.0, 12.0, ink);
        }
        sheet.frame(at.0, at.1 + 3.0, 12.0, 12.0, 1.0, "line-2");
        sheet.text((at.0 + 18.0, at.1 + 13.0), Side::Left, LABEL, &words);
        at.0 += wide;
    }
    at.1 + 22.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_says_which_letters_it_lacks() {
        let admits = |text: &str| {
            let mut sheet = Sheet::new(900.0);
            sheet.text((MARGIN, 40.0), Side::Left, LABEL, text);
            sheet.height = 60.0;
            admit_boxes(&mut sheet);
            let svg = String::from_utf8(sheet.svg(false).unwrap()).unwrap();
            (sheet.height > 60.0, svg.contains("Letters drawn as boxes"))
        };
        assert_eq!(admits("Zürich, Ελλάδα, Київ: ≤ 3 µs"), (false, false));
        assert_eq!(admits("東京"), (true, true));
        assert_eq!(admits("a 🧵"), (true, true));
    }
}
