update cluster set user = null, said_user = null where id = :cluster_id
