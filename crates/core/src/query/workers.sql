-- What happened to the workers of a cluster, in order.
select
    w.worker_id,
    w.at_micros,
    w.event,
    w.address,
    w.name,
    w.host,
    w.cause,
    w.expected,
    w.threads,
    w.memory_limit_bytes,
    w.resources,
    w.nanny
from instance as i
cross join worker_event as w on w.instance_id = i.id
where i.cluster_id = :id
order by w.at_micros, w.seq, i.rank
