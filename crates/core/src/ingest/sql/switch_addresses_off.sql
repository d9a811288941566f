update cluster_fact set scheduler_address = null, dashboard_url = null where cluster_id = :cluster_id
