delete from profile where instance_id = :instance_id and seq = :seq
