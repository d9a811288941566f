insert into batch (
    instance_id, first_seq, records, digest, received_micros, first_at_micros, last_at_micros, refused, kept
)
values (
    :instance_id, :first_seq, :records, :digest, :now_micros, :first_at_micros, :last_at_micros, :refused, :kept
)
