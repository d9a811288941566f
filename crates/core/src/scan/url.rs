//! Passwords and tokens in addresses, and signatures that open one.

use super::keyword::is_placeholder;
use super::{Found, Rule};

/// Parameters that sign an address.
const SIGNED: [&str; 5] = [
    "X-Amz-Signature=",
    "X-Goog-Signature=",
    "Signature=",
    "sig=",
    "X-Amz-Security-Token=",
];
/// The longest user and password.
const MOST: usize = 512;

pub(super) fn scan(text: &str, found: &mut Vec<Found>) {
    for (at, _) in text.match_indices("://") {
        if let Some(at) = credentials(text, at + 3) {
            found.push(Found {
                rule: Rule::UrlCredentials,
                what: "password in an address",
                at,
            });
        }
    }
    for parameter in SIGNED {
        for (at, _) in text.match_indices(parameter) {
            let before = text[..at].chars().next_back();
            if !matches!(before, Some('?' | '&' | ';' | '"' | '\'')) {
                continue;
            }
            let from = at + parameter.len();
            let rest = &text[from..];
            let length = rest
                .find(|letter: char| !(letter.is_ascii_alphanumeric() || "%+/=_-".contains(letter)))
                .unwrap_or(rest.len());
            if length >= 20 {
                found.push(Found {
                    rule: Rule::SignedUrl,
                    what: "signature of an address",
                    at: from..from + length,
                });
            }
        }
    }
}

/// The password, or the token, of `user:password@host` at `from`.
fn credentials(text: &str, from: usize) -> Option<std::ops::Range<usize>> {
    let mut end = text.len().min(from + MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let rest = &text[from..end];
    let end = rest.find(|letter: char| {
        letter.is_whitespace() || matches!(letter, '"' | '\'' | '<' | '>' | '`' | '\\' | ')' | ',')
    });
    let rest = &rest[..end.unwrap_or(rest.len())];
    // A password may have a slash or an @ in it: the last @ before the host's name counts, if what follows can be a host.
    let at = rest.match_indices('@').map(|(at, _)| at).rfind(|at| {
        rest[at + 1..].starts_with(|letter: char| {
            letter.is_alphanumeric() || matches!(letter, '[' | '{' | '$')
        })
    })?;
    let user = &rest[..at];
    match user.split_once(':') {
        // `https://x/@user:id` is a path; a slash in front of the colon means that the host came before.
        Some((name, _)) if name.contains('/') => None,
        Some((name, password)) => {
            (!is_placeholder(password)).then(|| from + name.len() + 1..from + at)
        }
        None => {
            let random = user.len() >= 20
                && user
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
            random.then(|| from..from + at)
        }
    }
}
