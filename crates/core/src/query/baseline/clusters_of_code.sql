-- The clusters of the same runs as in `of_code.sql`: the last that began first, each once.
with own as (
    -- What was stored later than all of this cluster's is looked at last.
    select coalesce(max(rowid), 9223372036854775807) as last from computation_code where cluster_id = :cluster
),
k as materialized (
    select cluster_id, computation_id
    from (
        select cluster_id, computation_id
        from computation_code
        where fingerprint = :fingerprint and rowid <= (select last from own)
        order by rowid desc
        limit :stored
    )
    union all
    select cluster_id, computation_id
    from (
        select cluster_id, computation_id
        from computation_code
        where fingerprint = :fingerprint and rowid > (select last from own)
        order by rowid desc
        limit :stored
    )
    limit :stored
)
select p.cluster_id
from k
cross join cluster as c on c.id = k.cluster_id
cross join computation as p on p.cluster_id = k.cluster_id and p.computation_id = k.computation_id
where
    c.sample = (select o.sample from cluster as o where o.id = :cluster)
    and p.stop_micros is not null
    and p.start_micros < :before_micros
group by p.cluster_id
order by max(p.start_micros) desc, p.cluster_id desc
limit :limit
