-- The groups whose latest record is of an instance.
select g.*, n.text as prefix
from task_group as g
join name as n on n.id = g.prefix_id
where g.cluster_id = :cluster_id and g.rank = :rank
order by g.group_id
