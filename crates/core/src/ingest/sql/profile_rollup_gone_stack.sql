delete from profile_stack where instance_id = :instance_id and seq = :seq
