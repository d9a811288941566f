-- The prefix of a task group.
select n.text as prefix
from task_group as g
join name as n on n.id = g.prefix_id
where g.cluster_id = :id and g.group_id = :group_id
