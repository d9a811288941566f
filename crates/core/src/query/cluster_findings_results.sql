-- The group whose tasks make the largest results on average.
select g.group_id, n.text as prefix, g.result_bytes / g.timed_tasks as mean_bytes
from task_group as g
join name as n on n.id = g.prefix_id
where g.cluster_id = :id and g.timed_tasks > 0
order by mean_bytes desc, g.group_id
limit 1
