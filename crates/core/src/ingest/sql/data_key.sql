insert into data_key (id, cluster_id, created_micros, wrapped) values (:id, :cluster_id, :now_micros, :wrapped)
