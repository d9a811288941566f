-- The clusters of the same runs as in `of_code.sql`: the last that began first, each once.
select p.cluster_id
from (
    select cluster_id, computation_id
    from computation_code
    where fingerprint = :fingerprint
    order by cluster_id < :cluster desc, cluster_id desc, computation_id
    limit :stored
) as k
cross join cluster as c on c.id = k.cluster_id
cross join computation as p on p.cluster_id = k.cluster_id and p.computation_id = k.computation_id
where
    c.sample = (select o.sample from cluster as o where o.id = :cluster)
    and p.stop_micros is not null
    and p.start_micros < :before_micros
group by p.cluster_id
order by max(p.start_micros) desc, p.cluster_id desc
limit :limit
