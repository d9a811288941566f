-- What happened to workers, as an instance told it.
select at_micros, worker_id, event, address, name, host, cause, expected, threads, memory_limit_bytes, resources, nanny
from worker_event
where instance_id = :instance_id
order by seq
