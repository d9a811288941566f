select count(*) from topic where cluster_id = :cluster_id
