-- What each cluster used in the hours [:first_hour, :end_hour), of days that are not packed, and how it calls itself. Read
-- by place. A cluster that is being deleted is in no sum.
select
    h.compute_micros, h.transfer_micros, h.disk_micros, h.other_micros, h.thread_micros, h.worker_micros,
    h.memory_mib_seconds, h.tasks_completed, h.tasks_erred, h.result_bytes, h.workers_peak, h.memory_peak_bytes,
    h.hour, h.cluster_id, c.user, c.host, c.project
from usage_day_stale as s
cross join cluster_hour as h on
    h.hour >= max(s.day * 24, :first_hour)
    and h.hour < min(s.day * 24 + 24, :end_hour)
cross join cluster as c on c.id = h.cluster_id
where
    s.day >= :first_day and s.day < :end_day
    and exists (select 1 from cluster_total as t where t.cluster_id = h.cluster_id)
order by s.day, h.hour, h.cluster_id
