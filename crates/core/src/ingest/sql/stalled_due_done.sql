delete from stalled_due where cluster_id = :cluster_id
