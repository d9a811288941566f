//! A text as a filter, or the word that keeps it from being one.

use std::iter::Peekable;
use std::str::CharIndices;

use chrono::{Datelike, NaiveDate};

use super::{Comparison, Fault, Field, Filter, Measure, Quantity, Term, Thing, Unit, When};
use crate::model::ClusterState;

/// What a filter may have of each: more is nobody's typing, and SQLite has bounds of its own.
const LETTERS: usize = 2_000;
const TERMS: usize = 64;
const DEPTH: usize = 16;

const STATES: &[ClusterState] = &[
    ClusterState::Running,
    ClusterState::Stalled,
    ClusterState::Idle,
    ClusterState::Finished,
    ClusterState::Lost,
];
/// Keys that are neither texts nor figures.
const OTHER_KEYS: &[&str] = &["tag", "state", "has", "since", "until"];

/// A state as it is typed.
pub(super) fn word_of_state(state: ClusterState) -> &'static str {
    match state {
        ClusterState::Running => "running",
        ClusterState::Stalled => "stalled",
        ClusterState::Idle => "idle",
        ClusterState::Finished => "finished",
        ClusterState::Lost => "lost",
    }
}

/// All that may stand before a sign.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    let fields = Field::ALL.iter().map(|field| field.word());
    let measures = Measure::ALL.iter().map(|measure| measure.word());
    fields.chain(OTHER_KEYS.iter().copied()).chain(measures)
}

pub(super) fn states() -> impl Iterator<Item = &'static str> + Clone {
    STATES.iter().map(|state| word_of_state(*state))
}

/// Whether a letter keeps words apart. Controls do, since no text of a cluster is looked for by them.
fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control()
}

/// Whether a text is read as itself without quotes; `alone` where it stands for itself and not behind a key.
pub(super) fn is_plain(text: &str, alone: bool) -> bool {
    let special = |letter: char| is_blank(letter) || matches!(letter, '"' | '(' | ')');
    if text.is_empty() || text.contains(special) {
        return false;
    }
    if !alone {
        return !text.contains('=');
    }
    !text.eq_ignore_ascii_case("or") && !text.starts_with('-') && key_of(text).is_none()
}

/// The key, sign and rest of `user:ana`: letters, then a sign. Other words are texts, such as `<b>` or `50:3`.
pub(super) fn key_of(word: &str) -> Option<(&str, &str, &str)> {
    let end = word.find(|letter: char| !(letter.is_ascii_alphabetic() || letter == '_'))?;
    let (key, rest) = word.split_at(end);
    if key.is_empty() {
        return None;
    }
    [">=", "<=", ">", "<", "=", ":"]
        .into_iter()
        .find_map(|sign| rest.strip_prefix(sign).map(|value| (key, sign, value)))
}

/// A piece of the text, with the place of its first letter, from 0.
#[derive(Debug)]
enum Token {
    Minus,
    Open,
    Close,
    Or,
    Text(Word),
}

/// A word with its quoted parts opened.
#[derive(Debug, Default)]
struct Word {
    /// As it was typed.
    typed: String,
    /// Its text, quotes gone; before the first quote it is as typed.
    text: String,
    /// Where in `text` the first quoted part begins.
    quoted: Option<usize>,
}

/// Reads a filter.
///
/// # Errors
/// [`Fault`] names the first word that cannot be used.
pub(crate) fn parse(text: &str) -> Result<Filter, Fault> {
    if text.chars().count() > LETTERS {
        return Err(fault(
            0,
            &text.chars().take(20).collect::<String>(),
            format!("the filter is longer than {LETTERS} characters"),
        ));
    }
    let tokens = tokens(text)?;
    let terms = tokens
        .iter()
        .filter(|(token, _)| matches!(token, Token::Text(_)))
        .count();
    if terms > TERMS {
        return Err(fault(0, "", format!("it has more than {TERMS} terms")));
    }
    let mut reader = Reader {
        tokens: tokens.into_iter().peekable(),
        depth: 0,
    };
    let filter = reader.all()?;
    match reader.tokens.next() {
        None => Ok(filter),
        Some((_, at)) => Err(fault(at, ")", "there is no matching opening parenthesis".into())),
    }
}

fn fault(at: usize, word: &str, reason: String) -> Fault {
    Fault {
        word: word.into(),
        at: at + 1,
        reason,
    }
}

fn tokens(text: &str) -> Result<Vec<(Token, usize)>, Fault> {
    let mut found = Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some(&(byte, letter)) = letters.peek() {
        let at = text[..byte].chars().count();
        if is_blank(letter) {
            letters.next();
            continue;
        }
        let token = match letter {
            '(' => Token::Open,
            ')' => Token::Close,
            '-' if text[byte + 1..]
                .chars()
                .next()
                .is_some_and(|next| !is_blank(next) && !matches!(next, '-' | ')')) =>
            {
                Token::Minus
            }
            _ => {
                let word = word(text, &mut letters, at)?;
                found.push((
                    if word.quoted.is_none() && word.text.eq_ignore_ascii_case("or") {
                        Token::Or
                    } else {
                        Token::Text(word)
                    },
                    at,
                ));
                continue;
            }
        };
        letters.next();
        found.push((token, at));
    }
    Ok(found)
}

fn word(text: &str, letters: &mut Peekable<CharIndices<'_>>, at: usize) -> Result<Word, Fault> {
    let mut word = Word::default();
    while let Some(&(byte, letter)) = letters.peek() {
        if is_blank(letter) || matches!(letter, '(' | ')') {
            break;
        }
        letters.next();
        word.typed.push(letter);
        if letter != '"' {
            word.text.push(letter);
            continue;
        }
        word.quoted.get_or_insert(word.text.len());
        loop {
            let Some((_, letter)) = letters.next() else {
                let begun = text[..byte].chars().count();
                return Err(fault(
                    begun.max(at),
                    &text[byte..],
                    "the quote is not closed".into(),
                ));
            };
            word.typed.push(letter);
            match letter {
                '"' => break,
                '\\' => {
                    if let Some((_, letter)) = letters.next() {
                        word.typed.push(letter);
                        word.text.push(blank_if_control(letter));
                    }
                }
                letter => word.text.push(blank_if_control(letter)),
            }
        }
    }
    Ok(word)
}

fn blank_if_control(letter: char) -> char {
    if letter.is_control() { ' ' } else { letter }
}

struct Reader {
    tokens: Peekable<std::vec::IntoIter<(Token, usize)>>,
    depth: usize,
}

impl Reader {
    fn all(&mut self) -> Result<Filter, Fault> {
        let mut parts = Vec::new();
        loop {
            match self.tokens.peek() {
                None | Some((Token::Close, _)) => return Ok(Filter::all(parts)),
                Some((Token::Or, at)) => {
                    return Err(fault(*at, "or", "there is nothing before it".into()));
                }
                Some(_) => parts.push(self.any()?),
            }
        }
    }

    fn any(&mut self) -> Result<Filter, Fault> {
        let mut parts = vec![self.one()?];
        while let Some((Token::Or, at)) = self.tokens.peek() {
            let at = *at;
            self.tokens.next();
            match self.tokens.peek() {
                None | Some((Token::Close | Token::Or, _)) => {
                    return Err(fault(at, "or", "there is nothing after it".into()));
                }
                Some(_) => parts.push(self.one()?),
            }
        }
        Ok(Filter::any(parts))
    }

    fn one(&mut self) -> Result<Filter, Fault> {
        match self.tokens.next() {
            Some((Token::Minus, at)) => {
                self.deeper(at)?;
                let inner = self.one()?;
                self.depth -= 1;
                Ok(Filter::Not(Box::new(inner)))
            }
            Some((Token::Open, at)) => {
                self.deeper(at)?;
                let inner = self.all()?;
                self.depth -= 1;
                match self.tokens.next() {
                    Some((Token::Close, _)) if inner == Filter::All(Vec::new()) => {
                        Err(fault(at, "()", "there is nothing between the parentheses".into()))
                    }
                    Some((Token::Close, _)) => Ok(inner),
                    _ => Err(fault(at, "(", "it is not closed".into())),
                }
            }
            Some((Token::Text(word), at)) => term(&word, at).map(Filter::Term),
            Some((Token::Close | Token::Or, at)) => {
                Err(fault(at, "-", "there is nothing after it".into()))
            }
            None => Err(fault(0, "-", "there is nothing after it".into())),
        }
    }

    fn deeper(&mut self, at: usize) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(fault(at, "(", format!("it is nested deeper than {DEPTH}")));
        }
        Ok(())
    }
}

fn term(word: &Word, at: usize) -> Result<Term, Fault> {
    // A sign that is quoted is no sign.
    let before_quote = &word.text[..word.quoted.unwrap_or(word.text.len())];
    let Some((key, sign, _)) = key_of(before_quote) else {
        return match word.text.trim() {
            "" => Err(fault(
                at,
                &word.typed,
                "there is nothing between the quotes".into(),
            )),
            _ => Ok(Term::Word(word.text.clone())),
        };
    };
    let value = &word.text[key.len() + sign.len()..];
    let wrong = |reason: String| fault(at, &word.typed, reason);
    let key = key.to_ascii_lowercase();
    if let Some(measure) = Measure::read(&key) {
        let comparison = Comparison::read(sign).unwrap_or(Comparison::Equal);
        return quantity(measure, value)
            .map(|quantity| Term::Measure(measure, comparison, quantity))
            .map_err(wrong);
    }
    if !keys().any(|known| known == key) {
        let near = nearest(&key, keys()).map_or_else(
            || format!("choose from {}.", keys().collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(wrong(format!(
            "there is no `{key}`: {near} Use quotes to search for it as text"
        )));
    }
    if !matches!(sign, ":" | "=") {
        return Err(wrong(format!("`{key}` cannot be compared: use `{key}:`")));
    }
    if value.is_empty() {
        return Err(wrong(format!("there is nothing after `{key}{sign}`")));
    }
    if let Some(field) = Field::read(&key) {
        return Ok(Term::Field(field, value.into()));
    }
    match key.as_str() {
        "tag" => {
            let text = word.text.len() - value.len();
            let quoted = word
                .quoted
                .map_or(usize::MAX, |from| from.saturating_sub(text));
            tag(value, quoted, &word.typed).ok_or_else(|| wrong("the tag has no name".into()))
        }
        "state" => STATES
            .iter()
            .copied()
            .find(|state| word_of_state(*state).eq_ignore_ascii_case(value))
            .map(Term::State)
            .ok_or_else(|| wrong(no_such("state", value, states()))),
        "has" => Thing::read(value).map(Term::Has).ok_or_else(|| {
            let things = Thing::ALL.iter().map(|thing| thing.word());
            wrong(no_such("value for `has`", value, things))
        }),
        "since" => when(value).map(Term::Since).map_err(wrong),
        _ => when(value).map(Term::Until).map_err(wrong),
    }
}

fn no_such(what: &str, value: &str, known: impl Iterator<Item = &'static str> + Clone) -> String {
    let near = nearest(&value.to_ascii_lowercase(), known.clone()).map_or_else(
        || format!("choose from {}", known.collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    format!("there is no {what} `{value}`: {near}")
}

/// `env=prod`. A name or a value in quotes may hold a `=` of its own, which is found in the typed text.
fn tag(value: &str, quoted: usize, typed: &str) -> Option<Term> {
    let equals = if quoted == 0 {
        // The name is quoted: it ends where its quote does.
        let inner = typed.split_once('"')?.1;
        let mut length = 0;
        let mut letters = inner.chars();
        loop {
            match letters.next()? {
                '"' => break,
                '\\' => length += letters.next().map_or(0, |l| blank_if_control(l).len_utf8()),
                letter => length += blank_if_control(letter).len_utf8(),
            }
        }
        value[length..].starts_with('=').then_some(length)
    } else {
        value.find('=')
    };
    let (name, value) = match equals {
        Some(at) => (&value[..at], Some(value[at + 1..].to_owned())),
        None => (value, None),
    };
    (!name.is_empty()).then(|| Term::Tag(name.into(), value))
}

fn quantity(measure: Measure, text: &str) -> Result<Quantity, String> {
    let units = measure.units();
    let example = units.iter().rev().nth(1).or(units.first());
    let wanted = || {
        let unit = example.map_or("", |unit| unit.word());
        format!(
            "compare `{}` with a number, for example `{}>10{unit}`",
            measure.word(),
            measure.word()
        )
    };
    let unit = units
        .iter()
        .copied()
        .filter(|unit| {
            let word = unit.word();
            text.len() > word.len()
                && text.is_char_boundary(text.len() - word.len())
                && text[text.len() - word.len()..].eq_ignore_ascii_case(word)
        })
        .max_by_key(|unit| unit.word().len());
    let digits = &text[..text.len() - unit.map_or(0, |unit| unit.word().len())];
    let plain =
        |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | 'e' | 'E' | '+' | '-');
    let number: f64 = match digits.parse() {
        Ok(number) if digits.chars().all(plain) => number,
        _ => {
            let tail = digits.trim_start_matches(plain);
            if tail.is_empty() || tail.len() == digits.len() || units.is_empty() {
                return Err(wanted());
            }
            let known = units.iter().map(|unit| unit.word());
            return Err(no_such("unit", tail, known));
        }
    };
    if !number.is_finite() || number.is_sign_negative() {
        return Err(wanted());
    }
    Ok(Quantity { number, unit })
}

fn when(text: &str) -> Result<When, String> {
    let wanted = || "use a time like `7d`, `24h`, `90m`, `2w` or `2026-03-01`".to_owned();
    if let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        // The times that the store holds.
        return if (2000..=2255).contains(&day.year()) {
            Ok(When::Day(day))
        } else {
            Err("use a year from 2000 to 2255".into())
        };
    }
    let unit = [Unit::Minutes, Unit::Hours, Unit::Days, Unit::Weeks]
        .into_iter()
        .find(|unit| text.ends_with(unit.word()))
        .ok_or_else(wanted)?;
    let digits = &text[..text.len() - 1];
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wanted());
    }
    let count: u32 = digits.parse().map_err(|_| wanted())?;
    if f64::from(count) * unit.size() > 300.0 * 366.0 * 86_400.0 {
        return Err("that is before the first possible cluster".into());
    }
    Ok(When::Ago(count, unit))
}

/// The known word that a typed one was most likely meant to be: it begins like it, or at most two letters differ.
fn nearest(typed: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let score = |word: &str| {
        let word = word.to_ascii_lowercase();
        match word.starts_with(typed) || typed.starts_with(&word) {
            true => 1,
            false => distance(typed, &word),
        }
    };
    known
        .map(|word| (score(word), word))
        .filter(|(score, word)| *score <= 2.min(word.len() / 2))
        .min_by_key(|(score, _)| *score)
        .map(|(_, word)| word)
}

/// Letters to add, take away or change (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}
