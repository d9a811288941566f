//! The list of clusters as somebody else may see it, and its filter: a question must not tell what the answer does not.

use std::cell::RefCell;
use std::collections::HashMap;

use super::answers::clusters;
use super::{App, ClusterList, ClusterRow, ClustersRequest};
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
    /// The filter as the page can follow it, which knows no aliases: without what it would read otherwise. There it finds all of
    /// these clusters, and may find more.
    pub on_page: String,
}

/// The clusters that match, with their texts as a share of this choice would tell them. Of the request, the filter, its time
/// zone, limit and offset count. What the filter says of words is held against what is told, never against what is stored:
/// so users and hosts are named by their aliases, and no guess finds out what stands behind one. That is bounded, in clusters and in
/// time: the newest come first, and the answer says how many were not looked at.
///
/// # Errors
/// [`Error::Invalid`] for a filter that is not understood; [`Error::Refused`] for one that asks for what is not told; those of
/// [`super::clusters`].
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
        masked: RefCell::default(),
    };
    let (of_store, of_words) =
        teller.parted(parse_filter(request.text.as_deref().unwrap_or_default())?)?;
    let as_stored = of_words.iter().filter(|part| teller.finds_as_much(part));
    let on_page = Filter::All(of_store.iter().chain(as_stored).cloned().collect()).to_string();
    let request = ClustersRequest {
        text: Some(Filter::All(of_store).to_string()),
        time_zone: request.time_zone,
        limit: request.limit,
        offset: request.offset,
        ..ClustersRequest::default()
    };
    let (list, not_looked_at) = match of_words.is_empty() {
        true => (teller.told(clusters(app, request)?)?, 0),
        false => teller.looked_through(&request, &Filter::All(of_words))?,
    };
    Ok(ToldList {
        list,
        not_looked_at,
        on_page,
    })
}

/// By what the rows are told.
struct Teller<'a> {
    app: &'a App,
    choice: Choice,
    key: FingerprintKey,
    policy: Option<Policy>,
    masks: Masks,
    /// Names as they are told, by what they stand behind: those of one cluster are those of the next.
    masked: RefCell<HashMap<(&'static str, String), String>>,
}

/// Names of one cluster, as they are told.
#[derive(Default)]
struct Names {
    functions: Vec<String>,
    exceptions: Vec<String>,
}

impl Teller<'_> {
    fn told(&self, mut list: ClusterList) -> Result<ClusterList> {
        for row in &mut list.rows {
            let told = self.app.read(|db| {
                let (policy, names) = (self.policy.as_ref(), self.masks.scanner());
                share::told(db, row.id, self.choice, &self.key, policy, names)
            });
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

    /// Those rows whose told words meet `words`, and how many older ones were not looked at.
    fn looked_through(
        &self,
        request: &ClustersRequest,
        words: &Filter,
    ) -> Result<(ClusterList, u64)> {
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
            for row in list.rows {
                if meets(&row, &self.names(&row, words)?, words) {
                    found.push(row);
                }
            }
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
                let list = ClusterList {
                    truncated: request.offset + (rows.len() as u64) < total,
                    rows,
                    total,
                    currency: list.currency,
                };
                return Ok((list, not_looked_at));
            }
        }
    }

    /// The functions and exceptions of a cluster as they are told, where a filter asks for them.
    fn names(&self, row: &ClusterRow, words: &Filter) -> Result<Names> {
        // One that has not said yet what may be told of it tells none.
        let asks = |field| !row.scheduler_id.is_empty() && mentions(words, field);
        let mut names = Names::default();
        if asks(Field::Function) {
            let sql = include_str!("sql/told_functions.sql");
            names.functions = self.names_of(row.id, sql, "prefix")?;
        }
        if asks(Field::Exception) {
            let sql = include_str!("sql/told_exceptions.sql");
            names.exceptions = self.names_of(row.id, sql, "exception_type")?;
        }
        Ok(names)
    }

    fn names_of(&self, id: i64, sql: &str, behind: &'static str) -> Result<Vec<String>> {
        let stored: Vec<String> = self.app.read(|db| {
            let mut statement = db.prepare_cached(sql)?;
            let names = statement
                .query_map(rusqlite::named_params! { ":cluster_id": id }, |row| {
                    row.get(0)
                })?;
            Ok(names.collect::<rusqlite::Result<_>>()?)
        })?;
        let mut masked = self.masked.borrow_mut();
        let told = stored.into_iter().map(|name| {
            let told = masked
                .entry((behind, name))
                .or_insert_with_key(|(_, name)| self.masks.text(behind, name));
            told.clone()
        });
        Ok(told.collect())
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
            // Of the keys of tasks and the types of exceptions, what is told is not in the list. Where they are told as they are, they are looked up, but
            // for what looks like a secret in them.
            Term::Field(field @ (Field::Function | Field::Exception), _) => {
                match self.tells_as_it_is() {
                    true => Ok(words),
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
                "a policy restricts code: filter by name, state, numbers and time".into(),
            )),
            // Never typed.
            Term::Label(_) | Term::User(_) | Term::Ids(_) | Term::Going => Err(Error::Refused(
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

    /// Whether this part of a filter, which asks for words, finds at least as much where no word is replaced.
    fn finds_as_much(&self, part: &Filter) -> bool {
        match part {
            Filter::All(parts) | Filter::Any(parts) => {
                parts.iter().all(|part| self.finds_as_much(part))
            }
            // The page looks for a word in more than the name.
            Filter::Not(_) => false,
            Filter::Term(Term::Field(Field::User | Field::Host, _)) => self.tells_as_it_is(),
            Filter::Term(_) => !self.has_rules(),
        }
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

/// Whether a filter asks for a field somewhere.
fn mentions(filter: &Filter, field: Field) -> bool {
    match filter {
        Filter::All(parts) | Filter::Any(parts) => parts.iter().any(|part| mentions(part, field)),
        Filter::Not(inner) => mentions(inner, field),
        Filter::Term(Term::Field(asked, _)) => *asked == field,
        Filter::Term(_) => false,
    }
}

/// Whether a row as it is told, with these names, meets the words of a filter.
fn meets(row: &ClusterRow, names: &Names, words: &Filter) -> bool {
    let is = |text: &Option<String>, asked: &str| {
        text.as_deref().is_some_and(|text| looks_like(text, asked))
    };
    let term = match words {
        Filter::All(parts) => return parts.iter().all(|part| meets(row, names, part)),
        Filter::Any(parts) => return parts.iter().any(|part| meets(row, names, part)),
        Filter::Not(inner) => return !meets(row, names, inner),
        Filter::Term(term) => term,
    };
    match term {
        Term::Word(word) => row.name.to_lowercase().contains(&word.to_lowercase()),
        Term::Field(Field::Name, part) => looks_like(&row.name, &format!("*{part}*")),
        Term::Field(Field::Project, asked) => is(&row.project, asked),
        Term::Field(Field::User, asked) => is(&row.user, asked),
        Term::Field(Field::Host, asked) => is(&row.host, asked),
        Term::Field(Field::Function, asked) => {
            names.functions.iter().any(|name| looks_like(name, asked))
        }
        Term::Field(Field::Exception, asked) => {
            names.exceptions.iter().any(|name| looks_like(name, asked))
        }
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
        tasks_done: row.tasks_done,
        tasks_completed: row.tasks_completed,
        tasks_erred: row.tasks_erred,
        compute_seconds: row.compute_seconds,
        thread_seconds: row.thread_seconds,
        stalled_seconds: row.stalled_seconds,
        efficiency: row.efficiency,
        result_bytes: row.result_bytes,
        computations: row.computations,
        exceptions: row.exceptions,
        cost: row.cost,
    }
}

#[cfg(test)]
mod tests;
