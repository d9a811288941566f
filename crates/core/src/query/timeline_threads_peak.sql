-- The most threads of one cluster that a sample told.
select threads_peak from cluster_total where cluster_id = :id
