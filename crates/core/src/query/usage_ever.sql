-- What was ever used.
select
    clusters, compute_micros, transfer_micros, disk_micros, other_micros, thread_micros, worker_micros,
    memory_mib_seconds, tasks_completed, tasks_erred, result_bytes, workers_peak, last_heard_micros,
    (
        select cast(min(total(h.stalled_micros), 9.0e18) as integer)
        from stalled_hour as h
        where exists (select 1 from cluster_total as t where t.cluster_id = h.cluster_id)
    ) as stalled_micros
from usage_ever
