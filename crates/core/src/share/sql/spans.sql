-- The spans whose latest record is of an instance.
select at_micros, span_id, parent_id, name, tags, start_micros, stop_micros, enqueued_micros, groups
from span
where cluster_id = :cluster_id and rank = :rank
order by span_id
