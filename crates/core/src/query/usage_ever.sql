-- What was ever used.
select
    clusters, compute_micros, transfer_micros, disk_micros, other_micros, thread_micros, worker_micros,
    memory_mib_seconds, tasks_completed, tasks_erred, result_bytes, workers_peak, last_heard_micros, stalled_micros
from usage_ever
