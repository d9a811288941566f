insert or ignore into event (instance_id, seq, cluster_id, at_micros, topic_id, payload_sealed)
values (:instance_id, :seq, :cluster_id, :at_micros, :topic_id, :payload_sealed)
