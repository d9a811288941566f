select scheduler_id from cluster where id = :cluster_id
