-- The latest value of a metric stands.
update metric
set at_micros = :at_micros, seq = :seq, rank = :rank, value = :value
where
    cluster_id = :cluster_id
    and span_id = :span_id
    and prefix_id = :prefix_id
    and context_id = :context_id
    and activity_id = :activity_id
    and unit_id = :unit_id
    and (at_micros, seq, rank) < (:at_micros, :seq, :rank)
