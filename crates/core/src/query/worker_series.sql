-- What a sample tells of its workers.
select each, bands
from sample_worker
where instance_id = :instance_id and seq = :seq
