-- A batch came again with other bytes and more records: those beyond the first ones are new.
update batch
set
    records = :records,
    first_at_micros = min(first_at_micros, :first_at_micros),
    last_at_micros = max(last_at_micros, :last_at_micros),
    refused = refused + :refused,
    kept = kept + :kept
where instance_id = :instance_id and first_seq = :first_seq
