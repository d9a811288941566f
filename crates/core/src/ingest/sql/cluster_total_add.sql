-- What one batch adds. It may come late, so that the cluster was heard since; nothing was heard after now. Sums stop at 2^61, which no real cluster reaches, so that they never overflow.
update cluster_total
set
    last_heard_micros = max(:heard_micros, min(last_heard_micros, :now_micros)),
    silent_after_micros = max(:heard_micros, min(last_heard_micros, :now_micros)) + max(3 * interval_micros, 3000000),
    samples = samples + :samples,
    workers_peak = max(workers_peak, :workers_peak),
    threads_peak = max(threads_peak, :threads_peak),
    memory_peak_bytes = max(coalesce(memory_peak_bytes, :memory_peak_bytes), coalesce(:memory_peak_bytes, memory_peak_bytes)),
    last_completed_micros = max(
        coalesce(last_completed_micros, :last_completed_micros), coalesce(:last_completed_micros, last_completed_micros)
    ),
    unassigned_at_micros = max(
        coalesce(unassigned_at_micros, :unassigned_at_micros), coalesce(:unassigned_at_micros, unassigned_at_micros)
    ),
    compute_micros = min(compute_micros + :compute_micros, 2305843009213693952),
    transfer_micros = min(transfer_micros + :transfer_micros, 2305843009213693952),
    disk_micros = min(disk_micros + :disk_micros, 2305843009213693952),
    other_micros = min(other_micros + :other_micros, 2305843009213693952),
    thread_micros = min(thread_micros + :thread_micros, 2305843009213693952),
    worker_micros = min(worker_micros + :worker_micros, 2305843009213693952),
    memory_mib_seconds = min(memory_mib_seconds + :memory_mib_seconds, 2305843009213693952),
    tasks_completed = min(tasks_completed + :tasks_completed, 2305843009213693952),
    tasks_erred = min(tasks_erred + :tasks_erred, 2305843009213693952),
    result_bytes = min(result_bytes + :result_bytes, 2305843009213693952),
    computations = computations + :computations,
    exceptions = exceptions + :exceptions,
    -- The latest sample, where the batch has it.
    sample_at_micros = iif(:is_latest, :sample_at_micros, sample_at_micros),
    sample_seq = iif(:is_latest, :sample_seq, sample_seq),
    sample_rank = iif(:is_latest, :sample_rank, sample_rank),
    workers = iif(:is_latest, :workers, workers),
    threads = iif(:is_latest, :threads, threads),
    memory_used_bytes = iif(:is_latest, :memory_used_bytes, memory_used_bytes),
    memory_limit_bytes = iif(:is_latest, :memory_limit_bytes, memory_limit_bytes),
    idle_since_micros = iif(:is_latest, :idle_since_micros, idle_since_micros),
    stall_limit_micros = iif(:is_latest, :stall_limit_micros, stall_limit_micros),
    stall_same_stacks = iif(:is_latest, :stall_same_stacks, stall_same_stacks),
    stall_group_id = iif(:is_latest, :stall_group_id, stall_group_id),
    tasks = iif(:is_latest, :tasks, tasks)
where cluster_id = :cluster_id
