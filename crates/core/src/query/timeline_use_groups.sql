-- When the groups of a cluster were computed, most first.
select n.text as prefix, g.start_micros, g.stop_micros, g.compute_seconds
from task_group as g
join name as n on n.id = g.prefix_id
where g.cluster_id = :id and g.compute_seconds > 0 and g.start_micros is not null
order by g.compute_seconds desc, g.group_id
limit :limit
