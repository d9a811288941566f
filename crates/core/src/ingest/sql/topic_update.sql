-- The latest count of a topic stands.
update topic
set at_micros = :at_micros, seq = :seq, count = :count
where
    cluster_id = :cluster_id
    and instance_id = :instance_id
    and topic_id = :topic_id
    and (at_micros, seq) < (:at_micros, :seq)
