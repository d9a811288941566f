insert or ignore into topic (cluster_id, instance_id, topic_id, at_micros, seq, count)
values (:cluster_id, :instance_id, :topic_id, :at_micros, :seq, :count)
