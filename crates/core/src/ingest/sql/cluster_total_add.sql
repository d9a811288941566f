-- What one batch adds. Sums stop at 2^61, which no real cluster reaches, so that they never overflow.
update cluster_total
set
    last_heard_micros = :now_micros,
    silent_after_micros = :now_micros + max(3 * interval_micros, 3000000),
    samples = samples + :samples,
    workers_peak = max(workers_peak, :workers_peak),
    memory_peak_bytes = max(coalesce(memory_peak_bytes, :memory_peak_bytes), coalesce(:memory_peak_bytes, memory_peak_bytes)),
    compute_micros = min(compute_micros + :compute_micros, 2305843009213693952),
    thread_micros = min(thread_micros + :thread_micros, 2305843009213693952),
    tasks_completed = min(tasks_completed + :tasks_completed, 2305843009213693952),
    tasks_erred = min(tasks_erred + :tasks_erred, 2305843009213693952),
    result_bytes = min(result_bytes + :result_bytes, 2305843009213693952),
    computations = computations + :computations,
    exceptions = exceptions + :exceptions
where cluster_id = :cluster_id
returning samples
