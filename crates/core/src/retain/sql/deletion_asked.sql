select cluster_id, asked_micros, due_micros from deletion where begun = 0
