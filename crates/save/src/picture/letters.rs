//! Text, in each of the formats. Plotters writes it into an SVG; in dots it leaves out how far each letter stands from where it
//! begins, so that words fall apart and run together. Here the same letters of the same fonts stand where they belong.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, TextStyle, register_font};

/// As the page asks for it; what has no Inter of its own has the next of them, which is about as wide.
const FAMILY: &str = "Inter, system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
const REGULAR: &[u8] = include_bytes!("../../../../assets/fonts/Inter-Regular.otf");
const STRONG: &[u8] = include_bytes!("../../../../assets/fonts/Inter-SemiBold.otf");
/// The size of a font is its height here; this is that of Inter, and what plotters' SVG divides by.
const HEIGHT: f64 = 1.24;
/// How far below the top of a text plotters' SVG has its baseline, of its size.
const FALL: f64 = 0.76;
/// How much wider than Inter the fonts are that stand in for it.
const OTHERS: f64 = 1.08;

static NAMED: LazyLock<bool> = LazyLock::new(|| {
    let of = |style, bytes| register_font(FAMILY, style, bytes).is_ok();
    of(FontStyle::Normal, REGULAR) && of(FontStyle::Bold, STRONG)
});
static FACES: LazyLock<Option<[FontRef<'static>; 2]>> = LazyLock::new(|| {
    let face = |bytes| FontRef::try_from_slice(bytes).ok();
    Some([face(REGULAR)?, face(STRONG)?])
});

/// Where a text stands by its point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    Left,
    Middle,
    Right,
}

/// One line, in the dots of the picture.
pub(super) struct Line<'a> {
    /// On its baseline.
    pub(super) at: (f64, f64),
    pub(super) size: f64,
    pub(super) bold: bool,
    pub(super) side: Side,
    pub(super) colour: RGBColor,
    pub(super) text: &'a str,
}

/// What can write a line.
pub(super) trait Letters: DrawingBackend {
    fn write(&mut self, line: &Line<'_>) -> crate::Result<()>;
}

impl Letters for SVGBackend<'_> {
    fn write(&mut self, line: &Line<'_>) -> crate::Result<()> {
        let across = match line.side {
            Side::Left => HPos::Left,
            Side::Middle => HPos::Center,
            Side::Right => HPos::Right,
        };
        let style = TextStyle::from(font(line.size, line.bold))
            .color(&line.colour)
            .pos(Pos::new(across, VPos::Top));
        let (x, y) = line.at;
        let top = (x.round() as i32, (y - line.size * FALL).round() as i32);
        self.draw_text(line.text, &style, top)
            .map_err(|error| crate::fault(&error))
    }
}

impl Letters for BitMapBackend<'_> {
    fn write(&mut self, line: &Line<'_>) -> crate::Result<()> {
        let Some(faces) = &*FACES else {
            return Err(crate::fault(&"the fonts cannot be read"));
        };
        let scale = PxScale::from((line.size * HEIGHT) as f32);
        let face = faces[usize::from(line.bold)].as_scaled(scale);
        let (mut wide, mut glyphs) = (0.0, Vec::new());
        for letter in line.text.chars() {
            let glyph = face.glyph_id(letter);
            glyphs.push((glyph, wide));
            wide += face.h_advance(glyph);
        }
        let (x, y) = (line.at.0 as f32, line.at.1.round() as f32);
        let left = match line.side {
            Side::Left => x,
            Side::Middle => x - wide / 2.0,
            Side::Right => x - wide,
        };
        for (glyph, along) in glyphs {
            let placed = glyph.with_scale_and_position(scale, point(left + along, y));
            let Some(shape) = face.outline_glyph(placed) else {
                continue;
            };
            let corner = shape.px_bounds().min;
            let mut drawn = Ok(());
            shape.draw(|across, down, covered| {
                let dot = (
                    corner.x as i32 + across as i32,
                    corner.y as i32 + down as i32,
                );
                let ink = line.colour.mix(f64::from(covered)).to_backend_color();
                if drawn.is_ok() {
                    drawn = self.draw_pixel(dot, ink);
                }
            });
            drawn.map_err(|error| crate::fault(&error))?;
        }
        Ok(())
    }
}

/// Whether the fonts have each letter of a text. In dots, what they have not is a box.
pub(super) fn has_all(text: &str, bold: bool) -> bool {
    let Some(faces) = &*FACES else {
        return true;
    };
    let face = &faces[usize::from(bold)];
    text.chars().all(|letter| face.glyph_id(letter).0 != 0)
}

/// How wide a text is at most: whoever opens an SVG may have no Inter, and others are wider.
pub(super) fn wide(text: &str, size: f64, bold: bool) -> f64 {
    // Asked for at ten times the size: the answer is in whole pixels.
    font(size * 10.0, bold)
        .layout_box(text)
        .map_or(0.0, |(_, (width, _))| f64::from(width) / 10.0 * OTHERS)
}

fn font(size: f64, bold: bool) -> FontDesc<'static> {
    debug_assert!(*NAMED, "the fonts can be read");
    let style = match bold {
        true => FontStyle::Bold,
        false => FontStyle::Normal,
    };
    FontDesc::new(FontFamily::Name(FAMILY), size * HEIGHT, style)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns that hold ink, of a text of 40 dots.
    fn inked(text: &str) -> Vec<usize> {
        let (width, height) = (400, 60);
        let mut pixels = vec![255u8; width * height * 3];
        BitMapBackend::with_buffer(&mut pixels, (width as u32, height as u32))
            .write(&Line {
                at: (20.0, 45.0),
                size: 40.0,
                bold: false,
                side: Side::Left,
                colour: RGBColor(0, 0, 0),
                text,
            })
            .unwrap();
        let dark = |x: &usize| (0..height).any(|y| pixels[(y * width + x) * 3] < 128);
        (0..width).filter(dark).collect()
    }

    /// Dots without ink between the letters of a text.
    fn gaps(text: &str) -> Vec<usize> {
        inked(text)
            .windows(2)
            .map(|pair| pair[1] - pair[0] - 1)
            .filter(|gap| *gap > 0)
            .collect()
    }

    #[test]
    fn letters_stand_where_their_font_has_them() {
        // Stems stand as far from each other as from their own sides, to a dot.
        let between = gaps("llll");
        assert_eq!(between.len(), 3, "{between:?}");
        assert!(between.iter().max().unwrap() - between.iter().min().unwrap() <= 1);
        // A hyphen is as far from what is before it as from what comes then, and a blank is wider than any of these.
        let hyphen = gaps("n-n");
        assert!(hyphen[0].abs_diff(hyphen[1]) <= 1, "{hyphen:?}");
        let words = gaps("by user");
        let blank = words.iter().max().unwrap();
        let others = words.iter().filter(|gap| *gap != blank);
        assert!(others.max().is_none_or(|gap| gap * 2 < *blank), "{words:?}");
        // It begins on its point, but for what the letter leaves free itself.
        assert!((20..26).contains(&inked("H")[0]));
    }
}
