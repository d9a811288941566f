insert into instance (cluster_id, instance_id, rank, plugin_version, first_at_micros)
values (:cluster_id, :instance_id, :rank, :plugin_version, :at_micros)
