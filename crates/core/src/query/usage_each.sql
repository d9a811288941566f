-- What each cluster ever used, and what decides on its price.
select
    c.id, c.started_micros, c.shown_name, c.user, c.host, c.project, c.tags, c.own_tags, t.compute_micros,
    t.transfer_micros, t.disk_micros, t.other_micros, t.thread_micros, t.worker_micros, t.memory_mib_seconds,
    t.stalled_micros
from cluster_total as t
join cluster as c on c.id = t.cluster_id
order by t.cluster_id
