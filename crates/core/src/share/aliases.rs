//! Names that stand for others: the same for the same thing, and nobody else can tell for which.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::seal::FingerprintKey;

/// Letters of an alias: a million things of one noun share one by chance in one of two thousand installs.
const LETTERS: usize = 10;
/// Letters behind a counted alias: of two hundred members two share a mark by chance in one of fifty thousand teams.
const MARK_LETTERS: usize = 6;
/// Crockford's base 32: no letter that looks like another.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Makes aliases, by a keyed hash: the same in every bundle of this install, and without its key no guess at what is behind
/// one can be tested. Or by counting, where a private map remembers them: the same in every share with one destination.
pub(super) struct Aliases<'a> {
    /// None: aliases are only recognized.
    key: Option<&'a FingerprintKey>,
    numbers: Option<&'a RefCell<Numbers>>,
}

/// What is said of a text that is no alias, where aliases are only recognized.
const NONE: &str = "‹no alias›";

/// One alias of the private map of a destination.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counted {
    pub(super) noun: String,
    /// Of noun and value, by the key of the install.
    pub(super) fingerprint: [u8; 16],
    /// None where the store keeps it sealed: then it is only recognised.
    pub(super) value: Option<String>,
    pub(super) number: u64,
}

/// The private map of one destination.
#[derive(Debug)]
pub(super) struct Numbers {
    /// Stands behind every alias.
    mark: String,
    /// By noun and fingerprint.
    known: BTreeMap<(String, [u8; 16]), u64>,
    last: BTreeMap<String, u64>,
    /// Those that the map does not have yet.
    fresh: Vec<Counted>,
}

impl Numbers {
    pub(super) fn new(mark: String, known: impl IntoIterator<Item = Counted>) -> Self {
        let mut numbers = Self {
            mark,
            known: BTreeMap::new(),
            last: BTreeMap::new(),
            fresh: Vec::new(),
        };
        for one in known {
            let last = numbers.last.entry(one.noun.clone()).or_default();
            *last = one.number.max(*last);
            numbers
                .known
                .insert((one.noun, one.fingerprint), one.number);
        }
        numbers
    }

    /// How many of them the private map has.
    pub(super) fn stored(&self) -> usize {
        self.known.len() - self.fresh.len()
    }

    /// Those that the private map does not have yet.
    pub(super) fn fresh(&self) -> &[Counted] {
        &self.fresh
    }

    /// The same, which the map has from now on.
    pub(super) fn take_fresh(&mut self) -> Vec<Counted> {
        std::mem::take(&mut self.fresh)
    }

    fn of(&mut self, key: &FingerprintKey, noun: &str, value: &str, kept: bool) -> String {
        let fingerprint = key.fingerprint(&format!("counted\0{noun}\0{value}"));
        let place = (noun.to_owned(), fingerprint);
        let number = match self.known.get(&place) {
            Some(&number) => number,
            None => {
                let last = self.last.entry(noun.into()).or_default();
                *last += 1;
                self.fresh.push(Counted {
                    noun: noun.into(),
                    fingerprint,
                    value: kept.then(|| value.to_owned()),
                    number: *last,
                });
                self.known.insert(place, *last);
                *last
            }
        };
        numbered(noun, number, &self.mark)
    }
}

/// What tells this install's numbers from those of others who share with the same destination. It is the same in every share
/// with that one, and another with another, so that it tells no two teams that they have a member in common.
pub(super) fn mark(key: &FingerprintKey, destination: &str) -> String {
    letters(key, &format!("mark\0{destination}"), MARK_LETTERS)
}

fn letters(key: &FingerprintKey, text: &str, count: usize) -> String {
    let hash = key.fingerprint(text);
    let letters = hash.iter().take(count);
    letters
        .map(|&byte| char::from(ALPHABET[usize::from(byte % 32)]))
        .collect()
}

/// With the mark `k7q2m4`: `user-A-k7q2m4` of the first user, `user-AA-k7q2m4` of the 27th; `host-3-k7q2m4` of the third host.
pub(super) fn numbered(noun: &str, number: u64, mark: &str) -> String {
    if noun != "user" {
        return format!("{noun}-{number}-{mark}");
    }
    let mut letters = Vec::new();
    let mut left = number;
    while left > 0 {
        left -= 1;
        letters.push(char::from(b'A' + (left % 26) as u8));
        left /= 26;
    }
    let letters: String = letters.iter().rev().collect();
    format!("user-{letters}-{mark}")
}

/// Whether a text looks like an alias of any install. So do some names, such as `my-department`.
pub(super) fn is_alias(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let is_of_noun = |letter: u8| letter.is_ascii_lowercase() || letter == b'_';
    let noun = |noun: &str| !noun.is_empty() && noun.bytes().all(is_of_noun);
    match parts.as_slice() {
        [of, hash] => noun(of) && is_drawn(hash, LETTERS),
        [of, number, mark] => noun(of) && is_number(number) && is_drawn(mark, MARK_LETTERS),
        _ => false,
    }
}

/// Whether an alias may stand somewhere in a text.
pub(super) fn has_alias(text: &str) -> bool {
    let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    words.any(|word| {
        let parts: Vec<&str> = word.split('-').collect();
        let hash = parts.iter().skip(1).any(|part| is_drawn(part, LETTERS));
        let counted = |three: &[&str]| is_number(three[1]) && is_drawn(three[2], MARK_LETTERS);
        hash || parts.windows(3).any(counted)
    })
}

fn is_drawn(text: &str, letters: usize) -> bool {
    text.len() == letters && text.bytes().all(|letter| ALPHABET.contains(&letter))
}

/// As things are counted: by a number, or users by letters.
fn is_number(text: &str) -> bool {
    let all = |is: fn(&u8) -> bool| !text.is_empty() && text.bytes().all(|letter| is(&letter));
    all(u8::is_ascii_digit) || all(u8::is_ascii_uppercase)
}

impl<'a> Aliases<'a> {
    pub(super) fn new(key: &'a FingerprintKey) -> Self {
        Self {
            key: Some(key),
            numbers: None,
        }
    }

    /// Those of any install: each stays what it is, and what is none is changed.
    pub(super) fn looking() -> Self {
        Self {
            key: None,
            numbers: None,
        }
    }

    /// Ids still have hashes: they tell apart what comes from different installs.
    pub(super) fn counting(key: &'a FingerprintKey, numbers: &'a RefCell<Numbers>) -> Self {
        Self {
            key: Some(key),
            numbers: Some(numbers),
        }
    }

    /// Such as `host-7q2m40xkvd` for the host `gandalf`.
    pub(super) fn of(&self, noun: &str, value: &str) -> String {
        self.alias(noun, value, true)
    }

    /// The same for what the store keeps sealed, such as code: the private map recognises it, and does not hold it.
    pub(super) fn of_sealed(&self, noun: &str, value: &str) -> String {
        self.alias(noun, value, false)
    }

    fn alias(&self, noun: &str, value: &str, kept: bool) -> String {
        let Some(key) = self.key else {
            let is = value.is_empty() || is_alias(value);
            return if is { value } else { NONE }.to_owned();
        };
        if let Some(numbers) = self.numbers.filter(|_| noun != "id") {
            return numbers.borrow_mut().of(key, noun, value, kept);
        }
        let text = format!("alias\0{noun}\0{value}");
        format!("{noun}-{}", letters(key, &text, LETTERS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_aliases_are_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let key = FingerprintKey::load_or_make(dir.path()).unwrap();
        let mark = mark(&key, "team");
        let frodo = Counted {
            noun: "host".into(),
            fingerprint: key.fingerprint("counted\0host\0frodo"),
            value: Some("frodo".into()),
            number: 2,
        };
        let numbers = RefCell::new(Numbers::new(mark.clone(), [frodo]));
        let aliases = Aliases::counting(&key, &numbers);
        let told = |alias: &str| format!("{alias}-{mark}");
        assert_eq!(aliases.of("host", "frodo"), told("host-2"));
        assert_eq!(aliases.of("host", "gandalf"), told("host-3"));
        assert_eq!(
            (aliases.of("user", "ana"), aliases.of("user", "bo")),
            (told("user-A"), told("user-B"))
        );
        let code = aliases.of_sealed("code", "x = 1");
        assert_eq!(
            (code.as_str(), aliases.of_sealed("code", "x = 1")),
            (told("code-1").as_str(), told("code-1"))
        );
        let fresh = numbers.borrow_mut().take_fresh();
        let kept: Vec<_> = fresh.iter().map(|one| one.value.as_deref()).collect();
        assert_eq!(kept, [Some("gandalf"), Some("ana"), Some("bo"), None]);
        let user = |number| numbered("user", number, "m");
        assert_eq!(
            (user(26), user(27), user(703)),
            ("user-Z-m".into(), "user-AA-m".into(), "user-AAA-m".into())
        );
        assert_ne!(aliases.of("id", "x"), told("id-1"));
    }

    #[test]
    fn the_same_number_of_two_installs_is_two_aliases_and_of_two_teams_two_marks() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let keys = [&one, &other].map(|dir| FingerprintKey::load_or_make(dir.path()).unwrap());
        let first = |key: &FingerprintKey, destination: &str| {
            let numbers = RefCell::new(Numbers::new(mark(key, destination), []));
            Aliases::counting(key, &numbers).of("user", "ana")
        };
        let told = first(&keys[0], "team");
        assert_eq!(told, first(&keys[0], "team"));
        assert_ne!(told, first(&keys[1], "team"));
        assert_ne!(told, first(&keys[0], "another"));
    }

    #[test]
    fn an_alias_is_recognized_wherever_it_stands() {
        let dir = tempfile::tempdir().unwrap();
        let key = FingerprintKey::load_or_make(dir.path()).unwrap();
        let numbers = RefCell::new(Numbers::new(mark(&key, "team"), []));
        let (hashed, counted) = (Aliases::new(&key), Aliases::counting(&key, &numbers));
        for noun in ["user", "host", "exception_type"] {
            for alias in [hashed.of(noun, "ana"), counted.of(noun, "ana")] {
                assert!(is_alias(&alias), "{alias}");
                assert!(has_alias(&format!("load {alias}.csv")), "{alias}");
                assert!(has_alias(&format!("inc-{alias}")), "{alias}");
                assert!(!is_alias(&format!("{alias} {alias}")), "{alias}");
            }
        }
        for other in [
            "",
            "inc",
            "load-data",
            "inc-0123456789abcdef0123456789abcdef",
            "tcp://10.0.0.1:8786",
            "worker-7",
            "2026-11-25",
        ] {
            assert!(!is_alias(other) && !has_alias(other), "{other}");
        }
    }

    #[test]
    fn an_alias_is_stable_and_of_its_noun_and_install() {
        let made = |dir: &tempfile::TempDir| FingerprintKey::load_or_make(dir.path()).unwrap();
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (first, again, foreign) = (made(&one), made(&one), made(&other));
        let alias = Aliases::new(&first).of("host", "gandalf");
        assert_eq!(alias, Aliases::new(&again).of("host", "gandalf"));
        assert_ne!(alias, Aliases::new(&foreign).of("host", "gandalf"));
        assert_ne!(alias, Aliases::new(&first).of("host", "frodo"));
        let user = Aliases::new(&first).of("user", "gandalf");
        assert_ne!(
            alias.trim_start_matches("host-"),
            user.trim_start_matches("user-")
        );
        assert_eq!(alias.len(), "host-".len() + LETTERS);
    }
}
