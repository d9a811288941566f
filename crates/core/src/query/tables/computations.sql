-- Each computation. `day` is the one (UTC) on which its cluster began; `groups` and `states` are JSON.
select
    date(cluster.started_micros / 1000000, 'unixepoch') as day, cluster.scheduler_id as cluster,
    computation.computation_id as id, computation.start_micros as started_at, computation.stop_micros as stopped_at,
    computation.groups, computation.states, computation.retried
from computation join cluster on cluster.id = computation.cluster_id
order by cluster.started_micros, cluster.scheduler_id, computation.computation_id
