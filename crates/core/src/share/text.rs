//! What texts give away, told by their looks.

/// Letters below which a user or host cannot be told from a word: `pi`.
const SHORTEST: usize = 3;
/// Words that say nothing of anybody.
const COMMON: [&str; 8] = [
    "root",
    "user",
    "localhost",
    "127.0.0.1",
    "unknown",
    "test",
    "dask",
    "python",
];
/// What the folder of a user lies in. Windows takes no notice of case, and some programs there write a path in small letters.
const HOMES: [&str; 6] = [
    "/home/",
    "/Users/",
    ":\\Users\\",
    ":\\users\\",
    ":\\\\Users\\\\",
    ":\\\\users\\\\",
];
/// Hexadecimal digits of a token that Dask makes.
const TOKEN: usize = 32;

/// Whether a user or host is worth replacing wherever it stands.
pub(super) fn is_telling(value: &str) -> bool {
    value.chars().count() >= SHORTEST && !COMMON.contains(&value)
}

/// Whether a text was drawn at random: hexadecimal digits, with or without the dashes of a UUID.
pub(super) fn is_random(text: &str) -> bool {
    let digits = text.chars().filter(|letter| *letter != '-');
    digits.clone().count() == TOKEN && digits.clone().all(|digit| digit.is_ascii_hexdigit())
}

/// Whether a worker's name was made by the plugin, where hosts are switched off: `worker-7`.
pub(super) fn is_numbered(text: &str) -> bool {
    text.strip_prefix("worker-").is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Whether a text is a function's name, or could be: a word without a number of more than two digits.
pub(super) fn is_function(text: &str) -> bool {
    let begins = text
        .chars()
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_');
    let word = text
        .chars()
        .all(|letter| letter.is_alphanumeric() || letter == '_');
    begins && word && text.chars().filter(char::is_ascii_digit).count() <= 2
}

/// What stands before the token that Dask gives to keys that it makes: `random_sample-mean_chunk`.
pub(super) fn before_token(key: &str) -> Option<&str> {
    let (words, token) = key.rsplit_once('-')?;
    (token.len() == TOKEN && is_random(token) && are_functions(words)).then_some(words)
}

/// Whether a text is functions' names with dashes between them.
pub(super) fn are_functions(text: &str) -> bool {
    text.split('-').all(is_function)
}

/// A path from the environment on that a library lies in; of others the last part.
pub(super) fn without_folders(path: &str) -> String {
    let path = path.replace('\\', "/");
    let library = path
        .rfind("site-packages/")
        .or_else(|| standard_library(&path));
    match library {
        Some(from) => format!("<env>/{}", &path[from..]),
        None => path.rsplit('/').next().unwrap_or(&path).to_owned(),
    }
}

/// Where a path goes on behind `/lib/python3.11/`.
fn standard_library(path: &str) -> Option<usize> {
    const LIB: &str = "/lib/python";
    let version = path.rfind(LIB)? + LIB.len();
    let length = path[version..].find('/')?;
    let (major, minor) = path[version..version + length].split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (digits(major) && digits(minor)).then_some(version + length + 1)
}

/// Without the folders of users: `/home/ana/x.py` becomes `~/x.py`.
pub(super) fn without_home_folders(text: &str) -> String {
    let mut left = text;
    let mut shown = String::with_capacity(text.len());
    while let Some((at, home)) = first_home(left) {
        shown += &left[..at];
        shown.push('~');
        left = &left[at + home..];
    }
    shown + left
}

/// Where the folder of a user begins, and its length. A name may have spaces; it ends where a path or a text does.
fn first_home(text: &str) -> Option<(usize, usize)> {
    HOMES
        .into_iter()
        .filter_map(|start| {
            let at = text.find(start)?;
            let name = &text[at + start.len()..];
            let end = name.find(['/', '\\', '"', '\'', '\n', ',', ';', ':', '<', '>']);
            // The letter of the drive goes, too.
            let drive = text[..at]
                .chars()
                .next_back()
                .filter(|_| start.starts_with(':'));
            let before = drive.map_or(0, char::len_utf8);
            Some((
                at - before,
                before + start.len() + end.unwrap_or(name.len()),
            ))
        })
        .min()
}

/// Replaces a word where it stands by itself, whatever its case.
pub(super) fn replace_word(text: &str, word: &str, by: &str) -> String {
    let word: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
    let letters: Vec<char> = text.chars().collect();
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    while at < letters.len() {
        let alone = at == 0 || !letters[at - 1].is_alphanumeric();
        match length_of(&letters[at..], &word).filter(|_| alone) {
            Some(length)
                if !letters
                    .get(at + length)
                    .is_some_and(|next| next.is_alphanumeric()) =>
            {
                shown.push_str(by);
                at += length;
            }
            _ => {
                shown.push(letters[at]);
                at += 1;
            }
        }
    }
    shown
}

/// How many letters at the beginning are the word, which is in lower case.
fn length_of(letters: &[char], word: &[char]) -> Option<usize> {
    let mut left = word;
    for (length, letter) in letters.iter().enumerate() {
        if left.is_empty() {
            return (length > 0).then_some(length);
        }
        for lower in letter.to_lowercase() {
            let (first, rest) = left.split_first()?;
            if *first != lower {
                return None;
            }
            left = rest;
        }
    }
    (left.is_empty() && !letters.is_empty()).then_some(letters.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_of_dasks_making_are_told_from_others() {
        let token = "fc98261335d052940d84db3ba3b180c5";
        for words in [
            "increment",
            "random_sample-mean_chunk",
            "read-parquet",
            "load2",
        ] {
            assert_eq!(before_token(&format!("{words}-{token}")), Some(words));
        }
        for words in [
            "patient-4711",
            "ana@example.com",
            "load 2026-01-01",
            "",
            "a b",
        ] {
            assert_eq!(before_token(&format!("{words}-{token}")), None, "{words}");
        }
        assert_eq!(before_token("load-canary"), None);
        assert!(is_function("_load") && !is_function("patient4711") && !is_function(""));
        assert!(is_numbered("worker-17") && !is_numbered("worker-") && !is_numbered("worker-a1"));
    }

    #[test]
    fn folders_go_and_libraries_stay() {
        for (path, shown) in [
            ("/home/ana/secret/etl.py", "etl.py"),
            (
                "~/env/lib/python3.11/site-packages/dask/array/core.py",
                "<env>/site-packages/dask/array/core.py",
            ),
            ("/usr/lib/python3.11/threading.py", "<env>/threading.py"),
            ("/home/ana/lib/python_projects/acme/etl.py", "etl.py"),
            ("C:\\Users\\ana\\etl.py", "etl.py"),
            ("<ipython-input-3>", "<ipython-input-3>"),
            ("", ""),
        ] {
            assert_eq!(without_folders(path), shown);
        }
        for (text, shown) in [
            (
                "File \"/home/ana.b/x.py\" and /Users/bo y/z",
                "File \"~/x.py\" and ~/z",
            ),
            ("/home/ana@corp.example/x", "~/x"),
            (
                "'C:\\\\Users\\\\ana\\\\x' D:\\Users\\ana\\y",
                "'~\\\\x' ~\\y",
            ),
            (
                "c:\\users\\ana\\x 'd:\\\\users\\\\ana\\\\x'",
                "~\\x '~\\\\x'",
            ),
            ("/home/", "~"),
        ] {
            assert_eq!(without_home_folders(text), shown);
        }
    }

    #[test]
    fn a_word_is_replaced_where_it_stands_alone() {
        assert_eq!(
            replace_word("Ana on ana-pc, banana, ANA", "ana", "user-1"),
            "user-1 on user-1-pc, banana, user-1"
        );
        assert_eq!(replace_word("İana İ ana", "ana", "x"), "İana İ x");
        assert_eq!(replace_word("", "ana", "x"), "");
    }

    proptest! {
        #[test]
        fn no_text_brings_it_down(text in ".*", word in ".{0,4}") {
            let _ = (without_folders(&text), without_home_folders(&text), before_token(&text));
            let _ = replace_word(&text, &word, "y");
        }
    }
}
