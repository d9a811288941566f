select records, digest, batches from batch where instance_id = :instance_id and first_seq = :first_seq
