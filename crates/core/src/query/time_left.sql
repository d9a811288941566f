-- What is still to come in a cluster: tasks, how long they will compute by what their group's tasks took, and those of
-- groups and prefixes of which none has ended.
with todo as (
    select
        g.prefix_id,
        g.timed_tasks,
        g.mean_seconds,
        (
            select total(s.value) from json_each(g.states) as s
            where s.key in ('waiting', 'queued', 'no-worker', 'processing')
        ) as tasks
    from task_group as g
    where g.cluster_id = :id
),
usual as (
    select prefix_id, sum(timed_tasks * mean_seconds) / sum(timed_tasks) as mean_seconds
    from todo
    where timed_tasks > 0
    group by prefix_id
)
select
    total(t.tasks) as tasks,
    total(t.tasks * coalesce(t.mean_seconds, u.mean_seconds)) as seconds,
    total(t.tasks) filter (where coalesce(t.mean_seconds, u.mean_seconds) is null) as unknown_tasks
from todo as t
left join usual as u on u.prefix_id = t.prefix_id
where t.tasks > 0
