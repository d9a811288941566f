delete from instance where id = :instance_id
