update instance set first_at_micros = :at_micros where id = :instance_id
