update instance set conflicts = conflicts + 1 where id = :instance_id
