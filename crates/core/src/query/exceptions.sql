-- Exceptions, newest first. The page is chosen by the index alone; texts are read only for its rows.
with page as (
    select e.id
    from exception as e
    join cluster as c on c.id = e.cluster_id
    where
        (:id is null or e.cluster_id = :id)
        and e.last_seen_micros >= coalesce(:from_micros, 0)
        and (:user is null or c.user = :user)
    order by e.last_seen_micros desc, e.cluster_id desc, e.exception_id desc
    limit :limit offset :offset
)
select
    e.exception_id,
    e.cluster_id,
    c.scheduler_id,
    coalesce(nullif(c.name, ''), c.scheduler_id) as cluster_name,
    e.group_id,
    e.group_name,
    e.origin,
    n.text as exception_type,
    e.message_sealed,
    e.traceback_sealed,
    e.worker,
    e.first_seen_micros,
    e.last_seen_micros,
    e.count,
    e.dependents
from page as p
join exception as e on e.id = p.id
join cluster as c on c.id = e.cluster_id
join name as n on n.id = e.type_id
order by e.last_seen_micros desc, e.cluster_id desc, e.exception_id desc
