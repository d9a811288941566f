-- What changes when a line of source of a cluster comes or goes.
select l.instance_id, l.seq
from instance as i
cross join profile_line as l on l.instance_id = i.id
where i.cluster_id = :id
