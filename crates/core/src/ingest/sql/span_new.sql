insert or ignore into span (
    cluster_id, span_id, at_micros, seq, rank, parent_id, name, tags, start_micros, stop_micros, enqueued_micros,
    groups
)
values (
    :cluster_id, :span_id, :at_micros, :seq, :rank, :parent_id, :name, :tags, :start_micros, :stop_micros, :enqueued_micros,
    :groups
)
