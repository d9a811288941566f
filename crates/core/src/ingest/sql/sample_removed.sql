select 1 from instance where id = :instance_id and samples_from_seq > :seq
