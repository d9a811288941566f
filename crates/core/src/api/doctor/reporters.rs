//! Those who report: whether they have the plugin of this version, and clocks that agree with this machine's.

use std::collections::BTreeMap;

use super::DoctorCheck;
use crate::Result;
use crate::api::App;
use crate::api::reporters::reporters;
use crate::model::Micros;
use crate::model::words::seconds;

/// Longer ago nobody can do anything about it.
const DAYS: i64 = 7;
/// Clocks that differ by less do not put a run in another place.
const SMALL_MICROS: i64 = 5_000_000;

/// Nothing where nobody was heard.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(super) fn checks(app: &App) -> Result<Vec<DoctorCheck>> {
    let since = Micros(app.now().0 - DAYS * 86_400 * 1_000_000);
    let found = reporters(app, since)?;
    let mut checks = Vec::new();
    if !found.is_empty() {
        let versions = found.iter().map(|one| one.plugin_version.as_str());
        checks.push(plugins(versions));
    }
    let clocks: Vec<i64> = found.iter().filter_map(|one| one.ahead_micros).collect();
    if !clocks.is_empty() {
        checks.push(agreeing(&clocks));
    }
    Ok(checks)
}

fn plugins<'a>(versions: impl Iterator<Item = &'a str>) -> DoctorCheck {
    let mut counted = BTreeMap::<&str, usize>::new();
    for version in versions {
        *counted.entry(version).or_default() += 1;
    }
    let said: Vec<String> = counted
        .iter()
        .map(|(version, schedulers)| format!("{version} in {schedulers}"))
        .collect();
    let found = format!("schedulers of the last {DAYS} days: {}", said.join(", "));
    let others = counted
        .keys()
        .any(|version| *version != env!("CARGO_PKG_VERSION"));
    if others {
        DoctorCheck::note(
            "plugins",
            found,
            format!(
                "this is {}: a scheduler keeps the plugin it started with, and uses this one from its next start",
                env!("CARGO_PKG_VERSION")
            ),
        )
    } else {
        DoctorCheck::ok("plugins", found)
    }
}

fn agreeing(clocks: &[i64]) -> DoctorCheck {
    let off = |ahead: &&i64| ahead.abs() > SMALL_MICROS;
    let checked = match clocks.len() {
        1 => "1 scheduler checked".to_owned(),
        schedulers => format!("{schedulers} schedulers checked"),
    };
    let Some(most) = clocks.iter().filter(off).max_by_key(|ahead| ahead.abs()) else {
        return DoctorCheck::ok(
            "clocks",
            match clocks.len() {
                1 => format!("{checked}; its clock agrees with this machine's"),
                _ => format!("{checked}; their clocks agree with this machine's"),
            },
        );
    };
    let differ = match clocks.iter().filter(off).count() {
        1 => "1 differs".to_owned(),
        schedulers => format!("{schedulers} differ"),
    };
    DoctorCheck::note(
        "clocks",
        format!(
            "{checked}; {differ} from this machine's clock: one is {} {}",
            seconds(most.abs() as f64 / 1e6),
            if *most > 0 { "ahead" } else { "behind" }
        ),
        "synchronize both machines with network time; times of such a cluster are shown by its own clock",
    )
}

#[cfg(test)]
mod tests {
    use super::super::DoctorVerdict;
    use super::*;
    use crate::testing::*;

    #[test]
    fn a_scheduler_whose_clock_is_ahead_is_found_by_its_batches() {
        let bench = Bench::new();
        for (seq, came) in [(1, 10), (2, 21), (3, 30)] {
            bench
                .at(came)
                .send(batch(seq, &[sample(300 + 10 * seq as i64, 1.0)]));
        }
        let found = checks(&bench.app).unwrap();
        let told: Vec<_> = found.iter().map(|one| (one.name, one.verdict)).collect();
        assert_eq!(
            told,
            [
                ("plugins", DoctorVerdict::Ok),
                ("clocks", DoctorVerdict::Note)
            ]
        );
        assert!(
            found[1].found.contains("1 differs") && found[1].found.ends_with(" ahead"),
            "{}",
            found[1].found
        );
    }

    #[test]
    fn other_plugins_are_said_with_what_to_do() {
        assert_eq!(
            plugins([env!("CARGO_PKG_VERSION")].into_iter()).verdict,
            DoctorVerdict::Ok
        );
        let old = plugins(["0.0.1", env!("CARGO_PKG_VERSION"), "0.0.1"].into_iter());
        assert_eq!(old.verdict, DoctorVerdict::Note);
        assert!(old.found.contains("0.0.1 in 2"), "{}", old.found);
    }

    #[test]
    fn a_clock_that_is_off_is_said_with_how_far() {
        assert_eq!(
            agreeing(&[0, -4_000_000, 1_000_000]).verdict,
            DoctorVerdict::Ok
        );
        let off = agreeing(&[0, -297_000_000, 60_000_000]);
        assert_eq!(off.verdict, DoctorVerdict::Note);
        assert!(
            off.found.starts_with("3 schedulers checked; 2 differ")
                && off.found.ends_with(" behind"),
            "{}",
            off.found
        );
        let one = agreeing(&[-297_000_000]);
        assert!(
            one.found
                .starts_with("1 scheduler checked; 1 differs from this machine's clock"),
            "{}",
            one.found
        );
    }
}
