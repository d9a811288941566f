-- What the workers of a cluster are called.
select w.worker_id, w.name
from instance as i
cross join worker_event as w on w.instance_id = i.id
where i.cluster_id = :id and w.name is not null
order by w.at_micros, w.seq, i.rank
