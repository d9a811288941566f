update instance set samples_from_seq = max(coalesce(samples_from_seq, 0), :seq) where id = :instance_id
