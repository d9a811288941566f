-- The task groups of a cluster, most compute time first.
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
    g.types,
    g.start_micros,
    g.stop_micros,
    g.timed_tasks,
    g.mean_seconds,
    g.std_seconds,
    g.p50_seconds,
    g.p95_seconds,
    g.max_seconds,
    g.retried,
    g.span_id,
    g.dependencies,
    g.is_final
from task_group as g
join name as n on n.id = g.prefix_id
where g.cluster_id = :id
order by g.compute_seconds desc, g.group_id
limit :limit
