-- The newest instance of a cluster decides whether it stopped, and since when its tasks are known.
update cluster_total
set
    instance_id = newest.id,
    stop_at_micros = newest.stop_at_micros,
    instance_at_micros = newest.first_at_micros
from (
    select id, stop_at_micros, first_at_micros
    from instance
    where cluster_id = :cluster_id
    order by first_at_micros desc, rank desc
    limit 1
) as newest
where cluster_total.cluster_id = :cluster_id
