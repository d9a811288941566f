-- Of the newest clusters that began before a moment, those that ran a computation without code to its end.
select c.id
from (
    select id, started_micros
    from cluster
    where started_micros < :before_micros and sample = (select o.sample from cluster as o where o.id = :cluster)
    order by started_micros desc, id desc
    limit :clusters
) as c
where exists (
    select 1
    from computation as p
    left join computation_code as k on k.cluster_id = p.cluster_id and k.computation_id = p.computation_id
    where
        p.cluster_id = c.id
        and k.fingerprint is null
        and p.stop_micros is not null
        and p.start_micros < :before_micros
)
order by c.started_micros desc, c.id desc
