-- The group whose slow tasks take the most times as long as its middle one, among those where that is felt.
select g.group_id, n.text as prefix, g.p50_seconds, g.p95_seconds
from task_group as g
join name as n on n.id = g.prefix_id
where
    g.cluster_id = :id
    and g.timed_tasks > 1
    and g.p50_seconds > 0
    and g.p95_seconds > :times * g.p50_seconds
    and g.p95_seconds >= :slow_seconds
order by g.p95_seconds / g.p50_seconds desc, g.group_id
limit 1
