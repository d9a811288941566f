-- The tasks of each group of one prefix of a cluster, by state.
select g.states
from task_group as g
join name as n on n.id = g.prefix_id
where g.cluster_id = :id and n.text = :prefix
