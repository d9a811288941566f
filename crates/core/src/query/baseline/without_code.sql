-- The last computations without code that ended and began before a moment, of the newest clusters before it.
select p.cluster_id, p.computation_id, p.start_micros, json_array_length(p.groups) as group_total
from (
    select id, started_micros
    from cluster
    where started_micros < :before_micros and sample = (select o.sample from cluster as o where o.id = :cluster)
    order by started_micros desc, id desc
    limit :clusters
) as c
cross join computation as p on p.cluster_id = c.id
left join computation_code as k on k.cluster_id = p.cluster_id and k.computation_id = p.computation_id
where
    k.fingerprint is null
    and p.stop_micros is not null
    and p.start_micros < :before_micros
order by c.started_micros desc, c.id desc, p.start_micros desc, p.computation_id
limit :limit
