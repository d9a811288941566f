-- What happened to the workers of a cluster, or to one of them, in order. Workers that close by themselves within the half
-- minute before their cluster stops go with it: Dask calls that unexpected where a local cluster closes its workers first.
select
    w.worker_id,
    w.at_micros,
    w.event,
    w.address,
    w.name,
    w.host,
    w.cause,
    case
        when
            w.expected = 0 and w.cause in ('closed', 'closed gracefully', 'nanny closed')
            and t.stop_at_micros between w.at_micros and w.at_micros + 30000000
            then null
        else w.expected
    end as expected,
    w.threads,
    w.memory_limit_bytes,
    w.resources,
    w.nanny
from instance as i
cross join worker_event as w on w.instance_id = i.id
left join cluster_total as t on t.cluster_id = i.cluster_id
where
    i.cluster_id = :id
    and (:worker_id is null or w.worker_id = :worker_id)
order by w.at_micros, w.seq, i.rank
