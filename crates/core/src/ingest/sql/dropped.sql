insert or ignore into dropped (instance_id, seq, at_micros, what, count, reason)
values (:instance_id, :seq, :at_micros, :what, :count, :reason)
