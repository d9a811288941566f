//! What the desktop should say. What was told is a file beside the store, so that nothing is told twice.

use std::fs;
use std::path::PathBuf;

use super::budget::budgets;
use super::burning::burning;
use super::idle::kept;
use super::{App, BudgetsRequest, desktop_choices};
use crate::Result;
use crate::insight::notices::{Look, Memory, due};
use crate::install::write_private;
use crate::model::{ClusterState, Micros};
use crate::query;

pub use crate::insight::notices::Notice;

const FILE: &str = "notices.json";
/// Sums of a whole month are not asked for at each look.
const BUDGETS_EVERY: i64 = 5 * 60_000_000;
/// Nor are all clusters held against the filters of views.
const VIEWS_EVERY: i64 = 60_000_000;
/// A look that told nothing is worth a write this often.
const SAVED_EVERY: i64 = 60_000_000;
const A_DAY: i64 = 24 * Micros::HOUR;

/// Looks for what is worth a notice.
pub struct Notices {
    path: PathBuf,
    memory: Memory,
    saved: Option<(Memory, Micros)>,
    budgets_at: Option<Micros>,
    views_at: Option<Micros>,
}

impl Notices {
    /// Goes on where the last window of this folder stopped.
    pub fn open(app: &App) -> Self {
        let path = app.dir().join(FILE);
        let memory = fs::read(&path)
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default();
        Self {
            path,
            memory,
            saved: None,
            budgets_at: None,
            views_at: None,
        }
    }

    /// What is due, if anything is; it is remembered as told before it is given. `watched` is the cluster that somebody
    /// has before them, and by the rules of the time zone the months of budgets are cut.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`]; [`crate::Error::Io`] and [`crate::Error::DiskFull`] if it cannot be remembered: then nothing is told.
    pub fn look(
        &mut self,
        app: &App,
        watched: Option<i64>,
        time_zone: &str,
    ) -> Result<Option<Notice>> {
        let now = app.now();
        let choices = desktop_choices(app.dir()).notices;
        let (clusters, burning) = app.read(|db| {
            let clusters = query::noticed(db, now, Micros(now.0 - A_DAY))?;
            let idle = clusters.iter().map(|found| &found.row);
            let idle = idle.filter(|row| row.state == ClusterState::Idle);
            let burning = burning(db, idle.map(|row| row.id))?;
            Ok((clusters, burning.words()))
        })?;
        let late = self
            .budgets_at
            .is_none_or(|at| now.0 - at.0 >= BUDGETS_EVERY);
        let budgets = if late && choices.budget {
            self.budgets_at = Some(now);
            Some(budgets(
                app,
                BudgetsRequest {
                    time_zone: time_zone.into(),
                },
            )?)
        } else {
            None
        };
        let late = self.views_at.is_none_or(|at| now.0 - at.0 >= VIEWS_EVERY);
        let views = if late && !choices.views.is_empty() {
            self.views_at = Some(now);
            let moment = query::Moment::new(now, time_zone)?;
            Some(app.read(|db| query::view_counts(db, moment))?.rows)
        } else {
            None
        };
        let before = self.memory.clone();
        let kept = kept(app.dir());
        let notice = due(
            &mut self.memory,
            &Look {
                now,
                choices: &choices,
                clusters: &clusters,
                budgets: budgets.as_ref(),
                views: views.as_deref(),
                burning: &burning,
                watched,
                kept: &kept,
            },
        );
        // What cannot be remembered is told once it can.
        self.save(now).inspect_err(|_| self.memory = before)?;
        Ok(notice)
    }

    fn save(&mut self, now: Micros) -> Result<()> {
        let current = self.saved.as_ref().is_some_and(|(memory, at)| {
            memory.told_the_same(&self.memory) && now.0 - at.0 < SAVED_EVERY
        });
        if !current {
            write_private(&self.path, &serde_json::to_vec(&self.memory)?)?;
            self.saved = Some((self.memory.clone(), now));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::{CostTableRequest, Covers, SetBudgetRequest, cost_table};
    use crate::testing::*;

    fn idle(seconds: i64, since: i64) -> serde_json::Value {
        with(
            sample(seconds, 100.0),
            json!({"idle_since_micros": at(since), "tasks": {"memory": 1}}),
        )
    }

    fn healthy(seconds: i64) -> serde_json::Value {
        let mut sample = sample(seconds, seconds as f64);
        sample["totals"]["tasks_erred"] = json!(0);
        sample
    }

    fn summary(notices: &mut Notices, bench: &Bench) -> Option<String> {
        let notice = notices.look(&bench.app, None, "").unwrap();
        notice.map(|notice| notice.summary)
    }

    #[test]
    fn a_long_run_that_ended_is_told_once_even_to_the_next_window() {
        let bench = Bench::new();
        let mut notices = Notices::open(&bench.app);
        assert_eq!(summary(&mut notices, &bench), None);
        bench.at(700).send(batch(1, &[facts(0), healthy(695)]));
        assert_eq!(summary(&mut notices, &bench), None);
        bench.at(760).send(batch(3, &[stop(755)]));
        let notice = notices.look(&bench.app, None, "").unwrap().unwrap();
        assert_eq!(notice.summary, "story finished");
        assert_eq!(notice.body, "It ran for 12 min 35 s: 6,950 tasks.");
        assert_eq!(notice.place, "cluster/1");
        assert_eq!(summary(&mut notices, &bench), None);
        let mut next = Notices::open(&bench.app);
        assert_eq!(summary(&mut next, &bench), None);
    }

    #[test]
    fn what_was_over_before_the_first_look_is_no_news() {
        let bench = Bench::new();
        bench
            .at(760)
            .send(batch(1, &[facts(0), sample(695, 10.0), stop(755)]));
        let mut notices = Notices::open(&bench.app);
        assert_eq!(summary(&mut notices, &bench), None);
        bench.at(900);
        assert_eq!(summary(&mut notices, &bench), None);
    }

    #[test]
    fn what_happened_while_bobbin_was_closed_is_told_when_it_opens() {
        let bench = Bench::new();
        bench.at(10).send(batch(1, &[facts(0), healthy(9)]));
        assert_eq!(summary(&mut Notices::open(&bench.app), &bench), None);
        // Read from a file after some hours.
        bench
            .at(20_000)
            .send(batch(3, &[healthy(700), stop(7_200)]));
        let told = summary(&mut Notices::open(&bench.app), &bench);
        assert_eq!(told.as_deref(), Some("story finished"));
    }

    #[test]
    fn a_budget_is_told_at_its_steps() {
        let bench = Bench::new();
        let mut notices = Notices::open(&bench.app);
        assert_eq!(summary(&mut notices, &bench), None);
        bench.at(3_001).send(batch(1, &[facts(0), healthy(3_000)]));
        let spent = cost_table(&bench.app, CostTableRequest::default()).unwrap();
        let spent = spent.all.cost.unwrap().total;
        let set = |id, amount_nanos| {
            let request = SetBudgetRequest {
                id,
                covers: Covers::Everything,
                amount_nanos,
                time_zone: String::new(),
            };
            super::super::budget::set_budget(&bench.app, request)
                .unwrap()
                .rows[0]
                .id
        };
        let middle = (spent.low_nanos + spent.high_nanos) / 2;
        let id = set(None, middle * 10 / 6);
        let told = summary(&mut notices, &bench);
        assert_eq!(
            told.as_deref(),
            Some("all clusters: 50 % of the budget is used")
        );
        set(Some(id), middle * 10 / 9);
        assert_eq!(summary(&mut notices, &bench), None, "not asked for yet");
        bench.at(3_301);
        let told = summary(&mut notices, &bench);
        assert_eq!(
            told.as_deref(),
            Some("all clusters: 80 % of the budget is used")
        );
        bench.at(4_000);
        assert_eq!(summary(&mut notices, &bench), None);
    }

    #[test]
    fn idleness_is_told_from_the_chosen_limit_on() {
        let bench = Bench::new();
        let mut notices = Notices::open(&bench.app);
        bench.at(10).send(batch(1, &[facts(0), idle(10, 5)]));
        assert_eq!(summary(&mut notices, &bench), None);
        bench.at(1_700).send(batch(3, &[idle(1_700, 5)]));
        assert_eq!(summary(&mut notices, &bench), None);
        bench.at(1_806).send(batch(4, &[idle(1_806, 5)]));
        let notice = notices.look(&bench.app, None, "").unwrap().unwrap();
        assert_eq!(notice.summary, "story is idle");
        assert_eq!(
            notice.body,
            "Nothing to do for 30 min 1 s; 2 workers are still up, at ≈ 0.002–0.019 € an hour."
        );
        assert_eq!(notice.place, "cluster/1?tab=activity");
    }
}
