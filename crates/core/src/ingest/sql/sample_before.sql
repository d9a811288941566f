-- The sample before a sequence number.
select
    seq, at_micros, workers, threads, coalesce(memory_limit_bytes, memory_used_bytes, 0) as memory_bytes, compute_micros,
    transfer_micros, disk_read_micros + disk_write_micros as disk_micros,
    deserialize_micros + other_micros as other_micros, thread_micros, tasks_completed, tasks_erred, result_bytes
from sample
where instance_id = :instance_id and seq < :seq
order by seq desc
limit 1
