select count(*)
from instance as i
cross join worker_event as w on w.instance_id = i.id
where i.cluster_id = :cluster_id
