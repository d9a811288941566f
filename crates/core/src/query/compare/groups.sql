-- All groups of a cluster.
select
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
    g.stop_micros
from task_group as g
join name as n on n.id = g.prefix_id
where g.cluster_id = :id
order by g.group_id
