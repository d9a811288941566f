//! What a reader puts on clusters by hand: pins, tags, notes and names; and the views that they keep.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::named_params;
use serde_json::{Map, Value};

use super::{
    App, ClusterView, CompleteRequest, Completion, Empty, MarkRequest, Marked, ViewCounts,
    ViewCountsRequest, ViewList, ViewName, ViewText,
};
use crate::query;
use crate::{Error, Result};

/// Clusters of one request, tags of one cluster's request, and letters of each text.
const CLUSTERS: usize = 1_000;
const TAGS: usize = 50;
const TAG: usize = 100;
const NOTE: usize = 4_000;
const NAME: usize = 200;

pub(super) fn complete_filter(app: &App, request: CompleteRequest) -> Result<Completion> {
    let moment = query::Moment::new(app.now(), &request.time_zone)?;
    app.read(|db| query::complete(db, &request.text, request.caret, moment))
}

pub(super) fn mark_clusters(app: &App, request: MarkRequest) -> Result<Marked> {
    check(&request)?;
    let mut tags = Map::new();
    for name in &request.untag {
        tags.insert(name.trim().into(), Value::Null);
    }
    for (name, value) in &request.tags {
        tags.insert(name.trim().into(), value.trim().into());
    }
    let (ids, tags) = (
        serde_json::to_string(&request.ids)?,
        Value::from(tags).to_string(),
    );
    let note = request.note.as_deref().map(|note| note.trim().to_owned());
    let name = request.name.as_deref().map(|name| name.trim().to_owned());
    let finished = request.finished;
    let now = app.now();
    let marked = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&marked);
    app.write(move |db| {
        // Before anything else is written: what is refused leaves all as it was.
        if let Some(finished) = finished {
            let marked = db
                .prepare_cached(include_str!("sql/mark_finished.sql"))?
                .execute(named_params! { ":ids": ids, ":now": now, ":finished": finished })?;
            if finished && marked == 0 {
                return Err(Error::Invalid {
                    what: "mark",
                    value: format!("finished: {ids}"),
                    reason:
                        "none of these is lost; a cluster that still reports will report its own end"
                            .into(),
                });
            }
        }
        let changed = db
            .prepare_cached(include_str!("sql/mark.sql"))?
            .execute(named_params! {
                ":ids": ids,
                ":now": now,
                ":pinned": request.pinned,
                ":tags": tags,
                ":note": note,
                ":name": name,
            })?;
        counted.store(changed as u64, Ordering::Relaxed);
        Ok(())
    })?;
    let clusters = marked.load(Ordering::Relaxed);
    if clusters == 0 {
        return Err(Error::NotFound {
            kind: "cluster",
            id: words(&request.ids),
        });
    }
    app.tell(request.ids);
    Ok(Marked { clusters })
}

fn check(request: &MarkRequest) -> Result<()> {
    let wrong = |value: &str, reason: String| {
        Err(Error::Invalid {
            what: "mark",
            value: value.chars().take(TAG).collect(),
            reason,
        })
    };
    if request.ids.is_empty() || request.ids.len() > CLUSTERS {
        return wrong(
            "ids",
            format!("mark 1 to {CLUSTERS} clusters at once"),
        );
    }
    if request.tags.len() + request.untag.len() > TAGS {
        return wrong("tags", format!("change at most {TAGS} tags at once"));
    }
    let texts = request.tags.iter().flat_map(|(name, value)| [name, value]);
    for text in texts.chain(&request.untag) {
        if text.chars().count() > TAG || text.contains(char::is_control) {
            return wrong(text, format!("a tag is one line of at most {TAG} characters"));
        }
    }
    for name in request.tags.keys().chain(&request.untag) {
        if name.trim().is_empty() || name.contains('=') {
            return wrong(name, "a tag needs a name without `=`".into());
        }
    }
    if let Some(note) = &request.note
        && note.chars().count() > NOTE
    {
        return wrong("note", format!("a note has at most {NOTE} characters"));
    }
    if let Some(name) = &request.name {
        if request.ids.len() != 1 {
            return wrong(name, "name one cluster at a time".into());
        }
        if name.chars().count() > NAME || name.contains(char::is_control) {
            return wrong(
                name,
                format!("a name is one line of at most {NAME} characters"),
            );
        }
    }
    Ok(())
}

fn words(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().take(10).map(i64::to_string).collect();
    ids.join(", ")
}

pub(super) fn views(app: &App, _: Empty) -> Result<ViewList> {
    app.read(query::views)
}

pub(super) fn view_counts(app: &App, request: ViewCountsRequest) -> Result<ViewCounts> {
    let moment = query::Moment::new(app.now(), &request.time_zone)?;
    app.read(|db| query::view_counts(db, moment))
}

pub(super) fn save_view(app: &App, view: ClusterView) -> Result<ViewList> {
    keep(app, &[view])
}

pub(super) fn import_views(app: &App, request: ViewText) -> Result<ViewList> {
    let views = query::read_views(&request.text)?;
    if views.is_empty() {
        return Err(Error::Invalid {
            what: "view",
            value: "the text".into(),
            reason: "it contains no view: a view starts with `bobbin view:` and its name".into(),
        });
    }
    keep(app, &views)
}

/// Keeps views, all or none.
fn keep(app: &App, new: &[ClusterView]) -> Result<ViewList> {
    let texts = new
        .iter()
        .map(|view| Ok((view.name.trim().to_owned(), query::write_view(view)?)))
        .collect::<Result<Vec<_>>>()?;
    let now = app.now();
    app.write(move |db| {
        let mut put = db.prepare_cached(include_str!("sql/view_put.sql"))?;
        for (name, text) in &texts {
            put.execute(named_params! { ":name": name, ":now": now, ":text": text })?;
        }
        let kept: usize = db
            .prepare_cached(include_str!("sql/views_count.sql"))?
            .query_one([], |row| row.get(0))?;
        if kept > query::MOST_VIEWS {
            return Err(Error::Refused(format!(
                "you can save at most {} views: delete one first",
                query::MOST_VIEWS
            )));
        }
        Ok(())
    })?;
    app.tell(Vec::new());
    app.read(query::views)
}

pub(super) fn delete_view(app: &App, request: ViewName) -> Result<ViewList> {
    app.write(move |db| {
        let gone = db
            .prepare_cached(include_str!("sql/view_delete.sql"))?
            .execute(named_params! { ":name": request.name })?;
        match gone {
            0 => Err(Error::NotFound {
                kind: "view",
                id: request.name,
            }),
            _ => Ok(()),
        }
    })?;
    app.tell(Vec::new());
    app.read(query::views)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::api::{ClusterRow, ClustersRequest, clusters};
    use crate::testing::*;

    fn listed(bench: &Bench, text: &str) -> Vec<ClusterRow> {
        let request = ClustersRequest {
            text: Some(text.into()),
            ..Default::default()
        };
        clusters(&bench.app, request).unwrap().rows
    }

    fn two() -> Bench {
        let bench = Bench::new();
        for id in ["Scheduler-1", "Scheduler-2"] {
            bench.send(batch_of(id, "i", 1, &[facts(0), sample(1, 1.0)]));
        }
        bench
    }

    #[test]
    fn a_kept_view_says_how_many_it_lists() {
        let bench = two();
        let text = "bobbin view: all\nfilter:\nbobbin view: second\nfilter: name:story -state:finished\n\
                    bobbin view: none\nfilter: user:nobody";
        import_views(&bench.app, ViewText { text: text.into() }).unwrap();
        let request = ViewCountsRequest {
            time_zone: "Europe/Berlin".into(),
        };
        let counts = view_counts(&bench.app, request).unwrap().rows;
        let counts: Vec<_> = counts
            .iter()
            .map(|row| (row.name.as_str(), row.clusters))
            .collect();
        assert_eq!(counts, [("all", 2), ("none", 0), ("second", 2)]);
    }

    fn mark(ids: &[i64]) -> MarkRequest {
        MarkRequest {
            ids: ids.to_vec(),
            ..Default::default()
        }
    }

    #[test]
    fn marks_are_put_found_and_taken_away_and_pages_hear_of_it() {
        let bench = two();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ear = Arc::clone(&heard);
        let subscription = bench.app.subscribe(Box::new(move |change| {
            ear.lock().unwrap().push(change.cluster_ids.clone())
        }));
        let tags = BTreeMap::from([
            ("ci".to_owned(), String::new()),
            ("env".to_owned(), "prod".to_owned()),
        ]);
        let both = MarkRequest {
            pinned: Some(true),
            tags,
            ..mark(&[1, 2])
        };
        assert_eq!(
            mark_clusters(&bench.app, both).unwrap(),
            Marked { clusters: 2 }
        );
        let one = MarkRequest {
            name: Some(" Mine ".into()),
            note: Some("why it failed".into()),
            untag: vec!["ci".into()],
            ..mark(&[2])
        };
        mark_clusters(&bench.app, one).unwrap();
        assert!(heard.lock().unwrap().ends_with(&[vec![1, 2], vec![2]]));
        drop(subscription);

        assert_eq!(listed(&bench, "has:pin tag:env=prod").len(), 2);
        assert_eq!(listed(&bench, "tag:ci").len(), 1);
        let found = listed(&bench, "name:mine has:note failed");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].id, found[0].name.as_str()), (2, "Mine"));
        assert_eq!(found[0].note.as_deref(), Some("why it failed"));
        // What the cluster says later does not take away what was put by hand, and its own name is still found.
        let again = with(
            facts(5),
            serde_json::json!({"name": "said again", "tags": {"team": "red"}}),
        );
        bench.send(batch_of("Scheduler-2", "i", 3, &[again]));
        let found = listed(&bench, "\"said again\" tag:team=red tag:env");
        assert_eq!((found.len(), found[0].name.as_str()), (1, "Mine"));

        let gone = MarkRequest {
            name: Some(String::new()),
            note: Some(String::new()),
            pinned: Some(false),
            ..mark(&[2])
        };
        mark_clusters(&bench.app, gone).unwrap();
        assert_eq!(
            listed(&bench, "name:\"said again\" -has:note -has:pin").len(),
            1
        );
        assert_eq!(listed(&bench, "mine").len(), 0);
    }

    #[test]
    fn what_cannot_be_a_mark_is_refused_with_its_name() {
        let bench = two();
        let named = |name: &str, ids: &[i64]| MarkRequest {
            name: Some(name.into()),
            ..mark(ids)
        };
        let tagged = |tag: &str| MarkRequest {
            tags: BTreeMap::from([(tag.to_owned(), String::new())]),
            ..mark(&[1])
        };
        for (request, told) in [
            (mark(&[]), "1 to 1000 clusters"),
            (named("x", &[1, 2]), "one cluster"),
            (named("two\nlines", &[1]), "one line"),
            (tagged(" "), "has a name"),
            (tagged("a=b"), "without `=`"),
            (tagged(&"x".repeat(101)), "at most 100"),
            (mark(&[77]), "there is no cluster 77"),
        ] {
            let error = mark_clusters(&bench.app, request).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn views_are_kept_replaced_imported_whole_and_deleted() {
        let bench = Bench::new();
        let text = "bobbin view: Failing\nfilter: has:exception\norder: exceptions descending\ncolumns: user";
        let import = |text: &str| import_views(&bench.app, ViewText { text: text.into() });
        assert_eq!(import(text).unwrap().rows.len(), 1);
        // One that cannot be read keeps the others out.
        assert!(
            import(&format!(
                "bobbin view: new\n{text}\nbobbin view: bad\norder: up"
            ))
            .is_err()
        );
        let kept = views(&bench.app, Empty {}).unwrap().rows;
        assert_eq!(kept.len(), 1);
        let mut view = kept[0].view.clone();
        view.filter = "state:lost".into();
        assert_eq!(
            save_view(&bench.app, view).unwrap().rows[0].view.filter,
            "state:lost"
        );
        let name = || ViewName {
            name: "Failing".into(),
        };
        assert_eq!(delete_view(&bench.app, name()).unwrap().rows, []);
        assert!(delete_view(&bench.app, name()).is_err());
        assert!(import(" ").is_err());
    }
}
