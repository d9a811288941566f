update instance set folded_seq = :seq where id = :instance_id and folded_seq <> :seq
