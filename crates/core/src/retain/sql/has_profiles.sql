select 1 from profile where instance_id = :instance_id limit 1
