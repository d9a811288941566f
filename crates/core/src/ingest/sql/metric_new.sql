insert or ignore into metric (
    cluster_id, span_id, prefix_id, context_id, activity_id, unit_id, at_micros, seq, rank, value
)
values (
    :cluster_id, :span_id, :prefix_id, :context_id, :activity_id, :unit_id, :at_micros, :seq, :rank, :value
)
