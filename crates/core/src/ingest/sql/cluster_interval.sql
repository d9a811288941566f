update cluster_total set interval_micros = :interval_micros where cluster_id = :cluster_id
