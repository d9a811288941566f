//! What objects a destination holds, and what they are called.
//!
//! ```text
//! bundles/<sha256>.bobbin                          a bundle, as a person reviewed it
//! shared/<sha256>.json                             that it is whole: who shared it and when, signed
//! recalled/<sha256>.json                           that it was taken back, by whom and when, signed
//! tables/<table>/account=<a>/day=<d>/<sha256>.parquet
//! ```
//!
//! Everything is named by the hash of one bundle, so two members never write the same object with other bytes: a bundle counts from
//! when `shared/…` is there until `recalled/…` is, and is never changed. Only tables are written anew, where another bundle has
//! the same cluster.

use object_store::path::Path;

/// Names below the root of one destination.
#[derive(Clone, Debug)]
pub(crate) struct Layout(Path);

impl Layout {
    pub(crate) fn below(root: Path) -> Self {
        Self(root)
    }

    pub(crate) fn bundle(&self, sha256: &str) -> Path {
        self.at(&["bundles", &format!("{sha256}.bobbin")])
    }

    pub(crate) fn shared(&self, sha256: &str) -> Path {
        self.at(&["shared", &format!("{sha256}.json")])
    }

    pub(crate) fn recalled(&self, sha256: &str) -> Path {
        self.at(&["recalled", &format!("{sha256}.json")])
    }

    pub(crate) fn table(&self, table: &str, account: &str, day: &str, sha256: &str) -> Path {
        let (account, day) = (format!("account={account}"), format!("day={day}"));
        self.at(&[
            "tables",
            table,
            &account,
            &day,
            &format!("{sha256}.parquet"),
        ])
    }

    pub(crate) fn all_shared(&self) -> Path {
        self.at(&["shared"])
    }

    pub(crate) fn all_recalled(&self) -> Path {
        self.at(&["recalled"])
    }

    pub(crate) fn all_tables(&self) -> Path {
        self.at(&["tables"])
    }

    fn at(&self, parts: &[&str]) -> Path {
        parts
            .iter()
            .fold(self.0.clone(), |path, part| path.join(*part))
    }
}

/// The hash that an object is named by; none if its name is not one of ours.
pub(crate) fn hash_of(path: &Path) -> Option<String> {
    let (stem, _) = path.filename()?.split_once('.')?;
    is_hash(stem).then(|| stem.into())
}

/// Whether this is a SHA-256 in hexadecimal, in small letters.
pub(crate) fn is_hash(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether this can be the name of an account: a part of an address that Spark and DuckDB read back as it is.
pub(crate) fn is_account(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        && !text.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_found_again() {
        let layout = Layout::below(Path::from("team/bobbin"));
        let hash = "a".repeat(64);
        let table = layout.table("hours", "data", "2026-11-02", &hash);
        assert_eq!(
            table.as_ref(),
            format!("team/bobbin/tables/hours/account=data/day=2026-11-02/{hash}.parquet")
        );
        assert_eq!(hash_of(&table), Some(hash));
        assert_eq!(hash_of(&Path::from("team/bobbin/shared/readme.json")), None);
        assert!(
            !is_account("../x")
                && !is_account("")
                && !is_account(".x")
                && is_account("data-platform")
        );
        assert!(!is_hash(&"A".repeat(64)) && !is_hash("ab"));
    }
}
