-- A cluster of which a sample came that may change its stalled time.
insert or ignore into stalled_due (cluster_id, due_micros) values (:cluster_id, :due_micros)
