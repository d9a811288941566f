-- The groups of a cluster, or of one of its computations, most compute time first. Materialised: the members of a
-- computation are read once, and not for each group.
with member as materialized (
    select distinct m.value as group_id
    from computation as c
    join json_each(c.groups) as m
    where c.cluster_id = :id and c.computation_id = :computation
)
select
    g.group_id,
    g.name,
    n.text as prefix,
    g.states,
    g.compute_seconds,
    g.transfer_seconds,
    g.disk_read_seconds,
    g.disk_write_seconds,
    g.deserialize_seconds,
    g.other_seconds,
    g.result_bytes,
    g.start_micros,
    g.stop_micros,
    g.dependencies,
    g.is_final,
    count(*) over () as total
from task_group as g
join name as n on n.id = g.prefix_id
where g.cluster_id = :id and (:computation is null or g.group_id in (select group_id from member))
order by g.compute_seconds desc, g.group_id
limit :limit
