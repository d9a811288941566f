select coalesce(max(id), 0) from cluster
