select 1 from span where cluster_id = :cluster_id and span_id = :span_id
