-- The latest record of a span stands.
update span
set
    at_micros = :at_micros,
    seq = :seq,
    rank = :rank,
    parent_id = :parent_id,
    name = :name,
    tags = :tags,
    start_micros = :start_micros,
    stop_micros = :stop_micros,
    enqueued_micros = :enqueued_micros,
    groups = :groups
where cluster_id = :cluster_id and span_id = :span_id and (at_micros, seq, rank) < (:at_micros, :seq, :rank)
