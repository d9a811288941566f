update batch
set
    records = :records,
    digest = zeroblob(32),
    received_micros = :received_micros,
    last_at_micros = :last_at_micros,
    refused = :refused,
    kept = :kept,
    batches = :batches
where instance_id = :instance_id and first_seq = :first_seq
