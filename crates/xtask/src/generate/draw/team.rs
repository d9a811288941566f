//! Who runs clusters, and when: few members run most, on working days, with a Zipf share.

use super::dice::{Dice, zipf};

const DAY_MICROS: i64 = 86_400_000_000;
const HOUR_MICROS: i64 = DAY_MICROS / 24;

const FIRST: [&str; 20] = [
    "ada", "ana", "ben", "chen", "dara", "emeka", "finn", "gita", "hugo", "ines", "jonas", "kofi",
    "lena", "mira", "noor", "olga", "priya", "quinn", "ravi", "sara",
];
const TOPICS: [&str; 16] = [
    "weather",
    "taxi",
    "claims",
    "genome",
    "ocean",
    "ledger",
    "clicks",
    "satellite",
    "traffic",
    "energy",
    "crops",
    "imaging",
    "pricing",
    "routing",
    "sensors",
    "survey",
];
const JOBS: [&str; 8] = [
    "etl", "features", "train", "score", "report", "backfill", "explore", "nightly",
];

/// How busy each hour of a day is, by local habit taken as UTC; nights belong to scheduled jobs.
const HOURS: [f64; 24] = [
    0.3, 0.5, 1.0, 0.6, 0.3, 0.2, 0.3, 0.8, 2.5, 5.0, 6.0, 5.5, 3.5, 4.5, 6.0, 6.0, 5.0, 3.5, 2.0,
    1.2, 0.9, 0.8, 0.6, 0.4,
];
/// Monday first.
const WEEKDAYS: [f64; 7] = [1.0, 1.1, 1.15, 1.1, 0.9, 0.2, 0.15];

/// One person with a few projects.
struct Member {
    user: String,
    host: String,
    projects: Vec<String>,
}

pub struct Team {
    members: Vec<Member>,
    shares: Vec<f64>,
}

/// Who started a cluster.
pub struct Author<'a> {
    pub user: &'a str,
    pub host: &'a str,
    pub project: &'a str,
    /// Which recorded kind of work the project does: the same at each of its runs.
    pub kind: usize,
}

impl Team {
    pub fn new(seed: u64, members: usize) -> Self {
        let member = |number: usize| {
            // Numbers of clusters count from the other end.
            let mut dice = Dice::new(seed, u64::MAX - number as u64);
            let first = FIRST[number % FIRST.len()];
            let user = match number / FIRST.len() {
                0 => first.to_owned(),
                round => format!("{first}{}", round + 1),
            };
            let projects = (0..1 + dice.below(4))
                .map(|_| format!("{}-{}", dice.pick(&TOPICS), dice.pick(&JOBS)))
                .collect();
            Member {
                host: format!("{user}-laptop"),
                user,
                projects,
            }
        };
        Self {
            members: (0..members).map(member).collect(),
            shares: zipf(members),
        }
    }

    pub fn author(&self, dice: &mut Dice) -> Author<'_> {
        let member = &self.members[dice.weighted(&self.shares)];
        let project = dice.pick(&member.projects);
        Author {
            user: &member.user,
            host: &member.host,
            project,
            kind: project.bytes().map(usize::from).sum(),
        }
    }
}

/// A moment within the `days` before `until_micros`.
pub fn start(dice: &mut Dice, days: u32, until_micros: i64) -> i64 {
    let last = until_micros.div_euclid(DAY_MICROS);
    // Today is not over. The first day of 1970 was a Thursday.
    let weight = |ago: i64| WEEKDAYS[(last - ago + 3).rem_euclid(7) as usize];
    let weights: Vec<f64> = (1..=i64::from(days.max(1))).map(weight).collect();
    let day = last - 1 - dice.weighted(&weights) as i64;
    let hour = dice.weighted(&HOURS) as i64;
    day * DAY_MICROS + hour * HOUR_MICROS + dice.below(HOUR_MICROS as usize) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_lie_in_the_days_and_rarely_on_a_sunday() {
        let (mut dice, until) = (Dice::new(3, 0), 1_795_000_000_000_000);
        let drawn: Vec<i64> = (0..5_000).map(|_| start(&mut dice, 28, until)).collect();
        assert!(
            drawn
                .iter()
                .all(|at| *at <= until && *at > until - 30 * DAY_MICROS)
        );
        let sundays = drawn
            .iter()
            .filter(|at| (at.div_euclid(DAY_MICROS) + 3).rem_euclid(7) == 6);
        assert!(sundays.count() < 300);
    }

    #[test]
    fn the_first_member_runs_most() {
        let (team, mut dice) = (Team::new(1, 50), Dice::new(1, 0));
        let first = (0..2_000)
            .filter(|_| team.author(&mut dice).user == "ada")
            .count();
        assert!((300..600).contains(&first), "{first}");
    }
}
