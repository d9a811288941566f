-- A group that is known has a later record. Its prefix stays, so that no index and no trigger has anything to do.
update task_group
set
    at_micros = :at_micros,
    seq = :seq,
    rank = :rank,
    name = :name,
    states = :states,
    compute_seconds = :compute_seconds,
    transfer_seconds = :transfer_seconds,
    disk_read_seconds = :disk_read_seconds,
    disk_write_seconds = :disk_write_seconds,
    deserialize_seconds = :deserialize_seconds,
    other_seconds = :other_seconds,
    result_bytes = :result_bytes,
    types = :types,
    start_micros = :start_micros,
    stop_micros = :stop_micros,
    timed_tasks = :timed_tasks,
    mean_seconds = :mean_seconds,
    std_seconds = :std_seconds,
    p50_seconds = :p50_seconds,
    p95_seconds = :p95_seconds,
    max_seconds = :max_seconds,
    retried = :retried,
    span_id = :span_id,
    dependencies = :dependencies,
    is_final = :is_final
where
    cluster_id = :cluster_id
    and group_id = :group_id
    and prefix_id = :prefix_id
    and (at_micros, seq, rank) < (:at_micros, :seq, :rank)
