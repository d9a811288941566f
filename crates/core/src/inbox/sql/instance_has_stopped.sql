select i.stop_at_micros is not null
from instance as i
join cluster as c on c.id = i.cluster_id
where c.scheduler_id = :scheduler_id and i.instance_id = :instance_id
