select count(*) from event where cluster_id = :id
