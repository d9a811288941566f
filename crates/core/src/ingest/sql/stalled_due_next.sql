select cluster_id from stalled_due where due_micros <= :now order by due_micros, cluster_id limit 1
