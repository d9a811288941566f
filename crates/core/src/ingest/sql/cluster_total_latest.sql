-- The latest sample of a cluster, over all its instances.
update cluster_total
set
    sample_at_micros = :at_micros,
    sample_seq = :seq,
    sample_rank = :rank,
    workers = :workers,
    threads = :threads,
    memory_used_bytes = :memory_used_bytes,
    memory_limit_bytes = :memory_limit_bytes,
    idle_since_micros = :idle_since_micros,
    tasks = :tasks
where
    cluster_id = :cluster_id
    and (sample_at_micros is null or (sample_at_micros, sample_seq, sample_rank) < (:at_micros, :seq, :rank))
