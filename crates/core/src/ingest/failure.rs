//! What makes two failures the same one, whatever cluster they happened in.

use crate::hex::hexadecimal;
use crate::seal::FingerprintKey;

/// What is stored plain of a failure.
pub(super) struct Failure<'a> {
    /// `user` or `dask`.
    pub(super) origin: &'a str,
    pub(super) exception_type: &'a str,
    pub(super) group: Option<&'a str>,
}

/// A keyed hash, in hexadecimal, of the type and of the functions that it went through, each with the last part of its
/// file: lines move and folders differ, functions rarely do. Where no traceback is stored, of the type and the name of
/// the group without its token. Keyed, because the traceback is sealed: the store lets nobody test a guess at it.
pub(super) fn fingerprint(
    key: &FingerprintKey,
    failure: &Failure<'_>,
    traceback: Option<&str>,
) -> String {
    let mut text = format!("{}\n{}", failure.origin, failure.exception_type);
    let plain = text.len();
    for (file, function) in traceback.unwrap_or_default().lines().filter_map(frame) {
        text += &format!("\n{file}\n{function}");
    }
    if text.len() == plain {
        let group = failure.group.unwrap_or_default();
        let name = group.rsplit_once('-').map_or(group, |(name, _)| name);
        text += &format!("\n\n{name}");
    }
    hexadecimal(&key.fingerprint(&text))
}

/// File and function of a line such as `  File "/home/ada/work.py", line 7, in load`.
fn frame(line: &str) -> Option<(&str, &str)> {
    let (path, rest) = line
        .trim_start()
        .strip_prefix("File \"")?
        .split_once("\", line ")?;
    let (_, function) = rest.split_once(", in ")?;
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    // A cell of a notebook has a name that is new each time.
    let file = if path.contains("ipykernel") || path.starts_with('<') {
        ""
    } else {
        file
    };
    Some((file, function.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> FingerprintKey {
        FingerprintKey::load_or_make(tempfile::tempdir().unwrap().path()).unwrap()
    }

    fn failure(exception_type: &'static str, group: &'static str) -> Failure<'static> {
        Failure {
            origin: "user",
            exception_type,
            group: Some(group),
        }
    }

    fn trace(path: &str, line: u32) -> String {
        format!("  File \"{path}\", line {line}, in load\n    return 1 / 0\n")
    }

    #[test]
    fn the_same_failure_elsewhere_is_the_same() {
        let key = key();
        let of = |kind, traceback: String| {
            fingerprint(&key, &failure(kind, "inc-1f2e"), Some(&traceback))
        };
        let one = of("ValueError", trace("/home/ada/work.py", 7));
        assert_eq!(one, of("ValueError", trace("C:\\Users\\bob\\work.py", 9)));
        assert_ne!(one, of("ValueError", trace("/home/ada/other.py", 7)));
        assert_ne!(one, of("KeyError", trace("/home/ada/work.py", 7)));
        assert_eq!(
            of("ValueError", trace("/tmp/ipykernel_12/34.py", 1)),
            of("ValueError", trace("/tmp/ipykernel_99/1.py", 4))
        );
    }

    #[test]
    fn without_a_traceback_the_group_tells_them_apart() {
        let key = key();
        let of = |group| fingerprint(&key, &failure("ValueError", group), None);
        assert_eq!(of("read-csv-1f2e"), of("read-csv-99aa"));
        assert_ne!(of("read-csv-1f2e"), of("merge-1f2e"));
    }

    #[test]
    fn another_install_calls_the_same_failure_otherwise() {
        let of = |key| {
            let traceback = trace("/home/ada/work.py", 7);
            fingerprint(&key, &failure("ValueError", "inc-1f2e"), Some(&traceback))
        };
        assert_ne!(of(key()), of(key()));
    }
}
