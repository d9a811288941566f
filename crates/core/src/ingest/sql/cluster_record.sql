-- The latest `cluster` record stands.
update cluster
set
    record_at_micros = :at_micros,
    record_seq = :seq,
    record_rank = :rank,
    said_started_micros = :started_micros,
    name = :name,
    user = coalesce((select m.person from user_merge as m where m.user = :user), :user),
    said_user = :user,
    host = :host,
    project = :project,
    tags = :tags
where
    id = :cluster_id
    and (record_at_micros is null or (record_at_micros, record_seq, record_rank) < (:at_micros, :seq, :rank))
