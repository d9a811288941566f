-- Each cluster, and all that it used. `day` is the one (UTC) on which it began.
select
    date(cluster.started_micros / 1000000, 'unixepoch') as day, cluster.scheduler_id as cluster, cluster.shown_name as name,
    cluster.user, cluster.host, cluster.project, cluster.tags, cluster.started_micros as started_at,
    cluster_total.sample_at_micros as last_sample_at, cluster_total.stop_at_micros as stopped_at,
    -- Its clock may have been set back between its start and its first report.
    max(cluster_total.lasted_micros, 0) / 1e6 as lasted_seconds, cluster_total.thread_micros / 1e6 as thread_seconds,
    cluster_total.compute_micros / 1e6 as compute_seconds, cluster_total.transfer_micros / 1e6 as transfer_seconds,
    cluster_total.disk_micros / 1e6 as disk_seconds, cluster_total.other_micros / 1e6 as other_seconds,
    cluster_total.worker_micros / 1e6 as worker_seconds, cluster_total.memory_mib_seconds, cluster_total.tasks_completed,
    cluster_total.tasks_erred, cluster_total.result_bytes, cluster_total.computations, cluster_total.exceptions,
    cluster_total.workers_peak, cluster_total.threads_peak, cluster_total.memory_peak_bytes, cluster.sample
from cluster join cluster_total on cluster_total.cluster_id = cluster.id
order by cluster.started_micros, cluster.scheduler_id
