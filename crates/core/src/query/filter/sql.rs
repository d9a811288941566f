//! A filter as a condition of SQL: fixed pieces, and every value a named parameter.

use rusqlite::ToSql;
use rusqlite::types::Value;

use super::{Comparison, Field, Filter, Measure, Moment, Term, Thing, When};
use crate::model::Micros;
use crate::query::page::escape_like;
use crate::query::price::CostSql;
use crate::query::state;

/// Rows that are many: to gather the clusters of more takes longer than to look at each cluster.
const MANY: u32 = 4_000;

/// Pieces that two letters begin: of most texts some dozens, of texts that somebody made for it any number. How long SQLite
/// takes to read what the index is asked for grows with the square of them, and nothing interrupts it.
const MOST_PIECES: u32 = 1_000;

/// For how long a cluster lasted, or has lasted so far.
const LASTED: &str = "iif(t.stop_at_micros is null and t.silent_after_micros >= :now, :now - t.started_micros, t.lasted_micros)";

/// Figures that follow from others, as they do where a cluster is over: what an index has of those alone SQLite does not read.
const FOLLOWING: [(&str, &str); 3] = [
    (LASTED, "(t.stop_at_micros - t.started_micros)"),
    (
        "+t.efficiency",
        "(cast(t.compute_micros as real) / nullif(t.thread_micros, 0))",
    ),
    (
        "t.seen_micros",
        "coalesce(t.sample_at_micros, t.started_micros)",
    ),
];

/// Figures by which clusters that are over are in order in an index.
pub(crate) const ORDERS: [(&str, &str); 11] = [
    ("t.last_completed_micros", "cluster_total_by_last_work"),
    ("t.lasted_micros", "cluster_total_by_duration"),
    ("t.workers_peak", "cluster_total_by_workers"),
    ("t.threads_peak", "cluster_total_by_threads"),
    ("t.memory_peak_bytes", "cluster_total_by_memory"),
    ("t.tasks_completed", "cluster_total_by_tasks"),
    ("t.compute_micros", "cluster_total_by_compute"),
    ("t.thread_micros", "cluster_total_by_thread_time"),
    ("t.stalled_micros", "cluster_total_by_stalled"),
    ("t.efficiency", "cluster_total_by_efficiency"),
    ("t.exceptions", "cluster_total_by_exceptions"),
];

/// Clusters where their names alone are read.
const NAMES: &str = "cluster as c indexed by cluster_shown_name";

/// Which tables a condition names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tables {
    /// `cluster as c`
    pub(crate) cluster: bool,
    /// `cluster_total as t`
    pub(crate) total: bool,
}

impl Tables {
    /// What to select from. Where one table is enough the other is not read.
    pub(crate) fn from(self) -> &'static str {
        match (self.cluster, self.total) {
            (true, true) => "from cluster as c join cluster_total as t on t.cluster_id = c.id",
            (true, false) => "from cluster as c",
            (false, _) => "from cluster_total as t",
        }
    }

    /// The cluster's number there.
    pub(crate) fn id(self) -> &'static str {
        if self.cluster { "c.id" } else { "t.cluster_id" }
    }

    pub(crate) fn and(self, other: Tables) -> Tables {
        Tables {
            cluster: self.cluster || other.cluster,
            total: self.total || other.total,
        }
    }
}

/// The column of clusters' numbers, and `from … where …`.
type Part = (&'static str, String);

/// A condition with its parameters.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// `{id}` stands where the cluster's number is to be named.
    condition: String,
    pub(crate) tables: Tables,
    /// Whether what clusters say of themselves is looked up by itself, so that one table is enough.
    apart: bool,
    /// Whether a figure is asked for, and whether all that is asked of `cluster_total` stands in its index of figures.
    figure: bool,
    indexed: bool,
    /// What is asked of `cluster_total`, each as often as it is asked. A single figure is read from an index of its own.
    asked: Vec<&'static str>,
    /// Whether it is one term.
    alone: bool,
    /// Whether nothing but names is asked for: then their index is read, and no row.
    names: bool,
    /// A word or a function that nothing else is asked beside: the clusters' numbers and where they stand, without any of the
    /// tables.
    texts: Vec<Part>,
    /// Whether it takes long to say of one cluster whether it matches: then each is asked once, for page and number.
    pub(crate) dear: bool,
    values: Vec<(String, Value)>,
    cost: CostSql,
    now: Micros,
}

impl Compiled {
    /// `where …`, for a selection from these tables; nothing for every cluster.
    pub(crate) fn condition(&self, tables: Tables) -> String {
        match self.condition.as_str() {
            "" => String::new(),
            condition => format!("where {}", condition.replace("{id}", tables.id())),
        }
    }

    /// The same as `and …`, behind another condition.
    pub(crate) fn also(&self, tables: Tables) -> String {
        match self.condition.as_str() {
            "" => String::new(),
            condition => format!("and {}", condition.replace("{id}", tables.id())),
        }
    }

    /// Where those that match are, once or in two parts. Figures are read from their narrow index, in which clusters are
    /// that are over; the few others are looked at by themselves.
    fn parts(&self) -> Vec<Part> {
        if !self.texts.is_empty() {
            return self.texts.clone();
        }
        let tables = self.tables;
        let id = tables.id();
        if self.names && tables.cluster && !tables.total {
            let from = format!("from {NAMES} {}", self.condition(tables));
            return vec![(id, from)];
        }
        if !(self.figure && self.indexed && tables.total && !tables.cluster) {
            let from = format!("{} {}", tables.from(), self.condition(tables));
            return vec![(id, from)];
        }
        let also = self.also(tables);
        let (index, over) = match self.own_index() {
            Some((column, index)) => (
                index,
                also.replace(LASTED, column)
                    .replace(&format!("+{column}"), column),
            ),
            None => (
                "cluster_total_figures",
                FOLLOWING
                    .iter()
                    .fold(also.clone(), |over, (column, follows)| {
                        over.replace(column, follows)
                    }),
            ),
        };
        [
            format!("{index} where t.stop_at_micros is not null {over}"),
            format!("cluster_total_alive where t.stop_at_micros is null {also}"),
        ]
        .map(|of| (id, format!("from cluster_total as t indexed by {of}")))
        .into()
    }

    /// The figure that is asked for and no other, whatever is asked of other tables, and the index that has it in order, which is
    /// a quarter as wide as that of all figures. One that follows from others is read from it as a range alone.
    fn own_index(&self) -> Option<(&'static str, &'static str)> {
        let (first, more) = self.asked.split_first()?;
        let follows = FOLLOWING.iter().any(|(column, _)| column == first);
        if more.iter().any(|asked| asked != first) || (follows && !self.alone) {
            return None;
        }
        let column = match *first {
            LASTED => "t.lasted_micros",
            asked => asked.trim_start_matches('+'),
        };
        ORDERS.into_iter().find(|(known, _)| *known == column)
    }

    /// The numbers of those that match.
    pub(crate) fn finding(&self) -> String {
        all_of(&self.parts())
    }

    /// How many clusters there are of it.
    pub(crate) fn counting(&self) -> String {
        let parts = self.parts().into_iter();
        let parts: Vec<String> = parts
            .map(|(_, from)| format!("(select count(*) {from})"))
            .collect();
        format!("select {}", parts.join(" + "))
    }

    /// The same, and the newest of them.
    pub(crate) fn counting_with_newest(&self) -> String {
        let parts = self.parts().into_iter();
        let parts: Vec<String> = parts
            .map(|(id, from)| format!("select count(*) as count, max({id}) as newest {from}"))
            .collect();
        format!(
            "select sum(count), max(newest) from ({})",
            parts.join(" union all ")
        )
    }

    /// What each cluster cost.
    pub(crate) fn cost(&self) -> &CostSql {
        &self.cost
    }

    /// The parameters that `sql` names, with `more`.
    pub(crate) fn parameters<'a>(
        &'a self,
        sql: &str,
        more: &[(&'a str, &'a dyn ToSql)],
    ) -> Vec<(&'a str, &'a dyn ToSql)> {
        let own = self
            .values
            .iter()
            .map(|(name, value)| (name.as_str(), value as &dyn ToSql));
        let mut all = self.parameters_of_order(sql, more);
        all.extend(own);
        all
    }

    /// Those of `sql` that puts in order what was found, with `more`.
    pub(crate) fn parameters_of_order<'a>(
        &'a self,
        sql: &str,
        more: &[(&'a str, &'a dyn ToSql)],
    ) -> Vec<(&'a str, &'a dyn ToSql)> {
        let mut all = more.to_vec();
        if sql.contains(":cost0") {
            let cost = self.cost.values.iter();
            all.extend(cost.map(|(name, value)| (name.as_str(), value as &dyn ToSql)));
        }
        if sql.contains(":now") {
            all.push((":now", &self.now));
        }
        all
    }
}

/// The condition that a filter stands for; `cost` by the prices in force.
pub(crate) fn compile(filter: &Filter, moment: Moment, cost: &CostSql) -> Compiled {
    let compiled = compile_as(false, filter, moment, cost);
    let Tables { cluster, total } = compiled.tables;
    match cluster && total {
        // Reading two tables side by side takes several times as long as one.
        true => compile_as(true, filter, moment, cost),
        false => compiled,
    }
}

/// A filter that asks both tables as what it asks of `cluster`, and what it asks of `cluster_total`: a cluster matches if it
/// is found by both. None where one table is enough, or nothing that has to hold is about `cluster` alone.
pub(crate) fn halves(filter: &Filter, moment: Moment, cost: &CostSql) -> Option<[Compiled; 2]> {
    let Filter::All(parts) = filter else {
        return None;
    };
    let (of_cluster, of_total): (Vec<_>, Vec<_>) = parts.iter().cloned().partition(|part| {
        let tables = compile_as(false, part, moment, cost).tables;
        tables.cluster && !tables.total
    });
    let of_cluster = compile_as(false, &Filter::all(of_cluster), moment, cost);
    let of_total = compile_as(true, &Filter::all(of_total), moment, cost);
    (of_cluster.tables.cluster && of_total.tables.total).then_some([of_cluster, of_total])
}

fn compile_as(apart: bool, filter: &Filter, moment: Moment, cost: &CostSql) -> Compiled {
    let mut compiled = Compiled {
        apart,
        condition: String::new(),
        tables: Tables::default(),
        figure: false,
        indexed: true,
        asked: Vec::new(),
        alone: matches!(filter, Filter::Term(_)),
        names: true,
        texts: Vec::new(),
        dear: false,
        values: Vec::new(),
        cost: cost.clone(),
        now: moment.now,
    };
    if *filter != Filter::All(Vec::new()) {
        compiled.condition = compiled.filter(filter, moment);
    }
    compiled
}

impl Compiled {
    fn filter(&mut self, filter: &Filter, moment: Moment) -> String {
        let mut each = |parts: &[Filter], between: &str| {
            let parts: Vec<String> = parts.iter().map(|part| self.filter(part, moment)).collect();
            format!("({})", parts.join(between))
        };
        match filter {
            Filter::All(parts) => each(parts, " and "),
            Filter::Any(parts) => each(parts, " or "),
            // What is not known is not so: a cluster whose memory was never told is not one of more than 4 GiB.
            Filter::Not(inner) => match **inner {
                // Always known, and those without have an index as well.
                Filter::Term(Term::Has(Thing::Exception)) => self.of_total("t.exceptions = 0"),
                Filter::Term(Term::Has(Thing::Code)) => self.of_total("t.codes = 0"),
                _ => format!("not coalesce({}, false)", self.filter(inner, moment)),
            },
            Filter::Term(term) => self.term(term, moment),
        }
    }

    fn put(&mut self, value: impl Into<Value>) -> String {
        let name = format!(":f{}", self.values.len());
        self.values.push((name.clone(), value.into()));
        name
    }

    fn term(&mut self, term: &Term, moment: Moment) -> String {
        self.names &= matches!(term, Term::Field(Field::Name, _));
        match term {
            Term::Word(word) => self.word(word),
            Term::Field(field, text) => self.field(*field, text),
            Term::Tag(name, value) => {
                let name = self.put(name.clone());
                let value = value.as_ref().map_or(String::new(), |value| {
                    format!(" and value = {}", self.put(value.clone()))
                });
                self.member(&format!(
                    "select cluster_id from tag where name = {name}{value}"
                ))
            }
            Term::State(state) => {
                self.indexed = false;
                self.of_total("state");
                state::is(*state)
            }
            Term::Has(thing) => self.has(*thing),
            Term::Measure(measure, comparison, quantity) => {
                self.measure(*measure, *comparison, stored(*measure, quantity.value()))
            }
            Term::Since(when) => self.reported_since(began(*when, moment)),
            Term::Until(when) => self.reported_before(match when {
                When::Ago(..) => began(*when, moment),
                When::Day(day) => moment.begins(day.succ_opt().unwrap_or(*day)),
            }),
            Term::From(at) => self.reported_since(*at),
            Term::To(at) => self.reported_before(*at),
            Term::Ids(ids) => {
                let ids = self.put(serde_json::json!(ids).to_string());
                self.member(&format!("select value from json_each({ids})"))
            }
            Term::Going => self.member("select cluster_id from deletion where begun = 1"),
            Term::Label(label) => {
                let label = self.put(label.clone());
                self.of_cluster(format!("c.label = {label}"))
            }
            Term::User(user) => {
                // Once as the index has it, once letter by letter.
                let user = self.put(user.clone());
                self.of_cluster(format!(
                    "(c.user = {user} collate nocase and c.user = {user} collate binary)"
                ))
            }
        }
    }

    fn reported_since(&mut self, at: Micros) -> String {
        let seen = self.of_total("t.seen_micros");
        format!("{seen} >= {}", self.put(at.0))
    }

    fn reported_before(&mut self, at: Micros) -> String {
        let first = self.of_total("t.first_at_micros");
        format!("{first} < {}", self.put(at.0))
    }

    fn of_cluster(&mut self, condition: String) -> String {
        if self.apart {
            return self.member(&format!("select c.id from cluster as c where {condition}"));
        }
        self.tables.cluster = true;
        condition
    }

    fn of_names(&mut self, condition: String) -> String {
        if self.apart {
            return self.member(&format!("select c.id from {NAMES} where {condition}"));
        }
        self.of_cluster(condition)
    }

    fn of_total(&mut self, asked: &'static str) -> String {
        self.tables.total = true;
        self.asked.push(asked);
        asked.into()
    }

    fn member(&mut self, of: &str) -> String {
        format!("{{id}} in ({of})")
    }

    /// The index has pieces of three letters. It finds a longer word by those in it, and two letters by those that they
    /// begin. Only of ASCII does it take large and small letters for the same ones as `holds` does: two others, and a single
    /// one, are looked for in each text, in the table behind the index: asked by way of the index, each row takes five times
    /// as long.
    fn word(&mut self, word: &str) -> String {
        self.dear = true;
        match word.chars().count() {
            3.. => {
                let phrase = self.put(phrase(word));
                self.of_texts(vec![found_by(&phrase)])
            }
            2 if word.is_ascii() => {
                let parts = self.begun(&word.to_ascii_lowercase());
                self.of_texts(parts)
            }
            _ => self.looked_for(word),
        }
    }

    fn looked_for(&mut self, word: &str) -> String {
        let part = self.put(word.to_owned());
        let texts = format!("holds({part}, x.c0, x.c1, x.c2)");
        if self.alone {
            // All texts are looked through in any case, and in their own order.
            let from = format!("from cluster_text_content as x where {texts}");
            return self.of_texts(vec![("x.id", from)]);
        }
        format!("exists (select 1 from cluster_text_content as x where x.id = {{id}} and {texts})")
    }

    /// Two letters: any of the pieces that they begin. A text with them has one, since it ends with the end of a line. Where
    /// there is no such piece, or too many, the index is asked for an empty text, which it finds nowhere; where there are too
    /// many, each text is looked through instead.
    fn begun(&mut self, two: &str) -> Vec<Part> {
        let part = self.put(two.to_owned());
        let last = self.put(format!("{two}{}", char::MAX));
        let pieces = format!("from cluster_text_term where term between {part} and {last}");
        let found = found_by(&format!(
            "(select iif(count(*) between 1 and {MOST_PIECES}, \
             group_concat('\"' || replace(term, '\"', '\"\"') || '\"', ' OR '), '\"\"') \
             from (select term {pieces} limit {MOST_PIECES} + 1))"
        ));
        let looked = format!(
            "from (select 1 {pieces} limit 1 offset {MOST_PIECES}) \
             cross join cluster_text_content as x where holds({part}, x.c0, x.c1, x.c2)"
        );
        vec![found, ("x.id", looked)]
    }

    fn of_texts(&mut self, parts: Vec<Part>) -> String {
        let member = self.member(&all_of(&parts));
        if self.alone {
            self.texts = parts;
        }
        member
    }

    fn field(&mut self, field: Field, text: &str) -> String {
        let column = match field {
            Field::User => "c.user",
            Field::Host => "c.host",
            Field::Project => "c.project",
            Field::Name => {
                self.dear = true;
                if text.contains('*') {
                    let part = self.put(format!("%{}%", pattern(text)));
                    return self.of_names(format!("c.shown_name like {part} escape '\\'"));
                }
                let part = self.put(text.to_owned());
                return self.of_names(format!("holds({part}, c.shown_name)"));
            }
            Field::Function => return self.function(text),
            Field::Exception => {
                let text = self.put(pattern(text));
                return self.member(&format!(
                    "select cluster_id from exception where type_id in \
                     (select id from name where text like {text} escape '\\')"
                ));
            }
        };
        if text.contains('*') {
            self.dear = true;
            let text = self.put(pattern(text));
            return self.of_cluster(format!("{column} like {text} escape '\\'"));
        }
        if field == Field::User {
            // A name that was merged into another finds that person.
            let text = self.put(text.to_owned());
            return self.of_cluster(format!(
                "c.user = coalesce((select person from user_merge where user = {text} collate nocase), {text}) collate nocase"
            ));
        }
        let text = self.put(text.to_owned());
        self.of_cluster(format!("{column} = {text} collate nocase"))
    }

    /// Few rows are gone through for all functions that are meant; where there are many, those of each cluster up to the
    /// first of them.
    fn function(&mut self, text: &str) -> String {
        self.dear = true;
        let prefixes = format!(
            "(select id from name where text like {} escape '\\')",
            self.put(pattern(text))
        );
        let rows = format!("from cluster_prefix where prefix_id in {prefixes}");
        let all = self.member(&format!("select cluster_id {rows}"));
        if !text.contains('*') {
            // Names that differ in case alone may both be of one cluster.
            if self.alone {
                let each = format!("from (select distinct cluster_id {rows}) as x");
                self.texts = vec![("x.cluster_id", each)];
            }
            return all;
        }
        format!(
            "iif((select count(*) from (select 1 from cluster_prefix where prefix_id in {prefixes} limit {MANY})) < {MANY}, \
             {all}, exists (select 1 from cluster_prefix as x where x.cluster_id = {{id}} and +x.prefix_id in {prefixes}))"
        )
    }

    /// Not by the index of an order: most figures leave most clusters, and to fetch those one by one takes longer than to
    /// read all.
    fn measure(&mut self, measure: Measure, comparison: Comparison, wanted: f64) -> String {
        let sign = match comparison {
            Comparison::AtLeast => ">=",
            Comparison::AtMost => "<=",
            Comparison::More => ">",
            Comparison::Less => "<",
            Comparison::Equal => "=",
        };
        let compared = format!("{sign} {}", self.put(wanted));
        let column = match measure {
            Measure::Workers => "+t.workers_peak",
            Measure::Threads => "+t.threads_peak",
            Measure::Memory => "+t.memory_peak_bytes",
            Measure::Tasks => "+t.tasks_completed",
            Measure::Erred => "+t.tasks_erred",
            Measure::Duration => LASTED,
            Measure::Compute => "+t.compute_micros",
            Measure::ClusterTime => "+t.thread_micros",
            Measure::Stalled => "+t.stalled_micros",
            Measure::Efficiency => "+t.efficiency",
            Measure::Exceptions => "+t.exceptions",
            Measure::Computations => "+t.computations",
            Measure::Cost => return format!("{} {compared}", self.costs()),
        };
        self.figure = true;
        format!("{} {compared}", self.of_total(column))
    }

    fn costs(&mut self) -> String {
        self.figure = true;
        self.of_total("cost");
        self.tables.cluster |= self.cost.cluster;
        self.cost.expression.clone()
    }

    fn has(&mut self, thing: Thing) -> String {
        match thing {
            Thing::Exception => self.of_total("t.exceptions > 0"),
            Thing::Note => self.of_cluster("c.note is not null".into()),
            Thing::Pin => self.of_cluster("c.pinned_micros is not null".into()),
            Thing::Sample => self.of_cluster("c.sample = 1".into()),
            Thing::Cost => format!("{} is not null", self.costs()),
            Thing::Code => self.of_total("t.codes > 0"),
        }
    }
}

/// The numbers of the clusters of all parts.
fn all_of(parts: &[Part]) -> String {
    let each = parts.iter().map(|(id, from)| format!("select {id} {from}"));
    each.collect::<Vec<_>>().join(" union all ")
}

/// What the index of texts finds for `asked`.
fn found_by(asked: &str) -> Part {
    let from = format!("from cluster_text where cluster_text match {asked}");
    ("rowid", from)
}

/// A text as a phrase of the index, which is a part of what it finds.
pub(crate) fn phrase(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text as `LIKE` takes it, `*` for anything.
fn pattern(text: &str) -> String {
    escape_like(text).replace('*', "%")
}

/// A figure as the store has it: times in microseconds.
fn stored(measure: Measure, value: f64) -> f64 {
    match measure {
        Measure::Duration | Measure::Compute | Measure::ClusterTime | Measure::Stalled => {
            value * 1e6
        }
        Measure::Workers
        | Measure::Threads
        | Measure::Memory
        | Measure::Tasks
        | Measure::Erred
        | Measure::Efficiency
        | Measure::Exceptions
        | Measure::Computations
        | Measure::Cost => value,
    }
}

/// The first moment that a time names.
fn began(when: When, moment: Moment) -> Micros {
    match when {
        When::Ago(count, unit) => {
            Micros(moment.now.0 - (f64::from(count) * unit.size()) as i64 * 1_000_000)
        }
        When::Day(day) => moment.begins(day),
    }
}
