//! The list with 100,000 clusters.

mod cost;
mod found;
mod indexes;
mod measured;

use rusqlite::Connection;

use super::*;
use crate::query::price::price_book;
use crate::testing::*;

const INDEXED: &[ClusterOrder] = &[
    ClusterOrder::Started,
    ClusterOrder::Name,
    ClusterOrder::User,
    ClusterOrder::Host,
    ClusterOrder::Project,
    ClusterOrder::Seen,
];

/// By figures that each batch may change: an index knows those of clusters that are over.
const FIGURES: &[ClusterOrder] = &[
    ClusterOrder::Duration,
    ClusterOrder::WorkersPeak,
    ClusterOrder::ThreadsPeak,
    ClusterOrder::MemoryPeak,
    ClusterOrder::TasksCompleted,
    ClusterOrder::ComputeSeconds,
    ClusterOrder::ThreadSeconds,
    ClusterOrder::StalledSeconds,
    ClusterOrder::Efficiency,
    ClusterOrder::LastWork,
    ClusterOrder::Exceptions,
];

fn orders() -> impl Iterator<Item = ClusterOrder> {
    let all = INDEXED.iter().chain(FIGURES);
    all.copied().chain([ClusterOrder::Cost])
}

/// 100,000 clusters over a year, with the same spread of figures every time.
const MANY: &str = "
insert into cluster (
    scheduler_id, first_at_micros, said_started_micros, name, user, host, project, tags, note, pinned_micros
)
with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000)
select
    printf('Scheduler-%08x', i * 2654435761 % 4294967296),
    1699999200000000 + i * 31536000000000 / 100000,
    1699999200000000 + i * 31536000000000 / 100000,
    (i % 10) || ' etl nightly ' || i,
    'user' || (i * 7919 % 200 * (i % 3) / 2),
    'host' || (i % 40),
    iif(i % 4 = 0, null, 'project' || (i % 25)),
    json_object('env', iif(i % 5 = 0, 'prod', 'dev'), 'ci', 'yes'),
    iif(i % 997 = 0, 'a note', null),
    iif(i % 1009 = 0, 1, null)
from n;

insert into cluster_total (
    cluster_id, last_heard_micros, silent_after_micros, interval_micros, stop_at_micros, sample_at_micros,
    samples, workers, threads, workers_peak, threads_peak, memory_peak_bytes, compute_micros, thread_micros,
    stalled_micros, tasks_completed, tasks_erred, computations, exceptions, tasks
)
select
    id,
    started_micros + id * 7919 % 20000 * 1000000,
    iif(id % 1000 = 1, 1800000000000000, started_micros + id * 7919 % 20000 * 1000000 + 30000000),
    10000000,
    iif(id % 50 in (0, 1), null, started_micros + id * 7919 % 20000 * 1000000),
    started_micros + id * 7919 % 20000 * 1000000,
    100,
    id % 30,
    id % 30 * 4,
    id % 30,
    id % 30 * 4,
    id * 104729 % 40000 * 1048576,
    id * 1299709 % 90000 * 1000000,
    id * 1299709 % 90000 * 3000000,
    iif(id % 7 = 0, id * 7919 % 10000 * 3000000, 0),
    id * 15485863 % 2000000,
    id % 3,
    id % 8,
    iif(id % 33 = 0, 1 + id % 5, 0),
    '{\"memory\":3}'
from cluster;

insert into name (text)
with recursive n (i) as (select 1 union all select i + 1 from n where i < 500)
select 'function_' || i from n union all select 'inc' union all select 'ValueError' union all select 'KeyError';

insert into cluster_prefix (prefix_id, cluster_id)
with recursive n (i) as (select 0 union all select i + 1 from n where i < 7)
select 1 + (c.id * 31 + n.i * 17) % 501, c.id from cluster as c, n;

insert into exception (
    cluster_id, exception_id, at_micros, seq, rank, origin, type_id, first_seen_micros, last_seen_micros, count, dependents
)
select c.id, 'e', 1, 1, 1, 'user', n.id, c.started_micros, c.started_micros + 1000000, 1, 0
from cluster as c
join name as n on n.text = iif(c.id % 2 = 0, 'ValueError', 'KeyError')
where c.id % 33 = 0;
";

fn many(clusters: u32) -> Bench {
    let bench = Bench::new();
    bench.at(370 * 86_400);
    let sql = MANY.replace("100000", &clusters.to_string());
    bench
        .app
        .write(move |db| Ok(db.execute_batch(&sql)?))
        .unwrap();
    bench
}

fn moment(bench: &Bench) -> Moment {
    Moment {
        now: bench.app.now(),
        zone: chrono_tz::Tz::UTC,
    }
}

fn costs(db: &Connection) -> Result<CostSql> {
    CostSql::of(db, &price_book(db, false)?.prices)
}
