//! What could come next in a filter: keys, and values that clusters really have, with how many of those that the rest of
//! the filter leaves.

use rusqlite::{Connection, named_params};

use super::parse::{key_of, keys, states};
use super::{
    Compiled, Field, Filter, Measure, Moment, Tables, Term, Thing, compile, parse, staying,
};
use crate::query::page::escape_like;
use crate::query::price::{CostSql, price_book};
use crate::query::types::{Completion, CompletionOption};
use crate::{Error, Result};

/// What is offered at most.
const OFFERED: usize = 12;

/// The tags of clusters, and what one is called.
const TAGS: &str = "join tag as g on g.cluster_id = c.id";
const TAG: &str = "iif(g.value = '', g.name, g.name || '=' || g.value)";

/// What completes the word of `text` that ends at `caret`, counted in letters.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn complete(
    db: &Connection,
    text: &str,
    caret: u32,
    moment: Moment,
) -> Result<Completion> {
    let letters: Vec<char> = text.chars().collect();
    let caret = (caret as usize).min(letters.len());
    let from = start(&letters[..caret]);
    let to = letters[caret..]
        .iter()
        .position(|letter| letter.is_whitespace() || matches!(letter, '(' | ')'))
        .map_or(letters.len(), |more| caret + more);
    let typed: String = letters[from..caret].iter().collect();
    let (minus, word) = match typed.strip_prefix('-') {
        Some(word) => ("-", word),
        None => ("", typed.as_str()),
    };
    let rest: String = letters[..from].iter().chain(&letters[to..]).collect();
    // Half a filter cannot narrow anything yet.
    let rest = staying(db, parse(&rest).unwrap_or(Filter::All(Vec::new())))?;
    let cost = CostSql::of(db, &price_book(db, false)?.prices)?;
    let facets = Facets {
        db,
        rest,
        moment,
        cost,
    };
    let mut options = facets.of(&word.replace('"', ""))?;
    let truncated = options.len() > OFFERED;
    options.truncate(OFFERED);
    for option in &mut options {
        option.text.insert_str(0, minus);
    }
    Ok(Completion {
        from: from as u32,
        to: to as u32,
        options,
        truncated,
        problem: parse(text)
            .err()
            .map(|fault| Error::from(fault).to_string()),
    })
}

/// Where the last word begins: behind the last blank or parenthesis that is not in quotes.
fn start(letters: &[char]) -> usize {
    let mut begun = 0;
    let mut quoted = false;
    for (at, letter) in letters.iter().enumerate() {
        match letter {
            '"' => quoted = !quoted,
            letter if !quoted && (letter.is_whitespace() || matches!(letter, '(' | ')')) => {
                begun = at + 1;
            }
            _ => {}
        }
    }
    begun
}

struct Facets<'a> {
    db: &'a Connection,
    rest: Filter,
    moment: Moment,
    cost: CostSql,
}

impl Facets<'_> {
    fn of(&self, word: &str) -> Result<Vec<CompletionOption>> {
        let Some((key, sign, value)) = key_of(word) else {
            let mut options = self.keys(word);
            if !word.is_empty() {
                for field in [Field::User, Field::Project, Field::Host] {
                    options.extend(self.values(field, word)?);
                }
                options.extend(self.tags(word)?);
            }
            return Ok(options);
        };
        if !matches!(sign, ":" | "=") {
            return Ok(Vec::new());
        }
        let key = key.to_ascii_lowercase();
        if let Some(field) = Field::read(&key) {
            return self.values(field, value);
        }
        match key.as_str() {
            "tag" => self.tags(value),
            "state" => self.fixed("state", states(), value),
            "has" => self.fixed("has", Thing::ALL.iter().map(|thing| thing.word()), value),
            "since" | "until" => Ok(["1d", "7d", "28d", "13w", "52w"]
                .into_iter()
                .filter(|time| time.starts_with(value))
                .map(|time| option(format!("{key}:{time}"), String::new(), None))
                .collect()),
            _ => Ok(Vec::new()),
        }
    }

    /// Keys that begin like it, with the sign that follows.
    fn keys(&self, begun: &str) -> Vec<CompletionOption> {
        let begun = begun.to_ascii_lowercase();
        keys()
            .filter(|key| key.starts_with(&begun))
            .map(|key| {
                let sign = if Measure::read(key).is_some() {
                    '>'
                } else {
                    ':'
                };
                option(format!("{key}{sign}"), meaning(key).into(), None)
            })
            .collect()
    }

    fn values(&self, field: Field, begun: &str) -> Result<Vec<CompletionOption>> {
        let column = match field {
            Field::User => "c.user",
            Field::Host => "c.host",
            Field::Project => "c.project",
            // By no index: it is a column that follows from others, and each row would be read in the order of the index.
            Field::Name => "+c.shown_name",
            Field::Function | Field::Exception => return self.names(field, begun),
        };
        let found = self.count(&format!("{column} collate nocase"), "''", "", begun)?;
        Ok(found
            .into_iter()
            .map(|(value, _, count)| {
                let term = Filter::Term(Term::Field(field, value));
                option(term.to_string(), String::new(), Some(count))
            })
            .collect())
    }

    /// Names that come again and again: first which, then how many clusters each leaves.
    fn names(&self, field: Field, begun: &str) -> Result<Vec<CompletionOption>> {
        let escaped = escape_like(begun);
        let (part, begun) = (format!("%{escaped}%"), format!("{escaped}%"));
        let limit = OFFERED as u64 + 1;
        let mut statement = self.db.prepare_cached(include_str!("names.sql"))?;
        let names = statement.query_map(
            named_params! { ":part": part, ":begun": begun, ":limit": limit, ":functions": field == Field::Function },
            |row| row.get::<_, String>(0),
        )?;
        names
            .map(|name| {
                let term = Filter::Term(Term::Field(field, name?));
                let (text, count) = (term.to_string(), self.left(term)?);
                Ok(option(text, String::new(), Some(count)))
            })
            .collect()
    }

    /// How many clusters a term leaves of the rest.
    fn left(&self, term: Filter) -> Result<u64> {
        let compiled = compile(
            &Filter::all(vec![self.rest.clone(), term]),
            self.moment,
            &self.cost,
        );
        let sql = compiled.counting();
        Ok(self
            .db
            .prepare_cached(&sql)?
            .query_one(&*compiled.parameters(&sql, &[]), |row| row.get(0))?)
    }

    fn tags(&self, begun: &str) -> Result<Vec<CompletionOption>> {
        let found = self.count(TAG, "g.name", TAGS, begun)?;
        found
            .into_iter()
            .map(|(tag, name, count)| {
                // A name may hold a `=` of its own.
                let value = tag.get(name.len() + 1..).map(str::to_owned);
                let alone = value.is_none();
                let term = Filter::Term(Term::Tag(name, value));
                let text = term.to_string();
                // A name alone finds the tag with each of its values.
                let count = if alone { self.left(term)? } else { count };
                Ok(option(text, String::new(), Some(count)))
            })
            .collect()
    }

    /// Values that are known beforehand, with how many clusters each leaves.
    fn fixed(
        &self,
        key: &str,
        words: impl Iterator<Item = &'static str>,
        begun: &str,
    ) -> Result<Vec<CompletionOption>> {
        let begun = begun.to_ascii_lowercase();
        words
            .filter(|word| word.starts_with(&begun))
            .map(|word| {
                let text = format!("{key}:{word}");
                let term = parse(&text)?;
                let count = self.left(term)?;
                Ok(option(text, String::new(), Some(count)))
            })
            .collect()
    }

    /// The commonest values of an expression that contain `part`, those that begin with it first; each with what `beside`
    /// is there.
    fn count(
        &self,
        expression: &str,
        beside: &str,
        join: &str,
        part: &str,
    ) -> Result<Vec<(String, String, u64)>> {
        let compiled = compile(&self.rest, self.moment, &self.cost);
        let sql = counting(&compiled, expression, beside, join);
        let escaped = escape_like(part);
        let (part, begun) = (format!("%{escaped}%"), format!("{escaped}%"));
        let limit = OFFERED as u64 + 1;
        let more = named_params! { ":part": part, ":begun": begun, ":limit": limit };
        let mut statement = self.db.prepare_cached(&sql)?;
        let found = statement.query_map(&*compiled.parameters(&sql, more), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
        Ok(found.collect::<rusqlite::Result<_>>()?)
    }
}

/// How often each value of an expression comes among the clusters of a filter.
fn counting(compiled: &Compiled, expression: &str, beside: &str, join: &str) -> String {
    let tables = compiled.tables.and(Tables {
        cluster: true,
        total: false,
    });
    let condition = compiled.condition(tables);
    // Of all clusters an index has the values in order. Of some, that order would look each of them up by itself.
    let sign = if condition.is_empty() { "" } else { "+" };
    // Tags by name and value, as their index has them.
    let by = match join {
        "" => "value",
        _ => "beside, g.value",
    };
    // Tags of every cluster are told by their own index alone.
    let from = match (join, condition.as_str()) {
        ("", _) => tables.from().to_owned(),
        (_, "") => "from tag as g".to_owned(),
        (join, _) => format!("{} {join}", tables.from()),
    };
    // Each value is looked at once, not once a cluster.
    format!(
        "with each as materialized (select {sign}{expression} as value, {sign}{beside} as beside, count(*) as clusters \
         {from} {condition} group by {by}) select value, beside, clusters from each \
         where value like :part escape '\\' and value <> '' \
         order by value not like :begun escape '\\', clusters desc, value limit :limit"
    )
}

fn meaning(key: &str) -> &'static str {
    match key {
        "user" => "who started it",
        "host" => "the scheduler's machine",
        "project" => "its project",
        "name" => "part of its name",
        "function" => "a function it ran, as in its task names",
        "exception" => "the type of an exception",
        "tag" => "a tag, or a tag with its value: env=prod",
        "state" => "running, stalled, idle, finished or lost",
        "has" => "exception, note, pin, cost or code",
        "since" => "reported since, for example 7d, 24h or 2026-03-01 (in your time zone)",
        "until" => "reported until, for example 7d or 2026-03-01 (in your time zone)",
        "workers" => "most workers at once",
        "threads" => "most threads at once",
        "memory" => "peak memory, for example 4GiB",
        "tasks" => "tasks that finished",
        "erred" => "tasks that erred",
        "duration" => "from start to end or now, for example 2h",
        "compute" => "time in your functions across all threads, for example 30m",
        "cluster_time" => "threads × time, including idle time, for example 10h",
        "stalled" => "cluster time while it was stalled, for example 10m",
        "efficiency" => "compute ÷ cluster time, for example 50%",
        "exceptions" => "kinds of exception",
        "computations" => "computations",
        "cost" => "midpoint of its cost range, in the currency of your prices: cost>5",
        _ => "",
    }
}

fn option(text: String, means: String, clusters: Option<u64>) -> CompletionOption {
    CompletionOption {
        text,
        means,
        clusters,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Micros;
    use crate::testing::{Bench, batch_of, facts, with};

    #[test]
    fn a_tag_in_two_spellings_is_offered_once_and_counts_both() {
        let bench = Bench::new();
        for (cluster, tags) in [
            ("one", json!({"env": "prod"})),
            ("two", json!({"Env": "PROD"})),
            ("three", json!({"ENV": "test"})),
        ] {
            let told = with(facts(0), json!({ "tags": tags }));
            bench.send(batch_of(cluster, "i", 1, &[told]));
        }
        // Of all clusters, and of some.
        for text in ["tag:env", "host:laptop tag:env"] {
            let options = bench.app.read(|db| {
                let moment = Moment::new(Micros(0), "")?;
                Ok(complete(db, text, text.len() as u32, moment)?.options)
            });
            let told: Vec<_> = options
                .unwrap()
                .into_iter()
                .map(|option| (option.text.to_lowercase(), option.clusters))
                .collect();
            let expected = [
                ("tag:env=prod".to_owned(), Some(2)),
                ("tag:env=test".to_owned(), Some(1)),
            ];
            assert_eq!(told, expected, "{text}");
        }
    }

    #[test]
    fn values_of_all_clusters_are_counted_in_the_order_of_their_index() {
        let bench = Bench::new();
        let plan = |text: &str, (column, beside, join): (&str, &str, &str)| {
            bench.app.read(|db| {
                let moment = Moment::new(Micros(0), "")?;
                let cost = CostSql::of(db, &price_book(db, false)?.prices)?;
                let compiled = compile(&parse(text)?, moment, &cost);
                let sql = counting(&compiled, column, beside, join);
                let mut plan = db.prepare(&format!("explain query plan {sql}"))?;
                let more = named_params! { ":part": "%", ":begun": "%", ":limit": 1 };
                let rows = plan.query_map(&*compiled.parameters(&sql, more), |row| {
                    row.get::<_, String>(3)
                })?;
                Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?.join("\n"))
            })
        };
        for (values, index) in [
            (("c.user collate nocase", "''", ""), "INDEX cluster_user"),
            (("c.host collate nocase", "''", ""), "INDEX cluster_host"),
            (
                ("c.project collate nocase", "''", ""),
                "INDEX cluster_project",
            ),
        ] {
            let all = plan("", values).unwrap();
            assert!(all.contains(&format!("COVERING {index}")), "{all}");
            assert!(!all.contains("FOR GROUP BY"), "{all}");
            // Of those with a pin each would be looked up.
            let some = plan("has:pin", values).unwrap();
            assert!(!some.contains(index), "{some}");
        }
        let tags = plan("", (TAG, "g.name", TAGS)).unwrap();
        assert!(tags.contains("COVERING INDEX tag_name"), "{tags}");
        assert!(!tags.contains("FOR GROUP BY"), "{tags}");
    }
}
