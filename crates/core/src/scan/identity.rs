//! E-mail and IP addresses, and national ids, in what people wrote. They are no secrets, but say who somebody is, or where.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::{Found, Rule};

/// The longest IPv6 address.
const LONGEST_IPV6: usize = 45;
/// Bytes in front of four numbers in which a word may say that they are a version.
const BEFORE: usize = 24;

/// All of them, by kind; some may overlap.
pub(super) fn scan(text: &str, found: &mut Vec<Found>) {
    let mut note = |rule, what, sign: char, places: fn(&str) -> Vec<Range<usize>>| {
        // Most texts have no such sign, and are not taken apart.
        if text.contains(sign) {
            let places = places(text).into_iter();
            found.extend(places.map(|at| Found { rule, what, at }));
        }
    };
    note(Rule::Email, "e-mail address", '@', emails);
    note(Rule::IpAddress, "IP address", '.', addresses_of_four);
    note(Rule::IpAddress, "IP address", ':', addresses_of_eight);
    note(Rule::NationalId, "national id", '-', numbers_of_people);
}

fn emails(text: &str) -> Vec<Range<usize>> {
    let of_email = |letter: char| letter.is_alphanumeric() || "@._%+-".contains(letter);
    let has_sign = |at: &Range<usize>| text[at.clone()].contains('@');
    runs(text, of_email)
        .into_iter()
        .filter(has_sign)
        .filter_map(|at| {
            let run = &text[at.clone()];
            let from = run.find(char::is_alphanumeric)?;
            // `\nana@…` of a text in a text.
            let from = from + usize::from(from == 0 && is_escaped(text, at.start));
            // Two that stand together are one: what is left of them must not look like another.
            let signs = run.match_indices('@').map(|(sign, _)| sign);
            let mut ends = signs
                .filter(|sign| *sign > from)
                .filter_map(|sign| Some(sign + 1 + domain(&run[sign + 1..])?));
            let to = ends.next_back()?;
            Some(at.start + from..at.start + to)
        })
        .collect()
}

/// The length of the name of a domain at the beginning of a text; none where none is there.
fn domain(text: &str) -> Option<usize> {
    let of_domain = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '-');
    let length = text.find(|letter| !of_domain(letter));
    let mut name = &text[..length.unwrap_or(text.len())];
    // What follows the name may look like a part of it.
    loop {
        name = name.trim_end_matches(['.', '-']);
        let (before, last) = name.rsplit_once('.')?;
        if last.len() >= 2 && last.chars().all(char::is_alphabetic) {
            break;
        }
        name = before;
    }
    let is_label = |label: &str| !label.is_empty() && !label.starts_with('-');
    name.split('.').all(is_label).then_some(name.len())
}

fn addresses_of_four(text: &str) -> Vec<Range<usize>> {
    runs(text, |letter| letter.is_ascii_digit() || letter == '.')
        .into_iter()
        .filter_map(|at| {
            let run = text[at.clone()].trim_end_matches('.');
            let at = at.start..at.start + run.len();
            let address: Ipv4Addr = run.parse().ok()?;
            let rest = text[at.end..].trim_start_matches('.');
            let goes_on = rest.starts_with(is_of_word);
            let begins = begins_at(text, at.start);
            (begins && !goes_on && says_where(address) && !is_version(text, &at)).then_some(at)
        })
        .collect()
}

/// Not this machine, no machine, nor several at once, as the masks of networks look.
fn says_where(address: Ipv4Addr) -> bool {
    let [first, ..] = address.octets();
    (1..224).contains(&first) && !address.is_loopback()
}

/// Whether four numbers are those of a release: `pip install x==4.8.0.76`, `x-4.8.0.76-cp312.whl`, `version 4.8.0.76`.
fn is_version(text: &str, at: &Range<usize>) -> bool {
    let from = text.floor_char_boundary(at.start.saturating_sub(BEFORE));
    let before = &text[from..at.start];
    let compared = ["==", ">=", "<=", "~=", "!="];
    // What was replaced may have ended with a letter.
    let of_name = |letter: char| letter.is_ascii_alphabetic() || letter == '›';
    let of_file = before
        .strip_suffix('-')
        .is_some_and(|name| name.ends_with(of_name))
        && text[at.end..].starts_with(['-', '.']);
    let said = before
        .trim_end_matches([' ', '=', ':', '"', '\''])
        .to_ascii_lowercase();
    of_file
        || compared.iter().any(|sign| before.ends_with(sign))
        || ["version", "release", "__version__"]
            .iter()
            .any(|word| said.ends_with(word))
}

fn addresses_of_eight(text: &str) -> Vec<Range<usize>> {
    let of_address = |letter: char| letter.is_ascii_hexdigit() || matches!(letter, ':' | '.');
    runs(text, of_address)
        .into_iter()
        .filter_map(|at| {
            if !begins_at(text, at.start) || text[at.end..].starts_with(is_of_word) {
                return None;
            }
            // `cannot reach fd12::1: refused`
            let run = text[at.clone()].trim_end_matches('.');
            let colon = run.ends_with(':') && !run.ends_with("::");
            let run = if colon { &run[..run.len() - 1] } else { run };
            if run.len() > LONGEST_IPV6 || !run.contains("::") && run.matches(':').count() != 7 {
                return None;
            }
            let address: Ipv6Addr = run.parse().ok()?;
            let somewhere =
                !address.is_loopback() && !address.is_unspecified() && !address.is_multicast();
            (somewhere && !is_slice(run)).then(|| at.start..at.start + run.len())
        })
        .collect()
}

/// Whether it may as well be a part of a list in Python: `10::2`.
fn is_slice(run: &str) -> bool {
    let mut groups = run.split(':').filter(|group| !group.is_empty());
    let first = groups.next().unwrap_or_default();
    let told = first.len() == 4 && first.bytes().any(|byte| byte.is_ascii_alphabetic());
    groups.count() < 2 && !told
}

/// Those of the United States, `219-09-9999`, and of Brazil, `529.982.247-25`: the forms that hardly anything else has.
fn numbers_of_people(text: &str) -> Vec<Range<usize>> {
    let of_number = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '.' | '_');
    runs(text, of_number)
        .into_iter()
        .filter_map(|at| {
            let from = at.start + usize::from(is_escaped(text, at.start));
            let run = text[from..at.end].trim_end_matches('.');
            (is_social_security(run) || is_cpf(run)).then(|| from..from + run.len())
        })
        .collect()
}

/// `219-09-9999`; some groups are given to nobody.
fn is_social_security(run: &str) -> bool {
    let unused = run.starts_with("000") || run.starts_with("666") || run.starts_with('9');
    looks_like(run, b"000-00-0000") && !unused && &run[4..6] != "00" && &run[7..] != "0000"
}

/// `529.982.247-25`, of which the last two digits check the others.
fn is_cpf(run: &str) -> bool {
    if !looks_like(run, b"000.000.000-00") {
        return false;
    }
    let digits: Vec<usize> = run
        .bytes()
        .filter(u8::is_ascii_digit)
        .map(|digit| usize::from(digit - b'0'))
        .collect();
    let check = |count: usize| {
        let weighed = digits.iter().zip((2..=count + 1).rev());
        let sum: usize = weighed.map(|(digit, weight)| digit * weight).sum();
        (sum * 10) % 11 % 10
    };
    let same = digits.iter().all(|one| *one == digits[0]);
    !same && check(9) == digits[9] && check(10) == digits[10]
}

/// Whether a text has digits where the form has zeros, and else the same.
fn looks_like(text: &str, form: &[u8]) -> bool {
    let alike = |(byte, of): (u8, &u8)| match *of {
        b'0' => byte.is_ascii_digit(),
        of => byte == of,
    };
    text.len() == form.len() && text.bytes().zip(form).all(alike)
}

/// Whether the letter at `at` is that of an escape, such as the `n` of `\n`.
fn is_escaped(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    at > 0 && bytes[at - 1] == b'\\' && matches!(bytes[at], b'n' | b't' | b'r')
}

/// Whether something may begin at `at`, and is no part of a word.
fn begins_at(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    !before.is_some_and(is_of_word) || is_escaped(text, at - 1)
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The longest runs of such letters, but for those beside what stands in the place of another: `fd12::‹ip-1-k7q2m4›` must not be
/// found in what was made of `fd12::10.0.0.7:1`.
fn runs(text: &str, of_run: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let mut runs = Vec::<Range<usize>>::new();
    let mut from = None;
    for (at, letter) in text.char_indices() {
        match (from, of_run(letter)) {
            (None, true) => from = Some(at),
            (Some(start), false) => {
                runs.push(start..at);
                from = None;
            }
            _ => {}
        }
    }
    runs.extend(from.map(|start| start..text.len()));
    runs.retain(|at| !text[..at.start].ends_with('›') && !text[at.end..].starts_with('‹'));
    runs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::identities;

    fn seen(text: &str) -> Vec<&str> {
        let found = identities(text, Vec::new()).into_iter();
        found.map(|one| &text[one.at]).collect()
    }

    #[test]
    fn addresses_of_people_and_machines_are_found_whole() {
        for (text, found) in [
            (
                "no mailbox for <ana.b+etl@corp.example>.",
                &["ana.b+etl@corp.example"][..],
            ),
            ("mailto:jörg@bücher.example?x", &["jörg@bücher.example"]),
            (
                "ana@a.example,bo@b.example",
                &["ana@a.example", "bo@b.example"],
            ),
            ("ana@a.example@b.example", &["ana@a.example@b.example"]),
            ("'\\nana@a.example'", &["ana@a.example"]),
            ("sent to ana@a.example.", &["ana@a.example"]),
            ("tcp://10.0.0.7:43211 is gone", &["10.0.0.7"]),
            (
                "from 192.168.1.4-192.168.1.9",
                &["192.168.1.4", "192.168.1.9"],
            ),
            ("'\\n172.16.3.4'", &["172.16.3.4"]),
            (
                "node-10.0.0.7: refused by 10.0.0.8.",
                &["10.0.0.7", "10.0.0.8"],
            ),
            ("tls://[2001:db8::17]:8786", &["2001:db8::17"]),
            ("cannot reach fd12::1: refused", &["fd12::1"]),
            ("2001:0db8:0:0:0:0:0:17", &["2001:0db8:0:0:0:0:0:17"]),
            ("at fe80::9%eth0", &["fe80::9"]),
            (
                "ssn=219-09-9999, '\\n529.982.247-25'.",
                &["219-09-9999", "529.982.247-25"],
            ),
        ] {
            assert_eq!(seen(text), found, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_left_alone() {
        for text in [
            "@dask.delayed\ndef f(x): return x @ y.T",
            "w = a@b",
            "127.0.0.1:8786 and 0.0.0.0:0 and [::1]:8787 and [::]:0",
            "255.255.255.0",
            "opencv-python==4.8.0.76",
            "opencv_python-4.8.0.76-cp312.whl",
            "‹ip-1-k7q2m4›-4.8.0.76-cp312.whl",
            "version = '4.8.0.76'",
            "Python 3.12.1 on v1.2.3.4",
            "1.2.3.4.5 and 10.0.0.7.x and 300.1.1.1 and 1_000.1.1.1",
            "x[::2], x[10::2], x[::-1], std::dec",
            "12:34:56 and 2026-11-25T20:17:45",
            "aa:bb:cc:dd:ee:ff",
            "000-09-9999, 219-00-9999, 219-09-0000, 666-09-9999, 912-09-9999",
            "1219-09-9999, part-219-09-9999, 219-09-99990, 219_09_9999",
            "529.982.247-26, 111.111.111-11, 1.529.982.247-25",
            "‹email-3-k7q2m4›, ‹ip-1-k7q2m4›, ‹person-1-k7q2m4›",
        ] {
            assert_eq!(seen(text), [""; 0], "{text}");
        }
    }

    proptest! {
        /// What is put in their place must not look like one: else the bytes could never be approved.
        #[test]
        fn once_replaced_there_are_none(text in "(?s)(.|@|\\\\n|::|10\\.0\\.0\\.7|ana@b\\.example|fd12::1|219-09-9999|[a-f0-9:.-]){0,40}") {
            let found = identities(&text, Vec::new());
            for pair in found.windows(2) {
                prop_assert!(pair[0].at.end <= pair[1].at.start);
            }
            let shown = super::super::replaced(&text, &found, |one| format!("‹{}-1-k7q2m4›", one.rule.word()));
            prop_assert_eq!(seen(&shown), [""; 0], "{}", shown);
        }
    }

    #[test]
    fn a_text_that_is_all_signs_takes_no_longer_than_another() {
        for again in ["@", "a@", "a@b.", "1.", "1.1.1.1", ":", "a:", "::1 ", "1-"] {
            identities(&again.repeat((1 << 20) / again.len()), Vec::new());
        }
    }
}
