-- The samples of a cluster, instance after instance, each in order.
select
    s.at_micros,
    s.workers,
    s.threads,
    s.memory_limit_bytes,
    s.memory_used_bytes,
    s.memory_managed_bytes,
    s.memory_unmanaged_bytes,
    s.memory_spilled_bytes,
    s.tasks_processing,
    s.tasks_waiting,
    s.instance_id,
    s.cpu_percent,
    s.network_read_bytes_per_s,
    s.network_write_bytes_per_s,
    s.disk_read_bytes_per_s,
    s.disk_write_bytes_per_s,
    s.gpu_percent,
    s.gpu_memory_bytes,
    s.loop_share,
    s.loop_lag_micros,
    s.worker_lag_micros,
    s.workers_paused
from instance as i
cross join sample as s on s.instance_id = i.id
where
    i.cluster_id = :id
    and (:from_micros is null or s.at_micros >= :from_micros)
    and (:to_micros is null or s.at_micros < :to_micros)
order by i.instance_id, s.seq
