select count(*) from metric where cluster_id = :cluster_id
