-- The computations of a cluster, newest first.
select cluster_id, computation_id
from computation
where cluster_id = :id
order by coalesce(start_micros, at_micros) desc, computation_id
limit :limit
