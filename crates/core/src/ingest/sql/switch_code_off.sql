delete from computation_code where cluster_id = :cluster_id
