select count(*) from span where cluster_id = :id
