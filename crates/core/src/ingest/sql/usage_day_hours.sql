-- The hours of a day, with who used them. The sums come first and are read by place. A cluster that is being deleted is in
-- no sum.
select
    h.compute_micros, h.transfer_micros, h.disk_micros, h.other_micros, h.thread_micros, h.worker_micros,
    h.memory_mib_seconds, h.tasks_completed, h.tasks_erred, h.result_bytes, h.workers_peak, h.memory_peak_bytes,
    h.cluster_id, h.hour - :day * 24 as hour, c.user, c.host, c.project
from cluster_hour as h
cross join cluster as c on c.id = h.cluster_id
where
    h.hour >= :day * 24 and h.hour < :day * 24 + 24
    and exists (select 1 from cluster_total as t where t.cluster_id = h.cluster_id)
order by h.hour, h.cluster_id
