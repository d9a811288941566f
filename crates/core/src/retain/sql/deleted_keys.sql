delete from data_key where cluster_id = :cluster_id
