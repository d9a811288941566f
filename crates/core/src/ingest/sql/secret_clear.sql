delete from secret where cluster_id = :cluster_id and within = :within and row_id = :row_id
