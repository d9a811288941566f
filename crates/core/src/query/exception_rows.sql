-- The exceptions of a list of numbers with their texts, in its order.
select
    e.exception_id,
    e.cluster_id,
    c.scheduler_id,
    c.shown_name as cluster_name,
    e.group_id,
    e.group_name,
    e.origin,
    n.text as exception_type,
    e.message_sealed,
    e.traceback_sealed,
    e.details_sealed,
    e.worker,
    e.first_seen_micros,
    e.last_seen_micros,
    e.count,
    e.dependents
from json_each(:ids) as wanted
join exception as e on e.id = wanted.value
join cluster as c on c.id = e.cluster_id
join name as n on n.id = e.type_id
order by wanted.key
