select code, events_allow from cluster_switch where cluster_id = :cluster_id
