select code_off_micros is not null from cluster_switch where cluster_id = :id
