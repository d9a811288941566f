//! A filter as text: the shortest that [`super::parse()`] reads as the same filter.

use std::fmt::{self, Display, Formatter, Write};

use super::parse::{is_plain, word_of_state};
use super::{Filter, Quantity, Term, When};

impl Display for Filter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Filter::All(parts) => joined(f, parts, " "),
            Filter::Any(parts) => joined(f, parts, " or "),
            Filter::Not(inner) => {
                f.write_char('-')?;
                match **inner {
                    Filter::Not(_) => write!(f, "({inner})"),
                    _ => part(f, inner),
                }
            }
            Filter::Term(term) => term.fmt(f),
        }
    }
}

fn joined(f: &mut Formatter<'_>, parts: &[Filter], between: &str) -> fmt::Result {
    for (at, one) in parts.iter().enumerate() {
        if at > 0 {
            f.write_str(between)?;
        }
        part(f, one)?;
    }
    Ok(())
}

/// In parentheses where the text would be read otherwise without.
fn part(f: &mut Formatter<'_>, filter: &Filter) -> fmt::Result {
    match filter {
        Filter::All(_) | Filter::Any(_) => write!(f, "({filter})"),
        Filter::Not(_) | Filter::Term(_) => filter.fmt(f),
    }
}

impl Display for Term {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Term::Word(word) => text(f, word, true),
            Term::Field(field, value) => {
                write!(f, "{}:", field.word())?;
                text(f, value, false)
            }
            Term::Tag(name, value) => {
                f.write_str("tag:")?;
                text(f, name, false)?;
                value.as_ref().map_or(Ok(()), |value| {
                    f.write_char('=')?;
                    text(f, value, false)
                })
            }
            Term::State(state) => write!(f, "state:{}", word_of_state(*state)),
            Term::Has(thing) => write!(f, "has:{}", thing.word()),
            Term::Measure(measure, comparison, quantity) => {
                write!(f, "{}{}{quantity}", measure.word(), comparison.word())
            }
            Term::Since(when) => write!(f, "since:{when}"),
            Term::Until(when) => write!(f, "until:{when}"),
            Term::Label(label) => write!(f, "label {label}"),
            Term::User(user) => write!(f, "user {user}"),
            Term::From(at) => write!(f, "from {}", at.0),
            Term::To(at) => write!(f, "to {}", at.0),
            Term::Ids(ids) => write!(f, "ids {ids:?}"),
            Term::Going => f.write_str("going"),
        }
    }
}

/// Quoted where it would be read as more than a text.
fn text(f: &mut Formatter<'_>, text: &str, alone: bool) -> fmt::Result {
    if is_plain(text, alone) {
        return f.write_str(text);
    }
    f.write_char('"')?;
    for letter in text.chars() {
        if matches!(letter, '"' | '\\') {
            f.write_char('\\')?;
        }
        f.write_char(letter)?;
    }
    f.write_char('"')
}

impl Display for Quantity {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            self.number,
            self.unit.map_or("", super::Unit::word)
        )
    }
}

impl Display for When {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            When::Ago(count, unit) => write!(f, "{count}{}", unit.word()),
            When::Day(day) => write!(f, "{day}"),
        }
    }
}
