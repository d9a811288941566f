//! Names of users that are one person, as a reader says: everything that counts by user then counts them together.

use rusqlite::{Connection, OptionalExtension, named_params};

use super::{App, Empty, MergeUsersRequest, SplitUserRequest, UserList};
use crate::query;
use crate::{Error, Result};

/// Names of one request, and letters of a name.
const USERS: usize = 100;
const NAME: usize = 200;

pub(super) fn users(app: &App, _: Empty) -> Result<UserList> {
    app.read(query::users)
}

pub(super) fn merge_users(app: &App, request: MergeUsersRequest) -> Result<UserList> {
    let person = request.person.trim().to_owned();
    let wrong = |value: &str, reason: String| Error::Invalid {
        what: "user",
        value: value.chars().take(NAME).collect(),
        reason,
    };
    for name in request.users.iter().chain([&person]) {
        if name.is_empty() || name.chars().count() > NAME || name.contains(char::is_control) {
            return Err(wrong(
                name,
                format!("a name is one line of 1 to {NAME} characters"),
            ));
        }
    }
    if request.users.len() > USERS || request.users.iter().all(|user| *user == person) {
        return Err(wrong(
            &person,
            format!("merge 1 to {USERS} other names at once"),
        ));
    }
    app.write(move |db| {
        // Who counts as somebody else stands for that one, unless that one is what is merged.
        let target = match counts_as(db, &person)? {
            Some(other) if !request.users.contains(&other) => other,
            _ => person,
        };
        split(db, &target)?;
        let mut follow = db.prepare_cached(include_str!("sql/user_follow.sql"))?;
        let mut merge = db.prepare_cached(include_str!("sql/user_merge.sql"))?;
        for user in request.users.iter().filter(|user| **user != target) {
            follow.execute(named_params! { ":user": user, ":person": target })?;
            merge.execute(named_params! { ":user": user, ":person": target })?;
        }
        split(db, &target)?;
        count_again(db)
    })?;
    app.tell(Vec::new());
    app.read(query::users)
}

pub(super) fn split_user(app: &App, request: SplitUserRequest) -> Result<UserList> {
    app.write(move |db| {
        if split(db, &request.user)? == 0 {
            return Err(Error::NotFound {
                kind: "merged user",
                id: request.user,
            });
        }
        count_again(db)
    })?;
    app.tell(Vec::new());
    app.read(query::users)
}

fn counts_as(db: &Connection, user: &str) -> Result<Option<String>> {
    Ok(db
        .prepare_cached(include_str!("sql/user_person.sql"))?
        .query_row(named_params! { ":user": user }, |row| row.get(0))
        .optional()?)
}

fn split(db: &Connection, user: &str) -> Result<usize> {
    Ok(db
        .prepare_cached(include_str!("sql/user_split.sql"))?
        .execute(named_params! { ":user": user })?)
}

fn count_again(db: &Connection) -> Result<()> {
    db.prepare_cached(include_str!("sql/users_count_again.sql"))?
        .execute([])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::{CostTableRequest, clusters, cost_table};
    use crate::query::types::ClustersRequest;
    use crate::testing::*;

    /// A cluster of each user.
    fn of_users(users: &[&str]) -> Bench {
        let bench = Bench::new();
        for (at, user) in users.iter().enumerate() {
            let facts = with(facts(0), json!({"user": user}));
            let name = format!("Scheduler-{at}");
            bench.send(batch_of(&name, "i", 1, &[facts, sample(1, 10.0)]));
        }
        bench.at(5);
        bench
    }

    fn merge(bench: &Bench, users: &[&str], person: &str) -> Result<UserList> {
        let request = MergeUsersRequest {
            users: users.iter().map(|user| (*user).to_owned()).collect(),
            person: person.into(),
        };
        merge_users(&bench.app, request)
    }

    fn listed(bench: &Bench, text: &str) -> u64 {
        let request = ClustersRequest {
            text: Some(text.into()),
            ..Default::default()
        };
        clusters(&bench.app, request).unwrap().total
    }

    /// What the table of costs calls its rows, and the clusters of each.
    fn rows(bench: &Bench) -> Vec<(String, u64)> {
        let table = cost_table(&bench.app, CostTableRequest::default()).unwrap();
        let mut rows: Vec<_> = table
            .rows
            .into_iter()
            .map(|row| (row.label.unwrap_or_default(), row.used.clusters))
            .collect();
        rows.sort();
        rows
    }

    fn owned(rows: &[(&str, u64)]) -> Vec<(String, u64)> {
        rows.iter()
            .map(|(name, n)| ((*name).to_owned(), *n))
            .collect()
    }

    #[test]
    fn names_that_are_one_person_count_together_until_they_are_split() {
        let bench = of_users(&["ana", "am1234", "bo"]);
        assert_eq!(rows(&bench), owned(&[("am1234", 1), ("ana", 1), ("bo", 1)]));
        let list = merge(&bench, &["am1234"], "ana").unwrap();
        let merged = list.rows.iter().find(|row| row.user == "am1234").unwrap();
        assert_eq!(
            (merged.person.as_deref(), merged.clusters),
            (Some("ana"), 1)
        );
        assert_eq!(rows(&bench), owned(&[("ana", 2), ("bo", 1)]));
        // Both names find both, and so do words of either.
        assert_eq!(
            [listed(&bench, "user:ana"), listed(&bench, "user:AM1234")],
            [2, 2]
        );
        assert_eq!(listed(&bench, "am1234"), 1);
        // What reports under the old name from now on counts as well.
        let more = with(facts(3), json!({"user": "am1234"}));
        bench.send(batch_of("Scheduler-9", "i", 1, &[more, sample(4, 1.0)]));
        assert_eq!(listed(&bench, "user:ana"), 3);

        let request = SplitUserRequest {
            user: "am1234".into(),
        };
        split_user(&bench.app, request.clone()).unwrap();
        assert_eq!(rows(&bench), owned(&[("am1234", 2), ("ana", 1), ("bo", 1)]));
        assert!(split_user(&bench.app, request).is_err(), "it is split");
    }

    #[test]
    fn merges_of_merges_end_at_one_person() {
        let bench = of_users(&["a", "b", "c"]);
        merge(&bench, &["a"], "b").unwrap();
        merge(&bench, &["b"], "c").unwrap();
        assert_eq!(rows(&bench), owned(&[("c", 3)]), "a goes along with b");
        // Into a name that counts as c: into c.
        bench.send(batch_of(
            "Scheduler-8",
            "i",
            1,
            &[with(facts(0), json!({"user": "d"})), sample(1, 1.0)],
        ));
        merge(&bench, &["d"], "a").unwrap();
        assert_eq!(rows(&bench), owned(&[("c", 4)]));
        // The person takes another of its names.
        merge(&bench, &["c"], "a").unwrap();
        assert_eq!(rows(&bench), owned(&[("a", 4)]));
        // Or one that no cluster has.
        merge(&bench, &["a"], "Ana M").unwrap();
        assert_eq!(rows(&bench), owned(&[("Ana M", 4)]));
    }

    #[test]
    fn what_cannot_be_merged_is_named() {
        let bench = of_users(&["ana"]);
        for (users, person, told) in [
            (&["ana"][..], " ", "1 to 200 letters"),
            (&["ana"], "ana", "other names"),
            (&[], "ana", "other names"),
            (&["two\nlines"], "ana", "one line"),
        ] {
            let error = merge(&bench, users, person).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn a_user_that_is_switched_off_is_gone_whoever_it_counted_as() {
        let bench = of_users(&["ana", "am1234"]);
        merge(&bench, &["am1234"], "ana").unwrap();
        let off = with(
            facts(3),
            json!({
                "user": null,
                "switches": {"code": true, "profile": false, "remote_close": true, "user": false, "events_allow": ["*"]},
            }),
        );
        bench.send(batch_of("Scheduler-1", "i", 3, &[off]));
        let list = users(&bench.app, Empty {}).unwrap();
        let of = |user: &str| {
            list.rows
                .iter()
                .find(|row| row.user == user)
                .unwrap()
                .clusters
        };
        assert_eq!([of("ana"), of("am1234")], [1, 0]);
        assert_eq!(listed(&bench, "user:ana"), 1);
    }
}
