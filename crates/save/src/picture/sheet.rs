//! What is drawn, in pixels of its own, before it is known in which format: marks one over the other, coloured by token.

use bobbin_core::model::visible::plain;
use plotters::backend::{BitMapBackend, SVGBackend};
use plotters::style::ShapeStyle;

pub(super) use super::letters::Side;
use super::letters::{self, Letters, Line};
use super::palette::colour;
use crate::{Result, fault};

/// An SVG is drawn in quarters of a pixel, a PNG for screens with two dots to a pixel.
const SVG_SCALE: u32 = 4;
const PNG_SCALE: u32 = 2;
/// The largest side, in pixels of the page.
pub(super) const LONGEST: f64 = 8_000.0;

/// Dots of a PNG, which is three bytes for each while it is drawn.
const DOTS: u64 = 64_000_000;

type Token = &'static str;
type Point = (f64, f64);

/// From one point to another. `f64::hypot` would ask for glibc 2.35, newer than all else that the command needs.
pub(super) fn distance(from: Point, to: Point) -> f64 {
    let (across, down) = (to.0 - from.0, to.1 - from.1);
    (across * across + down * down).sqrt()
}

enum Mark {
    Box {
        from: Point,
        to: Point,
        ink: Token,
    },
    Line {
        points: Vec<Point>,
        wide: f64,
        ink: Token,
    },
    Area {
        points: Vec<Point>,
        ink: Token,
    },
    Text {
        at: Point,
        size: f64,
        bold: bool,
        side: Side,
        ink: Token,
        text: String,
    },
}

/// A picture that grows.
pub(super) struct Sheet {
    pub(super) width: f64,
    pub(super) height: f64,
    marks: Vec<Mark>,
    /// What it is of, for those who do not see it.
    pub(super) title: String,
}

impl Sheet {
    pub(super) fn new(width: f64) -> Self {
        Self {
            width,
            height: 0.0,
            marks: Vec::new(),
            title: String::new(),
        }
    }

    /// A filled rectangle.
    pub(super) fn fill(&mut self, x: f64, y: f64, width: f64, height: f64, ink: Token) {
        self.marks.push(Mark::Box {
            from: (x, y),
            to: (x + width, y + height),
            ink,
        });
    }

    /// The edge of a rectangle, from the middle of a side: a line is open where it begins.
    pub(super) fn frame(&mut self, x: f64, y: f64, width: f64, height: f64, wide: f64, ink: Token) {
        let seam = (x + width / 2.0, y);
        let points = vec![
            seam,
            (x + width, y),
            (x + width, y + height),
            (x, y + height),
            (x, y),
            seam,
        ];
        self.line(points, wide, ink);
    }

    pub(super) fn line(&mut self, points: Vec<Point>, wide: f64, ink: Token) {
        self.marks.push(Mark::Line { points, wide, ink });
    }

    /// A line of dashes.
    pub(super) fn dashes(&mut self, points: &[Point], wide: f64, ink: Token) {
        const DASH: f64 = 4.0;
        let mut along = 0.0;
        for pair in points.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let length = distance(from, to);
            let at = |way: f64| {
                let part = way / length;
                (
                    from.0 + (to.0 - from.0) * part,
                    from.1 + (to.1 - from.1) * part,
                )
            };
            let mut way = 0.0;
            while way < length {
                let phase = along % (2.0 * DASH);
                let end = (way + DASH - phase % DASH).min(length);
                if phase < DASH {
                    self.line(vec![at(way), at(end)], wide, ink);
                }
                along += end - way + 1e-9;
                way = end + 1e-9;
            }
        }
    }

    pub(super) fn area(&mut self, points: Vec<Point>, ink: Token) {
        self.marks.push(Mark::Area { points, ink });
    }

    /// Strokes from below left to above right.
    pub(super) fn hatch(&mut self, x: f64, y: f64, width: f64, height: f64, ink: Token) {
        const STEP: f64 = 5.0;
        let mut at = STEP;
        while at < width + height {
            let from = ((at - height).max(0.0), at.min(height));
            let to = (at.min(width), (at - width).max(0.0));
            self.line(
                vec![(x + from.0, y + from.1), (x + to.0, y + to.1)],
                1.0,
                ink,
            );
            at += STEP;
        }
    }

    /// One line of text on its baseline. Texts come from clusters: what would not be seen is.
    pub(super) fn text(&mut self, at: Point, side: Side, style: Style, text: &str) {
        self.marks.push(Mark::Text {
            at,
            size: style.size,
            bold: style.bold,
            side,
            ink: style.ink,
            text: plain(text),
        });
    }

    /// Whether a PNG has all letters of its texts.
    pub(super) fn has_all_letters(&self) -> bool {
        self.marks.iter().all(|mark| match mark {
            Mark::Text { text, bold, .. } => letters::has_all(text, *bold),
            _ => true,
        })
    }

    /// As SVG, with its title for those who do not see it.
    pub(super) fn svg(&self, dark: bool) -> Result<Vec<u8>> {
        let (width, height) = self.sides(SVG_SCALE);
        let mut text = String::new();
        {
            let mut backend = SVGBackend::with_string(&mut text, (width, height));
            self.draw(&mut backend, f64::from(SVG_SCALE), dark)?;
        }
        let head = format!("width=\"{width}\" height=\"{height}\"");
        let page = format!(
            "width=\"{}\" height=\"{}\" role=\"img\"",
            width / SVG_SCALE,
            height / SVG_SCALE
        );
        let text = text.replacen(&head, &page, 1);
        let title = format!("<title>{}</title>\n", escaped(&plain(&self.title)));
        let body = text.find('>').map_or(text.len(), |at| at + 1);
        let (start, rest) = text.split_at(body);
        Ok(format!("{start}\n{title}{}", rest.trim_start()).into_bytes())
    }

    /// As PNG, with two dots to a pixel of the page.
    pub(super) fn png(&self, dark: bool) -> Result<Vec<u8>> {
        let (width, height) = self.sides(PNG_SCALE);
        if u64::from(width) * u64::from(height) > DOTS {
            return Err(bobbin_core::Error::Refused(format!(
                "as PNG it would have {width} by {height} pixels, more than the maximum of {} million: choose a smaller width or fewer rows, or save it as SVG",
                DOTS / 1_000_000
            )));
        }
        let mut pixels = vec![0u8; width as usize * height as usize * 3];
        {
            let mut backend = BitMapBackend::with_buffer(&mut pixels, (width, height));
            self.draw(&mut backend, f64::from(PNG_SCALE), dark)?;
        }
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        // 144 dots to an inch: as large on paper as on the page.
        let dots = Some(png::PixelDimensions {
            xppu: 5669,
            yppu: 5669,
            unit: png::Unit::Meter,
        });
        encoder.set_pixel_dims(dots);
        let text = plain(&self.title);
        encoder
            .add_itxt_chunk("Title".into(), text)
            .map_err(|error| fault(&error))?;
        let mut writer = encoder.write_header().map_err(|error| fault(&error))?;
        writer
            .write_image_data(&pixels)
            .and_then(|()| writer.finish())
            .map_err(|error| fault(&error))?;
        Ok(file)
    }

    fn sides(&self, scale: u32) -> (u32, u32) {
        let side = |length: f64| length.clamp(1.0, LONGEST).ceil() as u32 * scale;
        (side(self.width), side(self.height))
    }

    fn draw<B: Letters>(&self, backend: &mut B, scale: f64, dark: bool) -> Result<()> {
        let at = |(x, y): Point| ((x * scale).round() as i32, (y * scale).round() as i32);
        let plain = |ink: Token| ShapeStyle::from(&colour(ink, dark)).filled();
        let paper = (self.width + 1.0, self.height + 1.0);
        backend
            .draw_rect((0, 0), at(paper), &plain("surface"), true)
            .map_err(|error| fault(&error))?;
        for mark in &self.marks {
            match mark {
                Mark::Box { from, to, ink } => {
                    let (from, to) = (at(*from), at(*to));
                    // Both corners are in it.
                    let to = ((to.0 - 1).max(from.0), (to.1 - 1).max(from.1));
                    backend.draw_rect(from, to, &plain(ink), true)
                }
                Mark::Line { points, wide, ink } => {
                    let stroke = (wide * scale).round().max(1.0) as u32;
                    let style = ShapeStyle::from(&colour(ink, dark)).stroke_width(stroke);
                    backend.draw_path(points.iter().map(|&point| at(point)), &style)
                }
                Mark::Area { points, ink } => {
                    backend.fill_polygon(points.iter().map(|&point| at(point)), &plain(ink))
                }
                Mark::Text {
                    at: (x, y),
                    size,
                    bold,
                    side,
                    ink,
                    text,
                } => {
                    backend.write(&Line {
                        at: (x * scale, y * scale),
                        size: size * scale,
                        bold: *bold,
                        side: *side,
                        colour: colour(ink, dark),
                        text,
                    })?;
                    Ok(())
                }
            }
            .map_err(|error| fault(&error))?;
        }
        backend.present().map_err(|error| fault(&error))
    }
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) size: f64,
    pub(super) bold: bool,
    pub(super) ink: Token,
}

/// 11 pixels, for axes and sources.
pub(super) const SMALL: Style = Style {
    size: 11.0,
    bold: false,
    ink: "ink-3",
};
/// 12 pixels, for labels.
pub(super) const LABEL: Style = Style {
    size: 12.0,
    bold: false,
    ink: "ink-2",
};
/// 13 pixels and strong, for heads of parts.
pub(super) const HEAD: Style = Style {
    size: 13.0,
    bold: true,
    ink: "ink",
};
/// For the title of it all.
pub(super) const TITLE: Style = Style {
    size: 18.0,
    bold: true,
    ink: "ink",
};

impl Style {
    pub(super) fn ink(self, ink: Token) -> Self {
        Self { ink, ..self }
    }

    pub(super) fn size(self, size: f64) -> Self {
        Self { size, ..self }
    }

    /// How wide a text is at most: whoever opens an SVG may have no Inter, and others are wider.
    pub(super) fn wide(self, text: &str) -> f64 {
        letters::wide(text, self.size, self.bold)
    }

    /// As much of a text as has room, from its beginning.
    pub(super) fn cut(self, text: &str, room: f64) -> String {
        let text = plain(text);
        if self.wide(&text) <= room {
            return text;
        }
        let letters: Vec<char> = text.chars().collect();
        let short = |count: usize| {
            let mut short: String = letters[..count].iter().collect();
            short.push('…');
            short
        };
        let (mut fits, mut over) = (0, letters.len());
        while fits + 1 < over {
            let middle = (fits + over) / 2;
            match self.wide(&short(middle)) <= room {
                true => fits = middle,
                false => over = middle,
            }
        }
        match fits {
            0 => String::new(),
            fits => short(fits),
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_of_too_many_dots_is_refused_and_an_svg_of_it_is_not() {
        let mut sheet = Sheet::new(LONGEST);
        sheet.height = LONGEST;
        let why = sheet.png(false).unwrap_err().to_string();
        assert!(why.contains("16000 by 16000 pixels"), "{why}");
        assert!(sheet.svg(false).is_ok());
    }

    #[test]
    fn a_frame_is_closed_at_all_of_its_corners() {
        let mut sheet = Sheet::new(100.0);
        sheet.frame(10.0, 10.0, 20.0, 10.0, 2.0, "ink");
        let [Mark::Line { points, .. }] = sheet.marks.as_slice() else {
            panic!("a frame is one line");
        };
        let inside = &points[1..points.len() - 1];
        let corners = [(30.0, 10.0), (30.0, 20.0), (10.0, 20.0), (10.0, 10.0)];
        assert_eq!(inside, corners);
        assert_eq!(points.first(), points.last());
    }
}
