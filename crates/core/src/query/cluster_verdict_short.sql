-- How many tasks are in groups of short ones, and which of these groups has the most.
select
    cast(min(total(timed_tasks), 9007199254740991) as integer) as timed_tasks,
    cast(min(total(timed_tasks) filter (where mean_seconds < :short_seconds), 9007199254740991) as integer) as short_tasks,
    total(timed_tasks * mean_seconds) filter (where mean_seconds < :short_seconds) as short_task_seconds,
    (
        select s.group_id from task_group as s
        where s.cluster_id = :id and s.mean_seconds < :short_seconds
        order by s.timed_tasks desc, s.group_id limit 1
    ) as short_group_id
from task_group
where cluster_id = :id
