update usage_ever
set
    last_heard_micros = max(coalesce(last_heard_micros, 0), :now_micros),
    clusters = clusters + :clusters,
    workers_peak = max(workers_peak, :workers_peak),
    compute_micros = min(compute_micros + :compute_micros, 2305843009213693952),
    transfer_micros = min(transfer_micros + :transfer_micros, 2305843009213693952),
    disk_micros = min(disk_micros + :disk_micros, 2305843009213693952),
    other_micros = min(other_micros + :other_micros, 2305843009213693952),
    thread_micros = min(thread_micros + :thread_micros, 2305843009213693952),
    worker_micros = min(worker_micros + :worker_micros, 2305843009213693952),
    memory_mib_seconds = min(memory_mib_seconds + :memory_mib_seconds, 2305843009213693952),
    tasks_completed = min(tasks_completed + :tasks_completed, 2305843009213693952),
    tasks_erred = min(tasks_erred + :tasks_erred, 2305843009213693952),
    result_bytes = min(result_bytes + :result_bytes, 2305843009213693952)
