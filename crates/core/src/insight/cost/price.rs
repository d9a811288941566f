//! What can be a price.

use crate::model::Micros;
use crate::query::types::{AppliesTo, PriceTerms, Range, Rate};
use crate::{Error, Result};

/// No figure of a price is larger: sums of years of large clusters stay exact.
const MOST: f64 = 1e6;
/// Characters of a name, and of where figures are from.
const NAME: usize = 200;
const PROVENANCE: usize = 2_000;
/// 1970 to 2255.
const MOMENTS: std::ops::RangeInclusive<Micros> = Micros(0)..=Micros::LATEST;

/// Whether a price can be written down.
///
/// # Errors
/// [`Error::Invalid`], with the value and what it may be.
pub(crate) fn check(mut terms: PriceTerms) -> Result<PriceTerms> {
    terms.name = terms.name.trim().into();
    terms.provenance = terms.provenance.trim().into();
    text("name of a price", &terms.name, NAME)?;
    if terms.provenance.chars().count() > PROVENANCE {
        return Err(invalid(
            "source of a price",
            &terms.provenance,
            "it has more than 2,000 characters",
        ));
    }
    let days = format!(
        "{} to {:?}",
        terms.from_micros.0,
        terms.to_micros.map(|to| to.0)
    );
    if !MOMENTS.contains(&terms.from_micros)
        || terms.to_micros.is_some_and(|to| !MOMENTS.contains(&to))
    {
        return Err(invalid(
            "days of a price",
            &days,
            "they are outside 1970 to 2255",
        ));
    }
    if terms.to_micros.is_some_and(|to| to <= terms.from_micros) {
        return Err(invalid(
            "days of a price",
            &days,
            "it ends before it begins",
        ));
    }
    match &mut terms.applies_to {
        AppliesTo::Everything => {}
        AppliesTo::Host { pattern } => *pattern = pattern_of("host", pattern)?,
        AppliesTo::Project { pattern } => *pattern = pattern_of("project", pattern)?,
        AppliesTo::Tag { name, pattern } => {
            *name = pattern_of("tag", name)?;
            *pattern = pattern_of("value of the tag", pattern)?;
        }
    }
    match &terms.rate {
        Rate::Own {
            watts_per_core,
            kilowatt_hour,
        } => {
            range("watts per core", *watts_per_core)?;
            range("price of a kilowatt-hour", *kilowatt_hour)?;
        }
        Rate::Rented {
            core_hour,
            memory_gib_hour,
            machine_hour,
            workers_per_machine,
        } => {
            range("price of a core-hour", *core_hour)?;
            range("price of a GiB-hour of memory", *memory_gib_hour)?;
            range("price of a machine-hour", *machine_hour)?;
            if !(1..=10_000).contains(workers_per_machine) {
                return Err(invalid(
                    "workers per machine",
                    &workers_per_machine.to_string(),
                    "use 1 to 10,000",
                ));
            }
        }
    }
    Ok(terms)
}

/// Whether a text can be the name of a currency.
///
/// # Errors
/// [`Error::Invalid`].
pub(crate) fn check_currency(currency: &str) -> Result<String> {
    let currency = currency.trim();
    if !(1..=8).contains(&currency.chars().count()) || currency.chars().any(char::is_control) {
        return Err(invalid(
            "currency",
            currency,
            "use one to eight characters, for example EUR",
        ));
    }
    Ok(currency.into())
}

fn pattern_of(what: &'static str, pattern: &str) -> Result<String> {
    let pattern = pattern.trim();
    text(what, pattern, NAME)?;
    Ok(pattern.into())
}

fn text(what: &'static str, value: &str, most: usize) -> Result<()> {
    match value.chars().count() {
        0 => Err(invalid(what, "nothing", "use at least one character")),
        n if n > most => Err(invalid(what, value, "it has more than 200 characters")),
        _ => Ok(()),
    }
}

fn range(what: &'static str, Range { low, high }: Range) -> Result<()> {
    let value = format!("{low} to {high}");
    if !(0.0..=MOST).contains(&low) || !(0.0..=MOST).contains(&high) {
        return Err(invalid(what, &value, "use numbers from 0 to 1,000,000"));
    }
    if low > high {
        return Err(invalid(what, &value, "put the lower number first"));
    }
    Ok(())
}

fn invalid(what: &'static str, value: &str, reason: &str) -> Error {
    let mut value: String = value.chars().take(60).collect();
    if value.is_empty() {
        value = "nothing".into();
    }
    Error::Invalid {
        what,
        value,
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{project, rented, terms};

    #[test]
    fn what_cannot_be_a_price_is_refused_with_the_value() {
        let fine = terms(0, Some(3), project(" etl "));
        assert_eq!(check(fine.clone()).unwrap().applies_to, project("etl"));
        let with = |change: &dyn Fn(&mut PriceTerms)| {
            let mut terms = fine.clone();
            change(&mut terms);
            check(terms).unwrap_err().to_string()
        };
        assert!(with(&|terms| terms.name = "  ".into()).contains("name of a price"));
        assert!(with(&|terms| terms.to_micros = Some(Micros(0))).contains("ends before it begins"));
        assert!(with(&|terms| terms.from_micros = Micros(-1)).contains("1970"));
        assert!(with(&|terms| terms.applies_to = project("")).contains("project: nothing"));
        assert!(with(&|terms| terms.rate = rented(0.06, 0.05)).contains("0.06 to 0.05"));
        assert!(with(&|terms| terms.rate = rented(-1.0, 0.05)).contains("core-hour"));
        assert!(with(&|terms| terms.rate = rented(0.0, f64::NAN)).contains("NaN"));
        assert!(check_currency("").is_err() && check_currency("EUR\n\u{7}").is_err());
        assert_eq!(check_currency(" USD ").unwrap(), "USD");
    }
}
