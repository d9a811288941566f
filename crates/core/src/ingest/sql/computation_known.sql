select 1 from computation where cluster_id = :cluster_id and computation_id = :computation_id
