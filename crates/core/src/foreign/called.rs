//! What a cluster is called that came out of a file: as the file is, without what says of which kind it is.

const DROPPED: [&str; 14] = [
    ".gz",
    ".html",
    ".htm",
    ".msgpack",
    ".yaml",
    ".yml",
    ".json",
    ".speedscope",
    ".folded",
    ".collapsed",
    ".stacks",
    ".txt",
    ".bobbin",
    ".prof",
];
/// Characters.
const LONGEST: usize = 120;

/// The last part of a name, whatever folders it names.
pub(super) fn called(name: &str) -> String {
    let mut rest = name.rsplit(['/', '\\']).next().unwrap_or(name);
    while let Some(shorter) = DROPPED
        .iter()
        .find_map(|end| without(rest, end))
        .filter(|shorter| !shorter.is_empty())
    {
        rest = shorter;
    }
    let called: String = rest.chars().take(LONGEST).collect();
    match called.trim() {
        "" | "." | ".." => "file".into(),
        called => called.into(),
    }
}

/// Capital letters do not count.
fn without<'a>(name: &'a str, end: &str) -> Option<&'a str> {
    let cut = name.len().checked_sub(end.len())?;
    name.get(cut..)
        .filter(|tail| tail.eq_ignore_ascii_case(end))
        .and_then(|_| name.get(..cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_is_called_as_its_file_is_and_never_by_a_folder() {
        for (name, wanted) in [
            ("dask-report.html", "dask-report"),
            ("dump.MSGPACK.GZ", "dump"),
            ("run 7.speedscope.json", "run 7"),
            ("../../etc/passwd", "passwd"),
            ("C:\\temp\\a.folded.txt", "a"),
            (".html", ".html"),
            ("..", "file"),
            ("/", "file"),
            ("ä.yaml", "ä"),
        ] {
            assert_eq!(called(name), wanted, "{name}");
        }
    }
}
