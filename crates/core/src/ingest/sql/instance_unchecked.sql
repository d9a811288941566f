update instance set unchecked = unchecked + 1 where id = :instance_id
