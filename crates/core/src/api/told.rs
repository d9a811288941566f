//! The list of clusters as somebody else may see it, and its filter: a question must not tell what the answer does not.

use super::{App, ClusterList, ClusterRow, ClustersRequest, clusters};
use crate::query::{Field, Filter, Term, parse_filter};
use crate::seal::FingerprintKey;
use crate::share::{self, Choice, FieldClass, Identities, Masks, POLICY, Policy, Told, Words};
use crate::{Code, Error, Result};

/// The most clusters whose words are looked through for one question, and for how long at most: each is told first, and then
/// looked at.
const MOST_LOOKED_AT: u64 = 10_000;
const MOST_MICROS: i64 = 3_000_000;
/// Rows of a page while they are; small, since the time is looked at between two.
const PAGE: u32 = 100;
/// The most rows of an answer, and how many unless asked.
const ROWS: (usize, usize) = (1_000, 100);

/// Clusters as they are told.
#[derive(Clone, Debug, PartialEq)]
pub struct ToldList {
    pub list: ClusterList,
    /// Clusters, the oldest, of which nobody knows whether they match: looking further would have taken too long.
    pub not_looked_at: u64,
}

/// The clusters that match, with their texts as a share of this choice would tell them. Of the request, the filter, its time
/// zone, limit and offset count. What the filter says of words is held against what is told, never against what is stored:
/// so users and hosts are named by their aliases, and no guess finds out what stands behind one. That is bounded, in clusters and in
/// time: the newest come first, and the answer says how many were not looked at.
///
/// # Errors
/// [`Error::Invalid`] for a filter that is not understood; [`Error::Refused`] for one that asks for what is not told; those of
/// [`clusters`].
pub fn told_clusters(app: &App, request: ClustersRequest, choice: Choice) -> Result<ToldList> {
    let key = FingerprintKey::load_or_make(app.dir())?;
    let policy = Policy::read(&app.dir().join(POLICY))?;
    let choice = match &policy {
        Some(policy) => policy.narrowed(choice),
        None => choice,
    };
    let teller = Teller {
        app,
        choice,
        key,
        policy,
        masks: Masks::new(app.dir())?,
    };
    let (of_store, of_words) =
        teller.parted(parse_filter(request.text.as_deref().unwrap_or_default())?)?;
    let request = ClustersRequest {
        text: Some(Filter::All(of_store).to_string()),
        time_zone: request.time_zone,
        limit: request.limit,
        offset: request.offset,
        ..ClustersRequest::default()
    };
    match of_words.is_empty() {
        true => Ok(ToldList {
            list: teller.told(clusters(app, request)?)?,
            not_looked_at: 0,
        }),
        false => teller.looked_through(&request, &Filter::All(of_words)),
    }
}

/// By what the rows are told.
struct Teller<'a> {
    app: &'a App,
    choice: Choice,
    key: FingerprintKey,
    policy: Option<Policy>,
    masks: Masks,
}

impl Teller<'_> {
    fn told(&self, mut list: ClusterList) -> Result<ClusterList> {
        for row in &mut list.rows {
            let told = self
                .app
                .read(|db| share::told(db, row.id, self.choice, &self.key, self.policy.as_ref()));
            let told = match told {
                Ok(told) => Some(self.without_secrets(told)),
                // It has not said yet what may be told of it.
                Err(error) if error.code() == Code::Refused => None,
                Err(error) => return Err(error),
            };
            *row = masked(row, told);
        }
        Ok(list)
    }

    /// Nobody decides here upon what looks like a secret. A filter is held against what is left, so that none finds one out.
    fn without_secrets(&self, told: Told) -> Told {
        let masked =
            |behind: &str, text: Option<String>| text.map(|text| self.masks.text(behind, &text));
        let words = told.words;
        Told {
            words: Words {
                name: masked("name", words.name),
                user: masked("user", words.user),
                host: masked("host", words.host),
                project: masked("project", words.project),
                tags: words
                    .tags
                    .into_iter()
                    .map(|(tag, value)| (self.masks.text("", &tag), masked(&tag, value)))
                    .collect(),
            },
            ..told
        }
    }

    /// Those rows whose told words meet `words`.
    fn looked_through(&self, request: &ClustersRequest, words: &Filter) -> Result<ToldList> {
        let until = self.app.now().0.saturating_add(MOST_MICROS);
        let mut found = Vec::new();
        let mut offset = 0;
        loop {
            let page = ClustersRequest {
                limit: PAGE,
                offset,
                ..request.clone()
            };
            let list = clusters(self.app, page)?;
            let list = self.told(list)?;
            offset += list.rows.len() as u64;
            let more = list.truncated && !list.rows.is_empty();
            found.extend(list.rows.into_iter().filter(|row| meets(row, words)));
            if !more || offset >= MOST_LOOKED_AT || self.app.now().0 >= until {
                let not_looked_at = match more {
                    true => list.total.saturating_sub(offset),
                    false => 0,
                };
                let total = found.len() as u64;
                let limit = match request.limit {
                    0 => ROWS.1,
                    limit => (limit as usize).min(ROWS.0),
                };
                let skipped = usize::try_from(request.offset).unwrap_or(usize::MAX);
                let rows: Vec<ClusterRow> = found.into_iter().skip(skipped).take(limit).collect();
                return Ok(ToldList {
                    list: ClusterList {
                        truncated: request.offset + (rows.len() as u64) < total,
                        rows,
                        total,
                        currency: list.currency,
                    },
                    not_looked_at,
                });
            }
        }
    }

    /// What is asked of the store, and what of the told words. All of both must hold.
    fn parted(&self, filter: Filter) -> Result<(Vec<Filter>, Vec<Filter>)> {
        let parts = match filter {
            Filter::All(parts) => parts,
            other => vec![other],
        };
        let (mut of_store, mut of_words) = (Vec::new(), Vec::new());
        for part in parts {
            let asks = self.asks(&part)?;
            match (asks.store, asks.words) {
                (true, true) => {
                    return Err(Error::Refused(
                        "words can be combined with numbers, states or times only if both must hold, not in one `or` or `-(…)`: \
                         filter for each separately"
                            .into(),
                    ));
                }
                (_, true) => of_words.push(part),
                (_, false) => of_store.push(part),
            }
        }
        Ok((of_store, of_words))
    }

    fn asks(&self, filter: &Filter) -> Result<Asks> {
        let words = Asks {
            store: false,
            words: true,
        };
        let store = Asks {
            store: true,
            words: false,
        };
        let term = match filter {
            Filter::All(parts) | Filter::Any(parts) => {
                return parts.iter().try_fold(Asks::default(), |asks, part| {
                    let part = self.asks(part)?;
                    Ok(Asks {
                        store: asks.store || part.store,
                        words: asks.words || part.words,
                    })
                });
            }
            Filter::Not(inner) => return self.asks(inner),
            Filter::Term(term) => term,
        };
        match term {
            Term::Word(_) | Term::Tag(..) | Term::Field(Field::Name | Field::Project, _) => {
                match self.choice.level.tells(FieldClass::Name) {
                    true => Ok(words),
                    false => Err(Error::Refused(
                        "names are not included at this level: filter by state, numbers and time"
                            .into(),
                    )),
                }
            }
            Term::Field(field @ (Field::User | Field::Host), alias) => {
                self.known(*field, alias)?;
                Ok(words)
            }
            // Of the keys of tasks and the types of exceptions, what is told is not in the list: it cannot be held against it.
            Term::Field(field @ (Field::Function | Field::Exception), _) => {
                match self.tells_as_it_is() {
                    true => Ok(store),
                    false => Err(Error::Refused(format!(
                        "{}: is not a filter here, because what it looks for may be behind an alias: filter by name, state, numbers and \
                         time, then ask for `groups` or `exceptions` of a cluster",
                        field.word()
                    ))),
                }
            }
            Term::Has(thing) if thing.word() == "note" => Err(Error::Refused(
                "notes are never included: filter by name, state, numbers and time".into(),
            )),
            Term::Has(thing) if thing.word() == "code" && self.has_rules() => Err(Error::Refused(
                "a policy restricts code: filter by name, state, numbers and time"
                    .into(),
            )),
            // Letter by letter, and never typed.
            Term::Label(_) | Term::User(_) => Err(Error::Refused(
                "this is not a filter here: filter by name, state, numbers and time".into(),
            )),
            Term::State(_)
            | Term::Has(_)
            | Term::Measure(..)
            | Term::Since(_)
            | Term::Until(_)
            | Term::From(_)
            | Term::To(_) => Ok(store),
        }
    }

    fn has_rules(&self) -> bool {
        let policy = self.policy.as_ref();
        policy.is_some_and(|policy| !policy.said().rules.is_empty())
    }

    fn tells_identities(&self) -> bool {
        self.choice.identities == Identities::Real && self.choice.level.tells(FieldClass::Name)
    }

    fn tells_as_it_is(&self) -> bool {
        self.tells_identities() && !self.has_rules()
    }

    /// Refuses what is no alias of anybody, or of no host: a guess at what stands behind one, most likely.
    fn known(&self, field: Field, alias: &str) -> Result<()> {
        // What a policy drops has no alias either.
        if self.tells_identities() || self.has_rules() {
            return Ok(());
        }
        let host = field == Field::Host;
        let noun = field.word();
        let names: Vec<String> = self.app.read(|db| {
            let mut statement = db.prepare_cached(include_str!("sql/told_names.sql"))?;
            let names =
                statement.query_map(rusqlite::named_params! { ":host": host }, |row| row.get(0))?;
            Ok(names.collect::<rusqlite::Result<_>>()?)
        })?;
        let is = |name: &String| share::identity(self.choice, &self.key, noun, name) == alias;
        match names.iter().any(is) {
            true => Ok(()),
            false => Err(Error::Refused(format!(
                "{noun}:{alias} is not an alias of a {noun} here: use one from an earlier answer, for example {noun}-…"
            ))),
        }
    }
}

/// Of what a part of a filter asks.
#[derive(Clone, Copy, Default)]
struct Asks {
    store: bool,
    words: bool,
}

/// Whether a row as it is told meets the words of a filter.
fn meets(row: &ClusterRow, words: &Filter) -> bool {
    let is = |text: &Option<String>, asked: &str| {
        text.as_deref().is_some_and(|text| looks_like(text, asked))
    };
    let term = match words {
        Filter::All(parts) => return parts.iter().all(|part| meets(row, part)),
        Filter::Any(parts) => return parts.iter().any(|part| meets(row, part)),
        Filter::Not(inner) => return !meets(row, inner),
        Filter::Term(term) => term,
    };
    match term {
        Term::Word(word) => row.name.to_lowercase().contains(&word.to_lowercase()),
        Term::Field(Field::Name, part) => looks_like(&row.name, &format!("*{part}*")),
        Term::Field(Field::Project, asked) => is(&row.project, asked),
        Term::Field(Field::User, asked) => is(&row.user, asked),
        Term::Field(Field::Host, asked) => is(&row.host, asked),
        Term::Tag(name, value) => {
            let told = row.tags.get(name);
            told.is_some_and(|told| value.as_ref().is_none_or(|value| value == told))
        }
        // Asked of the store.
        _ => false,
    }
}

/// Whether a text looks like a pattern in any case; `*` stands for anything.
fn looks_like(text: &str, pattern: &str) -> bool {
    let (text, pattern) = (text.to_lowercase(), pattern.to_lowercase());
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let between: Vec<&str> = parts.collect();
    let Some((last, between)) = between.split_last() else {
        return rest.is_empty();
    };
    for part in between {
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Every field stands here, so that a new one is thought about.
fn masked(row: &ClusterRow, told: Option<Told>) -> ClusterRow {
    let (scheduler_id, words) =
        told.map_or_else(Default::default, |told| (told.scheduler_id, told.words));
    ClusterRow {
        id: row.id,
        scheduler_id,
        name: words.name.unwrap_or_else(|| format!("cluster {}", row.id)),
        state: row.state,
        finished_by_hand: row.finished_by_hand,
        // It may hold words of the scheduler's.
        state_evidence: String::new(),
        user: words.user,
        host: words.host,
        project: words.project,
        tags: words
            .tags
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect(),
        // What somebody put on it by hand is never shared.
        own_tags: Default::default(),
        given_name: None,
        note: None,
        pinned: row.pinned,
        sample: row.sample,
        unavailable: row.unavailable.clone(),
        source: row.source,
        started_micros: row.started_micros,
        stopped_micros: row.stopped_micros,
        last_heard_micros: row.last_heard_micros,
        idle_since_micros: row.idle_since_micros,
        last_completed_micros: row.last_completed_micros,
        since_completed_micros: row.since_completed_micros,
        workers: row.workers,
        threads: row.threads,
        workers_peak: row.workers_peak,
        threads_peak: row.threads_peak,
        memory_used_bytes: row.memory_used_bytes,
        memory_peak_bytes: row.memory_peak_bytes,
        memory_limit_bytes: row.memory_limit_bytes,
        tasks: row.tasks.clone(),
        tasks_completed: row.tasks_completed,
        tasks_erred: row.tasks_erred,
        compute_seconds: row.compute_seconds,
        thread_seconds: row.thread_seconds,
        efficiency: row.efficiency,
        result_bytes: row.result_bytes,
        computations: row.computations,
        exceptions: row.exceptions,
        cost: row.cost,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::marks::mark_clusters;
    use crate::api::people::merge_users;
    use crate::api::{MarkRequest, MergeUsersRequest};
    use crate::share::Level;
    use crate::testing::*;

    fn asked(bench: &Bench, text: &str, choice: Choice) -> Result<ClusterList> {
        let request = ClustersRequest {
            text: Some(text.into()),
            ..ClustersRequest::default()
        };
        told_clusters(&bench.app, request, choice).map(|told| told.list)
    }

    #[test]
    fn a_secret_in_a_name_or_a_tag_is_neither_told_nor_found() {
        let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        let bench = Bench::new();
        let said = with(
            facts(0),
            json!({"name": format!("load-{token}"), "tags": {"password": "zX9kk2pQw7", "env": "prod"}}),
        );
        bench.send(batch(1, &[said, sample(1, 1.0)]));
        let told = asked(&bench, "", Choice::default()).unwrap();
        let row = serde_json::to_string(&told.rows[0]).unwrap();
        assert!(
            !row.contains(&token) && !row.contains("zX9kk2pQw7"),
            "{row}"
        );
        assert!(told.rows[0].name.starts_with("load-‹secret:"), "{row}");
        assert_eq!(told.rows[0].tags["env"], "prod");
        // A guess finds nothing, right or wrong.
        for guess in [&token[..12], "tag:password=zX9kk2pQw7"] {
            assert_eq!(
                asked(&bench, guess, Choice::default()).unwrap().total,
                0,
                "{guess}"
            );
        }
        assert_eq!(
            asked(&bench, "tag:env=prod", Choice::default())
                .unwrap()
                .total,
            1
        );
    }

    #[test]
    fn a_list_tells_aliases_and_is_filtered_by_them_alone() {
        let bench = Bench::new();
        bench.send(batch(1, &[facts(0), sample(1, 1.0), stop(9)]));
        let real = clusters(&bench.app, ClustersRequest::default()).unwrap();
        let (user, host) = (
            real.rows[0].user.clone().unwrap(),
            real.rows[0].host.clone().unwrap(),
        );
        let told = asked(&bench, "", Choice::default()).unwrap();
        let row = &told.rows[0];
        let text = serde_json::to_string(row).unwrap();
        assert!(
            !text.contains(&format!("\"{user}\"")) && !text.contains(&host),
            "{text}"
        );
        assert_eq!(
            (row.id, row.tasks_completed),
            (1, real.rows[0].tasks_completed)
        );
        let alias = row.user.clone().unwrap();
        let by = |text: &str| asked(&bench, text, Choice::default());
        assert_eq!(by(&format!("user:{alias}")).unwrap().total, 1);
        assert_eq!(by(&format!("-user:{alias}")).unwrap().total, 0);
        assert_eq!(
            by(&format!("host:{}", row.host.as_deref().unwrap()))
                .unwrap()
                .total,
            1
        );
        // A guess is refused whether it is right or wrong, in the same words but for itself.
        for guess in [
            format!("user:{user}"),
            "user:*".into(),
            format!("host:{host}"),
            "host:nobody".into(),
        ] {
            assert!(matches!(by(&guess), Err(Error::Refused(_))), "{guess}");
        }
        // Nor does a word find users and hosts.
        assert_eq!(by(&user).unwrap().total, 0);
        assert_eq!(by("state:finished").unwrap().total, 1);
        assert!(by("state:nonsense").is_err());
        let metrics = Choice {
            level: Level::Metrics,
            ..Choice::default()
        };
        assert!(matches!(
            asked(&bench, "project:x", metrics),
            Err(Error::Refused(_))
        ));
        let told = asked(&bench, "workers>=0", metrics).unwrap();
        assert_ne!(told.rows[0].name, real.rows[0].name);
    }

    #[test]
    fn no_guess_at_what_stands_behind_an_alias_finds_out() {
        let bench = Bench::new();
        let said = json!({ "name": "dask-ana-7", "user": "ana", "tags": {"team": "blue"} });
        let key = json!({ "name": "patient-smith", "prefix": "patient-smith" });
        let records = [
            with(facts(0), said),
            with(group(3, "g1", 2.0), key),
            exception(4, "e", 1),
            stop(9),
        ];
        bench.send(batch(1, &records));
        let marks = MarkRequest {
            ids: vec![1],
            tags: [("mine".to_owned(), "secret".to_owned())].into(),
            note: Some("a secret".into()),
            name: Some("secret".into()),
            ..MarkRequest::default()
        };
        mark_clusters(&bench.app, marks).unwrap();
        let real = clusters(&bench.app, ClustersRequest::default()).unwrap();
        assert_eq!(real.rows[0].own_tags["mine"], "secret");
        let total = |text: &str| match asked(&bench, text, Choice::default()) {
            Ok(list) => Some(list.total),
            Err(Error::Refused(_)) => None,
            Err(error) => panic!("{error}"),
        };
        for (right, wrong) in [
            ("function:patient-s*", "function:patient-t*"),
            ("function:patient-smith", "function:patient-jones"),
            ("name:dask-a*", "name:dask-b*"),
            ("dask-ana", "dask-bob"),
            ("name:ana", "name:bob"),
            ("-name:ana", "-name:bob"),
            ("tag:mine", "tag:yours"),
            ("tag:mine=secret", "tag:mine=other"),
            ("name:secret", "name:zebra"),
            ("secret", "zebra"),
            ("has:note", "-has:note"),
            ("user:a*", "user:b*"),
            ("exception:Value*", "exception:Type*"),
            (
                "state:finished or name:dask-ana",
                "state:lost or name:dask-bob",
            ),
        ] {
            assert_eq!(total(right), total(wrong), "{right}");
        }
        // What is told is found.
        let told = asked(&bench, "", Choice::default()).unwrap();
        let (name, alias) = (&told.rows[0].name, told.rows[0].user.as_deref().unwrap());
        assert!(!name.contains("ana"), "{name}");
        assert_eq!(total(&format!("name:{name}")), Some(1));
        assert_eq!(
            total(&format!("dask-* tag:team=blue user:{alias}")),
            Some(0)
        );
        assert_eq!(total("name:dask-*-7 tag:team=blue state:finished"), Some(1));
        assert_eq!(total("tag:team=red"), Some(0));
        let as_they_are = Choice {
            identities: Identities::Real,
            ..Choice::default()
        };
        let by = |text: &str| asked(&bench, text, as_they_are);
        assert_eq!(by("function:patient-s*").unwrap().total, 1);
        // A policy binds what a choice tells.
        std::fs::write(bench.path().join(POLICY), "must_mask = ['keys']").unwrap();
        assert!(matches!(by("function:patient-s*"), Err(Error::Refused(_))));
    }

    /// A clock that goes on by a second at each look.
    struct Slow(std::sync::atomic::AtomicI64);

    impl crate::clock::Clock for Slow {
        fn now(&self) -> crate::model::Micros {
            let at = self
                .0
                .fetch_add(SECOND, std::sync::atomic::Ordering::SeqCst);
            crate::model::Micros(at)
        }
    }

    #[test]
    fn words_are_looked_for_within_a_time_the_newest_first_and_the_rest_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let clock = std::sync::Arc::new(Slow(at(1_000).into()));
        let app = App::open(folder.path(), crate::api::Role::Owner, clock).unwrap();
        for n in 0..250 {
            let records = [
                with(facts(n), json!({ "name": format!("run-{n}") })),
                stop(n + 1),
            ];
            let text = batch_text(&format!("Scheduler-{n}"), "i", 1, &records);
            app.ingest(crate::wire::decode(&text).unwrap()).unwrap();
        }
        let asked = |text: &str| {
            let request = ClustersRequest {
                text: Some(text.into()),
                ..ClustersRequest::default()
            };
            told_clusters(&app, request, Choice::default()).unwrap()
        };
        let newest = asked("name:run-249");
        assert_eq!(newest.list.total, 1);
        // Every look at the clock is a second: three are over before the second page is.
        assert!((50..250).contains(&newest.not_looked_at), "{newest:?}");
        assert_eq!(asked("name:run-0").list.total, 0);
        // Where there are no words there is nothing to look through.
        assert_eq!(asked("state:finished").not_looked_at, 0);
        app.drain().unwrap();
    }

    #[test]
    fn a_merged_user_is_found_by_the_alias_that_is_told_and_a_star_is_a_name() {
        let bench = Bench::new();
        for (cluster, user) in [("one", "ana"), ("two", "*"), ("three", "bob")] {
            let records = [with(facts(0), json!({ "user": user })), stop(9)];
            bench.send(batch_of(cluster, "i", 1, &records));
        }
        let merge = MergeUsersRequest {
            users: vec!["ana".into()],
            person: "bob".into(),
        };
        merge_users(&bench.app, merge).unwrap();
        let told = asked(&bench, "", Choice::default()).unwrap();
        for row in &told.rows {
            let text = format!("user:{}", row.user.as_deref().unwrap());
            let found = asked(&bench, &text, Choice::default()).unwrap();
            let ids: Vec<i64> = found.rows.iter().map(|row| row.id).collect();
            assert_eq!(ids, [row.id], "{text}");
        }
    }

    #[test]
    fn patterns_are_of_any_case() {
        assert!(looks_like("Nightly-etl-7", "nightly-*-7") && looks_like("ab", "a*b"));
        assert!(!looks_like("aba", "ab*ba") && !looks_like("ab", "a"));
        assert!(looks_like("", "*") && looks_like("xyz", "*y*"));
    }
}
