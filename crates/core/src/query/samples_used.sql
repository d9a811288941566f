-- What was ever used by clusters that are told from a recording (`:sample` 1), or by all others (0).
select
    count(*) as clusters,
    cast(min(total(t.compute_micros), 9.0e18) as integer) as compute_micros,
    cast(min(total(t.transfer_micros), 9.0e18) as integer) as transfer_micros,
    cast(min(total(t.disk_micros), 9.0e18) as integer) as disk_micros,
    cast(min(total(t.other_micros), 9.0e18) as integer) as other_micros,
    cast(min(total(t.thread_micros), 9.0e18) as integer) as thread_micros,
    cast(min(total(t.worker_micros), 9.0e18) as integer) as worker_micros,
    cast(min(total(t.memory_mib_seconds), 9.0e18) as integer) as memory_mib_seconds,
    cast(min(total(t.tasks_completed), 9.0e18) as integer) as tasks_completed,
    cast(min(total(t.tasks_erred), 9.0e18) as integer) as tasks_erred,
    cast(min(total(t.result_bytes), 9.0e18) as integer) as result_bytes,
    coalesce(max(t.workers_peak), 0) as workers_peak,
    cast(min(total(t.stalled_micros), 9.0e18) as integer) as stalled_micros
from cluster_total as t
join cluster as c on c.id = t.cluster_id
where c.sample = :sample and t.samples > 0
