-- What decides on the row and the price of one cluster, and what it ever used.
select
    c.id, c.started_micros, c.shown_name, c.user, c.host, c.project, c.tags, c.own_tags, t.compute_micros,
    t.transfer_micros, t.disk_micros, t.other_micros, t.thread_micros, t.worker_micros, t.memory_mib_seconds,
    t.workers, t.threads, t.memory_limit_bytes, t.memory_used_bytes
from cluster_total as t
join cluster as c on c.id = t.cluster_id
where t.cluster_id = :id
