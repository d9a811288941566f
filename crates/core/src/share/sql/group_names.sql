-- What the groups of a cluster are called.
select g.name, n.text as prefix
from task_group as g
join name as n on n.id = g.prefix_id
where g.cluster_id = :cluster_id
