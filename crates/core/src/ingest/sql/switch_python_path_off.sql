update cluster_fact set python_path = null where cluster_id = :cluster_id
