select id, first_at_micros from cluster where scheduler_id = :scheduler_id
