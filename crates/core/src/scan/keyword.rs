//! Values behind words such as `password`, in code, in JSON, in variables of a shell and in connection strings.

use std::ops::Range;

/// Words that a secret stands behind, whatever their case.
pub(super) const KEYWORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "accesskey",
    "account_key",
    "accountkey",
    "auth_key",
    "authkey",
    "private_key",
    "privatekey",
    "credential",
    "encryption_key",
    "signing_key",
    "master_key",
    "sas_key",
    "authorization",
    "x-api-key",
    "connection_string",
];
/// What a longer word with such a one in it tells that is no secret.
const HARMLESS: &[&str] = &[
    "iz", "is", "id", "count", "len", "url", "uri", "path", "file", "name", "type", "expir", "ttl",
    "dir", "max", "min", "field", "column", "col", "usage", "limit", "class", "func", "env",
    "per_", "store", "manager", "hash", "required", "error", "valid", "policy", "version", "scope",
    "arn", "prefix", "suffix", "provider", "s_per", "info", "index", "size", "spec", "date",
    "time", "age",
];
/// Values that stand for one that is elsewhere.
const PLACEHOLDERS: &[&str] = &[
    "none",
    "null",
    "true",
    "false",
    "password",
    "passwd",
    "secret",
    "token",
    "redacted",
    "changeme",
    "change_me",
    "placeholder",
    "example",
    "your",
    "yours",
    "str",
    "string",
    "bytes",
    "int",
    "optional",
    "any",
    "nan",
    "missing",
    "required",
    "invalid",
    "expired",
    "undefined",
    "default",
    "masked",
    "hidden",
    "basic",
    "bearer",
    "user",
    "pass",
    "empty",
    "unset",
    "not_set",
    "self",
    "auto",
    "anon",
    "anonymous",
    "env",
    "prompt",
];
/// The longest value.
const MOST: usize = 1_024;
/// Bytes before a word that its name may begin in, and those behind it that end one.
const NAME_BEFORE: usize = 64;
const NAME_BEHIND: usize = 20;
/// Bytes before a name that are looked at for what it is listed behind.
const LINE_BEFORE: usize = 256;

/// Where the value is that stands behind the word at `word`.
pub(super) fn value(text: &str, word: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    // However long a run of letters is, each word in it looks at a part of it.
    let least = floor(text, word.start.saturating_sub(NAME_BEFORE));
    let name_from = text[least..word.start]
        .rfind(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'))
        .map_or(least, |at| least + at + 1);
    let mut at = word.end;
    while at <= word.end + NAME_BEHIND
        && bytes
            .get(at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    {
        at += 1;
    }
    let rest = text[word.end..at].to_ascii_lowercase();
    let before = text.get(name_from..word.start)?.to_ascii_lowercase();
    let harmless = |word: &str| HARMLESS.iter().any(|one| word.contains(one));
    if rest.len() > NAME_BEHIND
        || harmless(&rest)
        || before.ends_with("max_")
        || before.ends_with("next_")
        || before.ends_with("num_")
    {
        return None;
    }
    let name = text.get(name_from..at)?;
    // `"password"]`, `'token':`, `\"secret\":`
    at = skip(bytes, at, b"\\\"'])");
    at = skip(bytes, at, b" \t");
    let separator = *bytes.get(at)?;
    let mut after = at + 1;
    match separator {
        b'=' if bytes.get(after) == Some(&b'=') => return None,
        b'=' if bytes.get(after) == Some(&b'>') => after += 1,
        b'=' => {}
        b':' if bytes.get(after) == Some(&b'=') => after += 1,
        b':' if bytes.get(after) == Some(&b':') => return None,
        b':' => {}
        // `("password", "…")` and `--password …`
        b',' if at > word.end => {}
        _ if at > word.end && rest.is_empty() && dashed(bytes, name_from) => after = at,
        _ => return None,
    }
    let spaced = bytes.get(after).is_some_and(|byte| *byte == b' ');
    after = skip(bytes, after, b" \t");
    if separator == b':' {
        after = annotated(text, after).unwrap_or(after);
    }
    after = scheme(text, after);
    let quote =
        quoted(bytes, after).map(|(from, mark, escaped)| (scheme(text, from), mark, escaped));
    let tight = separator == b'=' && !spaced;
    match quote {
        Some((from, mark, escaped)) => {
            let rest = &text[from..floor(text, from + MOST)];
            let length = rest.find(|letter: char| {
                letter == mark || letter == '\n' || (escaped && letter == '\\')
            })?;
            let value = &rest[..length];
            let prose = value.chars().any(char::is_whitespace)
                && !name.to_ascii_lowercase().contains("phrase");
            (length >= 4 && !prose && !is_placeholder(value)).then(|| from..from + length)
        }
        None => {
            let rest = &text[after..floor(text, after + MOST)];
            let ends = |(at, letter): (usize, char)| match letter {
                '&' => is_parameter(&rest[at + 1..]),
                ',' | ';' | ')' | '(' | '}' | '[' | ']' | '"' | '\'' | '<' | '>' | '`' | '\\' => {
                    true
                }
                _ => letter.is_whitespace(),
            };
            let length = rest
                .char_indices()
                .find(|one| ends(*one))
                .map_or(rest.len(), |(at, _)| at);
            let value = rest[..length].trim_end_matches(['.', ':']);
            let called = rest[length..].starts_with(['(', '[']);
            if called || value.len() < 4 || is_placeholder(value) {
                return None;
            }
            bare(text, name_from, name, value, tight).then(|| after..after + value.len())
        }
    }
}

/// Whether a query goes on here: `name=`. Another `&` is a letter of a password.
fn is_parameter(rest: &str) -> bool {
    let name = rest
        .bytes()
        .take(NAME_BEFORE)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte))
        .count();
    name > 0 && rest.as_bytes().get(name) == Some(&b'=')
}

/// Whether a value without quotes is one, and not an expression.
fn bare(text: &str, name_from: usize, name: &str, value: &str, tight: bool) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let expression = value.split('.').all(|part| {
        part.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    if value
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        // A number: a password where it looks like one, else a count.
        return tight && value.len() >= 6 && name.to_ascii_lowercase().starts_with("p");
    }
    if digits == value.len()
        || (value.len() == 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit()))
    {
        return false;
    }
    let shell = tight
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let before = &text[floor(text, name_from.saturating_sub(LINE_BEFORE))..name_from];
    let line = before.rsplit(['\n', '"', '\'']).next().unwrap_or(before);
    // `host=x password=y`, `;Pwd=y`, `?token=y`
    let listed = tight
        && (before.ends_with([';', '&', '?'])
            || line
                .split_whitespace()
                .next_back()
                .is_some_and(|last| last.contains('=') && !last.ends_with(['=', ',', '('])));
    let header = name.to_ascii_lowercase().ends_with("authorization")
        || name.to_ascii_lowercase().ends_with("api-key");
    if shell || listed || header {
        return value.len() >= 4;
    }
    // In code a bare value is a name; with a digit in a text of its own it is none.
    if expression {
        return digits >= 2 && value.len() >= 10 && !value.contains('.') && mixed(value);
    }
    // `password: hunter2!` of a settings file
    value.len() >= 6
        && (digits > 0 || value.contains(['!', '#', '$', '%', '^', '*', '+', '~', '/']))
        && !value.contains(['{', '|', '='])
        && !value.contains("//")
}

/// Whether letters and digits take turns more than words do.
fn mixed(value: &str) -> bool {
    let kind = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let turns = value
        .as_bytes()
        .windows(2)
        .filter(|pair| kind(pair[0]) != kind(pair[1]))
        .count();
    turns * 4 >= value.len()
}

/// Whether a value stands for one that is elsewhere: `***`, `<token>`, `{password}`, `$PASSWORD`.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    let first = value.bytes().next();
    let same = value.bytes().all(|byte| Some(byte) == first);
    // `%s` and `%(password)s`, and not the `%2F` of an address.
    let formatted = value.strip_prefix('%').is_some_and(|rest| {
        let digits = rest.bytes().take(2);
        digits.filter(u8::is_ascii_hexdigit).count() < 2
    });
    let marked = formatted
        || value.starts_with(['<', '{', '$', '‹'])
        || value.ends_with("...")
        || value.ends_with('…');
    let lower = value.to_ascii_lowercase();
    let worded = PLACEHOLDERS.iter().any(|word| {
        lower == *word
            || lower.strip_prefix(word).is_some_and(|rest| {
                rest.starts_with(['_', '-', ' ', '.'])
                    && !rest.bytes().any(|byte| byte.is_ascii_digit())
            })
    });
    value.is_empty()
        || same
        || marked
        || worded
        || lower.starts_with("os.environ")
        || lower.starts_with("xxxx")
}

/// `str = ` of `password: str = "…"`
fn annotated(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..floor(text, at + 41))?;
    let length = rest.find(|letter: char| {
        !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '[' | ']' | '.' | '|' | ' '))
    })?;
    let bytes = rest.as_bytes();
    let typed = length > 0
        && length < 40
        && bytes[length] == b'='
        && bytes.get(length + 1) != Some(&b'=')
        && rest[..length].contains(' ');
    typed.then(|| skip(text.as_bytes(), at + length + 1, b" \t"))
}

/// Behind `Bearer `, `Basic ` and `token `.
fn scheme(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    ["bearer ", "basic ", "token "]
        .iter()
        .find(|word| {
            rest.len() > word.len() && rest[..word.len()].eq_ignore_ascii_case(word.as_bytes())
        })
        .map_or(at, |word| at + word.len())
}

/// Where a text in quotes begins, its quote, and whether that is escaped.
fn quoted(bytes: &[u8], mut at: usize) -> Option<(usize, char, bool)> {
    let mut letters = 0;
    while letters < 2 && bytes.get(at).is_some_and(|byte| b"rRbBfFuU".contains(byte)) {
        at += 1;
        letters += 1;
    }
    let escaped = bytes.get(at) == Some(&b'\\');
    at += usize::from(escaped);
    let mark = *bytes.get(at).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let three = bytes
        .get(at..at + 3)
        .is_some_and(|three| three.iter().all(|byte| *byte == mark));
    Some((at + if three { 3 } else { 1 }, char::from(mark), escaped))
}

/// Whether a word is a flag of a command: `--password`.
fn dashed(bytes: &[u8], from: usize) -> bool {
    bytes.get(from..from + 2) == Some(b"--")
}

fn skip(bytes: &[u8], mut at: usize, letters: &[u8]) -> usize {
    let most = at + 8;
    while at < most && bytes.get(at).is_some_and(|byte| letters.contains(byte)) {
        at += 1;
    }
    at
}

/// The nearest end of a letter at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
