-- What one sample, or the one after it, adds to the hour that it lies in.
insert into cluster_hour (
    hour, cluster_id, compute_micros, transfer_micros, disk_micros, other_micros, thread_micros, worker_micros,
    memory_mib_seconds, tasks_completed, tasks_erred, result_bytes, workers_peak, memory_peak_bytes, samples
)
values (
    :hour, :cluster_id, :compute_micros, :transfer_micros, :disk_micros, :other_micros, :thread_micros, :worker_micros,
    :memory_mib_seconds, :tasks_completed, :tasks_erred, :result_bytes, :workers_peak, :memory_peak_bytes, :samples
)
on conflict (hour, cluster_id) do update set
    compute_micros = min(compute_micros + excluded.compute_micros, 2305843009213693952),
    transfer_micros = min(transfer_micros + excluded.transfer_micros, 2305843009213693952),
    disk_micros = min(disk_micros + excluded.disk_micros, 2305843009213693952),
    other_micros = min(other_micros + excluded.other_micros, 2305843009213693952),
    thread_micros = min(thread_micros + excluded.thread_micros, 2305843009213693952),
    worker_micros = min(worker_micros + excluded.worker_micros, 2305843009213693952),
    memory_mib_seconds = min(memory_mib_seconds + excluded.memory_mib_seconds, 2305843009213693952),
    tasks_completed = min(tasks_completed + excluded.tasks_completed, 2305843009213693952),
    tasks_erred = min(tasks_erred + excluded.tasks_erred, 2305843009213693952),
    result_bytes = min(result_bytes + excluded.result_bytes, 2305843009213693952),
    workers_peak = max(workers_peak, excluded.workers_peak),
    memory_peak_bytes = max(
        coalesce(memory_peak_bytes, excluded.memory_peak_bytes), coalesce(excluded.memory_peak_bytes, memory_peak_bytes)
    ),
    samples = samples + excluded.samples
