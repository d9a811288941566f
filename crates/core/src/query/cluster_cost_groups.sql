-- The time and tasks of each task group of a cluster.
select
    g.group_id,
    g.name,
    n.text as prefix,
    (select total(s.value) from json_each(g.states) as s) as tasks,
    g.compute_seconds,
    g.transfer_seconds + g.disk_read_seconds + g.disk_write_seconds + g.deserialize_seconds + g.other_seconds as other_seconds
from task_group as g
join name as n on n.id = g.prefix_id
where g.cluster_id = :id
order by g.group_id
