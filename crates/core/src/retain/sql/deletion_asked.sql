select cluster_id from deletion where begun = 0
