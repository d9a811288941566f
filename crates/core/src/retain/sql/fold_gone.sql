delete from batch where instance_id = :instance_id and first_seq > :first_seq and first_seq <= :last_seq
