-- A record from before all others has arrived late.
update cluster set first_at_micros = :at_micros where id = :cluster_id
