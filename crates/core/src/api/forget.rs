//! Code that a reader wants neither stored nor ever stored again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::{OptionalExtension, named_params};

use super::{App, CodeRequest, ForgottenCode};
use crate::{Error, Result};

/// Takes the code of a computation out of the store, wherever the same code started one, and lets it in no more.
pub(super) fn forget_code(app: &App, request: CodeRequest) -> Result<ForgottenCode> {
    let now = app.now();
    let gone = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&gone);
    app.write(move |db| {
        let CodeRequest {
            cluster_id,
            computation_id,
        } = &request;
        let known: Option<Option<Vec<u8>>> = db
            .prepare_cached(include_str!("sql/code_of.sql"))?
            .query_row(
                named_params! { ":cluster_id": cluster_id, ":computation_id": computation_id },
                |row| row.get(0),
            )
            .optional()?;
        let fingerprint = known.ok_or_else(|| unknown(&request))?;
        if fingerprint.is_some() {
            db.prepare_cached(include_str!("sql/code_forget.sql"))?
                .execute(named_params! { ":fingerprint": fingerprint, ":now": now })?;
        }
        let which = named_params! {
            ":fingerprint": fingerprint,
            ":cluster_id": cluster_id,
            ":computation_id": computation_id,
        };
        db.prepare_cached(include_str!("sql/code_forget_note.sql"))?
            .execute(which)?;
        let rows = db
            .prepare_cached(include_str!("sql/code_forget_rows.sql"))?
            .execute(which)?;
        counted.store(rows as u64, Ordering::Relaxed);
        Ok(())
    })?;
    app.tell(Vec::new());
    Ok(ForgottenCode {
        computations: gone.load(Ordering::Relaxed),
    })
}

/// Lets the code of a computation be stored again when it comes. What was taken out stays out.
pub(super) fn remember_code(app: &App, request: CodeRequest) -> Result<ForgottenCode> {
    app.write(move |db| {
        let gone = db
            .prepare_cached(include_str!("sql/code_remember.sql"))?
            .execute(named_params! {
                ":cluster_id": request.cluster_id,
                ":computation_id": request.computation_id,
            })?;
        match gone {
            0 => Err(unknown(&request)),
            _ => Ok(()),
        }
    })?;
    app.tell(Vec::new());
    Ok(ForgottenCode { computations: 0 })
}

fn unknown(request: &CodeRequest) -> Error {
    Error::NotFound {
        kind: "code of the computation",
        id: request.computation_id.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::{ComputationCode, ComputationsRequest, computations};
    use crate::testing::*;

    fn started_by(id: &str, code: &str) -> Value {
        json!({
            "kind": "computation", "at_micros": at(2), "computation_id": id, "start_micros": at(1), "stop_micros": at(2),
            "groups": [], "states": {"memory": 1},
            "code": [{"code": code, "filename": "work.py", "line_relative": 0, "line": 1}],
        })
    }

    fn code_of(bench: &Bench, id: i64) -> Vec<ComputationCode> {
        let request = ComputationsRequest {
            id,
            from_micros: None,
            to_micros: None,
            limit: 0,
            offset: 0,
        };
        let list = computations(&bench.app, request).unwrap();
        list.rows.into_iter().map(|row| row.code).collect()
    }

    #[test]
    fn what_is_forgotten_goes_everywhere_and_is_not_stored_again() {
        let bench = Bench::new();
        let secret = "upload(key='canary')";
        let first = [started_by("c1", secret), started_by("c2", "harmless()")];
        bench.send(batch_of("Scheduler-1", "i", 1, &first));
        bench.send(batch_of("Scheduler-2", "i", 1, &[started_by("c1", secret)]));
        let of = |cluster_id: i64| CodeRequest {
            cluster_id,
            computation_id: "c1".into(),
        };
        let gone = forget_code(&bench.app, of(1)).unwrap();
        assert_eq!(gone.computations, 2, "in both clusters");
        let forgotten = ComputationCode::Forgotten { for_good: true };
        assert_eq!(code_of(&bench, 2), std::slice::from_ref(&forgotten));
        assert!(
            code_of(&bench, 1)
                .iter()
                .any(|code| matches!(code, ComputationCode::Frames { .. })),
            "other code stays"
        );
        assert!(forget_code(&bench.app, of(1)).is_err(), "it is gone");

        // It comes again, spaced otherwise, in a new cluster.
        let again = started_by("c1", "upload( key = 'canary' )");
        bench.send(batch_of(
            "Scheduler-3",
            "i",
            1,
            std::slice::from_ref(&again),
        ));
        assert_eq!(code_of(&bench, 3), [forgotten]);

        remember_code(&bench.app, of(2)).unwrap();
        assert_eq!(
            code_of(&bench, 2),
            [ComputationCode::Forgotten { for_good: false }]
        );
        assert!(remember_code(&bench.app, of(2)).is_err(), "it is let in");
        bench.send(batch_of("Scheduler-4", "i", 1, &[again]));
        assert!(matches!(
            code_of(&bench, 4)[..],
            [ComputationCode::Frames { .. }]
        ));
    }
}
