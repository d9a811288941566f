insert or ignore into sample (
    instance_id, seq, at_micros, workers, threads,
    memory_limit_bytes, memory_used_bytes, memory_managed_bytes, memory_unmanaged_bytes, memory_spilled_bytes,
    tasks, tasks_processing, tasks_waiting, idle_since_micros, loop_lag_micros, worker_lag_micros,
    cpu_percent, network_read_bytes_per_s, network_write_bytes_per_s, disk_read_bytes_per_s, disk_write_bytes_per_s,
    gpu_percent, gpu_memory_bytes, workers_paused, last_completed_micros, stall,
    compute_micros, transfer_micros, disk_read_micros, disk_write_micros, deserialize_micros, other_micros,
    thread_micros, tasks_completed, tasks_erred, result_bytes, tasks_retried,
    beat_micros, hook_micros, loop_share, sent_bytes, hook_errors, waiting_records, shed_records, spooled_bytes
)
values (
    :instance_id, :seq, :at_micros, :workers, :threads,
    :memory_limit_bytes, :memory_used_bytes, :memory_managed_bytes, :memory_unmanaged_bytes, :memory_spilled_bytes,
    :tasks, :tasks_processing, :tasks_waiting, :idle_since_micros, :loop_lag_micros, :worker_lag_micros,
    :cpu_percent, :network_read_bytes_per_s, :network_write_bytes_per_s, :disk_read_bytes_per_s, :disk_write_bytes_per_s,
    :gpu_percent, :gpu_memory_bytes, :workers_paused, :last_completed_micros, :stall,
    :compute_micros, :transfer_micros, :disk_read_micros, :disk_write_micros, :deserialize_micros, :other_micros,
    :thread_micros, :tasks_completed, :tasks_erred, :result_bytes, :tasks_retried,
    :beat_micros, :hook_micros, :loop_share, :sent_bytes, :hook_errors, :waiting_records, :shed_records, :spooled_bytes
)
