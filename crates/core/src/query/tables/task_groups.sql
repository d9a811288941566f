-- Each task group. `day` is the one (UTC) on which its cluster began; `states` is JSON, tasks by state.
select
    date(cluster.started_micros / 1000000, 'unixepoch') as day, cluster.scheduler_id as cluster, task_group.group_id as id,
    task_group.name, name.text as prefix, task_group.states,
    (select total(states.value) from json_each(task_group.states) as states) as tasks, task_group.compute_seconds,
    task_group.transfer_seconds, task_group.disk_read_seconds, task_group.disk_write_seconds, task_group.deserialize_seconds,
    task_group.other_seconds, task_group.result_bytes, task_group.start_micros as started_at,
    task_group.stop_micros as stopped_at, task_group.timed_tasks, task_group.mean_seconds, task_group.std_seconds,
    task_group.p50_seconds, task_group.p95_seconds, task_group.max_seconds, task_group.retried
from task_group join cluster on cluster.id = task_group.cluster_id join name on name.id = task_group.prefix_id
order by cluster.started_micros, cluster.scheduler_id, task_group.group_id
