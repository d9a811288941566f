-- This machine's clock went back since: whoever was heard later than now was heard now, at the latest.
update cluster_total
set
    silent_after_micros = silent_after_micros - (last_heard_micros - :now_micros),
    last_heard_micros = :now_micros
where last_heard_micros > :now_micros and stop_at_micros is null
