select count(*) from span where cluster_id = :cluster_id
