//! Texts as they were before Bokeh escaped them.

/// Bokeh escapes the whole document once more, so that no text in it ends the script.
pub(super) fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = [
            ("&lt;", '<'),
            ("&gt;", '>'),
            ("&quot;", '"'),
            ("&#x27;", '\''),
            ("&#39;", '\''),
            ("&amp;", '&'),
        ];
        match known.iter().find(|(name, _)| rest.starts_with(name)) {
            Some((name, letter)) => {
                out.push(*letter);
                rest = &rest[name.len()..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_unescaped_once() {
        assert_eq!(
            unescaped("a &amp;lt; b & c &lt;&nope;"),
            "a &lt; b & c <&nope;"
        );
    }
}
