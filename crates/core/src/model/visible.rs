//! Text from strangers, safe to show: in a terminal, in a picture, in a file that other programs read.

/// One line of text from a cluster, which may hold anything: what would drive a terminal, hide or move its neighbours
/// is drawn as a token such as `‹U+202E›`. The page does the same.
pub fn plain(text: &str) -> String {
    visible(text, &[])
}

/// [`plain`], but keeps line breaks and tabs, with `indent` before each line but the first: no line of it can pass for
/// one of ours.
pub fn plain_lines(text: &str, indent: &str) -> String {
    visible(text, &['\n', '\t']).replace('\n', &format!("\n{indent}"))
}

fn visible(text: &str, kept: &[char]) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) && !kept.contains(&c) {
            shown.push_str(&format!("‹U+{:04X}›", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Controls, marks of direction, and what has no width.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}'
                | '\u{feff}' | '\u{ffa0}' | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}'
                | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_drive_the_terminal() {
        assert_eq!(plain("a\x1b[2Jb\nc"), "a‹U+001B›[2Jb‹U+000A›c");
        assert_eq!(
            plain("evil\u{202e}gpj.exe\u{200b}"),
            "evil‹U+202E›gpj.exe‹U+200B›"
        );
        assert_eq!(plain("Zürich 東京 🧵"), "Zürich 東京 🧵");
        assert_eq!(plain_lines("a\n\tb\x1b", "  "), "a\n  \tb‹U+001B›");
    }
}
