-- What each cluster used in each hour; `day` is the hour's (UTC).
select
    date(cluster_hour.hour * 3600, 'unixepoch') as day, cluster.scheduler_id as cluster, cluster.user, cluster.host,
    cluster.project, cluster_hour.hour * 3600000000 as hour, cluster_hour.thread_micros / 1e6 as thread_seconds,
    cluster_hour.compute_micros / 1e6 as compute_seconds, cluster_hour.transfer_micros / 1e6 as transfer_seconds,
    cluster_hour.disk_micros / 1e6 as disk_seconds, cluster_hour.other_micros / 1e6 as other_seconds,
    cluster_hour.worker_micros / 1e6 as worker_seconds, cluster_hour.memory_mib_seconds, cluster_hour.tasks_completed,
    cluster_hour.tasks_erred, cluster_hour.result_bytes, cluster_hour.workers_peak, cluster_hour.memory_peak_bytes,
    cluster.sample
from cluster_hour join cluster on cluster.id = cluster_hour.cluster_id
order by cluster_hour.hour, cluster.scheduler_id
