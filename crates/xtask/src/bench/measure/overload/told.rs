//! What reports told, and what a store holds of it. Each kind of record is counted by itself, by what tells its records
//! apart, so that nothing that is there twice hides what is missing.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use bobbin_core::wire::{Batch, Line, Record, decode};
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::{
    process::{Failure, Result, say},
    torture::work::Found,
};

/// Kinds of which each record has a row, with their tables: what tells records apart is the sequence number.
const SINGLE: [(&str, &str); 3] = [
    ("sample", "sample"),
    ("worker", "worker_event"),
    ("event", "event"),
];

/// Kinds of which the latest record of each thing stands, with their tables and what tells the things apart.
const LATEST: [(&str, &str, &str); 6] = [
    ("task_group", "task_group", "r.group_id"),
    ("computation", "computation", "r.computation_id"),
    (CODE, "computation_code", "r.computation_id"),
    ("exception", "exception", "r.exception_id"),
    ("span", "span", "r.span_id"),
    ("metric", "metric", METRIC),
];

/// The five words of a metric, with what is in none of them in between.
const METRIC: &str = "r.span_id || char(31) || (select text from name where id = r.prefix_id)
    || char(31) || (select text from name where id = r.context_id)
    || char(31) || (select text from name where id = r.activity_id)
    || char(31) || (select text from name where id = r.unit_id)";

/// Comes in records of computations, and has rows of its own.
const CODE: &str = "code";

/// What was added up over the records of a cluster.
const SUMS: &str = "select t.samples, t.computations, t.exceptions,
        (select coalesce(sum(samples), 0) from cluster_hour where cluster_id = c.id),
        (select coalesce(sum(tasks_completed), 0) from cluster_hour where cluster_id = c.id),
        (select coalesce(sum(p.samples), 0) from instance as i join profile as p on p.instance_id = i.id
         where i.cluster_id = c.id),
        (select coalesce(sum(b.records), 0) from instance as i join batch as b on b.instance_id = i.id
         where i.cluster_id = c.id)
    from cluster as c join cluster_total as t on t.cluster_id = c.id where c.scheduler_id = ?1";

/// What reports told of one cluster, by one run of the plugin.
#[derive(Default)]
pub struct Told {
    records: u64,
    /// By kind, what tells its records or things apart.
    keys: BTreeMap<&'static str, BTreeSet<String>>,
    /// Tasks done since the plugin started, by the sequence number of the sample that says so.
    tasks: BTreeMap<u64, u64>,
    profile_samples: u64,
}

impl Told {
    /// What these reports tell, whoever sends them.
    ///
    /// # Errors
    /// One cannot be read.
    pub fn of(reports: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut told = Self::default();
        for report in reports {
            told.hear(&read(&report)?)?;
        }
        Ok(told)
    }

    fn hear(&mut self, batch: &Batch) -> Result {
        self.records += batch.header.records;
        for (seq, line) in (batch.header.first_seq..).zip(&batch.lines) {
            let Line::Known(record, _) = line else {
                return Err(Failure::new(format!("this is no record: {line:?}")));
            };
            self.record(seq, record);
        }
        Ok(())
    }

    fn record(&mut self, seq: u64, record: &Record) {
        let key = match record {
            Record::Sample(sample) => {
                self.tasks.insert(seq, sample.totals.tasks_completed);
                seq.to_string()
            }
            Record::Worker(_) => seq.to_string(),
            // How many of a topic were not sent has no row of its own.
            Record::Event(event) if event.payload.is_null() && event.count.is_some() => return,
            Record::Event(_) => seq.to_string(),
            Record::TaskGroup(group) => group.group_id.clone(),
            Record::Computation(computation) => {
                let id = computation.computation_id.clone();
                if let Some([_, ..]) = computation.code.as_deref() {
                    self.keys.entry(CODE).or_default().insert(id.clone());
                }
                id
            }
            Record::Exception(exception) => exception.exception_id.clone(),
            Record::Span(span) => span.span_id.clone(),
            Record::Metric(metric) => {
                let or_none = |text: &Option<String>| text.clone().unwrap_or_default();
                let (span, prefix) = (or_none(&metric.span_id), or_none(&metric.prefix));
                let words = [
                    &span,
                    &prefix,
                    &metric.context,
                    &metric.activity,
                    &metric.unit,
                ];
                words.map(String::as_str).join("\u{1f}")
            }
            Record::Profile(profile) => {
                self.profile_samples += profile.samples;
                return;
            }
            Record::Cluster(_) | Record::Dropped(_) | Record::Stop(_) => return,
        };
        self.keys.entry(record.kind()).or_default().insert(key);
    }

    /// How many of a kind.
    fn count(&self, kind: &str) -> u64 {
        self.keys.get(kind).map_or(0, |keys| keys.len() as u64)
    }

    /// What the hours of a cluster add up to: what each sample says beyond the one before.
    fn tasks(&self) -> u64 {
        let mut before = 0;
        let gains = self.tasks.values().map(|&tasks| {
            let gain = tasks.saturating_sub(before);
            before = tasks;
            gain
        });
        gains.sum()
    }
}

fn read(report: &str) -> Result<Batch> {
    decode(report.as_bytes()).map_err(|error| Failure::new(error.to_string()))
}

/// What is wrong of each kind.
type Kinds = Vec<(&'static str, Found)>;

/// The sums of a cluster.
#[derive(Default)]
struct Sums {
    samples: u64,
    computations: u64,
    exceptions: u64,
    hour_samples: u64,
    hour_tasks: u64,
    profile_samples: u64,
    records: u64,
}

/// Compares a store with what was told of its clusters, one after the other.
pub struct Comparison {
    db: Connection,
    clusters: u64,
    found: Found,
    by_kind: BTreeMap<&'static str, Found>,
}

impl Comparison {
    /// Of the store in a data folder. Whoever writes to it may go on.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn of(data: &Path) -> Result<Self> {
        let path = data.join("bobbin.sqlite");
        let db = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        Ok(Self {
            db,
            clusters: 0,
            found: Found::default(),
            by_kind: BTreeMap::new(),
        })
    }

    /// The clusters of which these reports tell: all reports of each are among them.
    ///
    /// # Errors
    /// A report or the store cannot be read.
    pub fn reports(&mut self, reports: impl IntoIterator<Item = String>) -> Result {
        let mut clusters: BTreeMap<String, Told> = BTreeMap::new();
        for report in reports {
            let batch = read(&report)?;
            let id = batch.header.cluster_id.clone();
            clusters.entry(id).or_default().hear(&batch)?;
        }
        for (id, told) in &clusters {
            self.cluster(id, told)?;
        }
        Ok(())
    }

    /// One cluster, of which this was told.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn cluster(&mut self, scheduler_id: &str, told: &Told) -> Result {
        let kinds = self.kinds(scheduler_id, told).map_err(failed)?;
        let mut rows = Found::default();
        let mut records = Found::default();
        for (kind, found) in kinds {
            self.by_kind.entry(kind).or_default().add(found);
            match kind {
                "record" => records = found,
                _ => rows.add(found),
            }
        }
        // What is missing of a kind is missing of all, too.
        self.found.add(rows.or(records));
        self.clusters += 1;
        Ok(())
    }

    /// What is lost and what is doubled, once all clusters were compared; says of which kinds it is.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn end(mut self) -> Result<Found> {
        let clusters: u64 = self
            .db
            .query_one("select count(*) from cluster", [], |row| row.get(0))
            .map_err(failed)?;
        let clusters = Found::counted(clusters, self.clusters);
        self.by_kind.insert("cluster", clusters);
        self.found.add(clusters);
        for (kind, found) in &self.by_kind {
            if *found != Found::default() {
                let Found { lost, doubled } = found;
                say(kind, &format!("{lost} lost, {doubled} doubled"));
            }
        }
        Ok(self.found)
    }

    /// Of one cluster.
    fn kinds(&self, scheduler_id: &str, told: &Told) -> rusqlite::Result<Kinds> {
        let mut kinds = Vec::new();
        let none = BTreeSet::new();
        let mut rows = |kind: &'static str, sql: &str| {
            let there: Vec<String> = self
                .db
                .prepare_cached(sql)?
                .query_map([scheduler_id], |row| row.get::<_, String>(0))?
                .collect::<rusqlite::Result<_>>()?;
            let due = told.keys.get(kind).unwrap_or(&none);
            kinds.push((kind, Found::rows(due, &there)));
            Ok::<(), rusqlite::Error>(())
        };
        for (kind, table) in SINGLE {
            let sql = format!(
                "select cast(r.seq as text) from {table} as r join instance as i on i.id = r.instance_id
                 join cluster as c on c.id = i.cluster_id where c.scheduler_id = ?1"
            );
            rows(kind, &sql)?;
        }
        for (kind, table, key) in LATEST {
            let sql = format!(
                "select {key} from {table} as r join cluster as c on c.id = r.cluster_id
                 where c.scheduler_id = ?1"
            );
            rows(kind, &sql)?;
        }
        let sums = self.sums(scheduler_id)?;
        // Profiles are put together as they age: what they count stays.
        let profiles = counted_wrong(sums.profile_samples, told.profile_samples);
        kinds.push(("profile", profiles));
        kinds.push(("record", Found::counted(sums.records, told.records)));
        for (kind, found) in &mut kinds {
            let kind = *kind;
            let counted = |sum| Found::counted(sum, told.count(kind));
            *found = match kind {
                "sample" => found
                    .or(counted(sums.samples))
                    .or(counted(sums.hour_samples))
                    .or(counted_wrong(sums.hour_tasks, told.tasks())),
                "computation" => found.or(counted(sums.computations)),
                "exception" => found.or(counted(sums.exceptions)),
                _ => *found,
            };
        }
        Ok(kinds)
    }

    /// All zero of a cluster that is not there.
    fn sums(&self, scheduler_id: &str) -> rusqlite::Result<Sums> {
        let sums = self
            .db
            .prepare_cached(SUMS)?
            .query_row([scheduler_id], |row| {
                Ok(Sums {
                    samples: row.get(0)?,
                    computations: row.get(1)?,
                    exceptions: row.get(2)?,
                    hour_samples: row.get(3)?,
                    hour_tasks: row.get(4)?,
                    profile_samples: row.get(5)?,
                    records: row.get(6)?,
                })
            })
            .optional()?;
        Ok(sums.unwrap_or_default())
    }
}

/// Of what records count, it is not known how many of them are wrong: one at least.
fn counted_wrong(counted: u64, is: u64) -> Found {
    let Found { lost, doubled } = Found::counted(counted, is);
    Found {
        lost: lost.min(1),
        doubled: doubled.min(1),
    }
}

fn failed(error: rusqlite::Error) -> Failure {
    Failure::new(format!("the store: {error}"))
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process, sync::Arc};

    use bobbin_core::{
        api::{App, Role},
        clock::SystemClock,
    };

    use super::*;
    use crate::bench::measure::{
        batches::{Report, Shape},
        store::replay::Story,
    };

    fn beats<const N: usize>(numbers: [usize; N]) -> [String; N] {
        let shape = Shape {
            clusters: 1,
            groups: 2,
        };
        numbers.map(|number| Report::of(shape, 0, number..number + 1).sent_by(0, 0))
    }

    /// What is wrong with a store of some reports where others were told.
    fn wrong(name: &str, stored: &[String], told: &[String]) -> Found {
        let folder = env::temp_dir().join(format!("bobbin-told-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        let app = App::open(&folder, Role::Owner, Arc::new(SystemClock)).unwrap();
        for report in stored {
            let receipt = app.ingest(decode(report.as_bytes()).unwrap()).unwrap();
            assert!(receipt.refused.is_empty(), "{:?}", receipt.refused);
        }
        let mut comparison = Comparison::of(&folder).unwrap();
        comparison.reports(told.iter().cloned()).unwrap();
        let found = comparison.end().unwrap();
        app.drain().unwrap();
        drop(app);
        fs::remove_dir_all(&folder).unwrap();
        found
    }

    #[test]
    fn what_is_there_twice_hides_nothing_that_is_missing() {
        let found = |lost, doubled| Found { lost, doubled };
        let all = beats([0, 1, 2]);
        assert_eq!(wrong("all", &all, &all), found(0, 0));
        // A report: a sample and two groups, whose records gave way to later ones.
        assert_eq!(wrong("lost", &beats([0, 1]), &all), found(3, 0));
        assert_eq!(wrong("doubled", &all, &beats([0, 1])), found(0, 3));
        assert_eq!(wrong("both", &beats([0, 1, 3]), &all), found(1, 1));
    }

    #[test]
    fn a_cluster_that_nobody_told_of_is_one_too_many() {
        let folder = "strange";
        let found = wrong(folder, &beats([0]), &[]);
        assert_eq!(found.doubled, 1);
        assert_eq!(wrong(folder, &[], &beats([0])).lost, 5);
    }

    #[test]
    fn every_kind_of_record_that_a_run_sends_is_looked_for() {
        let story = Story::read().unwrap();
        let failing = story.run(2);
        let all: Vec<String> = failing.map(|place| story.report(place, "1")).collect();
        let told = Told::of(all.iter().cloned()).unwrap();
        let single = SINGLE.map(|(kind, _)| kind);
        let latest = LATEST.map(|(kind, ..)| kind);
        for kind in single.iter().chain(&latest) {
            assert!(told.count(kind) > 0, "{kind}");
        }
        assert!(told.profile_samples > 0);
        assert_eq!(wrong("recorded", &all, &all), Found::default());
        for kind in ["profile", "exception"] {
            let mut less = all.clone();
            let named = format!("\"kind\":\"{kind}\"");
            let left_out = less.iter().rposition(|report| report.contains(&named));
            let records = less.remove(left_out.unwrap()).lines().count() as u64 - 1;
            let found = wrong(kind, &less, &all);
            assert_eq!((found.lost, found.doubled), (records, 0), "{kind}");
        }
        assert!(Told::of(["no report".into()]).is_err());
    }
}
