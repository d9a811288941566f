-- Each exception, without what it said. `day` is the one (UTC) on which its cluster began.
select
    date(cluster.started_micros / 1000000, 'unixepoch') as day, cluster.scheduler_id as cluster,
    exception.exception_id as id, name.text as type, exception.group_name as task_group, exception.origin, exception.worker,
    exception.count, exception.dependents, exception.first_seen_micros as first_seen_at,
    exception.last_seen_micros as last_seen_at
from exception join cluster on cluster.id = exception.cluster_id join name on name.id = exception.type_id
order by cluster.started_micros, cluster.scheduler_id, exception.exception_id
