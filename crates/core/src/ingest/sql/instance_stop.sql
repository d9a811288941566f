-- The latest `stop` record stands.
update instance
set stop_at_micros = :at_micros, stop_seq = :seq, stop_reason = :reason
where id = :instance_id and (stop_at_micros is null or (stop_at_micros, stop_seq) < (:at_micros, :seq))
