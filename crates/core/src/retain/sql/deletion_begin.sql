update deletion set begun = 1 where cluster_id = :cluster_id
