-- All that filters ask of figures, in fewer bytes than a row has. The columns that follow from others are not here: SQLite reads
-- the row for each of them, whatever an index has of them, and what they follow from is here.
drop index cluster_total_figures;
create index cluster_total_figures on cluster_total (
    sample_at_micros, started_micros, workers_peak, threads_peak, memory_peak_bytes, tasks_completed, compute_micros,
    thread_micros, worker_micros, memory_mib_seconds, tasks_erred, exceptions, computations, codes, first_at_micros,
    stop_at_micros
) where stop_at_micros is not null;

drop view schema_version;
create view schema_version as select 31 as number;
