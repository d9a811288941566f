select count(*) from computation where cluster_id = :id
