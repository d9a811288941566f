select 1 from exception where cluster_id = :cluster_id and exception_id = :exception_id
