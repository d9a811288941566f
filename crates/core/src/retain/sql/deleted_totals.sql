delete from cluster_total where cluster_id = :cluster_id
