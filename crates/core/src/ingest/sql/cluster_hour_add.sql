-- What one sample, or the one after it, adds to the hour that it lies in.
insert into cluster_hour (
    hour, cluster_id, compute_micros, thread_micros, tasks_completed, tasks_erred, result_bytes, workers_peak,
    memory_peak_bytes, samples
)
values (
    :hour, :cluster_id, :compute_micros, :thread_micros, :tasks_completed, :tasks_erred, :result_bytes, :workers_peak,
    :memory_peak_bytes, :samples
)
on conflict (hour, cluster_id) do update set
    compute_micros = min(compute_micros + excluded.compute_micros, 2305843009213693952),
    thread_micros = min(thread_micros + excluded.thread_micros, 2305843009213693952),
    tasks_completed = min(tasks_completed + excluded.tasks_completed, 2305843009213693952),
    tasks_erred = min(tasks_erred + excluded.tasks_erred, 2305843009213693952),
    result_bytes = min(result_bytes + excluded.result_bytes, 2305843009213693952),
    workers_peak = max(workers_peak, excluded.workers_peak),
    memory_peak_bytes = max(
        coalesce(memory_peak_bytes, excluded.memory_peak_bytes), coalesce(excluded.memory_peak_bytes, memory_peak_bytes)
    ),
    samples = samples + excluded.samples
