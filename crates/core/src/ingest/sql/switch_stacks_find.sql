select s.instance_id, s.seq, s.packed
from instance as i
cross join profile_stack as s on s.instance_id = i.id
where i.cluster_id = :cluster_id
