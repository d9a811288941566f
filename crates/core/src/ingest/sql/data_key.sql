insert into data_key (id, cluster_id, install_key_id, created_micros, wrapped)
values (:id, :cluster_id, :install_key_id, :now_micros, :wrapped)
