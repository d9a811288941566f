-- The sample after a sequence number.
select seq, at_micros, compute_micros, thread_micros, tasks_completed, tasks_erred, result_bytes
from sample
where instance_id = :instance_id and seq > :seq
order by seq
limit 1
