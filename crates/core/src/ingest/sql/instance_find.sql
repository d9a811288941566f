select id, first_at_micros from instance where cluster_id = :cluster_id and instance_id = :instance_id
