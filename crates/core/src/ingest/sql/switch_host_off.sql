update cluster set host = null where id = :cluster_id
