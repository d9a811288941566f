-- The number of a cluster that came with an older bundle and from nowhere else since, and that nobody is deleting.
select m.cluster_id
from imported as m
join cluster as c on c.id = m.cluster_id
where
    c.scheduler_id = :scheduler_id
    and m.as_of_micros < :as_of_micros
    and not exists (select 1 from deletion as d where d.cluster_id = c.id)
    and not exists (
        select 1
        from instance as i
        join batch as b on b.instance_id = i.id
        where i.cluster_id = c.id and b.received_micros > m.imported_micros
    )
