-- The list of clusters by stalled time, as by any other figure.

-- The sum of what `stalled_hour` holds of it.
alter table cluster_total add column stalled_micros integer not null default 0;

update cluster_total
set stalled_micros = (
    select cast(min(total(h.stalled_micros), 9.0e18) as integer)
    from stalled_hour as h
    where h.cluster_id = cluster_total.cluster_id
)
where cluster_id in (select cluster_id from stalled_hour);

-- The list by stalled time.
create index cluster_total_by_stalled on cluster_total (stalled_micros, cluster_id, stop_at_micros)
where stop_at_micros is not null;

drop index cluster_total_figures;
create index cluster_total_figures on cluster_total (
    sample_at_micros, started_micros, workers_peak, threads_peak, memory_peak_bytes, tasks_completed, compute_micros,
    thread_micros, stalled_micros, worker_micros, memory_mib_seconds, tasks_erred, exceptions, computations, codes,
    first_at_micros, stop_at_micros
) where stop_at_micros is not null;

drop view schema_version;
create view schema_version as select 36 as number;
