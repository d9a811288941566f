select id from cluster where scheduler_id = :scheduler_id
