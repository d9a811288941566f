//! What may be spent in a month, and what of it is.

use rusqlite::{OptionalExtension, named_params};

use super::overview::add_up;
use super::{App, BudgetList, BudgetsRequest, Covers, RemoveBudgetRequest, SetBudgetRequest};
use crate::insight::usage::BudgetFold;
use crate::query;
use crate::{Error, Result};

/// A million: more is a slip of the pen, and sums of it stay exact.
const MOST_NANOS: i64 = 1_000_000_000_000_000;
const NAME: usize = 200;

pub(super) fn budgets(app: &App, request: BudgetsRequest) -> Result<BudgetList> {
    let now = app.now();
    let (from, to) = query::Moment::new(now, &request.time_zone)?.month();
    app.read(|db| {
        let book = query::price_book(db, false)?;
        let mut fold = BudgetFold::new(query::budgets(db)?);
        let about = fold.about();
        add_up(
            db,
            &query::Counted::own(db)?,
            (&book, about),
            (from, to),
            |hour, clusters| fold.add(hour, clusters),
        )?;
        Ok(BudgetList {
            currency: book.currency.clone(),
            from_micros: from,
            to_micros: to,
            rows: fold.finish(&book, now.0 - from.0, to.0 - from.0),
        })
    })
}

pub(super) fn set_budget(app: &App, request: SetBudgetRequest) -> Result<BudgetList> {
    let SetBudgetRequest {
        id,
        mut covers,
        amount_nanos,
        time_zone,
    } = request;
    let wrong = |value: String, reason: String| Error::Invalid {
        what: "budget",
        value: value.chars().take(NAME).collect(),
        reason,
    };
    if !(1..=MOST_NANOS).contains(&amount_nanos) {
        return Err(wrong(
            (amount_nanos as f64 / 1e9).to_string(),
            "use an amount above 0 and up to a million".into(),
        ));
    }
    let texts = match &mut covers {
        Covers::Everything => Vec::new(),
        Covers::User { user } => vec![user],
        Covers::Project { project } => vec![project],
        Covers::Tag { name, value } => vec![name, value],
    };
    for text in texts {
        *text = text.trim().into();
        if text.is_empty() || text.chars().count() > NAME || text.contains(char::is_control) {
            return Err(wrong(
                text.clone(),
                format!("use one line of 1 to {NAME} characters"),
            ));
        }
    }
    let now = app.now();
    app.write(move |db| {
        let known = query::budgets(db)?;
        if let Some(id) = id
            && !known.iter().any(|budget| budget.id == id)
        {
            return Err(unknown(id));
        }
        if id.is_none() && known.len() >= query::MOST_BUDGETS {
            return Err(Error::Refused(format!(
                "you already have {} budgets: remove one first",
                query::MOST_BUDGETS
            )));
        }
        let covers = serde_json::to_string(&covers)?;
        let taken = db
            .prepare_cached(include_str!("sql/budget_other.sql"))?
            .query_row(named_params! { ":id": id, ":covers": covers }, |_| Ok(()))
            .optional()?;
        if taken.is_some() {
            return Err(Error::Refused(
                "these clusters already have a budget: change that one".into(),
            ));
        }
        db.prepare_cached(include_str!("sql/budget_set.sql"))?
            .execute(named_params! {
                ":id": id, ":now": now, ":covers": covers, ":amount_nanos": amount_nanos,
            })?;
        Ok(())
    })?;
    app.tell(Vec::new());
    budgets(app, BudgetsRequest { time_zone })
}

pub(super) fn remove_budget(app: &App, request: RemoveBudgetRequest) -> Result<BudgetList> {
    let id = request.id;
    app.write(move |db| {
        let gone = db
            .prepare_cached(include_str!("sql/budget_remove.sql"))?
            .execute(named_params! { ":id": id })?;
        match gone {
            0 => Err(unknown(id)),
            _ => Ok(()),
        }
    })?;
    app.tell(Vec::new());
    budgets(
        app,
        BudgetsRequest {
            time_zone: request.time_zone,
        },
    )
}

fn unknown(id: i64) -> Error {
    Error::NotFound {
        kind: "budget",
        id: id.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::{CostTableRequest, cost_table};
    use crate::testing::*;

    const DAY: i64 = 86_400;

    fn set(bench: &Bench, covers: Covers, amount_nanos: i64) -> Result<BudgetList> {
        let request = SetBudgetRequest {
            id: None,
            covers,
            amount_nanos,
            time_zone: String::new(),
        };
        set_budget(&bench.app, request)
    }

    /// Two clusters of two users, on the 14th of November; the second has a tag.
    fn two() -> Bench {
        let bench = Bench::new();
        let tagged = with(facts(0), json!({"user": "bo", "tags": {"env": "ci"}}));
        bench.send(batch_of(
            "Scheduler-1",
            "i",
            1,
            &[facts(0), sample(3_000, 100.0)],
        ));
        bench.send(batch_of(
            "Scheduler-2",
            "i",
            1,
            &[tagged, sample(3_000, 300.0)],
        ));
        bench.at(3_001);
        bench
    }

    #[test]
    fn what_is_spent_of_a_budget_is_what_its_clusters_cost_this_month() {
        let bench = two();
        let all = cost_table(&bench.app, CostTableRequest::default()).unwrap();
        let all = all.all.cost.unwrap().total;
        let middle = (all.low_nanos + all.high_nanos) / 2;
        let list = set(&bench, Covers::Everything, middle * 10 / 9).unwrap();
        assert_eq!(list.rows[0].spent.as_ref().unwrap().total, all);
        assert_eq!(list.rows[0].reached_percent, 80);
        for covers in [
            Covers::User {
                user: " bo ".into(),
            },
            Covers::Tag {
                name: "env".into(),
                value: "ci".into(),
            },
        ] {
            set(&bench, covers, middle * 2).unwrap();
        }
        let list = budgets(
            &bench.app,
            BudgetsRequest {
                time_zone: String::new(),
            },
        )
        .unwrap();
        let of_bo = list.rows[1].spent.as_ref().unwrap().total;
        assert_eq!(
            Some(of_bo),
            list.rows[2].spent.as_ref().map(|cost| cost.total)
        );
        assert!(of_bo.high_nanos > 0 && of_bo.high_nanos < all.high_nanos);
        // The 14th of 30 days: at this pace it is about twice as much.
        let expected = list.rows[0].expected.unwrap().high_nanos as f64;
        assert!(
            (2.0..2.3).contains(&(expected / all.high_nanos as f64)),
            "{expected}"
        );

        // Another month begins with nothing.
        bench.at(30 * DAY);
        let request = || BudgetsRequest {
            time_zone: "Europe/Berlin".into(),
        };
        let list = budgets(&bench.app, request()).unwrap();
        assert!(list.rows.iter().all(|row| row.reached_percent == 0));
        assert_eq!(
            list.to_micros.0 - list.from_micros.0,
            31 * DAY * SECOND,
            "December"
        );
    }

    #[test]
    fn budgets_are_corrected_and_removed_and_stand_once() {
        let bench = two();
        let id = set(&bench, Covers::Everything, 5).unwrap().rows[0].id;
        let again = set(&bench, Covers::Everything, 6).unwrap_err().to_string();
        assert!(again.contains("same clusters"), "{again}");
        let correct = SetBudgetRequest {
            id: Some(id),
            covers: Covers::Everything,
            amount_nanos: 7,
            time_zone: String::new(),
        };
        assert_eq!(
            set_budget(&bench.app, correct).unwrap().rows[0].amount_nanos,
            7
        );
        for (covers, amount, told) in [
            (Covers::User { user: " ".into() }, 1, "1 to 200 letters"),
            (Covers::User { user: "a".into() }, 0, "more than nothing"),
            (Covers::User { user: "a".into() }, i64::MAX, "a million"),
        ] {
            let error = set(&bench, covers, amount).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        let remove = || RemoveBudgetRequest {
            id,
            time_zone: String::new(),
        };
        assert_eq!(remove_budget(&bench.app, remove()).unwrap().rows, []);
        assert!(remove_budget(&bench.app, remove()).is_err());
    }
}
