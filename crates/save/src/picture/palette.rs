//! The page's own colours: read from its tokens, so that a picture can have no other.

use std::collections::HashMap;
use std::sync::LazyLock;

use plotters::style::RGBColor;

const TOKENS: &str = include_str!("../../../../ui/src/style/tokens.css");

/// Light and dark, by token.
static COLOURS: LazyLock<HashMap<&'static str, [RGBColor; 2]>> = LazyLock::new(|| {
    let mut colours = HashMap::new();
    for (name, both) in TOKENS.lines().filter_map(token) {
        // What comes later is for readers who asked for more contrast.
        colours.entry(name).or_insert(both);
    }
    colours
});

/// `--name: light-dark(#rrggbb, #rrggbb);`
fn token(line: &'static str) -> Option<(&'static str, [RGBColor; 2])> {
    let (name, rest) = line
        .trim()
        .strip_prefix("--")?
        .split_once(": light-dark(")?;
    let (light, rest) = rest.split_once(", ")?;
    let (dark, _) = rest.split_once(')')?;
    Some((name, [rgb(light)?, rgb(dark)?]))
}

fn rgb(hex: &str) -> Option<RGBColor> {
    let digits = hex.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let channel = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    Some(RGBColor(channel(0)?, channel(2)?, channel(4)?))
}

/// The colour of a token.
pub(super) fn colour(token: &str, dark: bool) -> RGBColor {
    debug_assert!(COLOURS.contains_key(token), "there is no token {token}");
    COLOURS
        .get(token)
        .map_or(RGBColor(128, 128, 128), |both| both[usize::from(dark)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_the_page_are_colours_here() {
        assert_eq!(colour("surface", false), RGBColor(255, 255, 255));
        assert_eq!(colour("surface", true), RGBColor(0x17, 0x1b, 0x23));
        assert_eq!(colour("ink", true), RGBColor(0xe8, 0xeb, 0xf2));
        assert!(COLOURS.len() > 50, "{}", COLOURS.len());
    }
}
