insert or ignore into sample (
    instance_id, seq, at_micros, workers, threads,
    memory_limit_bytes, memory_used_bytes, memory_managed_bytes, memory_unmanaged_bytes, memory_spilled_bytes,
    tasks, tasks_processing, tasks_waiting, idle_since_micros, loop_lag_micros,
    compute_micros, transfer_micros, disk_read_micros, disk_write_micros, deserialize_micros, other_micros,
    thread_micros, tasks_completed, tasks_erred, result_bytes,
    beat_micros, sent_bytes, hook_errors, waiting_records
)
values (
    :instance_id, :seq, :at_micros, :workers, :threads,
    :memory_limit_bytes, :memory_used_bytes, :memory_managed_bytes, :memory_unmanaged_bytes, :memory_spilled_bytes,
    :tasks, :tasks_processing, :tasks_waiting, :idle_since_micros, :loop_lag_micros,
    :compute_micros, :transfer_micros, :disk_read_micros, :disk_write_micros, :deserialize_micros, :other_micros,
    :thread_micros, :tasks_completed, :tasks_erred, :result_bytes,
    :beat_micros, :sent_bytes, :hook_errors, :waiting_records
)
