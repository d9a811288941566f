-- The latest record of a group stands.
insert into task_group (
    at_micros, seq, rank, name, states, compute_seconds, transfer_seconds, disk_read_seconds, disk_write_seconds,
    deserialize_seconds, other_seconds, result_bytes, types, start_micros, stop_micros, timed_tasks, mean_seconds,
    std_seconds, p50_seconds, p95_seconds, max_seconds, retried, span_id, dependencies, is_final, cluster_id,
    group_id, prefix_id
)
values (
    :at_micros, :seq, :rank, :name, :states, :compute_seconds, :transfer_seconds, :disk_read_seconds,
    :disk_write_seconds, :deserialize_seconds, :other_seconds, :result_bytes, :types, :start_micros, :stop_micros,
    :timed_tasks, :mean_seconds, :std_seconds, :p50_seconds, :p95_seconds, :max_seconds, :retried, :span_id,
    :dependencies, :is_final, :cluster_id, :group_id, :prefix_id
)
on conflict (cluster_id, group_id) do update set
    at_micros = excluded.at_micros,
    seq = excluded.seq,
    rank = excluded.rank,
    name = excluded.name,
    prefix_id = excluded.prefix_id,
    states = excluded.states,
    compute_seconds = excluded.compute_seconds,
    transfer_seconds = excluded.transfer_seconds,
    disk_read_seconds = excluded.disk_read_seconds,
    disk_write_seconds = excluded.disk_write_seconds,
    deserialize_seconds = excluded.deserialize_seconds,
    other_seconds = excluded.other_seconds,
    result_bytes = excluded.result_bytes,
    types = excluded.types,
    start_micros = excluded.start_micros,
    stop_micros = excluded.stop_micros,
    timed_tasks = excluded.timed_tasks,
    mean_seconds = excluded.mean_seconds,
    std_seconds = excluded.std_seconds,
    p50_seconds = excluded.p50_seconds,
    p95_seconds = excluded.p95_seconds,
    max_seconds = excluded.max_seconds,
    retried = excluded.retried,
    span_id = excluded.span_id,
    dependencies = excluded.dependencies,
    is_final = excluded.is_final
where (at_micros, seq, rank) < (excluded.at_micros, excluded.seq, excluded.rank)
