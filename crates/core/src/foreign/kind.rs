//! What a file is, by how it begins.

use crate::install::{BATCH, BATCHES};

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A bundle of Bobbin's own.
    Bundle,
    /// Batches of a plugin, as a spool or a plugin without a receiver leaves them.
    Batches,
    /// HTML that may be a performance report.
    PerformanceReport,
    /// A dump of a cluster's state in msgpack.
    DumpMsgpack,
    /// The same as YAML.
    DumpYaml,
    /// JSON that may be a speedscope profile.
    Speedscope,
    FoldedStacks,
    Unknown,
}

/// How the names of files that are read here end. What a file is, its content says: this is for places where anything may lie,
/// such as a shared folder, and for dialogs in which a file is chosen.
pub const READ: [&str; 11] = [
    BATCHES, BATCH, FOLDED, ".gz", ".htm", ".html", ".json", ".msgpack", ".txt", ".yaml", ".yml",
];

/// How the names of folded stacks end, and of nothing else.
pub(super) const FOLDED: &str = ".folded";

/// How the first line of a bundle begins.
const MANIFEST: &[u8] = br#"{"kind":"manifest","#;
/// What stands in the first line of batches.
const HEADER: &str = r#""kind":"header""#;
/// No header is longer.
const HEADER_BYTES: usize = 4 << 10;
/// Top-level keys of a dump, in any order.
const PARTS: [&str; 3] = ["scheduler", "workers", "versions"];

impl Kind {
    /// Of the first unpacked bytes; `whole` if there are no more.
    pub(super) fn of(head: &[u8], packed: bool, whole: bool) -> Self {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        if packed && head.starts_with(MANIFEST) {
            return Self::Bundle;
        }
        if packed && is_header(head, whole) {
            return Self::Batches;
        }
        if is_dump(head) {
            return Self::DumpMsgpack;
        }
        let text = head.trim_ascii_start();
        match text.first() {
            Some(b'<') => Self::PerformanceReport,
            Some(b'{') => Self::Speedscope,
            Some(_) => Self::of_lines(text, whole),
            None => Self::Unknown,
        }
    }

    fn of_lines(head: &[u8], whole: bool) -> Self {
        let Ok(text) = std::str::from_utf8(head).or_else(|error| {
            // A letter may be cut where the head ends.
            match error.error_len() {
                None => std::str::from_utf8(&head[..error.valid_up_to()]),
                Some(_) => Err(error),
            }
        }) else {
            return Self::Unknown;
        };
        let begins = |part: &str| {
            text.strip_prefix("---\n")
                .unwrap_or(text)
                .strip_prefix(part)
                .is_some_and(|rest| rest.starts_with(':'))
        };
        if PARTS.iter().any(|part| begins(part)) {
            return Self::DumpYaml;
        }
        let mut lines: Vec<&str> = text.lines().collect();
        // The last one may be cut there, too.
        if !whole && lines.len() > 1 {
            lines.pop();
        }
        let is_stack = |line: &&str| {
            let line = line.trim_end();
            line.is_empty() || line.starts_with('#') || super::folded::stack(line).is_some()
        };
        let stacks = lines
            .iter()
            .filter(|line| !line.trim_end().is_empty() && !line.starts_with('#'));
        if stacks.count() > 0 && lines.iter().all(is_stack) {
            Self::FoldedStacks
        } else {
            Self::Unknown
        }
    }

    /// The same in a place where anything may lie: what has no more than the form of such a file is none.
    pub(super) fn surely(self, head: &[u8]) -> Self {
        let says = |words: &[u8]| head.windows(words.len()).any(|some| some == words);
        let surely = match self {
            Self::PerformanceReport => says(b"<title>Dask Performance Report"),
            Self::Speedscope => says(b"speedscope"),
            Self::FoldedStacks => says(b";"),
            _ => true,
        };
        if surely { self } else { Self::Unknown }
    }

    /// Why it is none that is read here.
    pub(super) const fn not_taken(self) -> &'static str {
        match self {
            Self::Batches => {
                "it holds a plugin's batches, which may still grow: put it into the inbox folder, where Bobbin keeps reading it until \
                 its cluster has ended"
            }
            _ => {
                "it is not a type that Bobbin reads: a Bobbin bundle, a Dask performance report (HTML), a cluster dump (msgpack \
                 or YAML), a speedscope profile (JSON), or folded stacks (text)"
            }
        }
    }
}

/// Whether the first line is a header, or may become one: whoever writes it may still be at work.
fn is_header(head: &[u8], whole: bool) -> bool {
    if head.first() != Some(&b'{') {
        return false;
    }
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or(head);
    let is_torn = !whole && line.len() == head.len() && head.len() < HEADER_BYTES;
    is_torn || String::from_utf8_lossy(&line[..line.len().min(HEADER_BYTES)]).contains(HEADER)
}

/// Whether this is a map in msgpack whose first key is a part of a dump.
fn is_dump(head: &[u8]) -> bool {
    let rest = match head {
        [0x81..=0x8f, rest @ ..] | [0xde, _, _, rest @ ..] | [0xdf, _, _, _, _, rest @ ..] => rest,
        _ => return false,
    };
    PARTS.iter().any(|part| {
        rest.first() == Some(&(0xa0 | part.len() as u8)) && rest[1..].starts_with(part.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_names_how_files_end() {
        let manual = include_str!("../../../../docs/formats.md");
        for end in READ {
            assert!(manual.contains(&format!("`{end}`")), "{end}");
        }
    }

    #[test]
    fn a_file_is_what_is_in_it() {
        for (head, wanted) in [
            (&b"\x83\xa9scheduler\xde"[..], Kind::DumpMsgpack),
            (b"\xde\x00\x03\xa8versions", Kind::DumpMsgpack),
            (b"\x83\xa9schedule", Kind::Unknown),
            (b"\xef\xbb\xbf\n<!DOCTYPE html>", Kind::PerformanceReport),
            (b"{\"shared\":", Kind::Speedscope),
            (b"scheduler:\n  address: x\n", Kind::DumpYaml),
            (b"---\nversions:\n", Kind::DumpYaml),
            (b"a;b;c 12\nmain 3\n", Kind::FoldedStacks),
            (b"# by a sampler\na;b 1\n", Kind::FoldedStacks),
            (b"a;b;c 12\nsome words", Kind::Unknown),
            (b"some notes\n", Kind::Unknown),
            (b"\n\n", Kind::Unknown),
            (b"", Kind::Unknown),
            (b"\xff\xfe\x00 1", Kind::Unknown),
            (b"PAR1\x15\x04", Kind::Unknown),
        ] {
            assert_eq!(Kind::of(head, false, true), wanted, "{head:?}");
        }
        for (head, wanted) in [
            (
                &b"<!DOCTYPE html><title>Dask Performance Report</title>"[..],
                Kind::PerformanceReport,
            ),
            (b"<html>", Kind::Unknown),
            (
                br#"{"$schema": "https://www.speedscope.app/file-format-schema.json""#,
                Kind::Speedscope,
            ),
            (br#"{"name": "x"}"#, Kind::Unknown),
            (b"main;load 3\n", Kind::FoldedStacks),
            (b"gpu01 16\ngpu02 16\n", Kind::Unknown),
            (b"\x83\xa9scheduler\xde", Kind::DumpMsgpack),
        ] {
            let kind = Kind::of(head, false, true);
            assert_eq!(kind.surely(head), wanted, "{head:?}");
        }
        assert_eq!(Kind::of(MANIFEST, true, true), Kind::Bundle);
        let header = br#"{"cluster_id":"S","kind":"header","protocol":1}"#;
        assert_eq!(Kind::of(header, true, true), Kind::Batches);
        assert_eq!(Kind::of(&header[..20], true, false), Kind::Batches);
        assert_eq!(Kind::of(b"{\"shared\":{}}", true, true), Kind::Speedscope);
        // The head may end within a line, or within a letter.
        assert_eq!(
            Kind::of("a;b 1\nmain;fö".as_bytes(), false, false),
            Kind::FoldedStacks
        );
        assert_eq!(
            Kind::of(b"a;b 1\nmain;f\xc3", false, false),
            Kind::FoldedStacks
        );
    }
}
